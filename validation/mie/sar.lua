-- A plane wave along z heats a ball of lossy tissue. A quarter of the room is computed, in units of the ball's radius.
-- By hand: curlew run sar.lua -D radius=0.05 -D epsilon=39.2 -D sigma=1.8 -D frequency=2.45e9
local radius, frequency = args.radius or 0.1, args.frequency or 900e6

simulation {
  name  = "sar",
  mesh  = { file = "case.geo", unit = radius,
            parameters = { H = args.H or 1.5, R = args.R or 2.2, S = args.S or 0.8, C = args.C or 0.3 } },
  order = args.order or 4,
  time  = { stop = (args.periods or 10) / frequency },

  materials  = { body = { epsilon_r = args.epsilon or 41.5, sigma = args.sigma or 0.97, mass_density = 1000 }, default = {} },
  boundaries = {
    x    = { kind = "pec" },
    y    = { kind = "pmc" },
    wall = { kind = "open", reflection = args.reflection or -60 },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = frequency, bandwidth = frequency } },
  },

  output = {
    spectra = { { name = "body", region = "body", fields = { "E" }, normalise = "source", losses = true, sar = true,
                  frequencies = { frequency } } },
    progress = { every = 0 },
  },
}
