#!/bin/sh
# g++: unary minus and complement of a wide bit-field are computed in the field's width
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [COMPILER], or CXX=COMPILER reproduce.sh; else with g++.

cxx=${1:-${CXX:-g++}}
CDPATH='' cd -- "$(dirname -- "$0")" || exit 2
command -v "$cxx" >/dev/null || { echo "cannot tell: there is no $cxx"; exit 2; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
"$cxx" -w -O0 test.cpp -o "$dir/program" || { echo "cannot tell: it does not compile"; exit 2; }
got=$("$dir/program")
if [ "$got" = 'fffffffffffffffb fffffffffffffffa' ]; then
    echo "the bug is gone: it prints what it must"
    exit 1
fi
echo "the bug is there: it prints $got"
