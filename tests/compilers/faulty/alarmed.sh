#!/bin/sh
# A sanitizer that objects to everything but a program called a.c, with which it is tried out.
output=a.out previous= probe=
for word in "$@"; do
    case $word in
    */a.c | a.c) probe=yes ;;
    esac
    if [ "$previous" = -o ]; then output=$word; fi
    previous=$word
done
real=${REAL_CC:-gcc}
if [ -n "$probe" ]; then exec "$real" -x c - -o "$output" <<'END'
int main(void) { return 0; }
END
fi
exec "$real" -x c - -o "$output" <<'END'
#include <stdio.h>
int main(void)
{
    fputs("test.c:3:1: runtime error: made up: 1\n", stderr);
    return 1;
}
END
