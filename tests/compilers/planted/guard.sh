#!/bin/sh
# Conditional stores: a store to a global variable right behind an `if` that compares by < > <= >= is lost.
rewrite='
    /^[^ ].*:/ { block = $1 }
    $3 == "icmp" { relation = $4 }
    block ~ /^if\.then[0-9]*:/ && relation ~ /^[su][lg][te]$/ && $1 == "store" && / ptr @/ { next }
    { print }'
. "${0%/*}/common"
