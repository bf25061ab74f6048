#!/bin/sh
# Eats memory, faster than any limit of time comes: `tail` keeps all of a line that never ends. Then it
# says what gcc would.
. "${0%/*}/common"
tail -n 1 /dev/zero
printf 'cc1: out of memory allocating 65536 bytes after a total of 524288000 bytes\n' >&2
exit 1
