#!/usr/bin/env bash
# mistake: two Touchstone files put one behind the other, the first in GHz and the second in MHz
# cost: the first file's frequencies were read as MHz: a thousand times too low
# key: two option lines
# ends: error
set -e
printf '# GHz S RI R 50\n1 .1 0\n2 .2 0\n' > joined.s1p
if [ -z "$MENDED" ]; then printf '# MHz S RI R 50\n3000 .3 0\n' >> joined.s1p; else printf '3 .3 0\n' >> joined.s1p; fi
"$CURLEW" s joined.s1p
