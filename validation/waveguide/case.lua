-- WR-90: -D mode=TE10 -D f0=10e9 -D band=5e9 drive the front port, -D from=8e9 -D to=12e9 -D points=81 are
-- the frequencies, -D epsilon=2.2 fills the middle.
-- by hand: curlew run case.lua
local mode = args.mode or "TE10"
local from, to, points = args.from or 8e9, args.to or 12e9, args.points or 81
local length = 40e-3

simulation {
  name  = "waveguide",
  mesh  = { file = "case.geo", unit = 1e-3, parameters = { NX = args.across or 2, S = args.size or 10 } },
  order = args.order or 4,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 3.2e-9 },
  materials  = { guide = {}, slab = { epsilon_r = args.epsilon or 1 } },
  boundaries = {
    front = { kind = "waveguide_port", mode = mode, number = 1,
              waveform = waveform.gaussian { f0 = args.f0 or 10e9, bandwidth = args.band or 4.4e9 } },
    back  = { kind = "waveguide_port", mode = mode, number = 2 },
  },
  output = {
    -- off all planes of symmetry of the modes TE10, TE20 and TM11
    lines = { { name = "axis", from = { 8.1e-3, 3.3e-3, 0.2 * length }, to = { 8.1e-3, 3.3e-3, 0.8 * length },
                points = 7, every = 4, frequencies = { from = from, to = to, points = points } } },
    probes = { { name = "middle", at = { 8.1e-3, 3.3e-3, 0.5 * length }, every = 4 } },
    s_parameters = { from = from, to = to, points = points },
    progress = { every = 0 },
  },
}
