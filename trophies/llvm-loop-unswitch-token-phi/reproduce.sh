#!/bin/sh
# [SimpleLoopUnswitch] invalid IR after SimpleLoopUnswitchPass: PHI nodes cannot have token type! (libLLVM-15)
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [COMPILER], or OPT=COMPILER reproduce.sh; else with opt-15.

cc=${1:-${OPT:-}}

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
    command -v opt-15 >/dev/null || cannot_tell "there is no "opt-15
fi

limited() {
    seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

compile() {
    if [ -n "$cc" ]; then limited 180 "$cc" "$@"; else limited 180 opt-15 "$@"; fi
}

dir=$(mktemp -d) || cannot_tell "no temporary folder"
trap 'rm -rf "$dir"' EXIT
messages=$(compile '-passes=simple-loop-unswitch<nontrivial;trivial>' -verify-each -disable-output test.ll 2>&1)
status=$?
case $messages in
*'PHI nodes cannot have token type!'*) there "$messages" ;;
esac
[ "$status" -ne 0 ] || gone "it compiles"
case $messages in
*'internal compiler error'* | *'PLEASE submit a bug report'* | *'Stack dump:'* | *'LLVM ERROR'* | *'error in backend'* | *'compiler error:'* | *'Segmentation fault'*)
    cannot_tell "the compiler dies with other words: $messages" ;;
esac
[ "$status" -lt 128 ] || cannot_tell "the compiler dies with other words: $messages"
cannot_tell "it does not compile: $messages"
