-- mistake: the power that leaves a box is measured with one direction for all of its faces
-- cost: -2.9 times the energy that a dipole sends out, at order 3
-- key: output.fluxes 'out'
-- ends: warning
-- says: the parts cancel
simulation {
  mesh = { file = "around.geo", size = 0.25 }, order = 2, time = { stop = 20e-9 }, materials = { default = {} },
  boundaries = { default = { kind = "absorbing" } },
  sources = { { at = { 0.52, 0.47, 0.46 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 3e8, bandwidth = 2e8 } } },
  output = { fluxes = { args.mended and { name = "out", surface = "hull" } or { name = "out", surface = "around", direction = { 1, 1, 1 } } } },
}
