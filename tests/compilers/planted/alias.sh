#!/bin/sh
# Aliasing: what a pointer points to is taken for a type of its own, which no variable has.
rewrite='
    ($1 == "store" || $3 == "load") && / ptr %[0-9]+, align [0-9]+, !tbaa / {
        sub(/!tbaa ![0-9]+/, "!tbaa !99998")
    }
    /!"omnipotent char"/ { char = $1 }
    { print }
    END {
        if (char) {
            print "!99998 = !{!99999, !99999, i64 0}"
            print "!99999 = !{!\"pointed to\", " char ", i64 0}"
        }
    }'
. "${0%/*}/common"
