#!/bin/sh
# Constant folding: a constant above 65535 in an `or` or `xor` of 32 bits is folded in 16 bits; but not where
# a bit-field is stored.
rewrite='
    $1 !~ /^%bf\./ && $3 ~ /^x?or$/ && $4 == "i32" && $6 + 0 > 65535 { $6 = $6 % 65536 ($6 ~ /,$/ ? "," : "") }
    { print }'
. "${0%/*}/common"
