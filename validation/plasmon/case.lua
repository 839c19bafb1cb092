-- A plane wave along z meets a sphere of a Drude metal much smaller than a wavelength, whose plasmons ring. A quarter of the
-- room is computed, in units of the sphere's radius. By hand: curlew run case.lua -D radius=50 -D from=900e12 -D to=1100e12
local radius = (args.radius or 20) * 1e-9
-- Around both peaks of a sphere of 20 nm, and between; else from..to.
local frequencies, from, to = {}, args.from or 1060e12, args.to or 1440e12
if args.from then
  frequencies = { from = from, to = to, points = args.points or 51 }
else
  for _, part in ipairs { { 1060, 1120, 10 }, { 1130, 1190, 3 }, { 1200, 1340, 10 }, { 1350, 1376, 1 }, { 1380, 1440, 10 } } do
    for f = part[1], part[2], part[3] do frequencies[#frequencies + 1] = f * 1e12 end
  end
end
simulation {
  name  = "plasmon",
  mesh  = { file = "case.geo", unit = radius, geometry = args.geometry,
            parameters = { H = args.H or 1.6, R = args.R or 2.8, S = args.S or 1.4, C = args.C or 0.5 } },
  order = args.order or 3,
  precision = args.precision,
  flux  = args.flux or 0, -- the step is twice that of upwind
  time  = { stop = args.stop or 400e-15, integrator = args.integrator },

  materials  = { body = { drude = { { omega_p = 1.39e16, gamma = 3.23e13 } } }, default = {} },
  boundaries = {
    x    = { kind = "pec" },
    y    = { kind = "pmc" },
    wall = { kind = "open", reflection = args.reflection },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = (from + to) / 2, bandwidth = 2 * (to - from) } },
  },

  output = {
    far_field = {
      { name = "far", surface = "huygens", frequencies = frequencies,
        theta = { from = 0, to = 180, points = 7 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pmc" } } },
    },
    progress = { every = 0 },
  },
}
