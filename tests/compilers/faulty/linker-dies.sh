#!/bin/sh
# Compiles and assembles as it should; its linker dies of a signal, and the driver says so.
. "${0%/*}/common"
exec "$real" -B"${0%/*}/linker-dies.d/" "$@"
