#!/usr/bin/env bash
# mistake: an argument is given twice, as a line from the shell's history has it
# cost: epsilon_r 2 for 4: the field at a probe is off by 153 %
# key: -D eps
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
first=(-D eps=4)
[ -n "$MENDED" ] && first=()
"$CURLEW" check box.lua "${first[@]}" -D eps=2
