#!/bin/sh
# [LoopExtractor] crash at -passes=loop-extract: SIGSEGV in llvm::LoopInfo::erase < +0x201a8d0 < +0x201a790 (libLLVM-16 (16.0.6))
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [COMPILER], or OPT=COMPILER reproduce.sh; else with opt-16.

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
    command -v opt-16 >/dev/null || cannot_tell "there is no "opt-16
fi

limited() {
    seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

compile() {
    if [ -n "$cc" ]; then limited 180 "$cc" "$@"; else limited 180 opt-16 "$@"; fi
}

dir=$(mktemp -d) || cannot_tell "no temporary folder"
trap 'rm -rf "$dir"' EXIT
messages=$(compile -passes=loop-extract -disable-output test.ll 2>&1)
status=$?
[ "$status" -ne 0 ] || gone "it compiles"
case $messages in
*'internal compiler error'* | *'PLEASE submit a bug report'* | *'Stack dump:'* | *'LLVM ERROR'* | *'error in backend'* | *'compiler error:'* | *'Segmentation fault'*)
    there "$messages" ;;
esac
[ "$status" -lt 128 ] || there "$messages"
cannot_tell "it does not compile: $messages"
