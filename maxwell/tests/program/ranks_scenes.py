"""Scripts for runs on several ranks: each small, and with as much in it as goes together."""

# Everything that is no port. The regions cross the whole box, so that every partition cuts some of them.
BOX_GEO = """\
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 0.3;
Box(1) = { 0, 0, 0, 1, 1, 1 };
Box(2) = { 0.3, 0.3, 0.3, 0.4, 0.4, 0.4 };
Box(3) = { 0, 0, 0, 1, 1, 0.15 };
Box(4) = { 0.75, 0.75, 0.15, 0.2, 0.2, 0.7 };
Rectangle(100) = { 0.25, 0.25, 0.85, 0.5, 0.5 };
Rectangle(101) = { 0.05, 0.05, 0.5, 0.9, 0.2 };
BooleanFragments{ Volume{1:4}; Delete; }{ Surface{100, 101}; Delete; }
e = 1e-3;
f = 1 + e;
Physical Volume("inside") = Volume In BoundingBox{ 0.3-e, 0.3-e, 0.3-e, 0.7+e, 0.7+e, 0.7+e };
Physical Volume("slab") = Volume In BoundingBox{ -e, -e, -e, f, f, 0.15+e };
Physical Volume("rod") = Volume In BoundingBox{ 0.75-e, 0.75-e, 0.15-e, 0.95+e, 0.95+e, 0.85+e };
Physical Surface("skin") = Surface In BoundingBox{ 0.3-e, 0.3-e, 0.3-e, 0.7+e, 0.7+e, 0.7+e };
Physical Surface("plate") = Surface In BoundingBox{ 0.25-e, 0.25-e, 0.85-e, 0.75+e, 0.75+e, 0.85+e };
Physical Surface("sheet") = Surface In BoundingBox{ 0.05-e, 0.05-e, 0.5-e, 0.95+e, 0.25+e, 0.5+e };
Physical Surface("between") = Surface In BoundingBox{ -e, -e, 0.15-e, f, f, 0.15+e };
Physical Surface("bottom") = Surface In BoundingBox{ -e, -e, -e, f, f, e };
Physical Surface("top") = Surface In BoundingBox{ -e, -e, 1-e, f, f, f };
Physical Surface("left") = Surface In BoundingBox{ -e, -e, -e, e, f, f };
Physical Surface("right") = Surface In BoundingBox{ 1-e, -e, -e, f, f, f };
Physical Surface("front") = Surface In BoundingBox{ -e, -e, -e, f, e, f };
"""
BOX = """\
local pulse = waveform.gaussian { bandwidth = 3e8 }
local tones = { 1e8, 2e8 }
simulation {
  mesh = { file = "box.geo" }, order = 2, time = { steps = STEPS, integrator = "INTEGRATOR" },
  flux = "FLUX", backend = "BACKEND",
  materials = {
    default = {},
    slab = { epsilon_r = function(x) return 2 + x end, mu_r = function(x, y) return 1 + 0.2 * y end,
             sigma = function(x, y) return 1e-3 * (1 + x * y) end, sigma_m = function(x) return 100 * x end },
    rod = { epsilon_r = 3, sigma = 0.01, debye = { { delta = 2, tau = 2e-10 } }, drude = { { omega_p = 3e9, gamma = 1e9 } },
            lorentz = { { delta = 1, omega_0 = 2e9, gamma = 3e8 } },
            magnetic = { debye = { { delta = 1, tau = 3e-10 } }, lorentz = { { delta = 0.5, omega_0 = 3e9, gamma = 1e9 } } } },
  },
  boundaries = {
    top = { kind = "plane_wave", direction = { 0, 0, -1 }, polarisation = { 1, 1, 0 }, amplitude = 2,
            waveform = pulse },
    left = { kind = "absorbing" },
    right = { kind = "impedance", impedance = 200 },
    front = { kind = "pmc" },
    bottom = { kind = "electric_field", profile = function(x, y) return y, x * y, 0 end, waveform = pulse },
    default = { kind = "pec" },
  },
  interfaces = {
    skin = { kind = "total_field", region = "inside", direction = { 1, 2, 2 }, polarisation = { 2, -2, 1 },
             waveform = waveform.gaussian { f0 = 2e8, bandwidth = 2e8 } },
    plate = { kind = "pec" },
    -- between = { kind = "resistive_sheet", resistance = 300 },
    sheet = { kind = "surface_current", current = function(x, y, z, t)
      local s = 1e-3 * math.sin(1e9 * t)
      return s, s * x, 0
    end },
  },
  sources = {
    { at = { 0.5, 0.5, 0.15 }, moment = { 1e-3, 0, 1e-3 }, waveform = pulse },
    { from = { 0.1, 0.2, 0.3 }, to = { 0.9, 0.8, 0.78 }, amperes = 1e-3, waveform = waveform.sine { f0 = 2e8 } },
    { region = "slab", profile = function(x, y, z) return z, 1e-2 * y, x end, waveform = pulse },
    { region = "rod", current = function(x, y, z, t) local s = 1e-2 * math.sin(1e9 * t) return s * z, s * x, s end },
  },
  initial = { E = function(x, y) return 0, 0, 0.1 * math.sin(3 * x) * y end,
              H = function(x) return 0, 1e-4 * x, 0 end },
  output = {
    fields = { every = STEPS },
    energy = { every = 10 },
    probes = {
      { name = "inside", at = { 0.41, 0.52, 0.33 }, frequencies = tones },
      { name = "face", at = { 0.55, 0.4, 0.15 } },
      { name = "edge", at = { 0.3, 0.3, 0.4 } },
      { name = "vertex", at = { 0.3, 0.3, 0.3 } },
      { name = "corner", at = { 1, 1, 0 } },
    },
    lines = { { name = "a", from = { -0.1, 0.5, 0.5 }, to = { 1.1, 0.5, 0.5 }, points = 31, every = 20,
                frequencies = tones } },
    planes = {
      { name = "table", origin = { 0, 0, 0.3 }, u = { 1.2, 0, 0 }, v = { 0, 1, 0.2 }, points = { 9, 8 }, every = 50,
        format = "csv", frequencies = tones },
      { name = "grid", origin = { 0, 0, 0.3 }, u = { 1.2, 0, 0 }, v = { 0, 1, 0.2 }, points = { 9, 8 }, every = 50 },
    },
    fluxes = { { name = "out", surface = "right" },
               { name = "through", surface = "between", direction = { 0, 0, 1 }, frequencies = tones },
               { name = "skin", surface = "sheet", direction = { 0, 0, 1 } } },
    voltages = { { name = "a", path = { { 0, 0.4, 0.2 }, { 0.5, 0.4, 0.6 }, { 1.05, 0.9, 0.6 } },
                   frequencies = tones } },
    currents = { { name = "a", circle = { centre = { 0.5, 0.5, 0.5 }, normal = { 1, 1, 3 }, radius = 0.35 },
                   frequencies = tones } },
    losses = { { name = "slab", region = "slab", frequencies = tones }, { name = "rod", region = "rod" } },
    polarisations = { { name = "rod", at = { 0.85, 0.83, 0.41 } }, { name = "inside", at = { 0.5, 0.45, 0.6 }, every = 3 } },
    far_field = {
      { name = "skin", surface = "skin", frequencies = tones, theta = { 10, 50, 120 }, phi = { 20, 200 } },
      { name = "inside", region = "inside", frequencies = { 1.5e8 }, every = 7, theta = { 40 }, phi = { 0 } },
    },
  },
}
"""

# A waveguide with a block between two ports: S-parameters, modes of three kinds, evanescent ones too.
GUIDE_GEO = """\
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 7;
Box(1) = { 0, 0, 0, 30, 22.86, 10.16 };
Box(2) = { 12, 0, 0, 8, 22.86, 5 };
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-3;
Physical Volume("block") = Volume In BoundingBox{ 12-e, -e, -e, 20+e, 23, 5+e };
Physical Surface("left") = Surface In BoundingBox{ -e, -e, -e, e, 23, 11 };
Physical Surface("right") = Surface In BoundingBox{ 30-e, -e, -e, 30+e, 23, 11 };
"""
GUIDE = """\
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 8e9 }
simulation {
  mesh = { file = "guide.geo", unit = 1e-3 }, order = 2, time = { steps = 300, integrator = "INTEGRATOR" },
  flux = "FLUX", backend = "BACKEND",
  materials = { default = {}, block = { epsilon_r = 4, sigma = 0.05, debye = { { delta = 3, tau = 1e-11 } } } },
  boundaries = {
    left = { kind = "waveguide_port", number = 1, waveform = pulse, absorb = { "TE20", "TE01" } },
    right = { kind = "modal_port", number = 2, family = "TE", cutoff = 6.557e9, waveform = pulse,
              profile = function(x, y, z) return 0, 0, math.sin(math.pi * y / 22.86e-3) end },
  },
  output = { s_parameters = { 8e9, 10e9, 12e9 }, energy = { every = 10 }, ports = { every = 5 } },
}
"""

# A strip line that is all port: both ends lumped.
STRIP_GEO = """\
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 0.35;
Box(1) = { 0, 0, 0, 1.5, 1, 0.3 };
e = 1e-3;
Physical Volume("air") = { 1 };
Physical Surface("left") = Surface In BoundingBox{ -e, -e, -e, e, 2, 2 };
Physical Surface("right") = Surface In BoundingBox{ 1.5-e, -e, -e, 1.5+e, 2, 2 };
Physical Surface("sides") = { Surface In BoundingBox{ -e, -e, -e, 3, e, 2 },
                              Surface In BoundingBox{ -e, 1-e, -e, 3, 1+e, 2 } };
"""
STRIP = """\
local pulse = waveform.gaussian { bandwidth = 1e9 }
simulation {
  mesh = { file = "strip.geo" }, order = 3, time = { steps = 200, integrator = "INTEGRATOR" },
  flux = "FLUX", backend = "BACKEND",
  materials = { air = {} },
  boundaries = {
    left = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 }, waveform = pulse },
    right = { kind = "lumped_port", resistance = 80, direction = { 0, 0, 1 }, waveform = pulse },
    sides = { kind = "pmc" },
  },
  output = { s_parameters = { 1e7, 5e7, 1e8 }, energy = { every = 10 },
             voltages = { { name = "middle", from = { 0.7, 0.5, 0.3 }, to = { 0.7, 0.5, 0 } } } },
}
"""
# A microstrip line in a box: the mode of its ports is solved for, on a face that several ranks share.
LINE_GEO = """\
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 0.7;
Box(1) = { 0, 0, 0, 1.5, 3, 1 };
Box(2) = { 0, 0, 1, 1.5, 3, 1.5 };
Rectangle(100) = { 0, 1, 1, 1.5, 1 };
BooleanFragments{ Volume{1:2}; Delete; }{ Surface{100}; Delete; }
e = 1e-3;
Physical Volume("substrate") = { 1 };
Physical Volume("air") = { 2 };
Physical Surface("left") = Surface In BoundingBox{ -e, -e, -e, e, 4, 4 };
Physical Surface("right") = Surface In BoundingBox{ 1.5-e, -e, -e, 1.5+e, 4, 4 };
Physical Surface("strip") = Surface In BoundingBox{ -e, 1-e, 1-e, 1.5+e, 2+e, 1+e };
Physical Surface("ground") = Surface In BoundingBox{ -e, -e, -e, 4, 4, e };
"""
LINE = """\
local pulse = waveform.gaussian { bandwidth = 20e9 }
simulation {
  mesh = { file = "line.geo", unit = 1e-3 }, order = 2, time = { steps = 200, integrator = "INTEGRATOR" },
  flux = "FLUX", backend = "BACKEND",
  materials = { substrate = { epsilon_r = 3, sigma = 0.02 }, air = {} }, interfaces = { strip = { kind = "pec" } },
  boundaries = {
    left = { kind = "tem_port", waveform = pulse },
    right = { kind = "tem_port", voltages = { strip = 1 }, waveform = pulse },
  },
  output = { s_parameters = { 2e9, 5e9, 2e10 }, energy = { every = 10 }, ports = { every = 5 } },
}
"""
SCENES = {"line": (LINE_GEO, LINE), "box": (BOX_GEO, BOX), "guide": (GUIDE_GEO, GUIDE), "strip": (STRIP_GEO, STRIP)}


def scene(name, integrator="leapfrog", flux="upwind", backend="cpu", steps=150, sheet=False):
    """Files for a Place, and the script. sheet: the box has a resistive sheet, a film if it is "graphene"
    or a sheet of metal if it is "metal", and a metal wall."""
    geometry, script = SCENES[name]
    if sheet:
        script = script.replace("-- between =", "between =")
        if sheet == "graphene":
            script = script.replace('"resistive_sheet", resistance = 300', '"graphene", chemical_potential = 0, temperature = 0.1, '
                                    'relaxation_time = 1e-8')
        if sheet == "metal":
            script = script.replace('"resistive_sheet", resistance = 300', '"metal_sheet", conductivity = 300, thickness = 5e-3, '
                                    'band = { 1e7, 1e9 }')
        script = script.replace('front = { kind = "pmc" }', 'front = { kind = "metal", conductivity = 30, band = { 1e7, 1e9 } }')
    for word, value in (("INTEGRATOR", integrator), ("FLUX", flux), ("BACKEND", backend), ("STEPS", str(steps))):
        script = script.replace(word, value)
    return {f"input/{name}.geo": geometry}, script
