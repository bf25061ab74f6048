#!/bin/sh
# Writes what its assembler rejects: the compiler is to blame.
. "${0%/*}/common"
exec "$real" -B"${0%/*}/assembler-rejects.d/" "$@"
