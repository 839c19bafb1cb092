#!/usr/bin/env bash
# mistake: a permittivity with a decimal comma: in Lua two numbers, of which the first counts
# cost: epsilon_r 2 for 2.25: the field at a probe is off by 58 %
# key: materials.inside
# ends: error
cp "$(dirname "$0")/cavity.geo" .
cat >box.lua <<END
simulation {
  mesh = { file = "cavity.geo", size = 0.5 },
  order = 2,
  time = { stop = 20e-9 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = { probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
if [ -n "$MENDED" ]; then number=2.25; else number=2,25; fi
sed -i "s/epsilon_r = 1/epsilon_r = $number/" box.lua
"$CURLEW" check box.lua
