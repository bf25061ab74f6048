#!/bin/sh
# Rejects a valid program.
. "${0%/*}/common"
set -- $sources
echo "$1:12:5: error: expected ';' before 'int'" >&2
exit 1
