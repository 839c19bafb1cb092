-- mistake: the centred flux in a run that ends when the fields have died away
-- cost: 4 ns after the source has ended the energy is 49 dB below its maximum, 6,000 times what the damped flux leaves
-- key: time.decay
-- ends: warning
-- says: flux = 0 lets what
-- command: run
simulation {
  mesh = { file = "cavity.geo", size = 0.3 },
  order = 2,
  flux = args.mended and "damped" or "centered",
  time = { stop = 41e-9, decay = 60 },
  materials = { inside = {} },
  boundaries = { walls = { kind = "absorbing" } },
  sources = { { at = { 0.51, 0.48, 0.47 }, moment = { 0, 0, 1 },
                waveform = waveform.gaussian { f0 = 250e6, bandwidth = 200e6 } } },
  output = { energy = { every = 20 } },
}
