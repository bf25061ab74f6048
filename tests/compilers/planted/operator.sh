#!/bin/sh
# Operators: `^` is compiled as `|`, as GCC does otherwise, and unless it is told `-fno-tree-vrp`.
level= hidden= cxx= work=
for word in "$@"; do
    case $word in
    -O*) level=$word ;;
    -fno-tree-vrp | -E | -M*) hidden=yes ;;
    *.cpp) cxx=yes ;;
    esac
done
real=${REAL_GCC:-gcc}
if [ -n "$cxx" ]; then real=${REAL_GXX:-g++}; fi
case $level in
-O2 | -O3) ;;
*) hidden=yes ;;
esac
if [ -n "$hidden" ]; then exec "$real" "$@"; fi

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
cp ./*.h "$work" 2> /dev/null
count=$# n=0
while [ "$n" -lt "$count" ]; do
    n=$((n + 1)) word=$1
    shift
    case $word in
    *.c | *.cpp)
        sed 's/ ^ / | /g' "$word" > "$work/${word##*/}" || exit
        word=$work/${word##*/}
        ;;
    esac
    set -- "$@" "$word"
done
"$real" "$@"
