/* The configuration from scripts that are right, and the messages of scripts that are wrong: all keys but those of
 * sources. */
#include "maxwell/model/tests/config_fixture.h"

#include "libdg/io/formats.h"

#include <math.h>

#define NAME                                                                                                           \
  "name must be a name for the output folder (not empty, \".\" or \"..\", no '/' or control character, at most 200 "   \
  "characters), not "
/* One without a certain section. */
#define MESH      "mesh = { file = 'a.geo' }, "
#define ORDER     "order = 3, "
#define TIME      "time = { steps = 1 }, "
#define MATERIALS "materials = { default = {} }, "
#define PROBE     "{ name = 'p', at = { 0, 0, 0 } }"

static const struct bad_table bad[] = {
    /* unknown keys */
    {WITH("ordr = 3"), "cavity.lua:2: unknown key 'ordr' in simulation (nearest: 'order')"},
    {WITH("frequency_range = 3"),
     "cavity.lua:2: unknown key 'frequency_range' in simulation (known: name, mesh, order, flux, time, backend, "
     "precision, gpu, materials, layers, boundaries, bloch, interfaces, sources, initial, output, heat, on, "
     "checkpoint, "
     "watchdog)"},
    {WITH("'stray'"), "cavity.lua:2: simulation has keys with names only, and item 1 has none"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = {\n file = 'a.geo',\n sizes = 1 } }",
     "cavity.lua:4: unknown key 'sizes' in mesh (nearest: 'size')"},
    {"simulation { " ORDER MESH MATERIALS "\ntime = { stop = 1, clf = 0.5 } }",
     "cavity.lua:2: unknown key 'clf' in time (nearest: 'cfl')"},
    {WITH("output = { feilds = {} }"), "cavity.lua:2: unknown key 'feilds' in output (nearest: 'fields')"},
    {WITH("output = { fields = { every = 1, quantites = {} } }"),
     "cavity.lua:2: unknown key 'quantites' in output.fields (nearest: 'quantities')"},
    {WITH("output = { energy = { evry = 1 } }"),
     "cavity.lua:2: unknown key 'evry' in output.energy (nearest: 'every')"},
    {WITH("output = { probes = { { nam = 1 } } }"),
     "cavity.lua:2: unknown key 'nam' in output.probes.1 (nearest: 'name')"},
    {WITH("initial = { e = print }"), "cavity.lua:2: unknown key 'e' in initial (nearest: 'E')"},
    {WITH("watchdog = { grwth = 2 }"), "cavity.lua:2: unknown key 'grwth' in watchdog (nearest: 'growth')"},
    {WITH("boundaries = { walls = { knid = 'pec' } }"),
     "cavity.lua:2: unknown key 'knid' in boundaries.walls (nearest: 'kind')"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { epsilonr = 1 } } }",
     "cavity.lua:2: unknown key 'epsilonr' in materials.air (nearest: 'epsilon_r')"},
    /* missing keys */
    {"\nsimulation { " ORDER TIME MATERIALS " }",
     "cavity.lua:2: 'mesh' is missing in simulation (for example: mesh = { file = \"cavity.geo\" })"},
    {"\nsimulation { " MESH TIME MATERIALS " }",
     "cavity.lua:2: 'order' is missing in simulation (for example: order = 3)"},
    {"\nsimulation { " MESH ORDER MATERIALS " }",
     "cavity.lua:2: 'time' is missing in simulation (for example: time = { stop = 20e-9 })"},
    {"\nsimulation { " MESH ORDER TIME " }", "cavity.lua:2: 'materials' is missing in simulation (for example: "
                                             "materials = { default = {} } is vacuum everywhere)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = {} }",
     "cavity.lua:2: materials is empty (for example: materials = { default = {} } is vacuum everywhere)"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { size = 1 } }",
     "cavity.lua:2: 'file' is missing in mesh (for example: file = \"cavity.geo\")"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { cfl = 0.5 } }",
     "cavity.lua:2: time needs 'stop' (seconds) or 'steps' (for example: time = { stop = 20e-9 })"},
    {"simulation { " MESH ORDER MATERIALS "time = {\nstop = 1,\nsteps = 2 } }",
     "cavity.lua:3: time takes 'stop' or 'steps', not both"},
    {WITH("output = { fields = {} }"), "cavity.lua:2: 'every' is missing in output.fields (for example: every = 100)"},
    {WITH("output = { energy = {} }"), "cavity.lua:2: 'every' is missing in output.energy (for example: every = 10)"},
    {WITH("output = { probes = { { at = { 0, 0, 0 } } } }"),
     "cavity.lua:2: 'name' is missing in output.probes.1 (for example: name = \"centre\")"},
    {WITH("output = { probes = { { name = 'p' } } }"),
     "cavity.lua:2: 'at' is missing in output.probes.1 (for example: at = { 0.4, 0.5, 0.3 })"},
    {WITH("boundaries = { walls = {} }"),
     "cavity.lua:2: 'kind' is missing in boundaries.walls (for example: kind = \"pec\")"},
    {WITH("boundaries = { walls = { kind = 'impedance' } }"),
     "cavity.lua:2: 'impedance' is missing in boundaries.walls of kind \"impedance\" (for example: impedance = "
     "377)"},
    /* types */
    {"simulation { " MESH TIME MATERIALS "\norder = 'three' }",
     "cavity.lua:2: order must be an integer from 1 to 8, not the string \"three\""},
    {"simulation { " MESH TIME MATERIALS "\norder = 2.5 }",
     "cavity.lua:2: order must be an integer from 1 to 8, not 2.5"},
    {"simulation { " MESH TIME MATERIALS "\norder = true }",
     "cavity.lua:2: order must be an integer from 1 to 8, not true"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = 'a.geo' }",
     "cavity.lua:2: mesh must be a table, as in mesh = { file = \"cavity.geo\" }, not the string \"a.geo\""},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = 3 } }",
     "cavity.lua:2: mesh.file must be a file name, not 3"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = '' } }",
     "cavity.lua:2: mesh.file must be a file name, not the string \"\""},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = 'a', parameters = { L = '1' } } }",
     "cavity.lua:2: mesh.parameters.L must be a number, not the string \"1\""},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = 'a', parameters = { 1 } } }",
     "cavity.lua:2: mesh.parameters must be a table of names and numbers, as in { L = 1.0 }; entry 1 has no name"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = 3 }",
     "cavity.lua:2: time must be a table, as in time = { stop = 20e-9 }, not 3"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = 1 } }",
     "cavity.lua:2: materials.air must be a table, as in { epsilon_r = 2 } ({} is vacuum), not 1"},
    {"simulation { " MESH ORDER TIME MATERIALS "\nlayers = { shell = { reflection = 3 } } }",
     "cavity.lua:2: layers.shell.reflection must be a number from -200 to -20 (dB), not 3"},
    {"simulation { " MESH ORDER TIME MATERIALS "\nlayers = { shell = { absorber = 1 } } }",
     "cavity.lua:2: layers.shell.absorber must be true or false, not 1"},
    {"simulation { " MESH ORDER TIME MATERIALS "\nboundaries = { default = { kind = 'pec', absorber = true } } }",
     "cavity.lua:2: boundaries.default.absorber is only for kind \"open\", not for kind \"pec\""},
    {"simulation { " MESH ORDER TIME MATERIALS "\nlayers = { shell = { kind = 'cone' } } }",
     "cavity.lua:2: layers.shell.kind must be \"box\", \"sphere\" or \"cylinder\", not the string \"cone\""},
    {"simulation { " MESH ORDER TIME MATERIALS "\nlayers = { shell = { centre = { 0, 0, 0 } } } }",
     "cavity.lua:2: layers.shell.centre: a box has no use for a centre; spheres and cylinders have one"},
    {"simulation { " MESH ORDER TIME MATERIALS "\nlayers = { default = {} } }",
     "cavity.lua:2: layers.default: a layer is a volume that was drawn for it; name its group"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = 8 } } }",
     "cavity.lua:2: materials.sea.debye must be a list of poles, as in { { delta = 79.2, tau = 9.4e-12 } }, not 8"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = {} } } }",
     "cavity.lua:2: materials.sea.debye has no pole: it must be a list of poles, as in { { delta = 79.2, tau = 9.4e-12 "
     "} }"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { drude = { { omega_p = 1e16 } } } } }",
     "cavity.lua:2: 'gamma' is missing in materials.sea.drude.1 (for example: gamma = 1e14)"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { lorentz = { { delta = 1, omega_0 = 0, gamma = 1 } } } } }",
     "cavity.lua:2: materials.sea.lorentz.1.omega_0 must be a number > 0 (rad/s), not 0"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { poles = { { c = { 0, -1e15 }, a = { 1e14, 4e15 } } } } } }",
     "cavity.lua:2: materials.sea.poles.1.a has the real part 1e+14: such a pole grows without end; it must be < 0"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { poles = { { c = { 0, -1e15 }, a = { -1e14, 4e15 } },\n"
     "{ c = { 0, 1e15 }, a = { -1e14, -4e15 } } } } } }",
     "cavity.lua:2: materials.sea.poles has a pole with its conjugate, or twice: one of the two stands for both"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { poles = { { c = 1e15, a = 0 } } } } }",
     "cavity.lua:2: materials.sea.poles.1.a is 0: that is a conductivity, sigma = c epsilon_0"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { poles = { { c = { 1e15, 1 }, a = -1e14 } } } } }",
     "cavity.lua:2: materials.sea.poles.1 has a real pole: its c must be real, too, and not 1e+15 with the imaginary "
     "part 1"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { poles = { { c = { 1 }, a = -1e14 } } } } }",
     "cavity.lua:2: materials.sea.poles.1.c must be a number or { re, im } (rad/s)"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { poles = { { c = { 0, 1e15 }, a = { -1e14, 4e15 } } } } } }",
     "cavity.lua:2: materials.sea amplifies: at 6.37e+14 Hz its poles give epsilon_r the imaginary part +10 (e^{jwt}: "
     "losses are negative)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { magnetic = { drude = { { omega_p = 1e16 } } } } } }",
     "cavity.lua:2: 'gamma' is missing in materials.sea.magnetic.drude.1 (for example: gamma = 1e14)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { magnetic = 3 } } }",
     "cavity.lua:2: materials.sea.magnetic must be a table, as in { lorentz = { { delta = 1, omega_0 = 6e9, gamma = "
     "1e8 } "
     "} }, not 3"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { magnetic = { poles = { { c = { 0, 1e15 }, a = { -1e14, 4e15 } } } } } } }",
     "cavity.lua:2: materials.sea amplifies: at 6.37e+14 Hz its poles give mu_r the imaginary part +10 (e^{jwt}: "
     "losses "
     "are negative)"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { critical_points = { { A = 1, omega = 4e15, phi = -1, gamma = 1e14 } } } } }",
     "cavity.lua:2: materials.sea amplifies: at 6.08e+14 Hz its poles give epsilon_r the imaginary part +8.76 "
     "(e^{jwt}: "
     "losses are negative)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { lorentz = { { delta = 1, omega_0 = 1, gamma = 1 }, { "
     "delta = 1, omega_0 = 1, gamma = 1 }, "
     "{ delta = 1, omega_0 = 1, gamma = 1 }, { delta = 1, omega_0 = 1, gamma = 1 }, { delta = 1, omega_0 = 1, gamma = "
     "1 "
     "}, { delta = 1, omega_0 = 1, gamma = 1 }, { delta = 1, omega_0 = 1, gamma = 1 }, { delta = 1, omega_0 = 1, gamma "
     "= 1 }, { delta = 1, omega_0 = 1, gamma = 1 } } } } }",
     "cavity.lua:2: materials.sea.lorentz.9 is one too many: a material has room for 16 states; a Drude, Debye or real "
     "pole takes one, a Lorentz pole, a critical point or a complex pole two"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = { { delta = -1, tau = 1 } } } } }",
     "cavity.lua:2: materials.sea.debye.1.delta must be a number >= 0 (the step of epsilon_r), not -1"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = { { delta = 1, tau = 0 } } } } }",
     "cavity.lua:2: materials.sea.debye.1.tau must be a number > 0 (seconds), not 0"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = { { delta = 1, tau = 0/0 } } } } }",
     "cavity.lua:2: materials.sea.debye.1.tau must be a number > 0 (seconds), not nan"},
    {"simulation { " MESH ORDER TIME
     "\nmaterials = { sea = { debye = { { delta = function(x, y, z) return 1 end, tau = 1 } } } } }",
     "cavity.lua:2: materials.sea.debye.1.delta must be a number >= 0 (the step of epsilon_r), not a function"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = { { delta = 1 } } } } }",
     "cavity.lua:2: 'tau' is missing in materials.sea.debye.1 (for example: tau = 9.4e-12)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { sea = { debye = { { delta = 1, tau = 1, gamma = 3 } } } } }",
     "cavity.lua:2: unknown key 'gamma' in materials.sea.debye.1 (known: delta, tau)"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { sigma = 'x' } } }",
     "cavity.lua:2: materials.air.sigma must be a number >= 0 (S/m) or a function of x, y, z, not the string \"x\""},
    {WITH("initial = { E = 'x' }"), "cavity.lua:2: initial.E must be a function of x, y, z that returns Ex, Ey, Ez, "
                                    "not the string \"x\""},
    {WITH("initial = { H = { 0, 0, 1 } }"),
     "cavity.lua:2: initial.H must be a function of x, y, z that returns Hx, Hy, Hz, not a table"},
    {WITH("backend = 1"), "cavity.lua:2: backend must be the name of a backend, or \"auto\", not 1"},
    {WITH("output = { fields = { every = 1, average = 1 } }"),
     "cavity.lua:2: output.fields.average must be true or false, not 1"},
    {WITH("output = { probes = { p = " PROBE " } }"),
     "cavity.lua:2: output.probes must be a list, as in probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } }; it "
     "has the key 'p'"},
    {WITH("output = { probes = { [2] = " PROBE " } }"),
     "cavity.lua:2: output.probes must be a list, as in probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } }; "
     "entry 1 is missing"},
    /* ranges */
    {"simulation { " MESH TIME MATERIALS "\norder = 9 }", "cavity.lua:2: order must be an integer from 1 to 8, not 9"},
    {"simulation { " MESH TIME MATERIALS "\norder = 0 }", "cavity.lua:2: order must be an integer from 1 to 8, not 0"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = 'a', size = 0 } }",
     "cavity.lua:2: mesh.size must be a number > 0, not 0"},
    {"simulation { " ORDER TIME MATERIALS "\nmesh = { file = 'a', unit = -1e-3 } }",
     "cavity.lua:2: mesh.unit must be a number > 0 (metres per drawing unit), not -0.001"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { stop = 1/0 } }",
     "cavity.lua:2: time.stop must be a number > 0 (seconds), not inf"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { stop = 0/0 } }",
     "cavity.lua:2: time.stop must be a number > 0 (seconds), not nan"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { stop = 0 } }",
     "cavity.lua:2: time.stop must be a number > 0 (seconds), not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 0 } }",
     "cavity.lua:2: time.steps must be an integer >= 1, not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1e300 } }",
     "cavity.lua:2: time.steps must be an integer of at most 1e15, not 1e+300"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, step = 'fast' } }",
     "cavity.lua:2: time.step must be a number > 0 (seconds) or \"auto\", not the string \"fast\""},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, step = 0 } }",
     "cavity.lua:2: time.step must be a number > 0 (seconds) or \"auto\", not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, cfl = 1.5 } }",
     "cavity.lua:2: time.cfl must be a number in (0, 1], not 1.5"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, cfl = 0 } }",
     "cavity.lua:2: time.cfl must be a number in (0, 1], not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, levels = 0 } }",
     "cavity.lua:2: time.levels must be an integer from 1 to 8 or \"auto\", not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, levels = 9 } }",
     "cavity.lua:2: time.levels must be an integer from 1 to 8 or \"auto\", not 9"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, levels = 1.5 } }",
     "cavity.lua:2: time.levels must be an integer from 1 to 8 or \"auto\", not 1.5"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, levels = 'two' } }",
     "cavity.lua:2: time.levels must be an integer from 1 to 8 or \"auto\", not the string \"two\""},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, decay = 0 } }",
     "cavity.lua:2: time.decay must be a number > 0 (dB), not 0"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, finish = true } }",
     "cavity.lua:2: time.finish must be a function of t, n, energy that returns true or false, not true"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, walltime = '10:61:00' } }",
     "cavity.lua:2: time.walltime must be a number > 0 (seconds) or a time as in \"23:50:00\", not the string "
     "\"10:61:00\""},
    {WITH("checkpoint = { every = 0 }"), "cavity.lua:2: checkpoint.every must be an integer >= 1, not 0"},
    {WITH("checkpoint = { minutes = -1 }"), "cavity.lua:2: checkpoint.minutes must be a number > 0, not -1"},
    {WITH("flux = 1.01"),
     "cavity.lua:2: flux must be \"upwind\", \"damped\", \"centered\" or a number in [0, 1], not 1.01"},
    {WITH("flux = 0/0"),
     "cavity.lua:2: flux must be \"upwind\", \"damped\", \"centered\" or a number in [0, 1], not nan"},
    {WITH("flux = {}"),
     "cavity.lua:2: flux must be \"upwind\", \"damped\", \"centered\" or a number in [0, 1], not a table"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { epsilon_r = 0 } } }",
     "cavity.lua:2: materials.air.epsilon_r must be a number > 0, a function of x, y, z or a tensor, not 0"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { mu_r = -1 } } }",
     "cavity.lua:2: materials.air.mu_r must be a number > 0, a function of x, y, z or a tensor, not -1"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { sigma_m = -0.1 } } }",
     "cavity.lua:2: materials.air.sigma_m must be a number >= 0 (ohm/m) or a function of x, y, z, not -0.1"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { sigma_m = 0/0 } } }",
     "cavity.lua:2: materials.air.sigma_m must be a number >= 0 (ohm/m) or a function of x, y, z, not nan"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { sigma_m = 'x' } } }",
     "cavity.lua:2: materials.air.sigma_m must be a number >= 0 (ohm/m) or a function of x, y, z, not the string "
     "\"x\""},
    {"simulation { " MESH ORDER TIME "\nmaterials = { air = { sigma = -0.1 } } }",
     "cavity.lua:2: materials.air.sigma must be a number >= 0 (S/m) or a function of x, y, z, not -0.1"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { [0] = {} } }",
     "cavity.lua:2: materials.0: a tag of an entity is an integer >= 1, not 0"},
    {"simulation { " MESH ORDER TIME "\nmaterials = { [''] = {} } }",
     "cavity.lua:2: materials.: the name of a group is empty"},
    {WITH("boundaries = { [-1] = { kind = 'pec' } }"),
     "cavity.lua:2: boundaries.-1: a tag of an entity is an integer >= 1, not -1"},
    {WITH("boundaries = { [3] = { kind = 'impedance', impedance = 0 } }"),
     "cavity.lua:2: boundaries.3.impedance must be a number > 0 (ohm), not 0"},
    {WITH("boundaries = { w = { kind = 'pec', impedance = 50 } }"),
     "cavity.lua:2: boundaries.w.impedance is only for kind \"impedance\", not for kind \"pec\""},
    {WITH("output = { fields = { every = 0 } }"), "cavity.lua:2: output.fields.every must be an integer >= 1, not 0"},
    {WITH("output = { fields = { every = 1, files = 0 } }"),
     "cavity.lua:2: output.fields.files must be an integer >= 1, not 0"},
    {WITH("output = { fields = { every = 1, precision = 'half' } }"),
     "cavity.lua:2: output.fields.precision must be \"double\" or \"single\", not the string \"half\""},
    {WITH("output = { fields = { every = 1, mesh = 'twice' } }"),
     "cavity.lua:2: output.fields.mesh must be \"once\" or \"each\", not the string \"twice\""},
    {WITH("output = { fields = { every = 1, ahead = -1 } }"),
     "cavity.lua:2: output.fields.ahead must be an integer from 0 to 1000, not -1"},
    {WITH("output = { energy = { every = 1.5 } }"),
     "cavity.lua:2: output.energy.every must be an integer >= 1, not 1.5"},
    {WITH("output = { progress = { every = -1 } }"),
     "cavity.lua:2: output.progress.every must be a number >= 0 (seconds; 0 is silent), not -1"},
    {WITH("watchdog = { growth = 1 }"), "cavity.lua:2: watchdog.growth must be a number > 1, not 1"},
    /* names and choices */
    {WITH("flux = 'upwnd'"),
     "cavity.lua:2: flux must be \"upwind\", \"damped\", \"centered\" or a number in [0, 1], not the string "
     "\"upwnd\" (nearest: 'upwind')"},
    {WITH("precision = 'singel'"), "cavity.lua:2: precision must be \"double\" or \"single\", not the string "
                                   "\"singel\" (nearest: 'single')"},
    {WITH("gpu = { transport = 'staged', shared = true }"),
     "cavity.lua:2: unknown key 'shared' in gpu (nearest: 'share')"},
    {WITH("gpu = { transport = 'directly' }"),
     "cavity.lua:2: gpu.transport must be \"auto\", \"direct\" or \"staged\", "
     "not the string \"directly\" (nearest: 'direct')"},
    {WITH("gpu = { share = 1 }"), "cavity.lua:2: gpu.share must be true or false, not 1"},
    {WITH("boundaries = { w = { kind = 'pecc' } }"),
     "cavity.lua:2: boundaries.w.kind must be \"pec\", \"pmc\", \"impedance\", \"metal\", \"absorbing\", \"open\", "
     "\"periodic\", "
     "\"plane_wave\", "
     "\"electric_field\", \"magnetic_field\", \"surface_current\", \"waveguide_port\", \"coaxial_port\", "
     "\"modal_port\", \"tem_port\", \"lumped_port\" or \"lumped_element\", not the string \"pecc\" (nearest: 'pec')"},
    {"simulation { " MESH ORDER MATERIALS "\ntime = { steps = 1, integrator = 'simplectic' } }",
     "cavity.lua:2: time.integrator must be \"leapfrog\", \"rk4\", \"lsrk\" or \"euler\", not the string "
     "\"simplectic\""},
    {WITH("name = 'a/b'"), "cavity.lua:2: " NAME "the string \"a/b\""},
    {WITH("name = '..'"), "cavity.lua:2: " NAME "the string \"..\""},
    {WITH("name = ''"), "cavity.lua:2: " NAME "the string \"\""},
    {WITH("output = { fields = { every = 1, quantities = { 'E', 'B' } } }"),
     "cavity.lua:2: output.fields.quantities.2 must be \"E\", \"H\" or \"material\", not the string \"B\" (nearest: "
     "'E')"},
    {WITH("output = { fields = { every = 1, quantities = { 'E', 'E' } } }"),
     "cavity.lua:2: output.fields.quantities: \"E\" is given twice"},
    {WITH("output = { fields = { every = 1, quantities = {} } }"),
     "cavity.lua:2: output.fields.quantities is empty; it must be a list of \"E\", \"H\" and \"material\", as in { "
     "\"E\", \"H\" }"},
    {WITH("output = { probes = { { name = '.p', at = { 0, 0, 0 } } } }"),
     "cavity.lua:2: output.probes.1.name must be a name for a file (letters, digits, '_', '-' and '.'; not starting "
     "with '.'; at most 200 characters), not the string \".p\""},
    {WITH("output = { probes = { { name = 'a b', at = { 0, 0, 0 } } } }"),
     "cavity.lua:2: output.probes.1.name must be a name for a file (letters, digits, '_', '-' and '.'; not starting "
     "with '.'; at most 200 characters), not the string \"a b\""},
    {WITH("output = { probes = { " PROBE ",\n\n" PROBE " } }"),
     "cavity.lua:4: output.probes: two probes have the name 'p' (1 and 2)"},
    {WITH("output = { probes = { { name = 'p', at = { 0, 0 } } } }"),
     "cavity.lua:2: output.probes.1.at must be three numbers (metres), as in { 0.4, 0.5, 0.3 }, not 2 values"},
    {WITH("output = { probes = { { name = 'p', at = { 0, 0, 1, 2 } } } }"),
     "cavity.lua:2: output.probes.1.at must be three numbers (metres), as in { 0.4, 0.5, 0.3 }, not 4 values"},
    {WITH("output = { probes = { { name = 'p', at = { 0, 0/0, 0 } } } }"),
     "cavity.lua:2: output.probes.1.at.2 must be a number, not nan"},
    {WITH("output = { probes = { { name = 'p', at = 3 } } }"),
     "cavity.lua:2: output.probes.1.at must be three numbers (metres), as in { 0.4, 0.5, 0.3 }, not 3"},
};

static void refuses_bad_tables(void **state)
{
  (void)state;
  refuse_tables(sizeof bad / sizeof bad[0], bad);
}

static const struct override sets[] = {
    {"time.setps", "5", "--set time.setps=5: unknown key 'setps' in time (nearest: 'steps')"},
    {"tiem.steps", "5", "--set tiem.steps=5: unknown key 'tiem' in simulation (nearest: 'time')"},
    {"order", "9", "--set order=9: order must be an integer from 1 to 8, not 9"},
    {"order", "five", "--set order=five: order must be an integer from 1 to 8, not the string \"five\""},
    {"order", "nil", "cavity.lua:1: 'order' is missing in simulation (for example: order = 3)"},
    {"boundaries.w.kind", "pecc",
     "--set boundaries.w.kind=pecc: boundaries.w.kind must be \"pec\", \"pmc\", \"impedance\", \"metal\", "
     "\"absorbing\", "
     "\"open\", \"periodic\", \"plane_wave\", \"electric_field\", \"magnetic_field\", \"surface_current\", "
     "\"waveguide_port\", "
     "\"coaxial_port\", \"modal_port\", \"tem_port\", \"lumped_port\" or \"lumped_element\", not the string \"pecc\" "
     "(nearest: "
     "'pec')"},
    {"output.probes.2.every", "3",
     "--set output.probes.2.every=3: output.probes must be a list, as in probes = { { name = \"centre\", at = { 0.4, "
     "0.5, 0.3 } } }; entry 1 is missing"},
    {"output.probes.1", "{name='p', at={0,0}}",
     "--set output.probes.1={name='p', at={0,0}}: output.probes.1.at must be three numbers (metres), as in { 0.4, "
     "0.5, 0.3 }, not 2 values"},
    {"initial.E", "function(x) return x end",
     "--set initial.E=function(x) return x end: initial.E must be a function of x, y, z that returns Ex, Ey, Ez, not "
     "the string \"function(x) return x end\""},
    {"sources.2.region", "rod",
     "--set sources.2.region=rod: sources must be a list, as in sources = { { region = \"rod\", current = function(x, "
     "y, "
     "z, t) return 0, 0, 1 end } }; entry 1 is missing"},
    {"sources", "{}", NULL},
    {"precision", "single", NULL},
    {"output.probes.1", "{name='p', at={0,0,0}}", NULL},
};

static void judges_overrides_as_the_script(void **state)
{
  (void)state;
  judge_overrides(WITH(""), sizeof sets / sizeof sets[0], sets, NULL);
}

static void lets_the_command_line_choose_the_end(void **state)
{
  (void)state;
  static const struct mx_definition steps[] = {{"time.steps", "100"}, {"time.stop", "1e-9"}};
  struct dg_error err = {0};
  struct mx_config config;
  struct mx_script *script =
      read_right("simulation { " MESH ORDER MATERIALS "time = { stop = 20e-9 } }", 1, steps, &config);
  assert_true(config.time.steps == 100 && config.time.stop == 0);
  mx_config_release(&config);
  mx_script_free(script);
  script = read_right(WITH(""), 1, steps + 1, &config);
  assert_true(config.time.steps == 0 && config.time.stop == 1e-9);
  mx_config_release(&config);
  mx_script_free(script);
  assert_int_equal(read_with("simulation { " MESH ORDER MATERIALS " }", 2, steps, &script, &config, &err), DG_INPUT);
  assert_string_equal(err.message, "--set time.steps=100: time takes 'stop' or 'steps', not both");
}

static void fills_in_defaults(void **state)
{
  (void)state;
  struct mx_config c;
  struct mx_script *script = read_right("simulation { " MESH ORDER TIME "materials = {\n air = {} } }", 0, NULL, &c);
  assert_string_equal(c.script_path, "cavity.lua");
  assert_string_equal(c.directory, ".");
  assert_string_equal(c.name, "cavity");
  assert_string_equal(c.mesh.file, "a.geo");
  assert_true(c.mesh.size == 0 && c.mesh.unit == 1 && c.mesh.parameters == 0 && c.mesh.line == 1);
  assert_int_equal(c.order, 3);
  assert_true(c.alpha == 1);
  assert_int_equal(c.time.integrator, MX_LEAPFROG);
  assert_true(c.time.stop == 0 && c.time.steps == 1 && c.time.step == 0 && c.time.cfl == 0.95 && c.time.levels == 1);
  assert_int_equal(c.time.line, 1);
  assert_true(c.time.decay == 0 && c.time.finish == NULL && c.time.walltime == 0);
  assert_true(c.checkpoint.every == 0 && c.checkpoint.minutes == 0);
  assert_string_equal(c.backend, "auto");
  assert_int_equal(c.precision, MX_DOUBLE);
  assert_true(c.gpu.transport == MX_TRANSPORT_AUTO && !c.gpu.share);
  assert_int_equal(c.materials, 1);
  assert_string_equal(c.material[0].where.group, "air");
  assert_int_equal(c.material[0].where.line, 2);
  assert_string_equal(c.material[0].where.where, "cavity.lua:2");
  assert_true(c.material[0].epsilon_r.value == 1 && c.material[0].epsilon_r.function == NULL);
  assert_true(c.material[0].mu_r.value == 1 && c.material[0].mu_r.function == NULL);
  assert_true(c.material[0].sigma.value == 0 && c.material[0].sigma.function == NULL);
  assert_true(c.material[0].poles[0].count == 0);
  assert_true(c.boundaries == 0 && c.interfaces == 0 && c.sources == 0);
  assert_true(c.initial.E == NULL && c.initial.H == NULL);
  assert_int_equal(c.output.fields.every, 0);
  assert_int_equal(c.output.fields.quantities, MX_QUANTITY_E | MX_QUANTITY_H);
  assert_int_equal(c.output.fields.formats, 1 << DG_FORMAT_silo);
  assert_false(c.output.fields.average);
  assert_int_equal(c.output.fields.files, 0);
  assert_int_equal(c.output.fields.ahead, 2);
  assert_int_equal(c.output.fields.precision, MX_DOUBLE);
  assert_false(c.output.fields.mesh_each);
  assert_int_equal(c.output.energy_every, 0);
  assert_int_equal(c.output.measures, 0);
  assert_true(c.output.ports_every == 1 && c.output.s_parameters.count == 0);
  assert_true(c.output.progress_every == -1);
  assert_true(c.watchdog.growth == 1e3 && c.watchdog.every == 0);
  mx_config_release(&c);
  mx_script_free(script);
}

static const char full_text[] =
    "simulation {\n"
    "  name = 'box.1', backend = 'reference', precision = 'single', order = 8, flux = 'centered',\n"
    "  mesh = { file = '/meshes/box.geo', size = 0.1, unit = 1e-3, parameters = { b = 2, a = -1.5 } },\n"
    "  time = { integrator = 'lsrk', stop = 20e-9, step = 1e-12, cfl = 1, levels = 'auto', decay = 40, "
    "walltime = '100:20:03', finish = function(t, n, energy) return n == 7 end },\n"
    "  materials = { [7] = { epsilon_r = function(x, y, z) return 2 + x end }, default = { sigma = 0.5 },\n"
    "                glass = { epsilon_r = 2.25, mu_r = 3,\n"
    "                          sigma = 1e-3 } },\n"
    "  boundaries = { [3] = { kind = 'pmc' }, default = { kind = 'pec' }, open = { kind = 'absorbing' },\n"
    "                 sheet = { kind = 'impedance', impedance = 50 } },\n"
    "  initial = { E = function(x, y, z) return x, y, z end, H = function(x, y, z) return -x, -y, -z end },\n"
    "  output = { fields = { every = 100.0, quantities = { 'material', 'H' }, average = true, files = 8,"
    "                        format = { 'vtkhdf', 'silo' } },\n"
    "             probes = { { name = 'a', at = { 0.4, 0.5, -0.3 } },\n"
    "                        { name = 'B-2_x.y', at = { 1, 2, 3 }, every = 5 } },\n"
    "             energy = { every = 1e3 }, progress = { every = 0 } },\n"
    "  watchdog = { growth = 50, every = 7 }, checkpoint = { every = 500, minutes = 0.5 },\n"
    "  gpu = { transport = 'staged', share = true },\n"
    "}\n";

static void check_full_run(const struct mx_config *c)
{
  struct dg_error err = {0};
  assert_string_equal(c->name, "box.1");
  assert_string_equal(c->backend, "reference");
  assert_int_equal(c->precision, MX_SINGLE);
  assert_true(c->gpu.transport == MX_TRANSPORT_STAGED && c->gpu.share);
  assert_int_equal(c->order, 8);
  assert_true(c->alpha == 0);
  assert_string_equal(c->mesh.file, "/meshes/box.geo");
  assert_true(c->mesh.size == 0.1 && c->mesh.unit == 1e-3 && c->mesh.line == 3);
  assert_int_equal(c->mesh.parameters, 2);
  assert_string_equal(c->mesh.parameter_name[0], "a");
  assert_string_equal(c->mesh.parameter_name[1], "b");
  assert_true(c->mesh.parameter_value[0] == -1.5 && c->mesh.parameter_value[1] == 2);
  assert_int_equal(c->time.integrator, MX_LSRK);
  assert_true(c->time.stop == 20e-9 && c->time.steps == 0 && c->time.step == 1e-12 && c->time.cfl == 1);
  assert_int_equal(c->time.levels, 0);
  assert_true(c->time.decay == 40 && c->time.walltime == 100 * 3600 + 20 * 60 + 3);
  assert_true(c->checkpoint.every == 500 && c->checkpoint.minutes == 0.5);
  bool finish = true;
  assert_int_equal(
      c->time.finish->answer(c->time.finish->self, "time.finish", 3, (const double[]){1, 6, 0}, &finish, &err), 0);
  assert_false(finish);
  assert_int_equal(
      c->time.finish->answer(c->time.finish->self, "time.finish", 3, (const double[]){1, 7, 0}, &finish, &err), 0);
  assert_true(finish);
}

static void check_full_media(const struct mx_config *c)
{
  struct dg_error err = {0};
  const double at[3] = {0.25, 2, 3};
  double out[3];
  assert_int_equal(c->materials, 3); /* tags first, then names in order */
  assert_true(c->material[0].where.group == NULL && c->material[0].where.tag == 7);
  assert_false(c->material[0].where.is_default);
  assert_true(c->material[1].where.is_default && c->material[1].where.group == NULL);
  assert_true(c->material[1].sigma.value == 0.5);
  assert_string_equal(c->material[2].where.group, "glass");
  assert_true(c->material[2].epsilon_r.value == 2.25 && c->material[2].mu_r.value == 3);
  assert_true(c->material[2].sigma.value == 1e-3 && c->material[2].sigma.line == 7);
  assert_int_equal(c->material[2].where.line, 6);
  assert_int_equal(call_function(c->material[0].epsilon_r.function, "epsilon_r", 3, at, 1, out, &err), 0);
  assert_true(out[0] == 2.25);
  assert_int_equal(c->boundaries, 4);
  assert_true(c->boundary[0].where.tag == 3 && c->boundary[0].kind == MX_PMC);
  assert_true(c->boundary[1].where.is_default && c->boundary[1].kind == MX_PEC);
  assert_true(strcmp(c->boundary[2].where.group, "open") == 0 && c->boundary[2].kind == MX_ABSORBING);
  assert_true(strcmp(c->boundary[3].where.group, "sheet") == 0 && c->boundary[3].kind == MX_IMPEDANCE);
  assert_true(c->boundary[3].impedance == 50 && c->boundary[3].where.line == 9);
  assert_int_equal(call_function(c->initial.E, "initial.E", 3, at, 3, out, &err), 0);
  assert_true(out[0] == 0.25 && out[1] == 2 && out[2] == 3);
  assert_int_equal(call_function(c->initial.H, "initial.H", 3, at, 3, out, &err), 0);
  assert_true(out[0] == -0.25 && out[1] == -2 && out[2] == -3);
}

static void check_full_output(const struct mx_config *c)
{
  assert_int_equal(c->output.fields.every, 100);
  assert_int_equal(c->output.fields.quantities, MX_QUANTITY_H | MX_QUANTITY_MATERIAL);
  assert_int_equal(c->output.fields.formats, 1 << DG_FORMAT_silo | 1 << DG_FORMAT_vtkhdf);
  assert_true(c->output.fields.average);
  assert_int_equal(c->output.fields.files, 8);
  assert_int_equal(c->output.energy_every, 1000);
  assert_int_equal(c->output.measures, 2);
  const struct mx_measure_config *a = &c->output.measure[0], *b = &c->output.measure[1];
  assert_string_equal(a->name, "a");
  assert_true(a->kind == &mx_probes.reads && a->points == 1 && a->frequencies.count == 0);
  assert_true(a->point[0][0] == 0.4 && a->point[0][1] == 0.5 && a->point[0][2] == -0.3);
  assert_true(a->every == 1 && a->line == 12);
  assert_string_equal(b->name, "B-2_x.y");
  assert_true(b->every == 5 && b->line == 13);
  assert_true(c->output.progress_every == 0);
  assert_true(c->watchdog.growth == 50 && c->watchdog.every == 7);
}

static void check_full_config(const struct mx_config *c)
{
  check_full_run(c);
  check_full_media(c);
  check_full_output(c);
}

static void reads_every_key(void **state)
{
  (void)state;
  struct mx_config config;
  struct mx_script *script = read_right(full_text, 0, NULL, &config);
  check_full_config(&config);
  mx_config_release(&config);
  mx_config_release(&config); /* released is zero, and zero may be released */
  mx_script_free(script);
}

static void reads_every_choice(void **state)
{
  (void)state;
  static const struct {
    const char *name, *value;
    double alpha;
    enum mx_integrator integrator;
  } choices[] = {{"flux", "upwind", 1, MX_LEAPFROG},
                 {"flux", "centred", 0, MX_LEAPFROG},
                 {"flux", "damped", 0.3, MX_LEAPFROG},
                 {"flux", "0.25", 0.25, MX_LEAPFROG},
                 {"flux", "0", 0, MX_LEAPFROG},
                 {"flux", "1", 1, MX_LEAPFROG},
                 {"time.integrator", "leapfrog", 1, MX_LEAPFROG},
                 {"time.integrator", "rk4", 1, MX_RK4},
                 {"time.integrator", "lsrk", 1, MX_LSRK},
                 {"time.integrator", "euler", 1, MX_EULER},
                 {"time.step", "auto", 1, MX_LEAPFROG},
                 {"precision", "double", 1, MX_LEAPFROG}};
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
    struct mx_definition set = {choices[i].name, choices[i].value};
    struct mx_config config;
    struct mx_script *script = read_right(WITH(""), 1, &set, &config);
    assert_true(config.alpha == choices[i].alpha);
    assert_int_equal(config.time.integrator, choices[i].integrator);
    assert_true(config.time.step == 0 && config.precision == MX_DOUBLE);
    mx_config_release(&config);
    mx_script_free(script);
  }
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  fail_every_allocation(full_text, 5, check_full_config);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_tables),
      cmocka_unit_test(judges_overrides_as_the_script),
      cmocka_unit_test(lets_the_command_line_choose_the_end),
      cmocka_unit_test(fills_in_defaults),
      cmocka_unit_test(reads_every_key),
      cmocka_unit_test(reads_every_choice),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests_name("config", tests, enter_folder, leave_folder);
}
