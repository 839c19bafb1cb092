#!/usr/bin/python3
"""Heat, alone: heat_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all. share/doc/manual.md
has the contract. `heat_contract.py PROGRAM fine` runs the spheres with finer elements."""
import json
import math
import sys

import meshes
from harness import Place, expect, on_ranks
from run_contract import RUN, main

# An eighth of a ball of radius A mm with a core of radius R mm; the flat sides let no heat through.
BALLS = """\
SetFactory("OpenCASCADE");
DefineConstant[ R = 5, A = 30, S = 2, B = 6 ];
Sphere(1) = {0, 0, 0, R, 0, Pi/2, Pi/2};
Sphere(2) = {0, 0, 0, A, 0, Pi/2, Pi/2};
BooleanFragments{ Volume{1, 2}; Delete; }{}
e = 1e-3;
core() = Volume In BoundingBox{-e, -e, -e, R + e, R + e, R + e};
shell() = Volume{:};
shell() -= core();
skin() = Surface In BoundingBox{-e, -e, -e, R + e, R + e, R + e};
skin() -= Surface In BoundingBox{-e, -e, -e, R + e, R + e, e};
skin() -= Surface In BoundingBox{-e, -e, -e, R + e, e, R + e};
skin() -= Surface In BoundingBox{-e, -e, -e, e, R + e, R + e};
outer() = Surface{:};
outer() -= Surface In BoundingBox{-e, -e, -e, A + e, A + e, e};
outer() -= Surface In BoundingBox{-e, -e, -e, A + e, e, A + e};
outer() -= Surface In BoundingBox{-e, -e, -e, e, A + e, A + e};
outer() -= skin();
Physical Volume("core") = core();
Physical Volume("shell") = shell();
Physical Surface("skin") = skin();
Physical Surface("outer") = outer();
Mesh.MeshSizeMax = B;
MeshSize{ PointsOf{ Volume{core()}; } } = S;
"""
BALL = """\
simulation {
  mesh = { file = "balls.geo", unit = 1e-3, geometry = 2,
           parameters = { R = args.R or 5, A = args.A or 30, S = args.S or 2, B = args.B or 6 } },
  order = 1, materials = { default = { thermal_conductivity = 0.5, perfusion = args.blood and 4e4 } },
  heat = {
    order = 3, steady = true, blood = args.blood and 37, regions = args.alone and { "core" },
    boundaries = args.alone and { skin = { temperature = 37 } } or { outer = { temperature = 37 } },
    sources = { { density = 1e4, region = "core" } }, probes = { { name = "centre", at = { 0, 0, 0 } } },
  },
}
"""
BOX = """\
simulation {
  mesh = { file = "box.msh" },
  order = 1,
  materials = { default = { thermal_conductivity = 2, heat_capacity = 3, mass_density = 5 } },
  heat = {
    order = 2, temperature = function(x, y, z) return 1 + x * x + 3 * y * y end,
    boundaries = { default = { temperature = function(x, y, z, t) return 1 + x * x + 3 * y * y + 1.3 * t end } },
    sources = { { density = 15 * 1.3 - 2 * 8 } },
    time = { stop = 2, step = 0.5, theta = 0.75 },
    probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } },
    snapshots = { interval = 1 },
  },
}
"""


def last(place, name):
    header, rows = place.rows(name)
    return dict(zip(header, rows[-1]))


def near(value, wanted, what, tolerance):
    expect(abs(value - wanted) <= tolerance * abs(wanted), f"{what} is {value!r}, not {wanted!r}")


def test_polynomial(program):
    """T = 1 + x^2 + 3 y^2 + 1.3 t, which order 2 and every theta hold: rho c 1.3 = q + k (2 + 6)."""
    with Place(program, {"input/box.msh": meshes.box().text()}, BOX) as place:
        place.good(*RUN, "-q", "-o", "out")
        found = last(place, "out/heat/temperature.csv")
        near(found["time"], 2, "the end", 1e-12)
        near(found["at_inside"], 1 + 0.16 + 0.27 + 2.6, "the temperature", 1e-10)
        header, rows = place.rows("out/heat/balance.csv")
        expect(len(rows) == 5, f"{len(rows)} rows")
        for row in rows[1:]:
            row = dict(zip(header, row))
            expect(abs(row["missing"]) < 1e-8 * row["stored"], f"{row}")
        near(row["stored"], 15 * 2.6 * 2, "the heat", 1e-10)  # of 2 m^3
        for name in ("heat_000001.silo", "heat_000002.silo", "heat_000003.silo"):
            expect(len(open(place.path("out", "heat", name), "rb").read()) > 0, name)
        with open(place.path("out", "summary.json"), encoding="utf-8") as file:
            expect(json.load(file)["status"] == "done", "the summary")
        place.good(*RUN, "-q", "-o", "out")  # over the files of the run before


def test_spheres(program, mesh=(), tolerance=1e-3):
    """A heated ball whose surface is held: q a^2/(6 k). A heated ball in a medium like it, with blood: (q/W) (1 - (1 +
    R/delta) exp(-R/delta)), delta^2 = k/W, R = 5 and 20 mm."""
    with Place(program, {"input/balls.geo": BALLS}, BALL) as place:
        place.good(*RUN, "-q", "-o", "alone", "-D", "alone=yes", *mesh)
        found = last(place, "alone/heat/temperature.csv")
        near(found["at_centre"] - 37, 1e4 * 25e-6 / 3, "the temperature of the heated ball", tolerance)
        powers = last(place, "alone/heat/balance.csv")
        near(powers["sources"], 1e4 * math.pi / 6 * 125e-9, "its power", tolerance)
        expect(abs(powers["missing"]) < 1e-8 * powers["sources"], f"missing: {powers}")
        for size in ((), ("-D", "R=20", "-D", "A=50", "-D", "S=5", "-D", "B=12")):
            place.good(*RUN, "-q", "-o", "blood", "-D", "blood=yes", *size, *(mesh if not size else ()))
            ratio = (20e-3 if size else 5e-3) / math.sqrt(0.5 / 4e4)
            found = last(place, "blood/heat/temperature.csv")
            near(found["at_centre"] - 37, 0.25 * (1 - (1 + ratio) * math.exp(-ratio)), f"the temperature, {size}", tolerance)


def fine(program):
    test_spheres(program, ("-D", "S=1", "-D", "B=4"), 1e-4)


LOSSES = """\
simulation {
  mesh = args.curved and { file = "balls.geo", geometry = 2, parameters = { R = 1, A = 2, S = 0.6, B = 0.9 } } or
         { file = "box.msh" },
  order = 2, time = { steps = 60 }, backend = args.backend,
  materials = {
    [args.curved and "core" or "left"] = { epsilon_r = 2, sigma = 0.02, debye = { { delta = 3, tau = 1e-9 } },
      thermal_conductivity = 0.5, heat_capacity = 3000, mass_density = 1000 },
    default = {},
  },
  boundaries = { default = { kind = "absorbing" } },
  initial = { E = function(x, y, z) return 0, 0, x + y end },
  output = { spectra = {
    { name = "body", region = args.region or (args.curved and "core" or "left"), fields = { "E" }, losses = true,
      frequencies = { 1e8, 2e8 } } } },
  heat = {
    regions = { args.curved and "core" or "left" }, temperature = 37, order = 3,
    sources = { { losses = "body", frequency = 2e8, power = 7 } }, time = { stop = 100 },
  },
}
"""


def test_losses(program):
    """The heat put in is the power that the losses are scaled to, with poles and in curved elements, and is where they are:
    of a lone body all is stored. The reference backend and `cpu` agree."""
    with Place(program, {"input/box.msh": meshes.box((4, 1, 1)).text(), "input/balls.geo": BALLS}, LOSSES) as place:
        for name, arguments in (("box", ()), ("curved", ("-D", "curved=yes"))):
            found = []
            for backend in ("reference", "cpu"):
                place.good(*RUN, "-q", "-o", name, "-D", f"backend={backend}", *arguments)
                row = last(place, f"{name}/heat/balance.csv")
                near(row["sources"], 700, f"{name}: the heat put in", 1e-10)
                expect(abs(row["missing"]) < 1e-8 * row["stored"], f"{name}: {row}")
                found.append(last(place, f"{name}/heat/temperature.csv")["highest"])
            near(found[0] - 37, found[1] - 37, f"{name}: the rise", 1e-9)
        cases = (
            ('losses = "body"', 'losses = "bodi"', "output.spectra has no 'bodi' with losses = true"),
            ("losses = true,", "", "output.spectra has no 'body' with losses = true"),
            (", power = 7", "", "are no powers without normalise"),
            (", frequency = 2e8", "", "'body' has 2 frequencies"),
            ("frequency = 2e8", "frequency = 3e8", "3e+08 Hz is none of the frequencies of 'body'"),
            ("power = 7", "power = 7, amplitude = 2", "takes 'amplitude' or 'power', not both"),
            ('region = args.region or (args.curved and "core" or "left"), ', "", "outside of the body in which heat flows"),
        )
        for old, new, message in cases:
            expect(LOSSES.count(old) == 1, f"the test is wrong: {old}")
            place.write("input/case.lua", LOSSES.replace(old, new))
            code, _, err, _ = place.run(*RUN, "-q", "-o", "out")
            expect(code == 2, f"{new}: exit code {code}: {err}")
            expect(message in err, f"{new}: '{err}' has no '{message}'")


RANKED = """\
simulation {
  mesh = { file = "box.msh" },
  order = 1,
  materials = {
    left = { thermal_conductivity = 2, heat_capacity = 3, mass_density = 5, perfusion = 4 },
    default = { thermal_conductivity = 7, heat_capacity = 1, mass_density = 2 },
  },
  heat = {
    order = 3, blood = 1.5, regions = args.left and { "left" },
    temperature = function(x, y, z) return x < 0.9 and 1 or 2 + y end,
    boundaries = {
      [1] = { temperature = function(x, y, z, t) return 1 + 0.3 * y + t end },
      [3] = { flux = function(x, y, z, t) return 3 * x * t end },
      [5] = { convection = 4, ambient = function(x, y, z, t) return 5 + math.sin(3 * t) end },
    },
    sources = { { density = 3, region = "left" }, { density = function(x, y, z, t) return 2 * x + t end } },
    time = args.step and { stop = 2, step = 0.01 } or { stop = 2 },
    probes = { { name = "middle", at = { 0.5, 0.5, 0.5 } }, { name = "side", at = { 0.98, 2, 0.1 } } },
    snapshots = { interval = 0.5 },
  },
}
"""


# `apart` leaves two parts, of which one is held. `loose` is one part that nothing holds.
STEADY = """\
simulation {
  mesh = { file = "apart.msh" },
  order = 1, materials = { default = { thermal_conductivity = 2, heat_capacity = 3, mass_density = 5 } },
  heat = {
    steady = true, regions = args.apart and { "left", "right" }, temperature = function(x, y, z) return x end,
    boundaries = args.loose and { [1] = { flux = 2 }, [2] = { flux = -2 } } or
                 { [1] = { flux = 1 }, [2] = { convection = 2, ambient = 7 } },
    probes = { { name = "middle", at = { 0.5, 0.5, 0.5 } } },
  },
}
"""


def apart():
    """A box in which the second layer in x is volume 3."""
    mesh = meshes.box((4, 2, 2))
    mesh.elements = [(dim, 3 if dim == 3 and entity == 2 and max(mesh.points[n][0] for n in nodes) <= 2 else entity, kind, tag, nodes)
                     for dim, entity, kind, tag, nodes in mesh.elements]
    mesh.member[(3, 3)] = []
    return mesh


def same_tables(place, one, other, tolerance=1e-10):
    """Every column to `tolerance` of its largest value; what is missing in the balance is rounding."""
    for name in ("temperature", "balance"):
        header, rows = place.rows(f"{one}/heat/{name}.csv")
        again, found = place.rows(f"{other}/heat/{name}.csv")
        expect(header == again and len(rows) == len(found), f"{other}: {again}, {len(found)} rows, not {len(rows)}")
        for k, column in enumerate(header):
            largest = max(abs(row[k]) for row in rows)
            off = max(abs(a[k] - b[k]) for a, b in zip(rows, found))
            if column == "missing":
                largest = max(abs(value) for row in rows for value in row[1:])
                off = 0.1 * max(abs(row[k]) for row in found)
            expect(off <= tolerance * largest, f"{other}/{name}.csv: {column} differs by {off:.2g}, the largest is {largest:.3g}")


def test_ranks(program):
    """Temperatures, records, maxima and snapshots are those of one rank; some ranks have nothing of a small body. The heat
    put in by losses, too."""
    from ranks_contract import field  # pylint: disable=import-outside-toplevel
    with Place(program, {"input/box.msh": meshes.box((4, 2, 2)).text(), "input/apart.msh": apart().text()}, RANKED) as place:
        for several, arguments in ((3, ()), (7, ("-D", "left=yes"))):
            place.good(*RUN, "-q", "-o", "one", *arguments)
            place.good(*RUN, "-q", "-o", "many", *arguments, **on_ranks(several))
            same_tables(place, "one", "many")
            for name in ("heat_000001.silo", "heat_000003.silo", "heat_000005.silo"):
                one, many = (field(place.path(run, "heat", name)) for run in ("one", "many"))
                expect((one["points"] == many["points"]).all(), f"{name}: other points")
                off = abs(one["T"] - many["T"]).max()
                expect(off <= 1e-10 * abs(one["T"]).max(), f"{name} on {several} ranks: T differs by {off:.2g}")
        place.write("input/case.lua", LOSSES)
        place.good(*RUN, "-q", "-o", "losses1")
        place.good(*RUN, "-q", "-o", "losses3", **on_ranks(3))
        same_tables(place, "losses1", "losses3")
        # Parts hang together across ranks: one is found up to its mean, of two loose ones nothing is said.
        place.write("input/case.lua", STEADY)
        for ranks in (1, 3):
            place.good(*RUN, "-q", "-o", f"steady{ranks}", **on_ranks(ranks))
            place.good(*RUN, "-q", "-o", f"loose{ranks}", "-D", "loose=yes", **on_ranks(ranks))
        code, _, err, _ = place.run(*RUN, "-q", "-o", "apart", "-D", "apart=yes", **on_ranks(3))
        expect(code == 2 and "nothing holds the temperature of volume 1" in err, f"{code}: {err}")
        same_tables(place, "steady1", "steady3")
        same_tables(place, "loose1", "loose3")


def test_check(program):
    with Place(program, {"input/box.msh": meshes.box().text()}, BOX) as place:
        out = place.good("check", "input/case.lua")
        expect("unknowns" in str(out), f"{out}")


def test_refusals(program):
    heat = "heat = {"
    cases = (
        ("thermal_conductivity = 2, ", "", "the material default of volume 1 has no thermal_conductivity"),
        ("heat_capacity = 3, ", "", "has no heat_capacity"),
        (", mass_density = 5", "", "has no mass_density"),
        ("thermal_conductivity = 2", "thermal_conductivity = -2", "thermal_conductivity must be a number > 0"),
        ("heat_capacity = 3", "heat_capacity = 0", "heat_capacity must be a number > 0"),
        ("mass_density = 5", "perfusion = -1", "perfusion must be a number >= 0"),
        ("mass_density = 5", "mass_density = 5, perfusion = 1", "heat needs 'blood'"),
        (heat, heat + " blood = 37,", "no material has perfusion"),
        ("at = { 0.4, 0.3, 0.2 }", "at = { 4, 0.3, 0.2 }", "'inside' at (4, 0.3, 0.2) m is outside of the body"),
        (heat, heat + " steady = true,", "heat needs one of 'time'"),
        ("time = { stop = 2, step = 0.5, theta = 0.75 }", "steady = false", "heat needs one of 'time'"),
        ("theta = 0.75", "theta = 0.3", "theta must be a number from 0.5"),
        ("theta = 0.75", "tolerance = 1e-3", "takes 'step' or 'tolerance'"),
        ("stop = 2, ", "", "'stop' is missing in heat.time"),
        ("temperature = function(x, y, z) return 1 + x * x + 3 * y * y end,", "", "heat needs 'temperature'"),
        ("1.3 * t", "1.3 * t / 0 * 0", "heat.boundaries.temperature returned"),
        (heat, heat + " regions = { 'nowhere' },", "nowhere"),
        (heat, heat + " regions = {},", "heat.regions is empty"),
        ("{ density = 15 * 1.3 - 2 * 8 }", "{ density = 1, region = 'nowhere' }", "nowhere"),
        ("sources = { { density = 15 * 1.3 - 2 * 8 } },", "regions = { 'left' }, sources = { { density = 1, region = 'right' } },",
         "no element of 'right' is in the body"),
        ("default = { temperature = function(x, y, z, t) return 1 + x * x + 3 * y * y + 1.3 * t end }",
         "default = { temperature = 1, flux = 2 }", "needs one of 'temperature', 'flux' and 'convection'"),
        ("default = { temperature = function(x, y, z, t) return 1 + x * x + 3 * y * y + 1.3 * t end }",
         "[1] = { convection = 2 }", "convection needs 'ambient'"),
        ("default = { temperature = function(x, y, z, t) return 1 + x * x + 3 * y * y + 1.3 * t end }",
         "[1] = { flux = 2, ambient = 3 }", "'ambient' is the temperature that convection leads to"),
        ("default = { temperature = function(x, y, z, t) return 1 + x * x + 3 * y * y + 1.3 * t end }",
         "[4] = { flux = 2 }", "'[4]' has no face that bounds the body"),
        ("{ density = 15 * 1.3 - 2 * 8 }", "{ losses = 'here' }", "losses are those of a run of the fields"),
        ("{ density = 15 * 1.3 - 2 * 8 }", "{ density = 1, power = 3 }", "'power' is for 'losses'"),
        ("{ density = 15 * 1.3 - 2 * 8 }", "{}", "needs one of 'density' and 'losses'"),
        (heat, "output = { energy = { every = 1 } }, " + heat, "output.energy is for a run of the fields"),
        (heat, "initial = {}, " + heat, "'initial' is for a run of the fields"),
        (heat, "cold = {", "unknown key 'cold'"),
    )
    with Place(program, {"input/box.msh": meshes.box().text()}, BOX) as place:
        for old, new, message in cases:
            expect(BOX.count(old) == 1, f"the test is wrong: {old}")
            place.write("input/case.lua", BOX.replace(old, new))
            code, _, err, _ = place.run(*RUN, "-q", "-o", "out")
            expect(code == 2, f"{new}: exit code {code}: {err}")
            expect(message in err and err.count("\n") == 1, f"{new}: '{err}' has no '{message}'")
        place.write("input/case.lua", BOX[:BOX.index("heat = {")] + "heat = { steady = true, sources = { { density = 1 } } }, }")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out")
        expect(code == 2 and "there is no steady state: 2 W go in" in err, f"{code}: {err}")


if __name__ == "__main__":
    if sys.argv[2:] == ["fine"]:
        fine(sys.argv[1])
    else:
        main(sys.modules[__name__])
