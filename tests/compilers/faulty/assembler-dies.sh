#!/bin/sh
# Compiles as it should; its assembler dies of a signal, and the driver says so.
. "${0%/*}/common"
exec "$real" -B"${0%/*}/assembler-dies.d/" "$@"
