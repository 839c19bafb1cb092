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
    CASES.append({"name": name, "says": HERE + says, "edits": [(old, new)], "at": at or new.strip().split("\n")[-1],
                  **more})


# ---- the script as a whole

case("syntax error", "x", (TIME + ",", "time = { steps == 4 },"))
case("unbalanced brace", "x", script="simulation {\n  order = 1,\n")
case("runtime error", "x", script="local a = nil\nlocal b = a.x\n")
case("error with a table", "x", script="\nerror({})\n")
case("error with nothing", "x", script="error()\n")
case("no call of simulation", "x", script="local a = 1\n")
case("two calls of simulation", "x", script="simulation {}\nsimulation {}\n")
case("simulation without a table", "x", script="simulation(3)\n")
case("undefined name", "x", script="local a = mth.pi\n")
case("undefined constant", "x", script="local a = const.c1\n")
case("missing script", "x", arguments=("run", "input/nothing.lua"))
case("folder as script", "x", arguments=("run", "input"))
case("empty script", "x", script="")
case("binary script", "x", script=bytes(range(256)))
case("compiled script", "x", script=b"\x1bLua\x54rest")
case("endless recursion", "x", script="local function f() return 1 + f() end\nf()\n")

# ---- keys

key("unknown key of simulation", "unknown", "order = 1", "ordr = 1")
key("unknown key of mesh", "unknown", "file = \"box.msh\"", "fille = \"box.msh\"")
key("unknown key of time", "unknown", "steps = 4", "stepps = 4")
key("unknown key of a material", "unknown", "epsilon_r = 2", "epsilonr = 2")
key("unknown key of a boundary", "unknown", "kind = \"pec\"", "knd = \"pec\"")
key("unknown key of initial", "unknown", "initial = { E =", "initial = { D =")
key("unknown key of output", "unknown", "energy = { every = 1 }", "enrgy = { every = 1 }")
key("unknown key of fields", "unknown", "every = 2", "evry = 2")
key("unknown key of a probe", "unknown", "at = {", "att = {")
key("unknown key of watchdog", "unknown", "order = 1,", "order = 1,\n  watchdog = { grwth = 2 },")
key("order as a string", "order", "order = 1", "order = \"one\"")
key("order 0", "order", "order = 1", "order = 0")
key("order 9", "order", "order = 1", "order = 9")
key("fractional order", "order", "order = 1", "order = 2.5")
key("flux 1.5", "flux", "order = 1", "order = 1, flux = 1.5")
key("flux by a wrong name", "flux", "order = 1", "order = 1, flux = \"upwnd\"")
key("cfl 0", "cfl", "steps = 4", "steps = 4, cfl = 0")
key("negative stop", "stop", "steps = 4", "stop = -1e-9")
key("infinite stop", "stop", "steps = 4", "stop = math.huge")
key("stop and steps", "both", "steps = 4", "steps = 4, stop = 1e-9")
key("neither stop nor steps", "none", "steps = 4", "cfl = 0.5")
key("unknown integrator", "i", "steps = 4", "steps = 4, integrator = \"leapfog\"")
key("unknown precision", "p", "order = 1", "order = 1, precision = \"half\"")
key("key given twice", "twice", "  order = 1,", "  order = 1,\n  order = 2,")
key("mesh missing", "mesh", "mesh = { file = \"box.msh\" },", "", at="simulation {")
key("order missing", "order", "order = 1,", "", at="simulation {")
key("time missing", "time", TIME + ",", "", at="simulation {")
key("materials missing", "m", MATERIALS + ",", "", at="simulation {")
key("materials empty", "m", MATERIALS, "materials = {}")
key("materials as a string", "m", MATERIALS, "materials = \"vacuum\"")
key("epsilon_r 0", "e", "epsilon_r = 2", "epsilon_r = 0")
key("negative sigma", "s", "epsilon_r = 2", "sigma = -1")
key("kind missing", "k", "kind = \"pec\"", "")
key("unknown kind", "k", "kind = \"pec\"", "kind = \"pecc\"")
key("impedance without a value", "k", "kind = \"pec\"", "kind = \"impedance\"")
key("impedance of a conductor", "k", "kind = \"pec\"", "kind = \"pec\", impedance = 50")
key("sources", "k", "order = 1,", "order = 1,\n  sources = {},")
key("interfaces", "k", "order = 1,", "order = 1,\n  interfaces = {},")
key("name with a slash", "k", "order = 1", "order = 1, name = \"a/b\"")
key("probe at two numbers", "k", "0.4, 0.3, 0.2", "0.4, 0.3")
key("probe without a name", "k", "name = \"inside\", ", "", at="at = {")
key("probe with a bad name", "k", "name = \"inside\"", "name = \"../inside\"")
key("two probes of one name", "k", PROBE, PROBE + ", " + PROBE, at="probes =")
key("fields every 0", "k", "every = 2", "every = 0")
key("quantity that is none", "k", "every = 2", "every = 2, quantities = { \"B\" }")
key("initial as a number", "k", INITIAL, "initial = { E = 1 }")

# ---- names and tags against the mesh

key("material of an unknown group", "x", "right = {", "rigt = {")
key("material of a surface's group", "x", "right = {", "walls = {", at=MATERIALS.split(",")[0])
key("material of an unknown tag", "x", "right = {", "[9] = {")
case("volume without a material", "x", (", right = { epsilon_r = 2 }", ""))
key("boundary of an unknown group", "x", "walls = {", "wals = {")
key("boundary of an unknown tag", "x", "walls = {", "[77] = {")
key("boundary inside the domain", "x", "walls = {", "between = {")
key("surface in two groups", "x", "walls = { kind = \"pec\" }", "walls = { kind = \"pec\" }, port = { kind = \"pmc\" }")

# ---- functions

E = "return 0, 0, x + y"
key("material function returns nothing", "x", "epsilon_r = 2", "epsilon_r = function(x) return nil end")
key("material function returns a string", "x", "epsilon_r = 2", "epsilon_r = function(x) return 'two' end")
key("material function returns a negative", "x", "epsilon_r = 2", "epsilon_r = function(x) return -x end")
key("material function returns NaN", "x", "epsilon_r = 2", "epsilon_r = function(x) return 0 / 0 end")
key("material function raises", "x", "epsilon_r = 2", "epsilon_r = function(x) error('no') end")
key("initial field of two numbers", "x", E, "return 0, x + y")
key("initial field NaN", "x", E, "return 0, 0, 0 / 0")
key("initial field raises", "x", E, "return 0, 0, x.y")
key("initial field undefined name", "x", E, "return 0, 0, sin(x)")

# ---- the step

key("step beyond the limit", "x", "steps = 4", "steps = 4, step = 1e-6")
key("euler without a step", "x", "steps = 4", "steps = 4, integrator = \"euler\"")
key("stop with too many steps", "x", "steps = 4", "stop = 1e12")
key("probe outside", "x", "0.4, 0.3, 0.2", "0.4, 0.3, 2.2")
key("probe outside on check", "x", "0.4, 0.3, 0.2", "0.4, 0.3, 2.2", arguments=("check", "input/case.lua"))
key("backend that does not exist", "x", "order = 1", "order = 1, backend = \"referenc\"")
key("backend that is not in the build", "x", "order = 1", "order = 1, backend = \"cuda\"", code=3)

# ---- the command line


def line(name, says, *arguments, **more):
    CASES.append({"name": name, "says": says, "arguments": arguments, **more})


RUN = ("run", "input/case.lua")
line("no arguments", "x")
line("unknown command", "x", "rn", "input/case.lua")
line("unknown command without a nearest", "x", "frobnicate")
line("unknown option", "x", *RUN, "--outpt", "x")
line("unknown short option", "x", *RUN, "-x")
line("output without a value", "x", *RUN, "--output")
line("output with an empty value", "x", *RUN, "--output=")
line("set without a value", "x", *RUN, "--set")
line("set without =", "x", *RUN, "--set", "order")
line("set of an unknown key", "x", *RUN, "--set", "time.stepps=3")
line("set of a wrong type", "x", *RUN, "--set", "order=high")
line("set twice", "x", *RUN, "--set", "order=1", "--set", "order=2")
line("set of an unknown material", "x", *RUN, "--set", "materials.rigt.epsilon_r=2")
line("set of an unknown tag", "x", *RUN, "--set", "boundaries.77={kind='pec'}")
line("set of a probe outside", "x", *RUN, "--set", "output.probes.1.at={9,9,9}")
line("set of a step beyond the limit", "x", *RUN, "--set", "time.step=1")
line("set of a mesh that is not there", "x", *RUN, "--set", "mesh.file=nothing.msh")
line("set that cannot be read", "x", *RUN, "--set", "order=(1+")
line("D without =", "x", *RUN, "-D", "bad")
line("D with a bad name", "x", *RUN, "-D", "a-b=1")
line("D twice", "x", *RUN, "-D", "a=1", "-Da=2")
line("two scripts", "x", *RUN, "input/case.lua")
line("run without a script", "x", "run")
line("check without a script", "x", "check", "--quiet")
line("info with an argument", "x", "info", "input/case.lua")
line("quiet with a value", "x", *RUN, "--quiet=yes")
