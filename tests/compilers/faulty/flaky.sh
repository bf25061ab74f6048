#!/bin/sh
# Makes a wrong program every other time; counts in FAULTY_STATE, or beside itself.
. "${0%/*}/common"
state=${FAULTY_STATE:-$0.count}
n=$(($(cat "$state" 2> /dev/null || echo 0) + 1))
echo $n > "$state"
if [ $((n % 2)) = 0 ]; then exec "$real" "$@"; fi
instead 'int main(void) { return 3; }'
