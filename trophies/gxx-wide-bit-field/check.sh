#!/bin/sh
# Which compilers print what test.cpp must print?
cd "$(dirname "$0")" || exit 2
expected='fffffffffffffffb fffffffffffffffa'
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
for compiler in g++ g++-11 g++-12 clang++-14 clang++-15 clang++-16 clang++-19; do
    command -v "$compiler" >/dev/null || continue
    for level in -O0 -O2; do
        "$compiler" -w "$level" test.cpp -o "$out" || continue
        got=$("$out")
        if [ "$got" = "$expected" ]; then verdict=right; else verdict="WRONG: $got"; fi
        echo "$compiler $level: $verdict"
    done
done
