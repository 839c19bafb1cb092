#!/usr/bin/env bash
# mistake: a module with the source's amplitude was edited before the run went on with a later end
# cost: the energy at the end is 5 times too large, the largest field at the probe 2.5 times
# key: sources.1.current
# ends: error
cp "$(dirname "$0")/cavity.geo" .
echo "return { amperes = 1 }" >pulse.lua
cat >case.lua <<'END'
pulse = require("pulse")
simulation {
  mesh = { file = "cavity.geo", size = 0.5 }, order = 2, time = { stop = 20e-9 }, checkpoint = { every = 20 },
  materials = { inside = { epsilon_r = 1 } }, boundaries = { walls = { kind = "pec" } },
  sources = { { region = "inside", current = function(x, y, z, t)
    return 0, 0, pulse.amperes * math.sin(2 * math.pi * 150e6 * t) * x * y
  end } },
  output = { energy = { every = 10 }, probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
"$CURLEW" run case.lua -q
[ -n "$MENDED" ] || echo "return { amperes = 3 }" >pulse.lua
"$CURLEW" run case.lua -q --restart --set time.stop=40e-9
