#!/bin/sh
# Reports an internal error, as GCC does.
. "${0%/*}/common"
set -- $sources
echo "during GIMPLE pass: faulty" >&2
echo "$1:3:1: internal compiler error: in break_it, at faulty.cc:42" >&2
echo "Please submit a full bug report, with preprocessed source." >&2
exit 1
