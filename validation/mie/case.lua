-- A plane wave along z meets a sphere of radius 1 m: what it scatters and absorbs. A quarter of the room is computed.
-- validate.py chooses the body, order and sizes; by hand: curlew run case.lua -D epsilon=4 -D from=1 -D to=3 -D points=3
local from, to = args.from or 1, args.to or 3 -- ka
local hertz = const.c0 / (2 * math.pi)        -- of ka = 1
local metal = args.epsilon == nil
local frequencies = { from = from * hertz, to = to * hertz, points = args.points }
if not args.points then frequencies = { from * hertz } end

simulation {
  name  = "mie",
  mesh  = { file = "case.geo", geometry = args.geometry,
            parameters = { H = args.H or 1.3, R = args.R or 2, S = args.S or 0.5, C = args.C or 0.3,
                           F = metal and 0 or 1, G = args.geometry == 1 and 1 or 2 } },
  order = args.order or 3,
  flux  = args.flux,
  time  = { stop = (args.stop or 40) / const.c0, integrator = args.integrator },

  materials  = { body = not metal and { epsilon_r = args.epsilon, sigma = args.sigma or 0 } or nil, default = {} },
  boundaries = {
    ball = metal and { kind = "pec" } or nil,
    x    = { kind = "pec" },
    y    = { kind = "pmc" },
    wall = { kind = args.wall or "absorbing", reflection = args.wall == "open" and args.reflection or nil },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = (from + to) / 2 * hertz, bandwidth = math.min(0.95 * (from + to), 1.6 * (to - from) + 0.8) * hertz } },
  },

  output = {
    far_field = {
      { name = "far", surface = "huygens", frequencies = frequencies,
        theta = { from = 0, to = 180, points = 37 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pmc" } } },
    },
    progress = { every = 0 },
  },
}
