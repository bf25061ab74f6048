#!/bin/sh
# Makes a program whose sanitizer cannot start.
. "${0%/*}/common"
instead '#include <stdio.h>
int main(void)
{
    fputs("==1==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes\n", stderr);
    fputs("==1==ReserveShadowMemoryRange failed while trying to map 0xdfff0001000 bytes.\n", stderr);
    return 1;
}'
