-- mistake: the region of a total field is the room around the surface, and not what is inside of it
-- cost: inside the field is the opposite of the wave, and outside it is 0 (200 % and 100 % off)
-- key: interfaces.around
-- ends: error
-- says: reaches the wall
simulation {
  mesh = { file = "around.geo", size = 0.25 }, order = 2, time = { stop = 12e-9 }, materials = { default = {} },
  boundaries = { default = { kind = "absorbing" } },
  interfaces = { around = { kind = "total_field", region = args.mended and "inner" or "outer", direction = { 1, 0, 0 },
                            polarisation = { 0, 0, 1 }, waveform = waveform.gaussian { bandwidth = 3e8 } } },
  output = { probes = { { name = "in", at = { 0.5, 0.5, 0.45 } }, { name = "out", at = { 0.1, 0.5, 0.45 } } } },
}
