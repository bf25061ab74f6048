#!/bin/sh
# [attributor] wrong code at -O0 -passes=attributor,attributor (libLLVM-22 (22.1.2))
#
# Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.
# Usage: reproduce.sh [VERSION]; else with LLVM 22. CLANG, LINK, OPT and LLC name other tools.

version=${1:-22}
clang=${CLANG:-clang-$version}
link=${LINK:-llvm-link-$version}
opt=${OPT:-opt-$version}
llc=${LLC:-llc-$version}

there() { echo "the bug is there: $1"; exit 0; }
gone() { echo "the bug is gone: $1"; exit 1; }
cannot_tell() { echo "cannot tell: $1"; exit 2; }

CDPATH='' cd -- "$(dirname -- "$0")" || cannot_tell "the folder of this script is gone"
missing=
for tool in "$clang" "$link" "$opt" "$llc"; do
    command -v "$tool" >/dev/null || missing=$tool
done
# Gainsay can do without them: it needs the library alone, and some clang.
if [ -n "$missing" ]; then
    command -v gainsay >/dev/null || cannot_tell "there is no $missing, and no gainsay"
fi

limited() {
    seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

compile() {
    if [ -n "$missing" ]; then
        limited 180 gainsay llvm cc --lib "$version" -O0 -passes=attributor,attributor -w test.c -o "$dir/program" -lm
        return
    fi
    limited 180 "$clang" -O0 -Xclang -disable-O0-optnone -emit-llvm -c -w test.c -o "$dir/0.bc" &&
    limited 180 "$link" "$dir/0.bc" -o "$dir/whole.bc" &&
    limited 180 "$opt" '-passes=attributor,attributor' "$dir/whole.bc" -o "$dir/optimised.bc" &&
    limited 180 "$llc" -O2 -relocation-model=pic -filetype=obj "$dir/optimised.bc" -o "$dir/optimised.o" &&
    limited 180 "$clang" "$dir/optimised.o" -o "$dir/program" -lm
}

dir=$(mktemp -d) || cannot_tell "no temporary folder"
trap 'rm -rf "$dir"' EXIT
messages=$(compile 2>&1)
status=$?
[ "$status" -eq 0 ] || cannot_tell "it does not compile: $messages"
{
    printf '\106\106\106\106\106\106\106\106'
} >"$dir/expected"
limited 60 "$dir/program" >"$dir/got" 2>/dev/null </dev/null
status=$?
if [ "$status" -eq 0 ] && cmp -s "$dir/expected" "$dir/got"; then
    gone "it prints what it must"
fi
there "exit status $status, and it differs from what it must print (<):
$(diff "$dir/expected" "$dir/got" | head -n 10)"
