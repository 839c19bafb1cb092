-- A dipole of 0.5 m and 10 mm radius, fed by a lumped port across the ring of 20 mm between its arms, in an open
-- ball. -D whole=1 is all of it; else an eighth, with planes of symmetry, where the port has half the voltage and a
-- quarter of the current, hence twice the resistance.
-- by hand: curlew run case.lua -D whole=1
local whole = args.whole == 1
local boundaries = {
  gap = { kind = "lumped_port", resistance = whole and 150 or 300, direction = { 0, 0, 1 }, number = 1,
          waveform = waveform.gaussian { f0 = 300e6, bandwidth = 400e6 } },
  conductor = { kind = "pec" },
  ground = not whole and { kind = "pec" } or nil,
  mirrors = not whole and { kind = "pmc" } or nil,
  default = args.wall == "absorbing" and { kind = "absorbing" } or { kind = "open", reflection = args.reflection or -40 },
}

simulation {
  name  = "antenna",
  mesh  = { file = "case.geo", parameters = { WHOLE = whole and 1 or 0, N = args.near or 0.012, R = args.radius or 1,
                                              S = args.size or 0.35, ROUND = args.round or 0 } },
  order = args.order or 3,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 25e-9 },
  materials  = { air = {} },
  boundaries = boundaries,
  output = {
    ports = { every = 4 },
    s_parameters = { from = 200e6, to = 400e6, points = 21 },
    progress = { every = 0 },
  },
}
