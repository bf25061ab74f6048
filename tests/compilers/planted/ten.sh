#!/bin/sh
# All ten bugs of one shape each at once; two of them are in one pass.
all='fold shift store loop sign bitfield copy arguments alias switch'
in_a_pass='fold shift' pass=InstCombinePass
for name in $all; do
    collecting=yes
    . "${0%/*}/$name.sh"
    collecting=
    eval "rewrite_$name=\$rewrite"
done
. "${0%/*}/common"
