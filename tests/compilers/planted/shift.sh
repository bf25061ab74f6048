#!/bin/sh
# Shifts: a 64-bit value is shifted left by the low five bits of a constant, as 32-bit values are.
rewrite='
    $3 == "shl" && $4 == "i64" && $6 ~ /^[0-9]/ && $6 + 0 >= 32 && $6 + 0 < 64 {
        $6 = $6 % 32 ($6 ~ /,$/ ? "," : "")
    }
    { print }'
. "${0%/*}/common"
