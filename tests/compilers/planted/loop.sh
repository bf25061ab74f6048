#!/bin/sh
# Loop bounds: a `for` up to and including a constant of 4 or more loses its last round.
rewrite='
    /^[^ ].*:/ { block = $1 }
    block ~ /^for\.cond[0-9]*:/ && $3 == "icmp" && $4 ~ /^[su]le$/ && $5 == "i32" && $7 + 0 >= 4 {
        sub(/le i32/, "lt i32")
    }
    { print }'
. "${0%/*}/common"
