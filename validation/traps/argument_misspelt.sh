#!/usr/bin/env bash
# mistake: an argument of the command line is misspelt, and the script's default counts
# cost: epsilon_r 1 for 4: the field at a probe is off by 140 %
# key: -D Eps
# ends: error
cp "$(dirname "$0")/cavity.geo" .
cat >box.lua <<END
simulation {
  mesh = { file = "cavity.geo", size = 0.5 },
  order = 2,
  time = { stop = 20e-9 },
  materials = { inside = { epsilon_r = args.eps or 1 } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = { probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
if [ -n "$MENDED" ]; then name=eps; else name=Eps; fi
"$CURLEW" check box.lua -D $name=4
