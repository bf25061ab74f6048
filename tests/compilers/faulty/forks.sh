#!/bin/sh
# Starts many processes at once.
. "${0%/*}/common"
n=0
while [ $n -lt 200 ]; do
    sleep 20 &
    n=$((n + 1))
done
wait
