#!/usr/bin/env bash
# mistake: -D f=50MHz for a script that reads tonumber(args.f) or 150e6: its default is taken
# cost: until 20 ns the largest field at the probe is 1e5 times too large: the pulse at 150 MHz rings, that at 50 MHz has not come
# key: -D f
# ends: error
cp "$(dirname "$0")/cavity.geo" .
cat >case.lua <<'END'
local f = tonumber(args.f) or 150e6
simulation {
  mesh = { file = "cavity.geo", size = 0.5 }, order = 2, time = { stop = 20e-9 }, checkpoint = { every = 20 },
  materials = { inside = { epsilon_r = 1 } }, boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.4, 0.4, 0.4 }, moment = { 0, 0, 1 },
                waveform = waveform.gaussian { f0 = f, bandwidth = f } } },
  output = { energy = { every = 10 }, probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
END
if [ -n "$MENDED" ]; then f=50e6; else f=50MHz; fi
"$CURLEW" check case.lua -D f=$f
