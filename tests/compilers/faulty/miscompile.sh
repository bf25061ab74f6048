#!/bin/sh
# Changes operations in the assembly of the first file that has one: the first on two registers, and
# every eighth after it, since a single one rarely matters to what a large program prints.
. "${0%/*}/common"
options= skip=
for word in "$@"; do
    case $word in
    -o) skip=yes; continue ;;
    *.c | *.o | -l*) ;;
    *) if [ -z "$skip" ]; then options="$options $word"; fi ;;
    esac
    skip=
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 changed= files=
for source in $sources; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    "$real" $options -S "$source" -o "$work/$n.s" || exit
    if [ -z "$changed" ]; then
        awk '
            $1 ~ /^(add|sub|xor|and|or|imul)l$/ && $2 ~ /^%e[a-d]x,$|^%e[sd]i,$|^%r[0-9]+d,$/ && $3 ~ /^%/ && $2 != $3 "," && n++ % 8 == 0 {
                was = $1
                now = was == "addl" ? "subl" : was == "subl" ? "addl" : was == "xorl" ? "orl" : was == "imull" ? "addl" : "xorl"
                sub(was, now)
            }
            { print }
        ' "$work/$n.s" > "$work/new"
        if ! cmp -s "$work/new" "$work/$n.s"; then changed=yes; fi
        mv "$work/new" "$work/$n.s"
    fi
    files="$files $work/$n.s"
done
# shellcheck disable=SC2086
"$real" $files $objects -o "$output" -lm
