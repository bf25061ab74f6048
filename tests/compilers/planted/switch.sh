#!/bin/sh
# Switches: case values above 4 are off by one.
rewrite='
    $1 == "switch" { inside = $3 !~ /cleanup/ }
    $1 == "]" { inside = 0 }
    inside && $1 ~ /^i[0-9]+$/ && $2 + 0 > 4 && $2 + 0 < 1000 { $2 = $2 + 1 "," }
    { print }'
. "${0%/*}/common"
