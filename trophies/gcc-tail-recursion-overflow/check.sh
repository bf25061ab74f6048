#!/bin/sh
# Which compilers print 1, as test.c must?
cd "$(dirname "$0")" || exit 2
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
for compiler in gcc-11 gcc-12 gcc-13 gcc-14 clang-14 clang-15 clang-16 clang-19 tcc; do
    command -v "$compiler" >/dev/null || continue
    for level in -O0 -O1 -O2 -Os -O3; do
        "$compiler" -w "$level" test.c -o "$out" || continue
        got=$("$out")
        if [ "$got" = 1 ]; then verdict=right; else verdict="WRONG: $got"; fi
        echo "$compiler $level: $verdict"
    done
done
