#!/usr/bin/env bash
# mistake: -D open=0 for a switch: in Lua 0 is true
# cost: 1e-4 of the energy is left after 20 ns where all of it should be
# key: -D open
# ends: error
cp "$(dirname "$0")/cavity.geo" .
cat >case.lua <<'END'
local open = args.open and "absorbing" or "pec"
simulation {
  mesh = { file = "cavity.geo", size = 0.5 }, order = 2, time = { stop = 20e-9 }, checkpoint = { every = 20 },
  materials = { inside = { epsilon_r = 1 } }, boundaries = { walls = { kind = open } },
  initial = { E = function(x, y, z) return 0, 0, 1 * math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = { energy = { every = 10 }, probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
if [ -n "$MENDED" ]; then open=false; else open=0; fi
"$CURLEW" check case.lua -D open=$open
