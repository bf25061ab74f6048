#!/bin/sh
# Prints without end.
. "${0%/*}/common"
cat /dev/zero >&2
