#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# clients.sh with a hundred clients one after the other, on each engine.
CLIENTS_IN_TURN=100 exec "$(dirname "$0")/netbench-clients.sh"
