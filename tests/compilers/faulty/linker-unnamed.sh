#!/bin/sh
# Compiles and assembles as it should; its linker dies of a signal, and the driver does not say what died.
. "${0%/*}/common"
for word in "$@"; do
    case $word in -c | -S | -E) exec "$real" "$@" ;; esac
done
echo "error: unable to execute command: Segmentation fault" >&2
exit 1
