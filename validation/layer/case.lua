-- The pulse of a dipole in a box of cubes of 0.1 m, with a shell that is a perfectly matched layer, or without.
-- by hand: python3 grid.py box.msh layer=2 && curlew run case.lua -D mesh=box.msh
local at = args.at or "0.013,-0.007,0.005"
local x, y, z = at:match("([^,]+),([^,]+),([^,]+)")
local probes = {}
for name, where in (args.probes or "side:0.37,0,0;corner:0.36,0.35,0.37;top:0.02,0.05,0.38;near:0.12,0.1,-0.15"):gmatch("(%w+):([^;]+)") do
  local a, b, c = where:match("([^,]+),([^,]+),([^,]+)")
  probes[#probes + 1] = { name = name, at = { tonumber(a), tonumber(b), tonumber(c) } }
end
local function pulse() return waveform.differentiated_gaussian { f_peak = args.peak or 0.75e9 } end
local sources = { { at = { tonumber(x), tonumber(y), tonumber(z) }, moment = { 0.3, 0.2, 1 }, waveform = pulse() } }
if args.bump then -- a current spread over a ball of this radius, which the mesh carries as a dipole's field it does not
  local function bump(px, py, pz)
    local r = ((px - x) ^ 2 + (py - y) ^ 2 + (pz - z) ^ 2) / args.bump ^ 2
    local j = r < 1 and (1 - r) ^ 4 or 0
    return 0.3 * j, 0.2 * j, j
  end
  sources = { { region = "air", profile = bump, waveform = pulse() } }
  if args.slab then sources[2] = { region = "slab", profile = bump, waveform = pulse() } end
end
simulation {
  name  = args.name or "layer",
  mesh  = { file = args.mesh, keep = false },
  order = args.order or 3,
  flux  = args.flux or 1,
  backend = args.backend or "auto",
  precision = args.precision or "double",
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 8e-9, step = args.step or "auto" },
  materials  = { slab = args.slab and { epsilon_r = args.slab } or nil,
                 default = { epsilon_r = args.epsilon, debye = args.delta and { { delta = args.delta, tau = args.tau } } } },
  layers = args.layer ~= 0 and { shell = { kind = args.kind or "box", reflection = args.reflection, absorber = args.absorber == 1 } }
           or nil,
  boundaries = { default = args.wall == "open" and { kind = "open", reflection = args.reflection, elements = args.elements, thickness = args.thickness }
                         or { kind = args.wall or "absorbing" } },
  sources = sources,
  output = { probes = probes, energy = { every = 10 }, progress = { every = 0 } },
}
