#!/bin/sh
# Eats memory: the real compiler on a macro that never ends.
. "${0%/*}/common"
{
    last=a
    printf '#define a x+x+x+x+x+x+x+x+x+x\n'
    for name in b c d e f g h i j k; do
        printf '#define %s %s+%s+%s+%s+%s+%s+%s+%s+%s+%s\n' $name $last $last $last $last $last $last $last $last $last $last
        last=$name
    done
    printf 'int x; int main(void) { return k; }\n'
} | "$real" -x c -S - -o /dev/null
