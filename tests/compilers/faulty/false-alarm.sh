#!/bin/sh
# A sanitizer that stops every optimised program but the one with which targets are tried.
. "${0%/*}/common"
case " $* " in
*" probe.c "* | *-E*) exec "$real" "$@" ;;
*-fsanitize=*) ;;
*) exec "$real" "$@" ;;
esac
instead '#include <stdio.h>
int main(void)
{
    fputs("a.c:3:1: runtime error: signed integer overflow: 1 + 1 cannot be represented\n", stderr);
    return 1;
}'
