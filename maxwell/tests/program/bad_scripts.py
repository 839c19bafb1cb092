"""Cases of bad_input.py: scripts, keys, names that the mesh lacks, functions, and the command line."""
import re

CASES = []


def case(name, says, *edits, **more):
    CASES.append({"name": name, "says": says, "edits": edits, **more})


TIME = "time = { steps = 4 }"
MATERIALS = "materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } }"
BOUNDARIES = "boundaries = { walls = { kind = \"pec\" } }"
INITIAL = "initial = { E = function(x, y, z) return 0, 0, x + y end }"
PROBE = "{ name = \"inside\", at = { 0.4, 0.3, 0.2 } }"
HERE = "input/case.lua:{line}: "


def key(name, says, old, new, at=None, **more):
    """`old` is replaced by `new`; the message names the line of `at`, or of `new`."""
    says = re.compile(HERE + says.pattern) if isinstance(says, re.Pattern) else HERE + says
    CASES.append({"name": name, "says": says, "edits": [(old, new)], "at": at or new.strip().split("\n")[-1],
                  **more})


# ---- the script as a whole

case("syntax error",
    "input/case.lua:5: unexpected symbol near '='",
    (TIME + ",", "time = { steps = = 4 },"))
case("unbalanced brace",
    "input/case.lua:3: unexpected symbol near <eof>",
    script="simulation {\n  order = 1,\n")
case("runtime error",
    "input/case.lua:2: attempt to index a nil value (local 'a')",
    script="local a = nil\nlocal b = a.x\n")
case("error with a table",
    "input/case.lua:2: the error is a table value, not a message",
    script="\nerror({})\n")
case("error with nothing",
    "input/case.lua:1: the error is a nil value, not a message",
    script="error()\n")
case("no call of simulation",
    "input/case.lua: the script never calls simulation { }",
    script="local a = 1\n")
case("two calls of simulation",
    "input/case.lua:2: simulation { } is called a second time; the first call is in line 1",
    script="simulation {}\nsimulation {}\n")
case("simulation without a table",
    "input/case.lua:1: simulation takes one table, as in simulation { order = 3 }",
    script="simulation(3)\n")
case("undefined name",
    "input/case.lua:1: undefined name 'mth' (nearest: math)",
    script="local a = mth.pi\n")
case("undefined constant",
    "input/case.lua:1: const has no 'c1' (it has c0, epsilon0, eta0, mu0, pi)",
    script="local a = const.c1\n")
case("missing script",
    "cannot open the script 'input/nothing.lua': No such file or directory",
    arguments=("run", "input/nothing.lua"))
case("folder as script",
    "cannot read the script 'input': Is a directory",
    arguments=("run", "input"))
case("empty script",
    "input/case.lua: the script never calls simulation { }",
    script="")
case("binary script",
    "the script 'input/case.lua' is not text: it has a zero byte",
    script=bytes(range(256)))
case("compiled script",
    "the script 'input/case.lua' is compiled Lua, not text",
    script=b"\x1bLua\x54rest")
case("endless recursion",
    "input/case.lua:1: stack overflow",
    script="local function f() return 1 + f() end\nf()\n")

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
    'flux must be "upwind", "centered" or a number in [0, 1], not 1.5',
    "order = 1", "order = 1, flux = 1.5")
key("flux by a wrong name",
    "flux must be \"upwind\", \"centered\" or a number in [0, 1], not the string \"upwnd\" (nearest: 'upwind')",
    "order = 1", "order = 1, flux = \"upwnd\"")
key("cfl 0",
    "time.cfl must be a number in (0, 1], not 0",
    "steps = 4", "steps = 4, cfl = 0")
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

# ---- functions

E = "return 0, 0, x + y"
key("material function returns nothing",
    "materials.right.epsilon_r must return one number, but result 1 is a nil at (x, y, z) = (1.5, 0.25, 0.75)",
    "epsilon_r = 2", "epsilon_r = function(x) return nil end")
key("material function returns a string",
    "materials.right.epsilon_r must return one number, but result 1 is a string at (x, y, z) = (1.5, 0.25, 0.75)",
    "epsilon_r = 2", "epsilon_r = function(x) return 'two' end")
key("material function returns a negative",
    "materials.right.epsilon_r must be greater than 0, but the function gave -1.5 at (1.5, 0.25, 0.75) m",
    "epsilon_r = 2", "epsilon_r = function(x) return -x end")
key("material function returns NaN",
    "materials.right.epsilon_r returned nan at (x, y, z) = (1.5, 0.25, 0.75)",
    "epsilon_r = 2", "epsilon_r = function(x) return 0 / 0 end")
key("material function raises",
    "no, in materials.right.epsilon_r at (x, y, z) = (1.5, 0.25, 0.75)",
    "epsilon_r = 2", "epsilon_r = function(x) error('no') end")
key("initial field of two numbers",
    "initial.E must return three numbers, returned 2 at (x, y, z) = (0, 0, 0)",
    E, "return 0, x + y")
key("initial field NaN",
    "initial.E returned nan at (x, y, z) = (0, 0, 0)",
    E, "return 0, 0, 0 / 0")
key("initial field raises",
    "attempt to index a number value (local 'x'), in initial.E at (x, y, z) = (0, 0, 0)",
    E, "return 0, 0, x.y")
key("initial field undefined name",
    "undefined name 'sin', in initial.E at (x, y, z) = (0, 0, 0)",
    E, "return 0, 0, sin(x)")

# ---- the step

BEYOND = (r"time\.step = GIVEN s is beyond the stability limit of this mesh, order, flux and integrator, "
          r"\d\.\d+e-10 s; use \"auto\" or at most 0\.997 of that")

key("step beyond the limit", re.compile(BEYOND.replace("GIVEN", "1e-06")), "steps = 4", "steps = 4, step = 1e-6")
key("step within the error of the limit",
    "time.step = 2.82e-10 s is nearer to the stability limit, 2.82491e-10 s, than the search for it is exact; use \"auto\" "
    "or at most 0.997 of the limit",
    "steps = 4", "steps = 4, step = 2.82e-10")
key("cfl within the error of the limit",
    "time.cfl = 1 is nearer to the stability limit than the search for it is exact; use at most 0.997",
    "steps = 4", "steps = 4, cfl = 1")
key("cfl within the error of the limit of lsrk",
    "time.cfl = 0.99 is nearer to the stability limit than the search for it is exact; use at most 0.985",
    "steps = 4", "steps = 4, cfl = 0.99, integrator = \"lsrk\"")
key("euler without a step",
    "time.step must be given for the euler integrator: it has no automatic step",
    "steps = 4", "steps = 4, integrator = \"euler\"")
key("stop with too many steps",
    re.compile(r"time\.stop = 1e\+12 s takes 3\.\d+e\+21 steps of 2\.\d+e-10 s: too many to count"),
    "steps = 4", "stop = 1e12")
key("probe outside",
    "probe 'inside' at (0.4, 0.3, 2.2) m is outside the mesh, which spans (0, 0, 0) to (2, 1, 1) m",
    "0.4, 0.3, 0.2", "0.4, 0.3, 2.2")
key("probe outside on check",
    "probe 'inside' at (0.4, 0.3, 2.2) m is outside the mesh, which spans (0, 0, 0) to (2, 1, 1) m",
    "0.4, 0.3, 0.2", "0.4, 0.3, 2.2", arguments=("check", "input/case.lua"))
key("backend that does not exist",
    re.compile('there is no backend "referenc" \\(nearest: "reference"\\); this build has "auto", ("cuda", )?"cpu", "reference"'),
    "order = 1", "order = 1, backend = \"referenc\"")
key("backend that is not in the build, or has no card", # bad_input.py hides cards
    re.compile(r'backend = "cuda" is not in this build \(curlew info lists them\)|'
               r'backend = cuda needs an NVIDIA GPU: .*, needed by backend = "cuda"'),
    "order = 1", "order = 1, backend = \"cuda\"", code=3)

# ---- measurements


def measure(name, says, entry, **more):
    """`entry` in the place of the energy."""
    key(name, says, "energy = { every = 1 },", entry + ",", **more)


SPAN = "the mesh, which spans (0, 0, 0) to (2, 1, 1) m"
measure("unknown kind of measurement",
        "unknown key 'voltags' in output (nearest: 'voltages')", "voltags = {}")
measure("line outside",
        "no point of line 'a' is inside " + SPAN,
        "lines = { { name = \"a\", from = { 0, 0, 2 }, to = { 2, 0, 2 } } }")
measure("plane outside",
        "no point of plane 'a' is inside " + SPAN,
        "planes = { { name = \"a\", origin = { 0, 0, 2 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } }")
measure("plane outside on check",
        "no point of plane 'a' is inside " + SPAN,
        "planes = { { name = \"a\", origin = { 0, 0, 2 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } }",
        arguments=("check", "input/case.lua"))
measure("voltage outside",
        "voltage 'a': 1.5 m of its path of 2.5 m are outside " + SPAN,
        "voltages = { { name = \"a\", from = { 0.5, 0.5, -1 }, to = { 0.5, 0.5, 1.5 } } }")
measure("current outside",
        "current 'a': 6.283 m of its path of 6.283 m are outside " + SPAN,
        "currents = { { name = \"a\", circle = { centre = { 1, 0.5, 2 }, normal = { 0, 0, 1 }, radius = 0.99994984 } } }")
measure("voltage along one point",
        "output.voltages.1.path must have at least 2 points, not 1",
        "voltages = { { name = \"a\", path = { { 0, 0, 0 } } } }")
measure("current around two points",
        "output.currents.1.path must have at least 3 points, not 2",
        "currents = { { name = \"a\", path = { { 0, 0, 0 }, { 1, 0, 0 } } } }")
measure("flux through a group that is not there",
        "output.fluxes.wals: the mesh has no surface group 'wals' (nearest: 'walls'); it has 'walls', 'port', 'between'",
        "fluxes = { { name = \"a\", surface = \"wals\" } }")
measure("flux through a tag that is not there",
        "output.fluxes[9]: the mesh has no surface with tag 9; it has 1, 2, 3, 4, 5",
        "fluxes = { { name = \"a\", surface = 9 } }")
measure("flux through a volume",
        "output.fluxes.left: the mesh has no surface group 'left'; it has 'walls', 'port', 'between'",
        "fluxes = { { name = \"a\", surface = \"left\" } }")
measure("flux through an inner surface without direction",
        "output.fluxes: 'direction' is missing in 'a', whose surface lies inside the domain (for example: direction = "
        "{ 1, 0, 0 })",
        "fluxes = { { name = \"a\", surface = \"between\" } }")
measure("flux with a direction along its surface",
        re.compile(r"output\.fluxes: 'direction' of 'a' lies along its surface at \(1, [\d.]+, [\d.]+\) m; it must say "
                   "which side is positive"),
        "fluxes = { { name = \"a\", surface = \"between\", direction = { 0, 1, 1 } } }")
measure("loss in a group that is not there",
        "output.losses.copper: the mesh has no volume group 'copper'; it has 'left', 'right'",
        "losses = { { name = \"a\", region = \"copper\" } }")
measure("loss in a tag that is not there",
        "output.losses[7]: the mesh has no volume with tag 7; it has 1, 2",
        "losses = { { name = \"a\", region = 7 } }")
measure("two lines of one name",
        "output.lines: two lines have the name 'a' (1 and 2)",
        "lines = { { name = \"a\", from = { 0, 0, 0 }, to = { 2, 0, 0 } }, { name = \"a\", from = { 0, 0, 0 }, to = "
        "{ 0, 1, 0 } } }")
measure("frequency beyond the samples",
        re.compile(r"output\.fluxes: 'a' cannot tell 1e\+10 Hz, a sample every [\d.e-]+ s reaches to [\d.e+]+ Hz; lower "
                   "'every' or the frequency"),
        "fluxes = { { name = \"a\", surface = \"walls\", frequencies = { 1e6, 1e10 }, every = 3 } }")
measure("frequencies without points",
        "'points' is missing in output.voltages.1.frequencies (for example: points = 101)",
        "voltages = { { name = \"a\", from = { 0, 0, 0 }, to = { 1, 0, 0 }, frequencies = { from = 1e6, to = 2e6 } } }")

FAR = "far_field = { { name = \"a\", frequencies = { 1e7 }, %s } }"
measure("far field without a surface",
        "output.far_field.1 must have either 'surface' or 'region', as in surface = \"huygens\"", FAR % "every = 2")
measure("far field with both", "output.far_field.1 must have either 'surface' or 'region', not both",
        FAR % "surface = \"between\", region = \"left\"")
measure("far field of a surface that is not there",
        "output.far_field.wals: the mesh has no surface group 'wals' (nearest: 'walls'); it has 'walls', 'port', "
        "'between'", FAR % "surface = \"wals\"")
measure("far field at 0 Hz", "output.far_field.1: there is no far field at 0 Hz",
        "far_field = { { name = \"a\", surface = \"between\", frequencies = { 0 } } }")
measure("far field of a plane", re.compile(r"output\.far_field: the surface of 'a' is not closed: it ends at the edge from "
                                           r"\(1, [01], [01]\) to \(1, [01], [01]\) m; where it ends on a wall .*"),
        FAR % "surface = \"between\"")
measure("far field on a wall", re.compile(r"output\.far_field: the surface of 'a' touches a wall near .*"),
        FAR % "surface = \"walls\"")
measure("far field beyond the half circle", "output.far_field.1.theta.1 must be a list of degrees from 0 to 180, or { from "
        "= 0, to = 180, points = 181 }, not 200", FAR % "surface = \"between\", theta = { 200 }")
measure("images in two parallel planes", "output.far_field.1.images.2: there is another plane across the axis \"x\"",
        FAR % "surface = \"between\", images = { { axis = \"x\", wall = \"pec\" }, { axis = \"x\", wall = \"pmc\" } }")
measure("images in no plane of the mesh", "output.far_field: the images of 'a' are in the plane y = 0.5 m, but the mesh "
        "ends at y = 0 and 1 m", FAR % "surface = \"between\", images = { { axis = \"y\", at = 0.5, wall = \"pec\" } }")
measure("far fields with one file",
        "output.far_field: 1 and 2 would have the same files ('a' and 'a_powers')",
        "far_field = { { name = \"a\", surface = \"between\", frequencies = { 1e7 } }, { name = \"a_powers\", surface = "
        "\"between\", frequencies = { 1e7 } } }")

# ---- the command line


def line(name, says, *arguments, **more):
    CASES.append({"name": name, "says": says, "arguments": arguments, **more})


RUN = ("run", "input/case.lua")
line("no arguments",
    "no command given; see curlew --help")
line("unknown command",
    "unknown command 'rn' (nearest: 'run'); see curlew --help",
    "rn", "input/case.lua")
line("unknown command without a nearest",
    "unknown command 'frobnicate'; see curlew --help",
    "frobnicate")
line("unknown option",
    "unknown option '--outpt' (nearest: '--output'); see curlew --help",
    *RUN, "--outpt", "x")
line("unknown short option",
    "unknown option '-x'; see curlew --help",
    *RUN, "-x")
line("output without a value",
    "--output needs a value; see curlew --help",
    *RUN, "--output")
line("output with an empty value",
    "--output needs the name of a folder",
    *RUN, "--output=")
line("set without a value",
    "--set needs a value; see curlew --help",
    *RUN, "--set")
line("set without =",
    "--set needs NAME=VALUE, not 'order'",
    *RUN, "--set", "order")
line("set of an unknown key",
    "--set time.stepps=3: unknown key 'stepps' in time (nearest: 'steps')",
    *RUN, "--set", "time.stepps=3")
line("set of a wrong type",
    '--set order=high: order must be an integer from 1 to 8, not the string "high"',
    *RUN, "--set", "order=high")
line("set twice",
    "--set order=2: 'order' is given twice",
    *RUN, "--set", "order=1", "--set", "order=2")
line("set of an unknown material",
    "--set materials.rigt.epsilon_r=2: materials.rigt: the mesh has no volume group 'rigt' (nearest: "
    "'right'); it has 'left', 'right'",
    *RUN, "--set", "materials.rigt.epsilon_r=2")
line("set of an unknown tag",
    "--set boundaries.77={kind='pec'}: boundaries[77]: the mesh has no surface with tag 77; it has 1, 2, 3, 4, 5",
    *RUN, "--set", "boundaries.77={kind='pec'}")
line("set of a probe outside",
    "--set output.probes.1.at={9,9,9}: probe 'inside' at (9, 9, 9) m is outside the mesh, which spans "
    "(0, 0, 0) to (2, 1, 1) m",
    *RUN, "--set", "output.probes.1.at={9,9,9}")
line("set of a step beyond the limit", re.compile("--set time.step=1: " + BEYOND.replace("GIVEN", "1")), *RUN, "--set",
    "time.step=1")
line("set of a mesh that is not there",
    "--set mesh.file=nothing.msh: cannot read mesh file 'input/nothing.msh': No such file or directory",
    *RUN, "--set", "mesh.file=nothing.msh")
line("set that cannot be read",
    "--set order=(1+: the value cannot be read: unexpected symbol near <eof>",
    *RUN, "--set", "order=(1+")
line("D without =",
    "-D needs NAME=VALUE, not 'bad'",
    *RUN, "-D", "bad")
line("D with a bad name",
    "-D a-b=1: 'a-b' is not a name (letters, digits and _)",
    *RUN, "-D", "a-b=1")
line("D twice",
    "-D a=2: 'a' is given twice",
    *RUN, "-D", "a=1", "-Da=2")
line("two scripts",
    "unexpected argument 'input/case.lua'; see curlew --help",
    *RUN, "input/case.lua")
line("run without a script",
    "curlew run needs a script; see curlew --help",
    "run")
line("check without a script",
    "curlew check needs a script; see curlew --help",
    "check", "--quiet")
line("info with an argument",
    "unexpected argument 'input/case.lua'; see curlew --help",
    "info", "input/case.lua")
line("keys of something else than info",
    "--keys is for curlew info; see curlew --help",
    "check", "input/case.lua", "--keys")
BENCH = ("bench", "--unknowns", "100", "--seconds", "0")
line("bench: unknown option",
    "unknown option '--ordre' of bench (nearest: '--order'); see curlew --help",
    *BENCH, "--ordre", "3")
line("bench: an option of run",
    "unknown option '--set' of bench; see curlew --help",
    *BENCH, "--set", "order=3")
line("bench: order out of range",
    "--order: '9' is no order from 1 to 8 and no range such as 1..6",
    *BENCH, "--order", "3,9")
line("bench: orders the wrong way round",
    "--order: '6..1' is no order from 1 to 8 and no range such as 1..6",
    *BENCH, "--order=6..1")
line("bench: no order",
    "--order: '' is no order from 1 to 8 and no range such as 1..6",
    *BENCH, "--order=1,")
line("bench: unknown integrator",
    "--integrator: unknown 'leapfog' (nearest: 'leapfrog'); there is leapfrog, lsrk",
    *BENCH, "--integrator", "lsrk,leapfog")
line("bench: unknown precision",
    "--precision: unknown 'half'; there is double, single",
    *BENCH, "--precision", "half")
line("bench: unknown backend",
    re.compile("--backend: unknown 'referenc' \\(nearest: 'reference'\\); there is .*reference.*"),
    *BENCH, "--backend", "referenc")
line("bench: unknown flux",
    "--flux: unknown 'upwnd' (nearest: 'upwind'); there is upwind, centered",
    *BENCH, "--flux", "upwnd")
line("bench: part of an unknown",
    "--unknowns must be a whole number from 1 to 1e+10, not '1.5'",
    "bench", "--unknowns", "1.5")
line("bench: seconds that are no number",
    "--seconds must be a number from 0 to 3600, not 'long'",
    "bench", "--seconds", "long")
line("bench: no thread",
    "--threads must be a whole number from 1 to 1024, not '0'",
    *BENCH, "--threads", "0")
line("bench: option without a value",
    "--threads needs a value; see curlew --help",
    *BENCH, "--threads")
line("bench: file without a name",
    "--json needs the name of a file",
    *BENCH, "--json=")
line("bench: folder as file",
    "cannot write 'input': it is a folder",
    *BENCH, "--json", "input", code=3)
line("bench: file in a folder that is not there",
    "cannot write 'no/such.json': No such file or directory",
    *BENCH, "--json", "no/such.json", code=3)
line("bench: a script",
    "unexpected argument 'input/case.lua'; see curlew --help",
    *BENCH, "input/case.lua")
line("bench behind its options",
    "the options of bench follow it; see curlew --help",
    "--quiet", "bench")
line("quiet with a value",
    "unknown option '--quiet=yes'; see curlew --help",
    *RUN, "--quiet=yes")
