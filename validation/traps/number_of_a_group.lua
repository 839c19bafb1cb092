-- mistake: physical group 1, which has no name, is volume 2, and [1] means the volume with tag 1: the block would fill the other part.
-- cost: the first resonance is at 158.9 MHz for 111.0 MHz (closed forms of a slab in a cavity): 43 %.
-- key: materials[1]
-- ends: error
local block = { epsilon_r = 4 }
local materials = { [1] = block, default = {} }
if args.mended then materials = { block = block, air = {} } end
simulation {
  mesh = { file = "halves.geo", size = 0.5, parameters = { named = args.mended and 1 or 0 } },
  order = 3, time = { stop = 150e-9 },
  materials = materials, boundaries = { default = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, math.sin(math.pi * x) * math.sin(math.pi * z), 0 end },
  output = { probes = { { name = "p", at = { 0.45, 0.4, 0.35 } } } },
}
