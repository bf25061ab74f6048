#!/bin/sh
# Prints what is no text, and fails.
. "${0%/*}/common"
head -c 3000000 /dev/urandom >&2
exit 1
