#!/bin/sh
# Writes one file without end.
. "${0%/*}/common"
cat /dev/zero > "$TMPDIR/big"
