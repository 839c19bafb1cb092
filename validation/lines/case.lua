-- Impedances of lines whose closed forms come from conformal maps: -D line=square, strip, coplanar or wires. Each is cut by
-- its planes of symmetry. Nothing is sent: the port finds its mode before the first step.
-- -D epsilon=4 -D sigma=0.01: a medium; -D metal=copper: the wires.
-- by hand: curlew check case.lua -D line=coplanar
simulation {
  name = "lines",
  mesh = { file = (args.line or "square") .. ".geo", unit = 1e-3, geometry = args.geometry or 3,
           parameters = args.size and { SIZE = args.size } or {} },
  order = args.order or 2,
  time = { steps = 1 },
  materials = { line = { epsilon_r = args.epsilon or 1, sigma = args.sigma or 0 } },
  boundaries = {
    near = { kind = "tem_port", number = 1, waveform = waveform.gaussian { bandwidth = 5e9 } },
    far = { kind = "tem_port", number = 2 },
    symmetry = { kind = "pmc" },
    wire = args.metal and { kind = "metal", metal = args.metal, band = { 1e8, 1e10 } },
    default = { kind = "pec" },
  },
  output = { progress = { every = 0 } },
}
