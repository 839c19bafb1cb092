"""Cases of bad_input.py: keys, and names that the mesh lacks."""
import re

from bad_case import INITIAL, MATERIALS, PROBE, TIME, book

CASES, case, key = book()

# ---- keys

key("unknown key of simulation",
    "unknown key 'ordr' in simulation (nearest: 'order')",
    "order = 1", "ordr = 1")
key("unknown key of mesh",
    "unknown key 'fille' in mesh (nearest: 'file')",
    "file = \"box.msh\"", "fille = \"box.msh\"")
key("unknown key of time",
    "unknown key 'stepps' in time (nearest: 'steps')",
    "steps = 4", "stepps = 4")
key("unknown key of a material",
    "unknown key 'epsilonr' in materials.right (nearest: 'epsilon_r')",
    "epsilon_r = 2", "epsilonr = 2")
key("unknown key of a boundary",
    "unknown key 'knd' in boundaries.walls (nearest: 'kind')",
    "kind = \"pec\"", "knd = \"pec\"")
key("unknown key of initial",
    "unknown key 'D' in initial (nearest: 'E')",
    "initial = { E =", "initial = { D =")
key("unknown key of output",
    "unknown key 'enrgy' in output (nearest: 'energy')",
    "energy = { every = 1 }", "enrgy = { every = 1 }")
key("unknown key of fields",
    "unknown key 'evry' in output.fields (nearest: 'every')",
    "every = 2", "evry = 2")
key("unknown key of a probe",
    "unknown key 'att' in output.probes.1 (nearest: 'at')",
    "at = {", "att = {")
key("unknown key of watchdog",
    "unknown key 'grwth' in watchdog (nearest: 'growth')",
    "order = 1,", "order = 1,\n  watchdog = { grwth = 2 },")
key("order as a string",
    'order must be an integer from 1 to 8, not the string "one"',
    "order = 1", "order = \"one\"")
key("order 0",
    "order must be an integer from 1 to 8, not 0",
    "order = 1", "order = 0")
key("order 9",
    "order must be an integer from 1 to 8, not 9",
    "order = 1", "order = 9")
key("fractional order",
    "order must be an integer from 1 to 8, not 2.5",
    "order = 1", "order = 2.5")
key("flux 1.5",
    'flux must be "upwind", "damped", "centered" or a number in [0, 1], not 1.5',
    "order = 1", "order = 1, flux = 1.5")
key("flux by a wrong name",
    "flux must be \"upwind\", \"damped\", \"centered\" or a number in [0, 1], not the string \"upwnd\" (nearest: 'upwind')",
    "order = 1", "order = 1, flux = \"upwnd\"")
key("cfl 0",
    "time.cfl must be a number in (0, 1], not 0",
    "steps = 4", "steps = 4, cfl = 0")
key("no level",
    "time.levels must be an integer from 1 to 8 or \"auto\", not 0",
    "steps = 4", "steps = 4, levels = 0")
key("a level and a half",
    "time.levels must be an integer from 1 to 8 or \"auto\", not 1.5",
    "steps = 4", "steps = 4, levels = 1.5")
key("negative stop",
    "time.stop must be a number > 0 (seconds), not -1e-09",
    "steps = 4", "stop = -1e-9")
key("infinite stop",
    "time.stop must be a number > 0 (seconds), not inf",
    "steps = 4", "stop = math.huge")
key("stop and steps",
    "time takes 'stop' or 'steps', not both",
    "steps = 4", "steps = 4, stop = 1e-9")
key("neither stop nor steps",
    "time needs 'stop' (seconds) or 'steps' (for example: time = { stop = 20e-9 })",
    "steps = 4", "cfl = 0.5")
key("unknown integrator",
    'time.integrator must be "leapfrog", "rk4", "lsrk" or "euler", not the string "leapfog" (nearest: '
    "'leapfrog')",
    "steps = 4", "steps = 4, integrator = \"leapfog\"")
key("unknown precision",
    'precision must be "double" or "single", not the string "half"',
    "order = 1", "order = 1, precision = \"half\"")
key("key given twice",
    "'order' is given twice, first in line 4",
    "  order = 1,", "  order = 1,\n  order = 2,")
key("mesh missing",
    "'mesh' is missing in simulation (for example: mesh = { file = \"cavity.geo\" })",
    "mesh = { file = \"box.msh\" },", "", at="simulation {")
key("order missing",
    "'order' is missing in simulation (for example: order = 3)",
    "order = 1,", "", at="simulation {")
key("time missing",
    "'time' is missing in simulation (for example: time = { stop = 20e-9 })",
    TIME + ",", "", at="simulation {")
key("materials missing",
    "'materials' is missing in simulation (for example: materials = { default = {} } is vacuum everywhere)",
    MATERIALS + ",", "", at="simulation {")
key("materials empty",
    "materials is empty (for example: materials = { default = {} } is vacuum everywhere)",
    MATERIALS, "materials = {}")
key("materials as a string",
    'materials must be a table, as in materials = { default = {} }, not the string "vacuum"',
    MATERIALS, "materials = \"vacuum\"")
key("epsilon_r 0",
    "materials.right.epsilon_r must be a number > 0, a function of x, y, z or a tensor, not 0",
    "epsilon_r = 2", "epsilon_r = 0")
key("negative sigma",
    "materials.right.sigma must be a number >= 0 (S/m) or a function of x, y, z, not -1",
    "epsilon_r = 2", "sigma = -1")
key("a loss tangent without its frequency",
    "materials.right.loss_tangent needs the frequency that it holds at (for example: loss_tangent = 0.02, at = 2.4e9): "
    "one loss tangent for all frequencies is not there yet",
    "epsilon_r = 2", "loss_tangent = 0.02")
key("a loss tangent over a band",
    "materials.right.at must be a number > 0 (Hz), not a table: a loss tangent over a band is not there yet, and a Debye "
    "pole is what has one (debye = { { delta = , tau = } })",
    "epsilon_r = 2", "loss_tangent = 0.02, at = { 1e9, 2e9 }")
key("a loss tangent at 0 Hz", "materials.right.at must be a number > 0 (Hz), not 0",
    "epsilon_r = 2", "loss_tangent = 0.02, at = 0")
key("a negative loss tangent", "materials.right.loss_tangent must be a number >= 0, not -0.02",
    "epsilon_r = 2", "loss_tangent = -0.02, at = 2.4e9")
key("a loss tangent as a function", "materials.right.loss_tangent must be a number >= 0, not a function",
    "epsilon_r = 2", "loss_tangent = function(x) return x end, at = 2.4e9")
key("a frequency without a loss tangent",
    "materials.right.at is the frequency of a loss_tangent, which is missing", "epsilon_r = 2", "at = 2.4e9")
key("a loss tangent and sigma",
    "materials.right.sigma and loss_tangent both give the losses: leave one of them out",
    "epsilon_r = 2", "loss_tangent = 0.02, at = 2.4e9, sigma = 1")
key("a loss tangent and a pole",
    "materials.right.debye has losses of its own: a medium with a pole takes sigma, not loss_tangent",
    "epsilon_r = 2", "loss_tangent = 0.02, at = 2.4e9, debye = { { delta = 1, tau = 1e-9 } }")
key("a density of nothing", "materials.right.density is the density of what the poles stand for, and there are none",
    "epsilon_r = 2", "epsilon_r = 2, density = 3")
key("a negative density",
    re.compile(r"materials.right.density must be at least 0, but the function gave -\S+ at .*"),
    "epsilon_r = 2", "drude = { { omega_p = 1e9, gamma = 1e8 } }, density = function(x) return -x end")
key("a magnetic pole that amplifies", re.compile(r"materials.right amplifies: at .* Hz its poles give mu_r the imaginary part .*"),
    "epsilon_r = 2", "magnetic = { poles = { { c = { 0, 1e9 }, a = { -1e8, 4e9 } } } }")
FERRITE = "ferrite = { saturation = 1e5, bias = { 0, 0, 1e5 }, damping = 0.1 }"
case("the balance with a ferrite",
     "input/case.lua:6: output.balance does not take ferrites: take output.energy, which counts what they store",
     ("epsilon_r = 2", FERRITE), ("energy = { every = 1 }", "balance = { every = 1 }"))
case("losses of a ferrite with Runge-Kutta",
     re.compile(r"input/case\.lua:\d+: output\.losses: 'core' has a ferrite with damping, whose losses only leapfrog knows: take "
                r"integrator = \"leapfrog\", or a region without it"),
     ("epsilon_r = 2", FERRITE), ("energy = { every = 1 }", 'losses = { { name = "core", region = "right" } }'), ("steps = ", 'integrator = "lsrk", steps = '))
case("the balance of leapfrog with magnetic poles",
     'input/case.lua:6: output.balance does not take poles of mu_r (magnetic = ...) with leapfrog: take integrator = "lsrk" or '
     '"rk4", or output.energy, which counts them',
     ("epsilon_r = 2", "magnetic = { debye = { { delta = 1, tau = 1e-9 } } }"),
     ("energy = { every = 1 }", "balance = { every = 1 }"))
case("a polarisation outside the mesh",
     re.compile(r"input/case.lua:10: no point of polarisation 'inside' is inside the mesh, which spans .*"),
     ('probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } }', 'polarisations = { { name = "inside", at = { 9, 0, 0 } } }'))
key("kind missing", "'kind' is missing in boundaries.walls (for example: kind = \"pec\")", "kind = \"pec\"", "",
    at="boundaries =")
key("unknown kind",
    'boundaries.walls.kind must be "pec", "pmc", "impedance", "metal", "absorbing", "open", "periodic", "plane_wave", "electric_field", '
    '"magnetic_field", "surface_current", "waveguide_port", "coaxial_port", "modal_port", "tem_port", "lumped_port" or "lumped_element", '
    "not the string \"pecc\" (nearest: 'pec')",
    "kind = \"pec\"", "kind = \"pecc\"")
key("impedance without a value",
    "'impedance' is missing in boundaries.walls of kind \"impedance\" (for example: impedance = 377)",
    "kind = \"pec\"", "kind = \"impedance\"")
key("impedance of a conductor",
    'boundaries.walls.impedance is only for kind "impedance", not for kind "pec"',
    "kind = \"pec\"", "kind = \"pec\", impedance = 50")
METAL = "'metal' or 'conductivity' is missing in boundaries.walls of kind \"metal\" (for example: metal = \"copper\")"
BAND = "boundaries.walls.band must be two numbers > 0 in ascending order (Hz), as in { 1e9, 1e10 }, not a table"
key("a metal without a name", METAL, "kind = \"pec\"", "kind = \"metal\"")
key("a metal that is none",
    'boundaries.walls.metal must be "aluminium", "aluminum", "brass", "bronze", "chromium", "copper", "gold", "lead", "platinum", '
    "\"silver\", \"solder\", \"stainless_steel\", \"tungsten\" or \"zinc\", not the string \"coper\" (nearest: 'copper')",
    "kind = \"pec\"", "kind = \"metal\", metal = \"coper\"")
key("a metal twice", "boundaries.walls takes 'metal' or 'conductivity', not both",
    "kind = \"pec\"", "kind = \"metal\", metal = \"copper\", conductivity = 1e6")
key("a metal that does not conduct", "boundaries.walls.conductivity must be a number > 0 (S/m), not 0",
    "kind = \"pec\"", "kind = \"metal\", conductivity = 0")
key("a band upside down", BAND, "kind = \"pec\"", "kind = \"metal\", metal = \"gold\", band = { 2e9, 1e9 }")
key("a band of one number", BAND, "kind = \"pec\"", "kind = \"metal\", metal = \"gold\", band = { 1e9 }")
key("a metal without a band",
    "boundaries.walls: 'band' is missing, and no waveform of a source says the band in which the metal is wanted (for example: "
    "band = { 1e9, 1e10 })",
    "kind = \"pec\"", "kind = \"metal\", metal = \"copper\"")
key("conductivity of a conductor",
    'boundaries.walls.conductivity is only for kind "metal", not for kind "pec"',
    "kind = \"pec\"", "kind = \"pec\", conductivity = 1e6")
key("source without a current",
    "sources.1 needs 'current', or 'profile' with 'waveform' (for example: profile = { 0, 0, 1 }, "
    "waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1e9 })",
    "order = 1,", "order = 1,\n  sources = { { region = \"left\" } },")
key("source with a mistyped key",
    "unknown key 'wavefrom' in sources.1 (nearest: 'waveform')",
    "order = 1,", "order = 1,\n  sources = { { region = \"left\", profile = { 0, 0, 1 }, wavefrom = 1 } },")
key("mistyped waveform",
    "waveform has no 'gausian' (nearest: 'gaussian')",
    "order = 1,", "order = 1,\n  sources = { { waveform = waveform.gausian { bandwidth = 1e9 } } },")
key("waveform with a mistyped key",
    "waveform.gaussian has no key 'bandwith' (nearest: 'bandwidth') (for example: waveform.gaussian { f0 = 1e9, "
    "bandwidth = 1e9 })",
    "order = 1,", "order = 1,\n  sources = { { waveform = waveform.gaussian { bandwith = 1e9 } } },")
key("interface of an unknown kind",
    'interfaces.between.kind must be "surface_current", "total_field", "pec", "resistive_sheet", "graphene" or "metal_sheet", not the string "total_feild" '
    "(nearest: 'total_field')",
    "order = 1,", "order = 1,\n  interfaces = { between = { kind = \"total_feild\" } },")
key("graphene without a relaxation time",
    "'relaxation_time' is missing in interfaces.between of kind \"graphene\" (for example: relaxation_time = 0.5e-12)",
    "order = 1,", "order = 1,\n  interfaces = { between = { kind = \"graphene\", chemical_potential = 0.3 } },")
key("graphene without a potential",
    "'chemical_potential' is missing in interfaces.between of kind \"graphene\" (for example: chemical_potential = 0.3)",
    "order = 1,", "order = 1,\n  interfaces = { between = { kind = \"graphene\", relaxation_time = 1e-12 } },")
key("graphene at zero",
    "interfaces.between.temperature must be a number > 0 (K), not 0",
    "order = 1,", "order = 1,\n  interfaces = { between = { kind = \"graphene\", chemical_potential = 0.3, "
    "relaxation_time = 1e-12, temperature = 0 } },")
SHEET = 'order = 1, interfaces = { between = { kind = "metal_sheet", %s } },'
key("a sheet without a thickness",
    "'thickness' is missing in interfaces.between of kind \"metal_sheet\" (for example: thickness = 35e-6)",
    "order = 1,", SHEET % 'metal = "copper"')
key("a sheet without a metal",
    "'metal' or 'conductivity' is missing in interfaces.between of kind \"metal_sheet\" (for example: metal = \"copper\")",
    "order = 1,", SHEET % "thickness = 1e-5")
key("a sheet of nothing", "interfaces.between.thickness must be a number > 0 (metres), not 0",
    "order = 1,", SHEET % 'metal = "copper", thickness = 0')
key("a sheet without a band",
    "interfaces.between: 'band' is missing, and no waveform of a source says the band in which the metal is wanted (for example: "
    "band = { 1e9, 1e10 })",
    "order = 1,", SHEET % 'metal = "copper", thickness = 1e-5')
key("a rough sheet", re.compile(r"unknown key 'roughness' in interfaces\.between \(known: kind, .*\)"),
    "order = 1,", SHEET % 'metal = "copper", thickness = 1e-5, roughness = 1e-6')
key("a roughness below zero", "boundaries.walls.roughness must be a number >= 0 (metres rms), not -1e-06",
    "kind = \"pec\"", "kind = \"metal\", metal = \"copper\", roughness = -1e-6")
key("plane wave with its field along its direction",
    "boundaries.walls: polarisation must be orthogonal to direction; the dot product of their unit vectors is 1",
    "kind = \"pec\"", "kind = \"plane_wave\", direction = { 0, 0, 2 }, polarisation = { 0, 0, 1 }, "
    "waveform = waveform.step { rise = 1e-9 }")
key("port of a mode that there is not",
    "boundaries.walls.mode: a rectangular guide has no mode TM10; both indices of a TM mode are at least 1",
    "kind = \"pec\"", "kind = \"waveguide_port\", mode = \"TM10\"")
key("port on a face that is bent",
    re.compile(r"boundaries.walls: the face of this port must be plane; its normal is \(.*\) m and \(.*\) m"),
    "kind = \"pec\"", "kind = \"waveguide_port\"")
key("port on a face that is no ring",
    "boundaries.port: the face of this port is no ring: its rim is 1 closed curve, not two circles",
    "walls = { kind = \"pec\" }", "port = { kind = \"coaxial_port\" }, [1] = nil")
key("tem port on a face that is bent",
    re.compile(r"boundaries.walls: the face of this port must be plane; its normal is \(.*\) m and \(.*\) m"),
    "kind = \"pec\"", "kind = \"tem_port\"")
key("tem port with one conductor",
    "boundaries.port: the field of this port is that between conductors, and its face touches one only, 'walls'. Conductors that "
    "touch each other are one",
    "walls = { kind = \"pec\" }", "port = { kind = \"tem_port\" }, [1] = nil")
key("port that has lost its face",
    "boundaries.port: no face is left for this port; keys of tags win over keys of their groups",
    "walls = { kind = \"pec\" }", "port = { kind = \"coaxial_port\" }, [1] = { kind = \"pec\" }")
key("name with a slash",
    "name must be a name for the output folder (not empty, \".\" or \"..\", no '/' or control character, at most 200 "
    "characters), "
    'not the string "a/b"',
    "order = 1", "order = 1, name = \"a/b\"")
key("probe at two numbers",
    "output.probes.1.at must be three numbers (metres), as in { 0.4, 0.5, 0.3 }, not 2 values",
    "0.4, 0.3, 0.2", "0.4, 0.3")
key("probe without a name",
    "'name' is missing in output.probes.1 (for example: name = \"centre\")",
    "name = \"inside\", ", "", at="at = {")
key("probe with a bad name",
    "output.probes.1.name must be a name for a file (letters, digits, '_', '-' and '.'; not starting "
    "with '.'; at most 200 characters), not the string \"../inside\"",
    "name = \"inside\"", "name = \"../inside\"")
key("port whose group is a path",
    "the group '../../port' of a port names files: no '/' or control character, no '.' at its beginning, at most 128 "
    "characters; rename it or write the tag of the surface",
    "walls = { kind = \"pec\" }", "['../../port'] = { kind = \"coaxial_port\" }")
key("two probes of one name",
    "output.probes: two probes have the name 'inside' (1 and 2)",
    PROBE, PROBE + ", " + PROBE, at="probes =")
key("two probes of one name, far from each other",
    "output.probes: two probes have the name 'inside' (1 and 3)",
    PROBE, PROBE + ", { name = \"b\", at = { 0.1, 0.2, 0.3 } }, " + PROBE, at="probes =")
for size in ("1e300", "1e26"):
    key(f"absurd permittivity {size}",
        "materials.right.epsilon_r must be a number > 0, a function of x, y, z or a tensor, and from 1e-60 to 1e+25 in size, "
        f"not {float(size):g}",
        "epsilon_r = 2", f"epsilon_r = {size}")
key("absurd permittivity, small",
    "materials.right.epsilon_r must be a number > 0, a function of x, y, z or a tensor, and from 1e-60 to 1e+25 in size, "
    "not 4.94066e-324",
    "epsilon_r = 2", "epsilon_r = 5e-324")
key("absurd conductivity",
    "materials.right.sigma must be a number >= 0 (S/m) or a function of x, y, z, and from 0 to 1e+25 in size, not 1e+308",
    "epsilon_r = 2", "epsilon_r = 2, sigma = 1e308")
key("absurd permittivity of a function",
    re.compile(r"materials.right.epsilon_r must be at least 1e-60 and at most 1e\+25, but the function gave 1e\+300 at \(.*\) m"),
    "epsilon_r = 2", "epsilon_r = function(x, y, z) return 1e300 end")
key("fields every 0",
    "output.fields.every must be an integer >= 1, not 0",
    "every = 2", "every = 0")
key("quantity that is none",
    "output.fields.quantities.1 must be \"E\", \"H\" or \"material\", not the string \"B\" (nearest: 'E')",
    "every = 2", "every = 2, quantities = { \"B\" }")
key("initial as a number",
    "initial.E must be a function of x, y, z that returns Ex, Ey, Ez, not 1",
    INITIAL, "initial = { E = 1 }")

# ---- names and tags against the mesh

key("material of an unknown group",
    "materials.rigt: the mesh has no volume group 'rigt' (nearest: 'right'); it has 'left', 'right'",
    "right = {", "rigt = {")
key("material of a surface's group",
    "materials.walls: the mesh has no volume group 'walls'; it has 'left', 'right'",
    "right = {", "walls = {", at="materials =")
key("material of an unknown tag",
    "materials[9]: the mesh has no volume with tag 9; it has 1, 2",
    "right = {", "[9] = {")
case("volume without a material",
    "input/case.lua:6: volume 2 (group 'right') of the mesh has no material; add it to materials, or a default",
    (", right = { epsilon_r = 2 }", ""))
key("boundary of an unknown group",
    "boundaries.wals: the mesh has no surface group 'wals' (nearest: 'walls'); it has 'walls', 'port', 'between'",
    "walls = {", "wals = {")
key("boundary of a volume's group",
    "boundaries.left: the mesh has no surface group 'left'; it has 'walls', 'port', 'between'",
    "walls = {", "left = { kind = \"pmc\" }, walls = {")
key("boundary of an unknown tag",
    "boundaries[77]: the mesh has no surface with tag 77; it has 1, 2, 3, 4, 5",
    "walls = {", "[77] = {")
key("boundary inside the domain",
    "boundaries.between: 2 of the 2 faces of surface 4 lie inside the domain, where there is no boundary "
    "condition; only outer surfaces have one",
    "walls = {", "between = {")
key("surface in two groups",
    "boundaries: surface 1 belongs to both 'port' and 'walls'; give it a key of its own: [1]",
    "walls = { kind = \"pec\" }", "walls = { kind = \"pec\" }, port = { kind = \"pmc\" }")
