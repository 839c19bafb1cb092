-- A metal box, 50 x 40 x 50 mm, its bottom 10 mm filled with a dielectric of epsilon_r 9.8 (alumina). A short pulse in
-- a small current strikes it; a probe listens to the ringing, and the spectrum holds the resonances.
-- -D epsilon=2.1 (PTFE), -D h=20 (mm) is another filling.
local epsilon = args.epsilon or 9.8
local h = args.h or 10

simulation {
  name  = "loaded_cavity",
  mesh  = { file = "loaded_cavity.geo", unit = 1e-3, size = args.size or 20, parameters = { H = h } },
  order = args.order or 3,
  time  = { stop = args.stop or 20e-9 },

  materials  = { dielectric = { epsilon_r = epsilon, sigma = args.sigma or 0 }, air = {} },
  boundaries = { walls = { kind = "pec" } },

  -- A current element of 1 mA m off every plane of symmetry, so that no mode of the band is missed.
  sources = {
    { at = { 19e-3, 13e-3, 6e-3 }, moment = { 1e-3, -1e-3, 1e-3 },
      waveform = waveform.gaussian { f0 = args.f0 or 3e9, bandwidth = args.bandwidth or 2e9 } },
  },

  output = {
    probes = { { name = "inside", at = { 36e-3, 10e-3, 13e-3 }, every = 8 } },
    energy = { every = 100 },
    fields = { every = 2000, quantities = { "E" } },
  },
}
