-- mistake: fields are asked for at a frequency above the range in which the material is known: water as it is up to 1 GHz, at 12 GHz
-- cost: |E| 3 mm from a dipole is 10.7 times too large
-- key: output.spectra
-- ends: warning
-- says: not known
local water = { epsilon_r = 78.4, sigma = 0.02, valid = { 1e7, 1e9 } }
if args.mended then water = { epsilon_r = 5.2, debye = { { delta = 73.2, tau = 8.27e-12 } }, valid = { 1e7, 5e10 } } end
simulation {
  mesh = { file = "cavity.geo", size = 2e-3, parameters = { L = 4e-3 } },
  order = args.order or 5,
  time = { stop = 3e-9, decay = 60 },
  materials = { inside = water },
  boundaries = { walls = { kind = "absorbing" } },
  sources = { { at = { 1e-3, 1.1e-3, 1.2e-3 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 9e9, bandwidth = 8e9 } } },
  output = { spectra = { { name = "water", region = "inside", frequencies = { 12e9 }, normalise = "source" } },
             probes = { { name = "p", at = { 3e-3, 2.8e-3, 2.9e-3 }, frequencies = args.p and { 12e9 } } } },
}
