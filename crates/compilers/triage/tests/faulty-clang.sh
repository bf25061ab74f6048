#!/bin/sh
# clang with a planted bug: once a certain pass has run on the function f, the constant 1234567 is
# 1234568 in the assembly. Arguments: clang itself, the guilty pass, and what a compiler is given.
# Only files of C and the options that a test uses are understood.
clang=$1 guilty=$2
shift 2
output=a.out skip='' only='' sources='' objects='' options='' counts=''
for word in "$@"; do
    if [ -n "$skip" ]; then
        output=$word skip=''
        continue
    fi
    case $word in
    -o) skip=yes ;;
    -c) only=-c ;;
    -l*) ;;
    *.o) objects="$objects $word" ;;
    *.c) sources="$sources $word" ;;
    *-opt-bisect-limit=*) options="$options $word" counts=yes ;;
    *) options="$options $word" ;;
    esac
done
# Without a limit clang does not say which passes it runs.
if [ -z "$counts" ]; then options="$options -mllvm -opt-bisect-limit=-1"; fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
n=0 files=''
# shellcheck disable=SC2086
for source in $sources; do
    n=$((n + 1))
    "$clang" $options -S "$source" -o "$work/$n.s" 2>"$work/said" || exit 1
    if [ -n "$counts" ]; then cat "$work/said" >&2; fi
    if grep -q "^BISECT: running pass ([0-9]*) $guilty on f\$" "$work/said"; then
        sed 's/1234567/1234568/' "$work/$n.s" >"$work/new" && mv "$work/new" "$work/$n.s"
    fi
    files="$files $work/$n.s"
done
# shellcheck disable=SC2086
"$clang" $only $files $objects -o "$output"
