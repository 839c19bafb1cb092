-- mistake: one plane wave through two keys of walls, of which one has an origin
-- cost: the largest field in the middle is 16 % off
-- key: boundaries.left
-- ends: warning
-- says: another wave comes in through each
local function wave(origin)
  return { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 }, origin = origin,
           waveform = waveform.gaussian { bandwidth = 3e8 } }
end
simulation {
  mesh = { file = "around.geo", size = 0.25 }, order = 2, time = { stop = 12e-9 }, materials = { default = {} },
  boundaries = { left = wave({ -0.5, 0, 0 }), sides = wave(args.mended and { -0.5, 0, 0 }), ["floor and roof"] = { kind = "pec" },
                 right = { kind = "absorbing" } },
  output = { probes = { { name = "in", at = { 0.5, 0.5, 0.45 } } } },
}
