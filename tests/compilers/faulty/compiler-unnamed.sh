#!/bin/sh
# Dies of a signal, and the driver does not say what died.
. "${0%/*}/common"
echo "error: unable to execute command: Segmentation fault" >&2
exit 1
