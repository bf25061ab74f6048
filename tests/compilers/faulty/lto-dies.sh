#!/bin/sh
# Its optimiser is part of the linker, and dies there, as Clang's with -flto.
. "${0%/*}/common"
lto=
for word in "$@"; do
    case $word in
    -flto) lto=yes ;;
    -fno-lto) lto= ;;
    esac
done
if [ -z "$lto" ]; then exec "$real" "$@"; fi
echo "clang: error: unable to execute command: Segmentation fault" >&2
echo "clang: error: linker command failed due to signal (use -v to see invocation)" >&2
exit 1
