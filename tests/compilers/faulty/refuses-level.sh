#!/bin/sh
# Does not know the levels.
. "${0%/*}/common"
echo "error: unrecognized command-line option '-O2'" >&2
exit 1
