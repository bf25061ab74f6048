#!/bin/sh
# Dies of a signal, without a word.
. "${0%/*}/common"
kill -SEGV $$
