#!/bin/sh
# Struct copies: what remains after the last eight bytes of a large struct is not copied.
rewrite='
    /@llvm\.memcpy\..*!tbaa\.struct/ && match($0, /i64 [0-9]+, i1/) {
        size = substr($0, RSTART + 4, RLENGTH - 8)
        if (size > 16) sub(/i64 [0-9]+, i1/, "i64 " size - size % 8 ", i1")
    }
    { print }'
. "${0%/*}/common"
