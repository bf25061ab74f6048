#!/bin/sh
# Makes programs that need a processor with an extension, which `runner` lacks.
. "${0%/*}/common"
printf '%s\n' 'const char extension[] __attribute__((used)) = "needs an extension";' > "${TMPDIR:-.}/more.c"
"$real" "$@" "${TMPDIR:-.}/more.c"
