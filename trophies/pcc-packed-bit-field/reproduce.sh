#!/bin/sh
# pcc (1.2.0.DEVEL): wrong code at -O0
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [COMPILER], or CC=COMPILER reproduce.sh; else with pcc.

cc=${1:-${CC:-}}

there() { echo "the bug is there: $1"; exit 0; }
gone() { echo "the bug is gone: $1"; exit 1; }
cannot_tell() { echo "cannot tell: $1"; exit 2; }

case $cc in
*/*) cc=$(CDPATH='' cd -- "$(dirname -- "$cc")" && pwd)/$(basename -- "$cc") ;;
esac
CDPATH='' cd -- "$(dirname -- "$0")" || cannot_tell "the folder of this script is gone"
if [ -n "$cc" ]; then
    command -v "$cc" >/dev/null || cannot_tell "there is no $cc"
else
    command -v pcc >/dev/null || cannot_tell "there is no "pcc
fi

limited() {
    seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

compile() {
    if [ -n "$cc" ]; then limited 180 "$cc" "$@"; else limited 180 pcc "$@"; fi
}

dir=$(mktemp -d) || cannot_tell "no temporary folder"
trap 'rm -rf "$dir"' EXIT
messages=$(compile -O0 -w -std=c11 test.c -o "$dir/program" -lm 2>&1)
status=$?
[ "$status" -eq 0 ] || cannot_tell "it does not compile: $messages"
{
    printf '\060'
} >"$dir/expected"
limited 60 "$dir/program" >"$dir/got" 2>/dev/null </dev/null
status=$?
if [ "$status" -eq 0 ] && cmp -s "$dir/expected" "$dir/got"; then
    gone "it prints what it must"
fi
there "exit status $status, and it differs from what it must print (<):
$(diff "$dir/expected" "$dir/got" | head -n 10)"
