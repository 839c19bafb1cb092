-- mistake: walls without a key are metal, and a far field is that of open space
-- cost: the directivity along the room's axis is 1.64 for 2.00 at 250 MHz, at order 3
-- key: output.far_field 'pattern'
-- ends: warning
-- says: lies outside of the surface of output.far_field
simulation {
  mesh = { file = "around.geo", size = 0.25 }, order = 2, time = { stop = 20e-9 }, materials = { default = {} },
  boundaries = { left = { kind = "absorbing" }, right = { kind = "absorbing" }, sides = { kind = "absorbing" },
                 ["floor and roof"] = args.mended and { kind = "absorbing" } or nil },
  sources = { { at = { 0.52, 0.47, 0.46 }, moment = { 0, 1, 0 }, waveform = waveform.gaussian { f0 = 3e8, bandwidth = 2e8 } } },
  output = { far_field = { { name = "pattern", region = "inner", frequencies = { 2.5e8 }, theta = { 0 }, phi = { 0 } } } },
}
