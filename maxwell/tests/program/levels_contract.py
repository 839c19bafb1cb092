#!/usr/bin/python3
"""Local time steps as a user meets them: levels_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME,
or all.

Where elements are small H takes shorter steps (share/doc/design/levels.md). A run with two levels has fewer steps, and
the answers of one with one level: in a closed cavity, at ports, far away; and it goes on from a checkpoint. What it is
compared with are closed forms, or a run with steps so short that theirs is no error."""
import cmath
import math
import re
import sys

import meshes
from checkpoint_contract import split
from harness import Place, expect, on_ranks
from run_contract import RUN, main

C0, ETA0 = 299792458.0, 376.730313668
LENGTH, THIN = 10.2, (4, 4.1, 4.2)
PLANES = ([0, 1, 2, 3, *THIN, 5.2, 6.2, 7.2, 8.2, 9.2, LENGTH], [0, 1, 2], [0, 1])

# The mode E_z = sin(kx x) sin(ky y) cos(w t) of a closed box with two thin layers of cells across.
CAVITY = """\
simulation {
  mesh = { file = "graded.msh" }, order = ORDER, flux = "FLUX", backend = "BACKEND",
  time = { stop = 20e-9, levels = 2 }, materials = { default = {} }, boundaries = { default = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, math.sin(math.pi * y / 2) * math.sin(math.pi * x / 3.4) end },
  output = { energy = { every = 1 }, fields = { every = 40 },
             lines = { { name = "a", from = { 0.13, 0.9, 0.3 }, to = { 10.1, 1.1, 0.4 }, points = 40, every = 1 } } },
}
"""


def cavity(flux="centered", order=2, backend="cpu"):
    return CAVITY.replace("FLUX", flux).replace("ORDER", str(order)).replace("BACKEND", backend)


FILES = {"input/graded.msh": meshes.box(planes=PLANES).text()}


def sets(**keys):
    return [word for key, value in keys.items() for word in ("--set", f"time.{key}={value}")]


def levels_of(log):
    return [line for line in log.splitlines() if line.startswith("levels ")]


def expect_two(log):
    """The first line of the log about levels says that there are two, and how many elements are in the second."""
    said = levels_of(log)
    expect(said and re.match(r"levels    (two|2): H of \d+ of \d+ elements", said[0]), f"{said}")


def last_line(place, folder):
    """Time, places and fields of the line at the end: E, and H times eta0."""
    header, rows = place.rows(f"{folder}/lines/a.csv")
    column = [header.index(name) for name in ("x", "y", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz")]
    end = rows[-1][0]
    rows = [[row[i] for i in column] for row in rows if row[0] == end]
    expect(len(rows) == 40, f"{len(rows)} places")
    return end, [(*row[:5], *(ETA0 * h for h in row[5:])) for row in rows]


def mode(x, y, t):
    kx, ky = math.pi / 3.4, math.pi / 2
    w = C0 * math.hypot(kx, ky)
    s = C0 / w * math.sin(w * t)
    return (0, 0, math.sin(ky * y) * math.sin(kx * x) * math.cos(w * t), -ky * math.cos(ky * y) * math.sin(kx * x) * s,
            kx * math.sin(ky * y) * math.cos(kx * x) * s, 0)


def distance(one, other):
    return math.sqrt(sum((a - b) ** 2 for p, q in zip(one, other) for a, b in zip(p, q)) / len(one))


def test_fewer_steps(program):
    """The log says what was chosen; elements, steps and energy are those of a stable run. Without losses the energy
    of centred fluxes swings about a value that it keeps."""
    with Place(program, FILES, cavity()) as place:
        out = place.good(*RUN, *sets(stop=2e-7))
        steps = place.summary()["steps"]
        expect_two(out)
        header, rows = place.rows("case/energy.csv")
        total = [row[header.index("total")] for row in rows]
        half = len(total) // 2
        swing = max(total[:half]) - min(total[:half])
        expect(swing < 1e-3 * total[0], f"the energy swings by {swing / total[0]}")
        expect(max(total[half:]) - min(total[half:]) < 1.05 * swing, "the energy drifts")
        out = place.good(*RUN, *sets(stop=2e-7, levels=1), "-o", "one")
        expect(not any(" H of " in line for line in levels_of(out)), f"{levels_of(out)}")
        one = place.summary("one")["steps"]
        expect(steps < 0.4 * one, f"{steps} steps with two levels, {one} with one")


def test_order_two(program):
    """The error of time, against a run with short steps of one level: half the step makes it a quarter. Of fluxes
    without penalty, so that the operator in space is the same for all steps."""
    found = []
    with Place(program, FILES, cavity()) as place:
        place.good(*RUN, "-o", "fine", *sets(levels=1, cfl=0.1), "--set", "output.energy.every=1000")
        end, fine = last_line(place, "fine")
        for cfl in (0.475, 0.2375):
            place.good(*RUN, *sets(cfl=cfl))
            again, fields = last_line(place, "case")
            expect(abs(end - again) < 1e-6 * end, f"ends at {again} s and {end} s")
            found.append(distance([row[2:] for row in fields], [row[2:] for row in fine]))
    expect(found[0] < 0.01 and 3.5 < found[0] / found[1] < 4.5, f"errors {found}")


def test_closed_form(program):
    """Against the closed form two levels are as good as one, where the error of space is what counts. Inside of the
    core faces have part of the penalty only: there the fields are at most as far off as with fluxes without it."""
    error = {}
    for flux, levels, cfl in (("upwind", 1, 0.95), ("upwind", 2, 0.95), ("centered", 1, 0.95)):
        with Place(program, FILES, cavity(flux)) as place:
            place.good(*RUN, *sets(levels=levels, cfl=cfl))
            end, fields = last_line(place, "case")
            for name, inside in (("inside", True), ("outside", False)):
                rows = [row for row in fields if (3 < row[0] < 5.2) == inside]
                error[flux, levels, name] = distance([row[2:] for row in rows], [mode(*row[:2], end) for row in rows])
    expect(error["upwind", 2, "outside"] < 1.2 * error["upwind", 1, "outside"], f"{error}")
    expect(error["upwind", 2, "inside"] < error["centered", 1, "inside"], f"{error}")


GUIDE = """\
simulation {
  mesh = { file = "graded.msh" }, order = 2, time = { stop = 150e-9, decay = 60, levels = 2 },
  materials = { left = { epsilon_r = 4, sigma = 0.002 }, right = {} },
  boundaries = { [1] = { kind = "waveguide_port", axis = { 0, 1, 0 }, waveform = waveform.gaussian { f0 = 120e6, bandwidth = 60e6 } },
                 [2] = { kind = "waveguide_port", axis = { 0, 1, 0 } }, default = { kind = "pec" } },
  output = { s_parameters = { from = 100e6, to = 140e6, points = 5 } },
}
"""


def slab(f):
    """S11 and S21 of the guide of GUIDE: the mode in a plate of 0.2 m, 4 m behind port 1 and 3 m before port 2."""
    w, mu, kc = 2 * math.pi * f, ETA0 / C0, math.pi / 2

    def section(epsilon_r, sigma):
        gamma = cmath.sqrt(kc ** 2 - w * w * mu * (epsilon_r / (ETA0 * C0) - 1j * sigma / w))
        return (gamma if gamma.imag > 0 else -gamma), 1j * w * mu / gamma * (1 if gamma.imag > 0 else -1)

    (g0, z0), (g1, z1) = section(1, 0), section(4, 0.002)
    a, b, c = cmath.cosh(g1 * 0.2), z1 / z0 * cmath.sinh(g1 * 0.2), z0 / z1 * cmath.sinh(g1 * 0.2)
    return (b - c) / (2 * a + b + c) * cmath.exp(-8 * g0), 2 / (2 * a + b + c) * cmath.exp(-7 * g0)


def test_s_parameters(program):
    """Of a lossy plate, thin layers of cells, in a square guide: those of one level, and the closed form's."""
    mesh = meshes.box(planes=([0, 1, 2, 3, *THIN, 5.2, 6.2, 7.2], [0, 1, 2], [0, 1, 2]), left=lambda i, j, k: i in (4, 5))
    found, steps = {}, {}
    with Place(program, {"input/graded.msh": mesh.text()}, GUIDE) as place:
        for levels in (1, 2):
            out = place.good(*RUN, *sets(levels=levels))
            header, rows = place.rows("case/sparameters.csv")
            found[levels] = [[complex(row[header.index(s + "_re")], row[header.index(s + "_im")]) for s in ("S11", "S21")]
                             for row in rows]
            steps[levels] = place.summary()["steps"]
            frequencies = [row[0] for row in rows]
            if levels == 2:
                expect_two(out)
    expect(steps[2] < 0.7 * steps[1], f"steps {steps}")
    for f, one, two in zip(frequencies, found[1], found[2]):
        for a, b, exact in zip(one, two, slab(f)):
            expect(abs(b - a) < 0.01 and abs(b - exact) < 1.1 * abs(a - exact) + 0.002,
                   f"{f} Hz: {a} with one level, {b} with two, {exact} in the closed form")


COIL = """\
simulation {
  mesh = { file = "line.msh" }, order = 2, time = { stop = 100e-9, levels = 2 }, materials = { default = {} },
  boundaries = { [1] = { kind = "lumped_port", resistance = 376.730313668, direction = { 0, 0, 1 },
                         waveform = waveform.gaussian { f0 = 20e6, bandwidth = 30e6 } },
                 [2] = { kind = "lumped_element", circuit = "series", inductance = 1e-6, resistance = 50, direction = { 0, 0, 1 } },
                 [3] = { kind = "pmc" }, [5] = { kind = "pec" } },
}
"""


def test_lumped_element(program):
    """Thin elements at a coil or at a port stay with the others."""
    thin = ([0, 1, 2, 3, 4, 5, 6, 7, 8, 8.1, 8.2], [8.2 - x for x in (8.2, 8.1, 8, 7, 6, 5, 4, 3, 2, 1, 0)])
    for planes in thin:
        mesh = meshes.box(planes=(planes, [0, 1], [0, 1]))
        with Place(program, {"input/line.msh": mesh.text()}, COIL) as place:
            said = levels_of(place.good(*RUN))
            expect(len(said) == 1 and said[0].startswith("levels    one: "), f"{said}")


FAR = """\
simulation {
  mesh = { file = "graded.msh" }, order = 2, time = { stop = 140e-9, levels = 2 }, materials = { default = {} },
  boundaries = { default = { kind = "absorbing" } },
  sources = { { region = "left", waveform = waveform.gaussian { f0 = 80e6, bandwidth = 60e6 }, profile = function(x, y, z)
    local g = math.exp(-((x - 2.5) ^ 2 + (y - 2.5) ^ 2 + (z - 2.5) ^ 2) / 0.32)
    return -(y - 2.5) * g, (x - 2.5) * g, 0
  end } },
  output = { far_field = { { name = "all", region = "left", every = 4, frequencies = { 70e6, 90e6 }, theta = { 30, 90 }, phi = { 0, 60 } } } },
}
"""


def test_far_field(program):
    """Of currents round an axis, in elements that a displaced vertex makes thin: those of one level, and across the
    axis the directivity of a ring, 1.5."""
    mesh = meshes.box((5, 5, 5), left=lambda *at: all(0 < i < 4 for i in at))
    vertex = next(tag for tag, x in mesh.points.items() if x == (2, 2, 2))
    mesh.points[vertex] = (2.85, 2.255, 2.17)
    found, steps = {}, {}
    with Place(program, {"input/graded.msh": mesh.text()}, FAR) as place:
        for levels in (1, 2):
            place.good(*RUN, *sets(levels=levels))
            header, found[levels] = place.rows("case/far_field/all.csv")
            steps[levels] = place.summary()["steps"]
    expect(steps[2] < 0.6 * steps[1], f"steps {steps}")
    first, theta, directivity = (header.index(name) for name in ("Etheta_re", "theta", "directivity"))
    for one, two in zip(found[1], found[2]):
        far = max(abs(a - b) for a, b in zip(one[first:first + 4], two[first:first + 4]))
        expect(far < 0.05, f"{one} with one level, {two} with two")  # of 9.6
        expect(two[theta] == 30 or abs(two[directivity] - 10 * math.log10(1.5)) < 0.3, f"{two}")


LAYER = """\
math.randomseed(1)
local function noise() return 2 * math.random() - 1, 2 * math.random() - 1, 2 * math.random() - 1 end
simulation {
  mesh = { file = "graded.msh" }, order = 1, flux = "centered", time = { steps = 4000, levels = 2 },
  materials = { default = {} }, layers = { left = { kind = "box" } }, boundaries = { [2] = { kind = "absorbing" }, default = { kind = "pec" } },
  initial = { E = noise }, output = { energy = { every = 50 } },
}
"""


def test_layer(program):
    """A perfectly matched layer is stable up to a part of the limit only: noise in it does not grow."""
    mesh = meshes.box(planes=([0, 0.02, 1, 2, 3, 4, 5], [0, 1, 2, 3], [0, 1, 2]), left=lambda i, j, k: i == 5)
    with Place(program, {"input/graded.msh": mesh.text()}, LAYER) as place:
        expect_two(place.good(*RUN))
        header, rows = place.rows("case/energy.csv")
        total = [row[header.index("total")] for row in rows]
        expect(max(total[40:]) < 1.02 * max(total[:40]), f"the energy grows: {total[0]}, {total[40]}, {total[-1]} J")


def test_split(program):
    """A run that goes on from a checkpoint has the bits of one that was not cut."""
    for flux, backend in (("upwind", "cpu"), ("centered", "reference")):
        split(program, FILES, cavity(flux, backend=backend), f"{flux}, {backend}", every=40)


def test_longer_after_a_checkpoint(program):
    """A later end leaves the step as it is, and with it the levels."""
    with Place(program, FILES, cavity("upwind")) as place:
        place.good(*RUN, "-q", "--set", "checkpoint.every=40")
        before = place.summary()
        out = place.good(*RUN, "--restart", *sets(stop=3e-8), "--set", "checkpoint.every=40")
        after = place.summary()
        expect_two(out)
        expect(after["time_step"] == before["time_step"] and after["steps"] > before["steps"],
               f"{before['time_step']} s, then {after['time_step']} s")


def test_ranks(program):
    """Ranks that share the elements have the steps, the levels and the fields of one, also where a rank has no element
    that takes shorter steps."""
    for flux in ("upwind", "centered"):
        with Place(program, FILES, cavity(flux)) as place:
            alone = levels_of(place.good(*RUN, *sets(stop=5e-9)))
            end, fields = last_line(place, "case")
            for ranks in (2, 4):
                out = place.good(*RUN, "-o", "shared", *sets(stop=5e-9), **on_ranks(ranks))
                expect(levels_of(out) == alone, f"{levels_of(out)} on {ranks} ranks, {alone} on one")
                again, shared = last_line(place, "shared")
                expect(end == again, f"ends at {again} s and {end} s")
                far = max(abs(a - b) for p, q in zip(fields, shared) for a, b in zip(p, q))
                expect(far < 1e-12, f"{flux}, {ranks} ranks: {far}")


def test_sheet_between_ranks(program):
    """A sheet of metal within the part stays one where the parts of two ranks meet: it lies along the box, at y = 1."""
    planes = (PLANES[0], [0, 0.5, 1, 1.5, 2], [0, 0.5, 1])
    files = {"input/graded.msh": meshes.box(planes=planes, left=lambda i, j, k: j < 2).text()}
    script = cavity("centered").replace("materials =", 'interfaces = { [4] = { kind = "pec" } }, materials =')
    script = script.replace("math.sin(math.pi * y / 2)", "(y < 1 and math.sin(math.pi * y) or 0)")
    with Place(program, files, script) as place:
        place.good(*RUN, *sets(stop=5e-9))
        _, fields = last_line(place, "case")
        for ranks in (2, 3, 4):
            place.good(*RUN, "-o", "shared", *sets(stop=5e-9), **on_ranks(ranks))
            _, shared = last_line(place, "shared")
            far = max(abs(a - b) for p, q in zip(fields, shared) for a, b in zip(p, q))
            expect(far < 1e-12, f"{ranks} ranks: {far}")


def test_profile(program):
    """Shorter steps are a phase of their own, and a watch changes no result."""
    with Place(program, FILES, cavity("centered")) as place:
        place.good(*RUN, *sets(stop=5e-9))
        fields = last_line(place, "case")
        out = place.good(*RUN, "--profile", "-o", "watched", *sets(stop=5e-9))
        expect(re.search(r"^profile +level 1, shorter steps +\d+ ", out, re.M), out)
        expect(last_line(place, "watched") == fields, "the fields are other ones")


def test_reasons(program):
    """What keeps one level is said. Where all elements are alike one level is best, whatever a filter could do: the step
    would be longer than any of them carries a wave with."""
    for why, extra in (("Runge-Kutta has one step for all", sets(integrator="lsrk")),
                       ("time.step is given", sets(step=1e-11)),
                       ("output.balance", ("--set", "output.balance={every=10}"))):
        with Place(program, FILES, cavity()) as place:
            out = place.good("check", "input/case.lua", *extra)
            expect(levels_of(out) == [f"levels    one: {why}"], f"{levels_of(out)}")
    with Place(program) as place:
        out = place.good(*RUN, *sets(levels='"auto"'))
        expect(re.fullmatch(r"levels    one: \w+ would make the run 1\.0\d times as fast", " ".join(levels_of(out))), f"{levels_of(out)}")


def test_suggestion(program):
    """A long run with one level says what more would gain: about what is counted with them. It is
    silent about a short run, and where something hinders levels."""
    says = r"levels    local time steps \(time\.levels = \"auto\"\) would take about ([\d.]+) times less work"
    for flux in ("centered", "upwind"):
        with Place(program, FILES, cavity(flux)) as place:
            out = place.good("check", "input/case.lua", *sets(stop=2e-6, levels='"auto"'))
            counted = float(re.search(r"counted so, the run is ([\d.]+) times", out)[1])
            said = re.fullmatch(says, " ".join(levels_of(place.good("check", "input/case.lua", *sets(stop=2e-6, levels=1)))))
            expect(said and 0.8 * counted < float(said[1]) < 1.06 * counted, f"{said} of {counted}, {flux}")
            for extra in (sets(stop=2e-10, levels=1), sets(stop=2e-6, levels=1, integrator="lsrk"),
                          sets(stop=2e-6, levels=1, step=1e-11)):
                out = place.good("check", "input/case.lua", *extra)
                expect(not levels_of(out), f"{extra}: {levels_of(out)}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
