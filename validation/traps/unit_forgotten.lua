-- mistake: the drawing is in millimetres, and mesh.unit is not given: the cavity is 22.86 m long.
-- cost: every frequency is a thousand times too low: the first mode is at 8.24 MHz for 8.24 GHz (closed form; the drawing is the same).
-- key: sources
-- ends: error
simulation {
  mesh = { file = "millimetres.geo", size = 6, unit = args.mended and 1e-3 or nil },
  order = 3, time = { stop = 1e-9 },
  materials = { inside = {} }, boundaries = { walls = { kind = "pec" } },
  sources = { { at = args.mended and { 0.008, 0.004, 0.011 } or { 8, 4, 11 }, moment = { 0, 1e-6, 0 },
                waveform = waveform.gaussian { f0 = 8e9, bandwidth = 4e9 } } },
}
