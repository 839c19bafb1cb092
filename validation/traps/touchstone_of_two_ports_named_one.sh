#!/usr/bin/env bash
# mistake: a Touchstone file of two ports saved under the name of one with a single port
# cost: each line was read as three frequencies, 0.8 and 0.1 Hz among them, with S21 and S22 as their S11
# key: do not ascend
# ends: error
set -e
name=case.s1p
[ -z "$MENDED" ] || name=case.s2p
printf '# Hz S RI R 50\n1e9 .1 0 .8 .1 .8 .1 .1 0\n2e9 .1 .1 .7 .2 .7 .2 .1 0\n' > "$name"
"$CURLEW" s "$name" --show ri
