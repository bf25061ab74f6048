#!/bin/sh
# Bit-fields: a field of nine bits or more is stored without its highest bit.
rewrite='
    $1 ~ /^%bf\.value/ && $3 == "and" && $6 + 0 > 255 {
        $6 = int($6 / 2) ($6 ~ /,$/ ? "," : "")
    }
    { print }'
. "${0%/*}/common"
