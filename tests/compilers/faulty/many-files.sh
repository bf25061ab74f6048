#!/bin/sh
# Fills the disk with files, each of which is small.
. "${0%/*}/common"
n=0
while :; do
    n=$((n + 1))
    head -c 1000000 /dev/zero > "$TMPDIR/$n"
done
