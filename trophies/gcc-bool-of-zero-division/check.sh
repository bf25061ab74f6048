#!/bin/sh
# Which compilers crash on test.c?
cd "$(dirname "$0")" || exit 2
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
for compiler in gcc gcc-11 gcc-12 gcc-13 gcc-14 clang-14 clang-15 clang-16 clang-19 tcc; do
    command -v "$compiler" >/dev/null || continue
    messages=$("$compiler" -w test.c -o "$out" 2>&1)
    status=$?
    ice=$(echo "$messages" | grep -m 1 'internal compiler error')
    if [ -n "$ice" ]; then verdict="CRASHES: $ice"
    elif [ $status -eq 0 ] && "$out"; then verdict=right
    else verdict="status $status: $(echo "$messages" | head -n 1)"; fi
    echo "$compiler: $verdict"
done
