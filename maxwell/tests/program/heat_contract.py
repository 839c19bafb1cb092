#!/usr/bin/python3
"""Heat, alone: heat_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all. share/doc/manual.md
has the contract. `heat_contract.py PROGRAM fine` runs the spheres with finer elements."""
import json
import math
import os
import re
import shutil
import signal
import sys
import time

import meshes
from harness import Place, expect, fingerprint, on_ranks
from run_contract import RUN, main

MULTIGRID = {"environment": {"ASAN_OPTIONS": "detect_leaks=0"}}  # hypre starts MPI, which leaks under the sanitizer

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


# A body in which heat does not flow, but for its walls: rho c dT/dt = q(t) - W (T - 20) + 2 h (ambient(t) - T) per m^3 of 2.
LUMPED = """\
local on, from, every = args.on or 1, args.from or 0, args.every or 10
local function pulse(t) return (t - from) % every < on and t >= from and 1 or 0 end
if args.gauss then pulse = function(t) return math.exp(-((t - 437.3) / 0.5) ^ 2) end end
simulation {
  mesh = { file = "box.msh" }, order = 1,
  materials = { default = { thermal_conductivity = args.k or 2, heat_capacity = 3, mass_density = 5, perfusion = args.W } },
  heat = {
    order = 1, temperature = 20, blood = args.W and 20,
    sources = not (args.h or args.held) and { { density = function(x, y, z, t) return (args.q or 12) * pulse(t) end } } or nil,
    boundaries = args.h and { [1] = { convection = args.h, ambient = function(x, y, z, t) return 20 + 500 * pulse(t) end } } or
                 args.held and { [1] = { temperature = function(x, y, z, t) return 20 + 500 * pulse(t) end } } or nil,
    time = { stop = args.stop or 1000, step = args.step, theta = args.theta },
    probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } },
  },
}
"""


def pulses(rate, power, on, every, count, behind):
    """The rise of a lumped body a time `behind` the begin of the last of so many pulses: each brings power/rate (1 - exp(-rate on))
    at its end, and decays with the rate; per heat capacity."""
    if rate == 0:
        return power * on * count
    one = power / rate * -math.expm1(-rate * on) * math.exp(-rate * (behind - on))
    return one * math.expm1(-rate * every * count) / math.expm1(-rate * every)


def test_pulses(program):
    """Sources, ambients and temperatures of walls that are on for a short time are all seen, by steps that are chosen and by
    given ones, which say that they are too long; the heat put in is its integral, and so is each rank's."""
    with Place(program, {"input/box.msh": meshes.box().text()}, LUMPED) as place:
        def end(*arguments, code=0, says="", **more):
            found, _, err, _ = place.run(*RUN, "-q", "-o", "out", *(word for text in arguments for word in ("-D", text)), **more)
            expect(found == code and (says in err if says else err == ""), f"{arguments}: {found}: '{err}' has no '{says}'")
            if code == 0:
                return last(place, "out/heat/temperature.csv"), last(place, "out/heat/balance.csv")
        # 100 pulses of 1 s: 80 degrees, where steps over them found 21; with blood each decays
        for arguments, rate in (((), 0), (("W=0.05",), 0.05 / 15)):
            rise = pulses(rate, 12 / 15, 1, 10, 100, 10)
            for more, says in (((), ""), (("step=2.5",), "heat.time.step = 2.5 s is longer than a pulse of heat.sources.density, at t = ")):
                found, balance = end(*arguments, *more, says=says)
                near(found["at_inside"] - 20, rise, f"pulses, {arguments} {more}", 1e-6 if not rate else 3e-3 if more else 1e-4)
                near(balance["sources"], 12 * 100 * 2, "the heat put in", 1e-6)
                expect(abs(balance["missing"]) < 1e-8 * balance["sources"], f"{balance}")
        # one pulse, too short for any grid of steps: of 0.1 s, and one at the begin of 10 us; a smooth one
        for arguments, rise in ((("on=0.1", "from=437.31", "every=1e4", "q=75000"), 500), (("on=1e-5", "every=1e4", "q=7.5e8"), 500),
                                (("gauss=1", "q=7500"), 7500 / 15 * 0.5 * math.sqrt(math.pi))):
            for more in ((), ("step=100",)):
                found, _ = end(*arguments, *more, says="heat.time.step" if more and "on=1e-5" not in arguments else "")
                near(found["at_inside"] - 20, rise, f"{arguments} {more}", 1e-3)
        # an ambient: 2 h/(2 rho c) is the rate at which a body that conducts well follows it
        found, balance = end("h=0.03", "k=1e4")
        near(found["at_inside"] - 20, pulses(1e-3, 500 * 1e-3, 1, 10, 100, 10), "the ambient", 1e-3)
        # a wall: 500 K for 1 s, of which given steps that are short enough find the same
        wall = ("held=1", "from=61.3", "every=1e4", "stop=65")
        found, balance = end(*wall)
        again, fine = end(*wall, "step=0.01", "theta=1")
        near(found["at_inside"] - 20, again["at_inside"] - 20, "behind a hot wall", 0.02)
        near(balance["stored"], fine["stored"], "its heat", 0.02)
        header, rows = place.rows("out/heat/temperature.csv")
        near(max(row[header.index("highest")] for row in rows), 520, "the wall", 1e-9)
        end(*wall, "step=5", says="heat.time.step = 5 s is longer than a pulse of heat.boundaries.temperature, at t = 60 s")
        # what cannot be followed is said
        for arguments, says in ((("every=1e-3", "on=3e-4"), "heat.sources.density changes too often to be followed for 1000 s: give its mean"),
                                (("every=1", "on=1e-4"), "heat.sources.density has pulses that are too short to be followed for 1000 s")):
            end(*arguments, code=2, says=says)
        one = end("W=0.05")
        many = end("W=0.05", **on_ranks(3))
        near(one[0]["at_inside"], many[0]["at_inside"], "on three ranks", 1e-10)
        place.write("input/case.lua", LUMPED.replace("time = { stop = args.stop or 1000, step = args.step, theta = args.theta }", "steady = true"
                                                     ).replace("args.held and {", "{ [2] = { convection = 1, ambient = 20 } } or {"))
        end(says="heat.steady: heat.sources.density depends on time, and the steady state has its value at t = 0")


def test_spheres(program, mesh=(), tolerance=1e-3):
    """A heated ball whose surface is held: q a^2/(6 k). A heated ball in a medium like it, with blood: (q/W) (1 - (1 +
    R/delta) exp(-R/delta)), delta^2 = k/W, R = 5 and 20 mm."""
    with Place(program, {"input/balls.geo": BALLS}, BALL) as place:
        place.good(*RUN, "-q", "-o", "alone", "-D", "alone=yes", *mesh, **MULTIGRID)
        found = last(place, "alone/heat/temperature.csv")
        near(found["at_centre"] - 37, 1e4 * 25e-6 / 3, "the temperature of the heated ball", tolerance)
        powers = last(place, "alone/heat/balance.csv")
        near(powers["sources"], 1e4 * math.pi / 6 * 125e-9, "its power", tolerance)
        expect(abs(powers["missing"]) < 1e-8 * powers["sources"], f"missing: {powers}")
        for size in ((), ("-D", "R=20", "-D", "A=50", "-D", "S=5", "-D", "B=12")):
            place.good(*RUN, "-q", "-o", "blood", "-D", "blood=yes", *size, *(mesh if not size else ()), **MULTIGRID)
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
            ("time = { stop = 100 }", "time = { stop = 100, walltime = 5 }", "heat.time.walltime is for heat alone"),
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


# `apart` leaves two parts, of which one is held. `loose` is one part that nothing holds; its lowest temperature is 1, not rounding.
STEADY = """\
simulation {
  mesh = { file = "apart.msh" },
  order = 1, materials = { default = { thermal_conductivity = 2, heat_capacity = 3, mass_density = 5 } },
  heat = {
    steady = true, regions = args.apart and { "left", "right" }, temperature = function(x, y, z) return 1 + x end,
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
        # Stiff equations take multigrid, also where a rank has no element.
        place.write("input/case.lua", RANKED)
        stiff = (*RUN, "-D", "left=yes", "--set", "heat.order=8", "--set", "heat.time={stop=2, step=1}")
        out = place.good(*stiff, "-o", "stiff1", **MULTIGRID)
        expect("of multigrid" in out, f"says {out}")
        place.good(*stiff, "-q", "-o", "stiff7", **on_ranks(7))
        same_tables(place, "stiff1", "stiff7")
        # Whatever preconditions, the temperatures are the same.
        place.good(*stiff, "-q", "-o", "multigrid", "--set", "heat.solver=multigrid", **MULTIGRID)
        for ranks in (1, 7):
            out = place.good(*stiff, "-o", f"aip{ranks}", "--set", "heat.solver=aip", **on_ranks(ranks))
            expect("with an approximate inverse" in out and "of multigrid" not in out, f"says {out}")
            same_tables(place, "stiff1", f"aip{ranks}")
        place.good(*stiff, "-q", "-o", "diagonal", "--set", "heat.solver=diagonal")
        for name in ("multigrid", "diagonal"):
            same_tables(place, "stiff1", name)
        # Parts hang together across ranks: one is found up to its mean, of two loose ones nothing is said.
        place.write("input/case.lua", STEADY)
        for ranks in (1, 3):
            place.good(*RUN, "-q", "-o", f"steady{ranks}", **on_ranks(ranks))
            place.good(*RUN, "-q", "-o", f"loose{ranks}", "-D", "loose=yes", **on_ranks(ranks))
        code, _, err, _ = place.run(*RUN, "-q", "-o", "apart", "-D", "apart=yes", **on_ranks(3))
        expect(code == 2 and "nothing holds the temperature of volume 1" in err, f"{code}: {err}")
        same_tables(place, "steady1", "steady3")
        same_tables(place, "loose1", "loose3")


EQUAL = ("--set", 'output.fields={every=1, format="vtkhdf"}')  # in Silo files there is the time of the day


def kept(place, folder):
    """The checkpoints of heat, in their order."""
    path = place.path(folder, "heat", "checkpoint")
    return sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".h5")) if os.path.isdir(path) else []


def same_files(place, one, other, what):
    """Tables and snapshots, bit for bit."""
    found = [{name: of for name, of in fingerprint(place.path(folder, "heat")).items() if not name.startswith("checkpoint")}
             for folder in (one, other)]
    expect(len(found[0]) > 1 and set(found[0]) == set(found[1]), f"{what}: files {sorted(set(found[0]) ^ set(found[1]))}")
    differ = [name for name in sorted(found[0]) if found[0][name] != found[1][name]]
    expect(not differ, f"{what}: {differ} differ")


def test_restart(program):
    """A computation that begins anew at a checkpoint has the same bits, alone and behind fields, which are not run again;
    on another number of ranks it is the same to rounding."""
    often = (*RUN, "--set", "checkpoint.every=5", *EQUAL)
    with Place(program, {"input/box.msh": meshes.box((4, 2, 2)).text()}, RANKED) as place:
        for ranks, other in ((1, 1), (3, 3), (3, 1)):
            place.good(*often, "-q", "-o", "whole", **on_ranks(ranks))
            place.vanish("split") if os.path.isdir(place.path("split")) else None
            shutil.copytree(place.path("whole"), place.path("split"))
            expect(len(kept(place, "split")) == 2, f"{kept(place, 'split')}")
            os.unlink(kept(place, "split")[-1])
            out = place.good(*often, "-o", "split", "--restart", **on_ranks(other))
            expect("restart   of heat at t = " in out, f"says {out}")
            expect(place.summary("split")["checkpoints"]["restarts"] == 1, f"{place.summary('split')}")
            if ranks == other:
                same_files(place, "whole", "split", f"{ranks} ranks")
            else:
                same_tables(place, "whole", "split")
        # Multigrid is made again, and so is the approximate inverse.
        for solver, mark in (("automatic", "of multigrid"), ("aip", "iterations in ")):
            stiff = (*often, "-D", "left=yes", "--set", "heat.order=8", "--set", "heat.time={stop=10, step=0.5}",
                     "--set", f"heat.solver={solver}")
            out = place.good(*stiff, "-o", f"stiff_{solver}", **MULTIGRID)
            shutil.copytree(place.path(f"stiff_{solver}"), place.path(f"again_{solver}"))
            os.unlink(kept(place, f"again_{solver}")[-1])
            again = place.good(*stiff, "-o", f"again_{solver}", "--restart", **MULTIGRID)
            expect(mark in out and out.split(mark)[0].split()[-7:] == again.split(mark)[0].split()[-7:], f"{out}, {again}")
            same_files(place, f"stiff_{solver}", f"again_{solver}", f"with {solver}")
        for what, options, message in (("key", ("--set", "heat.residual=1e-9"), "the checkpoint is of another run: it had no key like heat.residual"),
                                       ("stop", ("--set", "heat.time.stop=3"), "it had heat.time.stop = 2, this one has heat.time.stop = 3")):
            code, _, err, _ = place.run(*often, "-q", "-o", "split", "--restart", *options)
            expect(code == 2 and message in err, f"{what}: {code}: {err}")
        code, _, err, _ = place.run(*often, "-q", "-o", "none", "--restart")
        expect(code == 2 and "--restart: there is no checkpoint in 'none/heat/checkpoint'" in err, f"{code}: {err}")
        slow = ("--set", "checkpoint.every=10", "--set", "heat.time={stop=100, step=2.5}", "--set", "output.fields={every=20}")
        for reason, steps, last in (("function", 100, "100 of 600"), ("steps", 60, "60 of 60")):  # why the fields ended
            if reason == "function":
                place.write("input/case.lua", LOSSES.replace("steps = 60", "steps = 600, finish = function(t, n) return n >= 60 end"))
            else:
                place.write("input/case.lua", LOSSES)
            for folder in ("fields", "again"):
                place.vanish(folder) if os.path.isdir(place.path(folder)) else None
            place.good(*RUN, "-q", "-o", "fields", *slow)
            shutil.copytree(place.path("fields"), place.path("again"))
            os.unlink(kept(place, "again")[-1])
            out = place.good(*RUN, "-o", "again", *slow, "--restart")
            expect(f"restart   at step {last}" in out and "restart   of heat" in out, f"says {out}")
            same_files(place, "fields", "again", "fields")
            summary = place.summary("again")
            expect(summary["steps"] == steps and summary["stop_reason"] == reason, f"{summary}")
            for name in ("fields_000040.silo", f"fields_{steps:06}.silo", "spectra/body_losses.csv"):
                expect(os.path.exists(place.path("again", name)), f"{name} has gone")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "again", *slow, "--set", "time.steps=80", "--restart")
        expect(code == 2 and "the fields had ended at step 60, heat followed, and now there are 80 steps" in err, f"{code}: {err}")


def lines(path):
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as file:
        return file.read().count(b"\n")


def begun(place, folder, rows, *arguments):
    """A computation that has written so many rows of heat."""
    path = place.path(folder, "heat", "temperature.csv")
    if "--restart" not in arguments and os.path.exists(place.path(folder)):
        place.vanish(folder)
    process = place.start(*RUN, "-q", "-o", folder, *arguments)
    deadline = time.monotonic() + 60
    while lines(path) < rows:
        expect(time.monotonic() < deadline and process.poll() is None, f"{folder} does not begin")
        time.sleep(0.02)
    return process


def ended(process, wanted, message=""):
    _, err = process.communicate(timeout=60)
    expect(process.returncode == wanted and message in err.decode(), f"exit code {process.returncode}: {err}")


LONG = ("--set", "heat.time={stop=2, step=1e-3}", "--set", "checkpoint.every=100", *EQUAL)


def test_interrupt(program):
    """SIGTERM, kill -9 and the end of the walltime: heat goes on from its last checkpoint, and ends with the same bits.
    SIGINT leaves none. The summary says what happened, alone and behind fields, also in the search for a steady state."""
    with Place(program, {"input/box.msh": meshes.box((2, 1, 1)).text()}, RANKED.replace("2, 0.1 }", "1, 0.1 }")) as place:
        place.good(*RUN, "-q", "-o", "whole", *LONG)
        process = begun(place, "case", 100, *LONG)
        process.send_signal(signal.SIGINT)
        ended(process, 130, "of heat; what was written until then is whole")
        expect(place.summary()["status"] == "interrupted" and "interrupted at t = " in place.summary()["error"], f"{place.summary()}")
        place.rows("case/heat/temperature.csv")
        process = begun(place, "case", 300, *LONG)
        process.send_signal(signal.SIGTERM)
        ended(process, 130, "--restart goes on from there")
        expect(place.summary()["status"] == "interrupted" and kept(place, "case"), f"{place.summary()}")
        there = len(place.rows("case/heat/temperature.csv")[1])
        process = begun(place, "case", there + 400, *LONG, "--restart")
        process.kill()
        process.communicate()
        expect(place.summary()["status"] == "running", f"{place.summary()}")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "case", *LONG, "--restart", "--set", "heat.time.walltime=0.6")
        expect(code == 130 and "stopped before the end of the walltime at t = " in err, f"{code}: {err}")
        place.good(*RUN, "-q", "-o", "case", *LONG, "--restart")
        # A restart that comes to no step, because the walltime is over by then, leaves no checkpoint and does not count.
        expect(place.summary()["status"] == "done" and place.summary()["checkpoints"]["restarts"] in (2, 3), f"{place.summary()}")
        same_files(place, "whole", "case", "interrupted three times")
        place.write("input/case.lua", LOSSES)
        slow = ("--set", "heat.time={stop=100, step=0.05}")
        process = begun(place, "fields", 100, *slow)
        process.send_signal(signal.SIGINT)
        ended(process, 130)
        expect(place.summary("fields")["status"] == "interrupted", f"{place.summary('fields')}")
        process = begun(place, "fields", 100, *slow)
        process.send_signal(signal.SIGTERM)
        ended(process, 130, "--restart goes on from there")
        place.good(*RUN, "-q", "-o", "fields", *slow, "--restart")
        place.good(*RUN, "-q", "-o", "straight", *slow)
        same_files(place, "straight", "fields", "behind fields")


def test_check(program):
    with Place(program, {"input/box.msh": meshes.box().text()}, BOX) as place:
        out = place.good("check", "input/case.lua")
        expect("unknowns" in str(out), f"{out}")
        expect(re.search(r"heat +about [0-9.e-]+ s: 4 steps of [0-9.e-]+ s each\n", out), f"{out}")
        out = place.good("check", "input/case.lua", "--set", "heat.time={stop=2}")
        expect(re.search(r"heat +a step takes about [0-9.e-]+ s; how many .*, 1 at the least\n", out), f"{out}")


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
        (heat, heat + " solver = 'jacobi',", 'heat.solver must be "automatic", "diagonal", "aip" or "multigrid"'),
        ("theta = 0.75", "theta = 0.75, walltime = 'soon'", "heat.time.walltime must be a number > 0 (seconds) or a time"),
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
        sys.exit(main(sys.modules[__name__]))
