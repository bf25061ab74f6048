#!/bin/sh
# Dead stores: a store to a global of 16 or 32 bits is dropped where the block stores to it again,
# whatever is read of it in between.
rewrite='
    function flush(   i) {
        for (i = 1; i <= n; i++) if (!dead[i]) print line[i]
        n = 0
        split("", last)
        split("", dead)
    }
    $1 == "store" && $2 ~ /^i(16|32)$/ && $5 ~ /^@/ {
        if ($5 in last) dead[last[$5]] = 1
        last[$5] = n + 1
    }
    { line[++n] = $0 }
    /^$/ || /^}/ { flush() }
    END { flush() }'
. "${0%/*}/common"
