#!/bin/sh
# Calls: the first two arguments are swapped if both have 64 bits.
rewrite='
    / call .*\(i64 noundef [^ (),]+, i64 noundef [^ (),]+[,)]/ && match($0, /\(i64 noundef [^ (),]+, i64 noundef [^ (),]+/) {
        split(substr($0, RSTART + 1, RLENGTH - 1), both, /, /)
        $0 = substr($0, 1, RSTART) both[2] ", " both[1] substr($0, RSTART + RLENGTH)
    }
    { print }'
. "${0%/*}/common"
