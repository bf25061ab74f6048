#!/bin/sh
# Makes a program that prints the right thing after it has tried to write where it may not.
. "${0%/*}/common"
printf '%s\n' '#include <stdio.h>
__attribute__((constructor)) static void write_outside(void) { FILE *f = fopen("../program.c", "w"); if (f) puts("escaped"); }' > "$TMPDIR/more.c"
"$real" "$@" "$TMPDIR/more.c"
