#!/bin/sh
# Prints what is no text, and works.
. "${0%/*}/common"
head -c 3000000 /dev/urandom
head -c 3000000 /dev/urandom >&2
exec "$real" "$@"
