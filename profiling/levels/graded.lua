-- A mesh with a few small elements, for the gain of local time steps: -D mesh=slot, wires, feed or crack; N: elements
-- across the box; levels: time.levels; stop: seconds.
local mesh = args.mesh or "slot"
local materials, interfaces = { box = {} }, {}
if mesh == "wires" then materials.chip = { epsilon_r = 4, sigma = 0.01 } end
if mesh == "slot" or mesh == "crack" then interfaces.metal = { kind = "pec" } end

simulation {
  name  = mesh,
  mesh  = { file = mesh .. ".geo", parameters = { N = args.N or 8 } },
  order = args.order or 2,
  flux  = args.flux or "upwind",
  time  = { stop = args.stop or 3e-9, levels = args.levels or "auto" },

  materials  = materials,
  interfaces = interfaces,
  boundaries = { default = { kind = "pec" } },
  sources    = { { from = { 0.2, 0.3, 0.2 }, to = { 0.2, 0.3, 0.3 }, amperes = 1,
                   waveform = waveform.gaussian { bandwidth = 1e9 } } },
  output     = { probes = { { name = "behind", at = { 0.45, 0.6, 0.8 } } }, energy = { every = 10 } },
}
