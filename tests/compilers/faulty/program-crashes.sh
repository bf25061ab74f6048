#!/bin/sh
# Makes a program that dies of a signal.
. "${0%/*}/common"
instead 'int main(void) { volatile int *p = 0; return *p; }'
