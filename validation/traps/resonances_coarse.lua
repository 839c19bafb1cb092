-- mistake: Q from a mesh that is too coarse for the upper end of the band
-- cost: without losses in a box of 5 x 4 x 3 cm, order 2, elements of 2 cm, Q comes out as 76 to 245 near 8 GHz, where
--          it has no bound
-- key: output.resonances
-- ends: warning
-- says: the mesh is too coarse for waves of 'to'
simulation {
  mesh = { file = "cavity.geo", size = 0.4 },
  order = args.mended and 4 or 2,
  time = { stop = 100e-9 },
  materials = { inside = {} },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.31, 0.33, 0.37 }, moment = { 0.3, 0.5, 0.8 },
                waveform = waveform.gaussian { f0 = 250e6, bandwidth = 200e6 } } },
  output = {
    probes = { { name = "p", at = { 0.7, 0.61, 0.54 } } },
    resonances = { { name = "modes", probe = "p", from = 180e6, to = 350e6 } },
  },
}
