#!/usr/bin/env bash
# mistake: the geometry was edited before the run went on with more steps
# cost: the frequencies of the second part are 9 % lower
# key: mesh
# ends: error
cp "$(dirname "$0")/cavity.geo" .
cat >case.lua <<'END'

simulation {
  mesh = { file = "cavity.geo", size = 0.5 }, order = 2, time = { stop = 20e-9 }, checkpoint = { every = 20 },
  materials = { inside = { epsilon_r = 1 } }, boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, 1 * math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = { energy = { every = 10 }, probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
"$CURLEW" run case.lua -q
[ -n "$MENDED" ] || sed -i "s/L = 1,/L = 1.1,/" cavity.geo
"$CURLEW" run case.lua -q --restart --set time.stop=40e-9
