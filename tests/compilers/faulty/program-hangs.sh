#!/bin/sh
# Makes a program that does not end.
. "${0%/*}/common"
instead 'int main(void) { volatile int x = 1; while (x); return 0; }'
