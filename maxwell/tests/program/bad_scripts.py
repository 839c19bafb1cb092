"""Cases of bad_input.py: the script as a whole, functions, the step and the command line."""
import re

from bad_case import TIME, book

CASES, case, key = book()

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
    "--integrator: unknown 'leapfog' (nearest: 'leapfrog'); there is leapfrog, rk4, lsrk",
    *BENCH, "--integrator", "lsrk,leapfog")
line("bench: unknown precision",
    "--precision: unknown 'half'; there is double, single",
    *BENCH, "--precision", "half")
line("bench: unknown backend",
    re.compile("--backend: unknown 'referenc' \\(nearest: 'reference'\\); there is .*reference.*"),
    *BENCH, "--backend", "referenc")
line("bench: unknown flux",
    "--flux: unknown 'upwnd' (nearest: 'upwind'); there is upwind, damped, centered, centred",
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
