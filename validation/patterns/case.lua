-- A thin dipole along z whose current is sin(k (l/2 - |z|)) at the frequency where the wave is 1 m long. An eighth of the
-- room is computed: x = 0 and y = 0 are planes of symmetry (pmc), z = 0 is the one that the current crosses (pec).
-- By hand: curlew run case.lua -D length=0.5
local length, segments = args.length or 0.5, args.segments or 12
local wires = {}
for i = 1, segments do
  local from, to = (i - 1) / segments * length / 2, i / segments * length / 2
  wires[i] = { from = { 0, 0, from }, to = { 0, 0, to }, amperes = math.sin(2 * math.pi * (length / 2 - (from + to) / 2)),
               waveform = waveform.gaussian { f0 = const.c0, bandwidth = const.c0 } }
end

simulation {
  name  = "patterns",
  mesh  = { file = "case.geo", parameters = { S = args.size or 0.35, R = args.R or 1.3, H = args.H or 0.95 } },
  order = args.order or 3,
  time  = { stop = (args.stop or 14) / const.c0, integrator = args.integrator },
  flux  = args.flux,
  materials  = { default = {} },
  boundaries = { x = { kind = "pmc" }, y = { kind = "pmc" }, z = { kind = "pec" }, wall = { kind = args.wall or "open", reflection = args.reflection } },
  sources = wires,
  output = {
    far_field = {
      { name = "dipole", surface = "huygens", frequencies = { const.c0 }, theta = { from = 0, to = 180, points = 181 },
        phi = { 0, 30 }, images = { { axis = "x", wall = "pmc" }, { axis = "y", wall = "pmc" }, { axis = "z", wall = "pec" } } },
      { name = "region", region = "near", frequencies = { const.c0 }, theta = { from = 0, to = 180, points = 181 },
        phi = { 0 }, images = { { axis = "x", wall = "pmc" }, { axis = "y", wall = "pmc" }, { axis = "z", wall = "pec" } } },
      { name = "ground", surface = "huygens", frequencies = { const.c0 }, theta = { from = 0, to = 90, points = 91 }, phi = { 0 },
        images = { { axis = "x", wall = "pmc" }, { axis = "y", wall = "pmc" }, { axis = "z", wall = "pec", use = "ground" } } },
    },
    progress = { every = 0 },
  },
}
