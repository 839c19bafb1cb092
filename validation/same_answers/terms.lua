-- Every kind of medium, wall and interface with a state, for same_answers.py and the sanitizers: -D term=NAME of the
-- table below. The mesh is that of kinds.lua.
local pulse = waveform.gaussian { f0 = 1.5e9, bandwidth = 2e9 }
local term = args.term or "poles"
local band = { 5e8, 3e9 }
local poles = { drude = { { omega_p = 3e9, gamma = 1e8 } }, debye = { { delta = 1.5, tau = 1e-10 } },
                lorentz = { { delta = 0.7, omega_0 = 9e9, gamma = 5e8 } } }

local terms = {
  poles = { balance = false, far = { epsilon_r = 2, sigma = 0.01, magnetic = poles, drude = poles.drude, debye = poles.debye, lorentz = poles.lorentz } },
  tensor = { far = { epsilon_r = { { 2, 0.2, 0 }, { 0.2, 3, 0.1 }, { 0, 0.1, 2.5 } }, loss_tangent = 0.01, at = 1.5e9 } },
  gyrotropic = { far = { epsilon_r = 1.5, gyrotropic = { omega_p = 4e9, omega_0 = 6e9, gamma = 1e8, omega_c = { 0, 2e9, 5e9 } } } },
  ferrite = { balance = false, far = { epsilon_r = 10, ferrite = { saturation = 1.42e5, bias = { 0, 1e4, 4e4 }, linewidth = 4e3, at = 1.5e9 } } },
  metal = { walls = { xmin = { kind = "metal", metal = "copper", band = band }, zmax = { kind = "metal", conductivity = 10, band = band } } },
  open = { balance = false, walls = { zmax = { kind = "open" } } },
  resistive_sheet = { middle = { kind = "resistive_sheet", resistance = 188 } },
  metal_sheet = { middle = { kind = "metal_sheet", conductivity = 1e5, thickness = 1e-4, band = band } },
  graphene = { middle = { kind = "graphene", chemical_potential = 0.3, relaxation_time = 0.5e-12, temperature = 300 } },
  element = { walls = { zmin = { kind = "lumped_element", circuit = "series", resistance = 30, inductance = 2e-9,
                                 capacitance = 3e-12, direction = { 0, 1, 0 } },
                        xmin = { kind = "pmc" }, xmax = { kind = "pmc" } } },
  periodic = { walls = { xmin = { kind = "periodic", with = "xmax" }, xmax = { kind = "periodic", with = "xmin" } } },
  bloch = { balance = false, bloch = { 5, 0, 0 }, walls = { xmin = { kind = "periodic", with = "xmax" }, xmax = { kind = "periodic", with = "xmin" } } },
}
local what = terms[term] or error("-D term: no term '" .. term .. "'")
local walls = { ymin = { kind = "pec" }, ymax = { kind = "pec" } }
for name, wall in pairs(what.walls or {}) do walls[name] = wall end

simulation {
  mesh = { file = "kinds.geo" },
  order = args.order or 2,
  bloch = what.bloch,
  time = { steps = args.steps or 60 },
  materials = { near = {}, far = what.far or { epsilon_r = 2 } },
  boundaries = walls,
  interfaces = what.middle and { middle = what.middle } or nil,
  initial = { E = function(x, y, z) return z * y, 0, math.sin(30 * y) end, H = function(x, y, z) return 0, 1e-3 * z, 0 end },
  sources = { { at = { 0.05, 0.04, 0.05 }, moment = { 0, 1e-3, 1e-3 }, waveform = pulse } },
  output = {
    energy = { every = 5 },
    balance = what.balance ~= false and { every = 7, tolerance = 1 } or nil,
    probes = { { name = "a", at = { 0.1, 0.05, 0.1 } }, { name = "b", at = { 0.03, 0.05, 0.27 }, frequencies = { 1e9, 2e9 } } },
    losses = term ~= "ferrite" and not what.bloch and { { name = "far", region = "far", frequencies = { 1e9, 2e9 } } } or nil,
    fields = not what.bloch and { every = 30 } or nil,
  },
}
