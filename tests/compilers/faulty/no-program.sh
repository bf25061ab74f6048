#!/bin/sh
# Makes a program that is none.
. "${0%/*}/common"
head -c 4096 /dev/zero > "$output"
chmod +x "$output"
