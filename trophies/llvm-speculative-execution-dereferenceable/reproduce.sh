#!/bin/sh
# speculative-execution hoists a call with an attribute that makes it undefined (LLVM 16 to 22)
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [OPT], or OPT=OPT reproduce.sh; else with libLLVM 22, by gainsay.

opt=${1:-${OPT:-}}
gainsay=${GAINSAY:-gainsay}

there() { echo "the bug is there: $1"; exit 0; }
gone() { echo "the bug is gone: $1"; exit 1; }
cannot_tell() { echo "cannot tell: $1"; exit 2; }

case $opt in
*/*) opt=$(CDPATH='' cd -- "$(dirname -- "$opt")" && pwd)/$(basename -- "$opt") ;;
esac
CDPATH='' cd -- "$(dirname -- "$0")" || cannot_tell "the folder of this script is gone"
command -v "$gainsay" >/dev/null || cannot_tell "there is no $gainsay to ask"

dir=$(mktemp -d) || cannot_tell "no temporary folder"
trap 'rm -rf "$dir"' EXIT
if [ -n "$opt" ]; then
    command -v "$opt" >/dev/null || cannot_tell "there is no $opt"
    messages=$("$opt" -passes=speculative-execution -S -o "$dir/after.ll" test.ll 2>&1)
else
    messages=$("$gainsay" llvm opt test.ll --lib 22 --passes speculative-execution 2>&1 >"$dir/after.ll")
fi || cannot_tell "the passes fail: $messages"
report=$("$gainsay" llvm verify test.ll "$dir/after.ll" 2>&1)
case $? in
0) gone "the result refines the module" ;;
1) there "$report" ;;
esac
cannot_tell "$report"
