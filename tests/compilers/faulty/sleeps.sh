#!/bin/sh
# Never ends, and does nothing.
. "${0%/*}/common"
sleep 1000
