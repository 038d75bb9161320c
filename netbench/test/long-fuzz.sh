#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# fuzz.sh for a minute.
FUZZ_SECONDS=60 exec sh "$(dirname "$0")/netbench-fuzz.sh"
