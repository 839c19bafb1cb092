#!/usr/bin/python3
"""Static fields at the start of a run: statics_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or
all. share/doc/manual.md has the contract."""
import re
import sys

import numpy as np

import meshes
from harness import SCRIPT, Place, edited, expect, on_ranks
from run_contract import RUN, main

EPSILON0 = 8.8541878128e-12
FIELDS = "initial = { E = function(x, y, z) return 0, 0, x + y end }"
WALLS = 'boundaries = { walls = { kind = "pec" } }'
SIDES = 'boundaries = { [3] = { kind = "pmc" }, [5] = { kind = "pmc" } }'
MATERIALS = "materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } }"
PLATES = "potentials = { [1] = 10, [2] = 0 }"


def start(statics):
    return "initial = { statics = { " + statics + " } }"


def scene(statics, *edits):
    return edited(SCRIPT, (FIELDS, start(statics)), *edits)


def table(place, name):
    """{row's name: {column: number}}"""
    with open(place.path(*name.split("/")), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    return {line[0]: dict(zip(lines[0][1:], map(float, line[1:]))) for line in lines[1:]}


def near(value, wanted, what, tolerance=1e-12):
    expect(abs(value - wanted) <= tolerance * abs(wanted), f"{what} is {value!r}, not {wanted!r}")


def test_plates(program):
    """Two layers of a capacitor in series: cells of 1 m with 1 and 2, area 1 m^2. Charges instead of potentials, and both
    plates free, give the same."""
    capacitance = EPSILON0 / (1 + 1 / 2)
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        for name, statics in (("held", PLATES + ", capacitance = true"),
                              ("charged", f"potentials = {{ [2] = 0 }}, charges = {{ [1] = {10 * capacitance!r} }}"),
                              ("free", f"charges = {{ [1] = {10 * capacitance!r}, [2] = {-10 * capacitance!r} }}")):
            place.write("input/case.lua", scene(statics, (WALLS, SIDES)))
            place.good(*RUN, "-q", "-o", name)
            found = table(place, f"{name}/statics.csv")
            near(found["[1]"]["charge"], 10 * capacitance, "the charge")
            near(found["[2]"]["charge"], -10 * capacitance, "the other charge")
            near(found["[1]"]["potential"] - found["[2]"]["potential"], 10, "the voltage")
            header, rows = place.rows(f"{name}/probes/inside.csv")
            near(rows[-1][header.index("Ex")], 10 / 1.5, "E in the left layer")
            header, rows = place.rows(f"{name}/energy.csv")
            near(rows[0][header.index("total")], 0.5 * capacitance * 100, "the energy")
        matrix = table(place, "held/capacitance.csv")
        near(matrix["[1]"]["[1]"], capacitance, "a capacitance")
        near(matrix["[1]"]["[2]"], -capacitance, "a mutual capacitance")
        near(matrix["[2]"]["[1]"], -capacitance, "the other mutual capacitance")


def test_forces(program):
    """D^2 over 2 epsilon on each plate, towards the other; nothing along the plates."""
    area, density = 4, 10 * EPSILON0 / 1.5
    with Place(program, {"input/box.msh": meshes.box((2, 2, 2)).text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES, (WALLS, SIDES)))
        for ranks in (1, 3):
            place.good(*RUN, "-q", "-o", f"on{ranks}", **on_ranks(ranks))
            for plate, wanted in (("[1]", area * density**2 / (2 * EPSILON0)), ("[2]", -area * density**2 / (4 * EPSILON0))):
                row = table(place, f"on{ranks}/statics.csv")[plate]
                near(row["force_x"], wanted, f"the force on {plate}, {ranks} ranks")
                expect(max(abs(row["force_y"]), abs(row["force_z"])) < 1e-11 * abs(wanted), f"{plate} is pushed aside: {row}")


def test_density(program):
    """rho between grounded plates: phi = rho x (L - x) / 2 epsilon0, exact from the order 2 on; half of the charge on each
    plate, whose force is that of the field there. As a number, and as a function; with a plate that floats all charge is
    on the other one, and without any potential the charges must add to zero."""
    uniform = (MATERIALS, "materials = { default = {} }")
    rho, length = 1e-9, 2
    for name, density in (("number", "{ default = 1e-9 }"), ("function", "{ left = function(x, y, z) return 1e-9 end, right = 1e-9 }")):
        with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
            place.write("input/case.lua", scene(f"potentials = {{ [1] = 0, [2] = 0 }}, density = {density}", (WALLS, SIDES), uniform))
            place.good(*RUN, "-q", "-o", name)
            found = table(place, f"{name}/statics.csv")
            for plate, side in (("[1]", 1), ("[2]", -1)):
                near(found[plate]["charge"], -rho * length / 2, f"the charge of {plate}")
                near(found[plate]["force_x"], side * (rho * length / 2) ** 2 / (2 * EPSILON0), f"the force on {plate}")
            header, rows = place.rows(f"{name}/energy.csv")
            near(rows[0][header.index("total")], rho**2 * length**3 / (24 * EPSILON0), "the energy")
            expect(rows[-1][header.index("magnetic")] < 1e-20 * rows[0][header.index("electric")], "the field moves")
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        place.write("input/case.lua", scene("potentials = { [2] = 0 }, charges = { [1] = 0 }, density = { default = 1e-9 }", (WALLS, SIDES), uniform))
        place.good(*RUN, "-q", "-o", "floating")
        found = table(place, "floating/statics.csv")
        near(found["[2]"]["charge"], -rho * length, "the charge of the plate that is held")
        near(found["[1]"]["potential"], rho * length**2 / (2 * EPSILON0), "the potential of the plate that floats")


def test_conductance(program):
    """Two layers in series, and one that does not conduct beside a plate."""
    lossy = "materials = { left = { sigma = 1e-3 }, right = { epsilon_r = 2, sigma = 2e-3 } }"
    cut = "materials = { left = { sigma = 1e-3 }, right = { epsilon_r = 2 } }"
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        for name, materials, wanted in (("series", lossy, 1 / (1 / 1e-3 + 1 / 2e-3)), ("cut", cut, 0)):
            place.write("input/case.lua", scene(PLATES + ", conductance = true, capacitance = true", (WALLS, SIDES), (MATERIALS, materials)))
            place.good(*RUN, "-q", "-o", name)
            matrix = table(place, f"{name}/conductance.csv")
            for row, column, sign in (("[1]", "[1]", 1), ("[1]", "[2]", -1), ("[2]", "[1]", -1), ("[2]", "[2]", 1)):
                expect(abs(matrix[row][column] - sign * wanted) < 1e-14, f"{name} {row} {column}: {matrix[row][column]!r}")


def check_stands(program, *edits, cells=(3, 2, 2), steps=1000):
    """A field that is uniform nowhere stays as it is, with eta0 |H| below 1e-10 |E|."""
    with Place(program, {"input/box.msh": meshes.box(cells).text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES, ("order = 1", "order = 2"), ("steps = 4", f"steps = {steps}"),
                                            ("every = 1 }", f"every = {steps} }}"), ("fields = { every = 2 },", ""),
                                            (WALLS, SIDES), *edits))
        place.good(*RUN, "-q", "-o", "out")
        header, rows = place.rows("out/energy.csv")
        first, last = (dict(zip(header, row)) for row in (rows[0], rows[-1]))
        expect(last["step"] == steps, f"the last step is {last['step']}")
        near(last["electric"], first["electric"], "the energy of E")
        expect(last["magnetic"] <= 1e-20 * first["electric"], f"the energy of H is {last['magnetic']!r}")
        header, rows = place.rows("out/probes/inside.csv")
        change = max(abs(value) for value in np.array(rows[-1])[2:] - np.array(rows[0])[2:])
        expect(change <= 1e-11 * max(abs(value) for value in rows[0][2:]), f"a probe changes by {change!r}")
        expect(rows[0][header.index("Ey")] ** 2 > 1e-4 * rows[0][header.index("Ex")] ** 2, "the field is uniform")


GRADED = (MATERIALS, "materials = { left = { epsilon_r = function(x, y) return 1 + 3 * y end }, right = { epsilon_r = 2 } }")


def test_stands_upwind(program):
    check_stands(program, GRADED)


def test_stands_centered(program):
    check_stands(program, GRADED, ("order = 2", 'order = 2, flux = "centered"'))


def test_stands_lsrk(program):
    check_stands(program, GRADED, ("time = {", 'time = { integrator = "lsrk",'), steps=200)


def test_stands_reference(program):
    check_stands(program, GRADED, ("order = 2", 'order = 2, backend = "reference"'), cells=(2, 1, 1), steps=200)


def test_tensor(program):
    """A tensor with xy bends the field, which stands all the same."""
    tensor = "materials = { default = { epsilon_r = { { 2, 0.5, 0 }, { 0.5, 3, 0 }, { 0, 0, 4 } } } }"
    check_stands(program, (MATERIALS, tensor), ("order = 2", 'order = 2, backend = "cpu"'))


def test_conductivity(program):
    """A medium that conducts keeps no static field, and the log says so."""
    lossy = "materials = { left = { epsilon_r = 1, sigma = 1e-3 }, right = { epsilon_r = 2 } }"
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        for name, materials, said in (("lossy", lossy, True), ("not", MATERIALS, False)):
            place.write("input/case.lua", scene(PLATES, (WALLS, SIDES), (MATERIALS, materials)))
            place.good(*RUN, "-q", "-o", name)
            with open(place.path(name, "log.txt"), encoding="utf-8") as file:
                expect(("currents flow from the first step on, and it decays" in file.read()) == said, f"{name}: the log is wrong")


def test_refused(program):
    graded = (WALLS, SIDES)
    cases = (
        ("potentials = { [1] = 10 }", graded, "the conductor 'walls' has neither a potential nor a charge"),
        (PLATES + ", charges = { [1] = 1e-9 }", graded, "the conductor has a potential and a charge"),
        ("potentials = { default = 0 }, charges = { default = 1e-9 }", graded, "a potential and a charge"),
        (PLATES + ", charges = { default = 1e-9 }", graded, "'default' has no face of a wall"),
        ("potentials = { [1] = 10, nobody = 0 }", graded, "nobody"),
        ("potentials = { [1] = 10, [3] = 0, [2] = 0 }", graded, "'[3]' has no face of a wall"),
        ("potentials = { [1] = 10, default = 0 }", (WALLS, "boundaries = {}"), "touch"),
        ("charges = { [1] = 1e-9, [2] = 1e-9 }", graded, "the charges add to 2e-09 C, not to zero"),
        ("potentials = { [1] = 10, default = 0 }", (WALLS, 'boundaries = { [2] = { kind = "absorbing" }, [3] = { kind = '
                                                   '"absorbing" }, [5] = { kind = "pmc" } }'), "touch"),
        ("potentials = { [1] = 10 }", (WALLS, 'boundaries = { [2] = { kind = "absorbing" }, [3] = { kind = "pmc" }, '
                                      '[5] = { kind = "pmc" } }'), "the field would leave through 'walls'"),
        ("potentials = { [1] = 'x' }", graded, "must be a number"),
        ("potential = { [1] = 1 }", graded, "unknown key 'potential' in initial.statics (nearest: 'potentials')"),
        (PLATES + ", density = { nowhere = 1 }", graded, "nowhere"),
        (PLATES + ", density = { default = 'x' }", graded, "must be a number (C/m^3) or a function"),
        (PLATES + ", density = 1e-9", graded, "must be a table of regions and charges in space"),
        ("charges = { [1] = 0, [2] = 0 }, density = { default = 1e-9 }", graded, "the charges add to 2e-09 C, not to zero"),
        (PLATES + ", density = { default = function(x, y, z) return 0 / 0 end }", graded, "initial.statics.density returned"),
        (PLATES + ", solver = 'jacobi'", graded, 'initial.statics.solver must be "automatic", "diagonal", "aip" or "multigrid"'),
        (PLATES + ", conductance = true", graded, "no medium has a sigma above 0"),
        ("capacitance = true", graded, "initial.statics needs a conductor"),
        (PLATES + " }, E = function(x, y, z) return 0, 0, 0 end, H = nil and { ", graded, "initial takes E or statics"),
    )
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        for statics, edit, message in cases:
            place.write("input/case.lua", scene(statics, edit))
            code, _, err, _ = place.run(*RUN, "-q", "-o", "out")
            expect(code == 2, f"{statics}: exit code {code}: {err}")
            expect(message in err and err.count("\n") == 1, f"{statics}: '{err}' has no '{message}'")
        place.write("input/case.lua", scene(PLATES, graded, (MATERIALS, "materials = { default = { debye = { { delta = 2, "
                                                            "tau = 1e-9 } } } }")))
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out")
        expect(code == 2 and "does not take media with poles" in err, f"{code}: {err}")


def test_discharge(program):
    """A resistor across the gap of a charged capacitor closes at t = 0: all of the charge flows through it."""
    arc = ('boundaries = { walls = { kind = "pec" }, [3] = { kind = "pmc" }, '
           '[5] = { kind = "lumped_port", resistance = 500, direction = { 1, 0, 0 } } }')
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES, (WALLS, arc), ("output = {", "output = { ports = { every = 1 },"),
                                            ("time = { steps = 4 }", "time = { stop = 120e-9 }")))
        off = {}
        for name, integrator, step in (("whole", "leapfrog", 1e-10), ("half", "leapfrog", 5e-11), ("lsrk", "lsrk", 1e-10),
                                       ("rk4", "rk4", 1e-10)):
            place.good(*RUN, "-q", "-o", name, "--set", f"time.integrator={integrator}", "--set", f"time.step={step}")
            header, rows = place.rows(f"{name}/ports/surface_5.csv")
            time, current = (np.array([row[header.index(column)] for row in rows]) for column in ("time", "current"))
            flowed = np.sum(0.5 * (current[1:] + current[:-1]) * np.diff(time))
            off[name] = abs(flowed) / table(place, f"{name}/statics.csv")["[1]"]["charge"] - 1
        expect(abs(off["lsrk"]) < 1e-6 and abs(off["rk4"]) < 1e-6, f"what flowed differs from the charge: {off}")
        # 40 steps a time constant: the record of leapfrog has an error of second order.
        expect(abs(off["whole"]) < 1e-3 and abs(off["half"]) < abs(off["whole"]) / 3.9, f"no second order: {off}")


def test_solvers(program):
    """Whatever preconditions, the charges, capacitances and conductances are the same. The approximate inverse takes half as
    many iterations as the diagonal, on any number of ranks."""
    lossy = "materials = { left = { sigma = 1e-3 }, right = { epsilon_r = 2 } }"
    wanted, iterations = None, {}
    with Place(program, {"input/box.msh": meshes.box((6, 6, 6)).text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES + ", capacitance = true, conductance = true, solver = args.solver", (WALLS, SIDES),
                                            (MATERIALS, lossy), ("order = 1", "order = 2"), ("steps = 4", "steps = 1")))
        for solver, ranks in (("diagonal", 1), ("aip", 1), ("aip", 3), ("multigrid", 1)):
            name = f"{solver}{ranks}"
            environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # hypre starts MPI, which leaks under the sanitizer
            out = place.good(*RUN, "-o", name, "-D", f"solver={solver}", **(on_ranks(ranks) if ranks > 1 else {"environment": environment}))
            expect(("with an approximate inverse" in out) == (solver == "aip"), f"{solver}: {out}")
            iterations[name] = int(re.search(r"unknowns, (\d+) iterations", out).group(1))
            found = [table(place, f"{name}/{file}") for file in ("statics.csv", "capacitance.csv", "conductance.csv")]
            wanted = wanted or found
            for left, right, least in zip(found, wanted, (0, 0, 1e-4)):  # no current flows, as the right does not conduct
                largest = max(least, *(abs(value) for columns in right.values() for value in columns.values()))
                for row, columns in right.items():
                    for column, value in columns.items():
                        off = abs(left[row][column] - value)
                        expect(off <= 1e-10 * largest, f"{name}: {row} {column} is off by {off}")
        expect(2 * iterations["aip1"] <= 1.1 * iterations["diagonal1"], f"{iterations}")
        expect(abs(iterations["aip3"] - iterations["aip1"]) <= 0.1 * iterations["aip1"], f"{iterations}")
        expect(3 * iterations["multigrid1"] < iterations["diagonal1"], f"{iterations}")


def test_restart(program):
    """A run that goes on behind a static start does not solve again, and gives the same to the last bit."""
    graded = ("time = { steps = 4 }", "time = { steps = 40 }")
    arc = ('boundaries = { walls = { kind = "pec" }, [3] = { kind = "pmc" }, '
           '[5] = { kind = "lumped_port", resistance = 500, direction = { 1, 0, 0 } } }')
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES, (WALLS, arc), graded))
        place.good(*RUN, "-q", "-o", "whole")
        place.good(*RUN, "-q", "-o", "parts", "--set", "checkpoint.every=20", "--set", "time.steps=20")
        place.good(*RUN, "-q", "-o", "parts", "--set", "checkpoint.every=20", "--restart")
        for name in ("probes/inside.csv", "energy.csv", "statics.csv"):
            wanted, found = (open(place.path(folder, *name.split("/")), encoding="ascii").read()
                             for folder in ("whole", "parts"))
            expect(wanted == found, f"a restart changes {name}")


def test_ranks(program):
    """Three and five ranks give what one does; a conductor whose faces one rank has alone is everyone's; an error of one
    rank is one line."""
    wanted = None
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        place.write("input/case.lua", scene(PLATES + ", capacitance = true", (WALLS, SIDES)))
        for ranks in (1, 3, 5):
            place.good(*RUN, "-q", "-o", f"on{ranks}", **on_ranks(ranks))
            found = [table(place, f"on{ranks}/{file}") for file in ("statics.csv", "capacitance.csv")]
            wanted = wanted or found
            for left, right in zip(found, wanted):
                for row, columns in right.items():
                    for column, value in columns.items():
                        if column in ("force_y", "force_z"):  # zero but for rounding
                            continue
                        near(left[row][column], value, f"{row} {column} on {ranks} ranks", 1e-10)
            header, rows = place.rows(f"on{ranks}/energy.csv")
            near(rows[0][header.index("total")], 0.5 * EPSILON0 / 1.5 * 100, f"the energy on {ranks} ranks")
            expect(rows[-1][header.index("magnetic")] < 1e-24 * rows[-1][header.index("electric")], "the field moves")
        place.write("input/case.lua", scene("potentials = { [1] = 10 }", (WALLS, SIDES)))
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", **on_ranks(3))
        expect(code == 2 and "has neither a potential nor a charge" in err, f"{code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
