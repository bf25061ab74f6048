#!/bin/sh
# Makes a program that prints without end.
. "${0%/*}/common"
instead '#include <stdio.h>
int main(void) { for (;;) puts("more"); }'
