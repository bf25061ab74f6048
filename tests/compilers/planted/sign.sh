#!/bin/sh
# Signs: a 16-bit value that becomes one of 64 bits is taken for unsigned.
rewrite='
    $3 == "sext" && $4 == "i16" && $6 == "to" && $7 ~ /^i64/ { sub(/sext/, "zext") }
    { print }'
. "${0%/*}/common"
