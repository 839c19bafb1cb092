-- Every kind of wall, source, interface and measure, for same_answers.py: -D walls=drives|ports|guide,
-- -D middle=surface_current|total_field|pec, -D format=csv|silo of the plane.
local pulse = waveform.gaussian { f0 = 2e9, bandwidth = 2e9 }
local function swing(x, y, z, t) return math.sin(2e9 * t) * y, math.cos(1e9 * t) * z, x end
local wave = { direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 }, waveform = waveform.ricker { f_peak = 2e9 } }

local function with(kind, more)
  local result = { kind = kind }
  for key, value in pairs(more) do result[key] = value end
  return result
end

local walls = {
  drives = {
    xmin = { kind = "pec" }, xmax = { kind = "impedance", impedance = 100 },
    ymin = { kind = "electric_field", profile = { 0, 0, 1 }, waveform = pulse },
    ymax = { kind = "magnetic_field", field = swing },
    zmin = with("plane_wave", wave),
    zmax = { kind = "surface_current", profile = function(x, y, z) return y, x, 0 end, waveform = pulse, delay = 1e-10 },
  },
  waves = {
    ymin = { kind = "pmc" }, ymax = { kind = "pmc" }, zmin = { kind = "absorbing" }, zmax = { kind = "absorbing" },
  },
  ports = {
    zmin = { kind = "modal_port", family = "TE", cutoff = 749481145, waveform = pulse,
             profile = function(x, y, z) return 0, math.sin(math.pi * x / 0.2), 0 end },
    zmax = { kind = "waveguide_port", absorb = { "TE20", "TE01" } },
  },
  gap = {
    xmin = { kind = "pmc" }, xmax = { kind = "pmc" },
    zmin = { kind = "lumped_port", resistance = 50, direction = { 0, 1, 0 }, waveform = pulse },
    zmax = { kind = "lumped_port", resistance = 75, direction = { 0, 1, 0 } },
  },
}
local between = {
  surface_current = { kind = "surface_current", profile = { 0, 1, 0 }, waveform = pulse },
  total_field = with("total_field", { region = "far", direction = wave.direction, polarisation = wave.polarisation,
                                      waveform = wave.waveform }),
  pec = { kind = "pec" },
}
local which = args.walls or "drives"
local frequencies = { 1e9, 2e9 }

simulation {
  mesh = { file = "kinds.geo" },
  order = args.order or 2,
  time = { steps = 60 },
  materials = {
    near = {}, far = args.middle == "total_field" and {} or which == "ports" and {} or
      { epsilon_r = function(x, y, z) return 2 + z end, mu_r = 1.5, sigma = 0.05 },
  },
  boundaries = walls[which],
  interfaces = args.middle and { middle = between[args.middle] } or nil,
  sources = which == "drives" and {
    { at = { 0.05, 0.04, 0.05 }, moment = { 0, 1e-3, 1e-3 }, waveform = pulse },
    { from = { 0.02, 0.02, 0.02 }, to = { 0.15, 0.08, 0.25 }, amperes = 0.5, waveform = pulse },
    { region = "far", current = swing },
  } or nil,
  output = {
    s_parameters = (which == "ports" or which == "gap") and { 1.5e9, 2e9 } or nil,
    balance = { every = 7, tolerance = 1 },
    probes = { { name = "a", at = { 0.1, 0.05, 0.1 } },
               { name = "b", at = { 0.03, 0.05, 0.27 }, every = 3, frequencies = frequencies } },
    lines = { { name = "axis", from = { 0.1, 0.05, 0 }, to = { 0.1, 0.05, 0.35 }, points = 9, every = 5,
                frequencies = frequencies } },
    planes = { { name = "cut", origin = { 0, 0.05, 0 }, u = { 0.22, 0, 0 }, v = { 0, 0, 0.3 }, points = { 7, 5 },
                 every = 10, format = args.format, frequencies = frequencies } },
    fluxes = { { name = "out", surface = "zmax", every = 2, frequencies = frequencies },
               { name = "through", surface = "middle", direction = { 0, 0, 1 } } },
    voltages = { { name = "across", from = { 0.1, 0, 0.1 }, to = { 0.1, 0.1, 0.1 }, frequencies = frequencies } },
    currents = { { name = "around", every = 2, circle = { centre = { 0.1, 0.05, 0.1 }, normal = { 0, 1, 0 }, radius = 0.04 } } },
    losses = { { name = "far", region = "far", frequencies = frequencies } },
  },
}
