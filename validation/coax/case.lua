-- A coaxial line with radii of 1.00 and 2.30 mm, a step of 1 V into one end, and -D load=open, short or resistor at the
-- other: 25 ohm are the sheet of eta0 25/49.940 ohm in which the wave's E and H have that ratio.
-- by hand: curlew run case.lua -D load=short
local length, position, corners = 20e-3, 8e-3, args.corners or 16
local impedance = const.eta0 / (2 * math.pi) * math.log(2.3)
local ends = {
  open = { kind = "pmc" },
  short = { kind = "pec" },
  resistor = { kind = "impedance", impedance = const.eta0 * 25 / impedance },
}
local half = math.pi / corners -- from a corner of the conductors to the middle of their sides
local function ray(radius, angle, scale)
  return { scale * radius * math.cos(angle), scale * radius * math.sin(angle), position }
end

simulation {
  name  = "coax",
  mesh  = { file = "case.geo", unit = 1e-3,
            parameters = { N = corners, M = args.across or 2, K = args.along or 10, ROUND = args.round or 0 } },
  order = args.order or 2,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 0.19e-9 },
  materials  = { line = {} },
  boundaries = {
    near = { kind = "coaxial_port", waveform = waveform.step { rise = 40e-12 }, amplitude = 1, number = 1 },
    far  = ends[args.load or "resistor"],
  },
  output = {
    voltages = { { name = "corner", path = { ray(1e-3, 0, 1), ray(2.3e-3, 0, 1) } },
                 { name = "side", path = { ray(1e-3, half, math.cos(half)), ray(2.3e-3, half, math.cos(half)) } } },
    currents = { { name = "inner", circle = { centre = { 0, 0, position }, normal = { 0, 0, 1 }, radius = 1.6e-3 } } },
    ports = { every = 1 },
    progress = { every = 0 },
  },
}
