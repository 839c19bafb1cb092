#!/usr/bin/python3
"""Bloch phases: bloch_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import cmath
import math
import os
import sys

import numpy as np

from harness import Place, expect, on_ranks
from periodic_contract import ALL, C0, CELL, grid
from run_contract import RUN, main

# Ez is cos(G.x) exp(-j k.x) at first, with k and G across z: the waves k + G and k - G, each both ways.
WAVE = """\
local K, G = { KX, KY, 0 }, { GX, GY, 0 }
simulation {
  mesh = { file = "box.msh", unit = 0.25 }, order = 3, flux = "FLUX", backend = "BACKEND",
  time = { step = 7e-12, steps = 200, integrator = "INTEGRATOR" },
  materials = { default = {} },
  bloch = K,
  boundaries = {
""" + ALL + """
  },
  initial = { E = function(x, y, z) return 0, 0, math.cos(G[1] * x + G[2] * y) end },
  output = { probes = { { name = "p", at = { 0.21, 0.33, 0.31 } } }, energy = { every = 1 } },
}
"""
G = (2 * math.pi, -2 * math.pi)


def wave(k=(1.1, 0.7), g=G, flux="centered", integrator="leapfrog", backend="cpu"):
    script = WAVE.replace("FLUX", flux).replace("INTEGRATOR", integrator).replace("BACKEND", backend)
    for name, number in zip(("KX", "KY", "GX", "GY"), k + g):
        script = script.replace(name, repr(number))
    return script


def test_check(program):
    """What is in the mesh is told once, though it has two sets of elements; the same from two ranks."""
    script = wave()
    without = "\n".join(line for line in script.splitlines() if "bloch = K" not in line)
    with Place(program, {"input/box.msh": grid((4, 4, 4), (4, 4, 4), 0.1)}, script) as place:
        told = []
        for case, options in ((script, {}), (script, on_ranks(2)), (without, {})):
            place.write("input/case.lua", case)
            out = place.good("check", "input/case.lua", **options)
            told.append([line for line in out.splitlines() if line.split()[0] in ("volume", "surface", "material", "group")])
        expect(told[0] and told[0] == told[1] == told[2], f"{told}")


def probe(place, folder="case"):
    return np.genfromtxt(place.path(folder, "probes/p.csv"), delimiter=",", names=True)


def complex_of(found, name):
    return found[name + "_re"] + 1j * found[name + "_im"]


def empty_lattice(found, k, g, at=(0.21, 0.33)):
    right = np.zeros(len(found["time"]), complex)
    for sign in (1, -1):
        kx, ky = k[0] + sign * g[0], k[1] + sign * g[1]
        right += 0.5 * np.exp(-1j * (kx * at[0] + ky * at[1])) * np.cos(math.hypot(kx, ky) * C0 * found["time"])
    return right


def difference(one, other):
    names = [name for name in one.dtype.names if name != "time"]
    most = max(np.abs(one[name]).max() for name in names if name[0] == "E")
    return max(np.abs(one[name] - other[name]).max() / most for name in names if name[0] == "E")


def test_empty_lattice(program):
    """The waves of an empty lattice, whatever the integrator and backend; the centred leapfrog keeps energy."""
    k = (1.1, 0.7)
    for flux, integrator, backend in (("centered", "leapfrog", "cpu"), ("upwind", "lsrk", "cpu"), ("upwind", "leapfrog", "reference"),
                                      ("centered", "rk4", "reference")):
        with Place(program, {"input/box.msh": grid((4, 4, 4), (4, 4, 4), 0.1)}, script=wave(k, G, flux, integrator, backend)) as place:
            out = place.good(*RUN, "--set", "order=4", "--set", "time.step=3e-12", "--set", "time.steps=400")
            expect("bloch     k = (1.1, 0.7, 0) rad/m: phases of -0.7, 0, 1.1 rad, two sets of 384 elements" in out, out)
            found = probe(place)
            worst = np.abs(complex_of(found, "Ez") - empty_lattice(found, k, G)).max()
            expect(worst < 5e-4, f"{flux}, {integrator}, {backend}: the waves are wrong by {worst:.2g} of 1")
            energy = np.genfromtxt(place.path("case/energy.csv"), delimiter=",", names=True)["total"]
            drift = np.abs(energy / energy[0] - 1).max()
            expect(drift < 1e-12 or flux == "upwind" or integrator == "rk4", f"{backend}: the energy drifts by {drift:.2g}")


def test_no_phase(program):
    """With k = 0 the real part is the field of periodic sides, and the imaginary part is zero."""
    with Place(program, {"input/box.msh": grid((2, 3, 3), (2, 3, 3))}, script=wave((0.0, 0.0))) as place:
        place.good(*RUN)
        found = probe(place)
        place.write("input/case.lua", wave((0.0, 0.0)).replace("  bloch = K,\n", ""))
        place.good(*RUN)
        plain = probe(place)
        worst = np.abs(found["Ez_re"] - plain["Ez"]).max()
        expect(worst < 1e-12 and np.abs(found["Ez_im"]).max() == 0, f"k = 0 and periodic sides differ by {worst:.2g}")


def test_doubled_cell(program):
    """A phase of pi is a cell of twice the length whose field changes sign in the middle."""
    k = (2 * math.pi, 0.0)
    for flux, integrator, backend in (("centered", "leapfrog", "cpu"), ("upwind", "lsrk", "reference")):
        script, found, limit = wave(k, (0.0, 4 * math.pi / 3), flux, integrator, backend), [], []
        for cells in ((2, 3, 3), (4, 3, 3)):
            if cells[0] == 4:
                script = script.replace("  bloch = K,\n", "").replace("0, 0, math", "0, 0, math.cos(K[1] * x) * math")
            with Place(program, {"input/box.msh": grid(cells, (2, 3, 3))}, script=script) as place:
                place.good(*RUN)
                found.append(probe(place))
                limit.append(place.summary()["stability_limit"])
        worst = np.abs(found[0]["Ez_re"] - found[1]["Ez"]).max()
        expect(worst < 1e-12, f"{flux}, {integrator}, {backend}: they differ by {worst:.2g}")
        expect(0 <= limit[0] / limit[1] - 1 + 2e-3 < 0.05, f"the limit is {limit[0]:.6g} s, of the doubled cell {limit[1]:.6g} s")


def test_limit(program):
    """A step at the edge of the limit is stable, also beside a wave vector that is none of the lattice's corners."""
    script = wave((2.1, -1.3)).replace("time = { step = 7e-12, steps = 200", "time = { cfl = 0.995, steps = 3000")
    with Place(program, {"input/box.msh": grid((2, 3, 3), (2, 3, 3))}, script=script) as place:
        place.good(*RUN, "--set", "order=2")
        energy = np.genfromtxt(place.path("case/energy.csv"), delimiter=",", names=True)["total"]
        drift = np.abs(energy / energy[0] - 1).max()
        expect(drift < 1e-10, f"the energy drifts by {drift:.2g}")


def test_ranks_and_restart(program):
    with Place(program, {"input/box.msh": grid((3, 3, 3), (3, 3, 3))}, script=wave()) as place:
        place.good(*RUN, "--set", "checkpoint.every=90")
        one, limit = probe(place), place.summary()["stability_limit"]
        for backend in ("cpu", "reference"):
            for ranks in (1, 2, 3):
                place.good(*RUN, "--output", "shared", "--set", f"backend={backend}", **on_ranks(ranks))
                worst = difference(one, probe(place, "shared"))
                expect(worst < 1e-12, f"{backend} on {ranks} ranks differs by {worst:.2g}")
                expect(abs(place.summary("shared")["stability_limit"] / limit - 1) < 1e-12, f"{ranks} ranks find another limit")
        with open(place.path("case/probes/p.csv"), "rb") as file:
            whole = file.read()
        for name in os.listdir(place.path("case/checkpoint")):
            if "180" in name:
                os.remove(place.path("case/checkpoint", name))
        place.good(*RUN, "--set", "checkpoint.every=90", "--restart")
        expect(place.summary()["checkpoints"]["restarts"] == 1, "the run did not go on")
        with open(place.path("case/probes/p.csv"), "rb") as file:
            expect(file.read() == whole, "a restart changes the field")
        place.good(*RUN, "--output", "half", "--set", "precision=single")
        worst = difference(one, probe(place, "half"))
        expect(worst < 1e-4, f"single precision differs by {worst:.2g}")


# A slab in a column whose sides have Bloch phases, between open walls. A sheet of current in front of it sends out
# waves of one wave vector along the cell: at 30 degrees for the lowest frequency.
SLAB = """\
local points = { 3e8, 3.6e8, 4.2e8 }
simulation {
  mesh = { file = "cell.geo" }, order = 3, time = { stop = 3.8e-8 },
  materials = { default = {}, slab = { epsilon_r = 4 } },
  bloch = { KX, 0, 0 },
  boundaries = { left = { kind = "periodic", with = "right" }, right = { kind = "periodic", with = "left" },
    front = { kind = "periodic", with = "back" }, back = { kind = "periodic", with = "front" },
    default = { kind = "open", reflection = -70 } },
  interfaces = { entry = { kind = "surface_current", profile = { 1, 1, 0 },
    waveform = waveform.gaussian { f0 = 5e8, bandwidth = 4e8 } } },
  output = { probes = { { name = "back", at = { 0.11, 0.07, -0.4 }, frequencies = points },
                        { name = "through", at = { 0.11, 0.07, 0.4 }, frequencies = points } } },
}
"""


def slab_ratio(f, kx, tm, d=0.3, eps=4):
    """The field 0.2 m behind the sheet over that 0.1 m behind the slab, by Fresnel's coefficients of E along the slab."""
    k = 2 * math.pi * f / C0
    kz = [cmath.sqrt(e * k * k - kx * kx) for e in (1, eps)]
    z = [kz[0], kz[1] / eps] if tm else [1 / kz[0], 1 / kz[1]]
    rho, turn = (z[1] - z[0]) / (z[1] + z[0]), cmath.exp(-2j * kz[1] * d)
    R = rho * (1 - turn) / (1 - rho * rho * turn)
    T = (1 - rho * rho) * cmath.exp(-1j * kz[1] * d) / (1 - rho * rho * turn)
    return (cmath.exp(-0.2j * kz[0]) + R * cmath.exp(-0.6j * kz[0])) / (T * cmath.exp(-0.3j * kz[0]))


def test_slab(program):
    """Reflection and transmission of a slab at slant, both polarisations."""
    kx = math.pi * 3e8 / C0
    with Place(program, {"input/cell.geo": CELL}, script=SLAB.replace("KX", repr(kx))) as place:
        place.good(*RUN)
        found = [np.genfromtxt(place.path(f"case/probes/{name}_spectrum.csv"), delimiter=",", names=True) for name in ("back", "through")]
    for back, through in zip(*found):
        for name in ("Ey", "Ex"):
            ratio = complex(back[name + "_re"], back[name + "_im"]) / complex(through[name + "_re"], through[name + "_im"])
            off = abs(ratio / slab_ratio(back["frequency"], kx, name == "Ex") - 1)
            expect(off < 1e-3, f"{name} at {back['frequency']:g} Hz is wrong by {off:.2g}")


# Media, layers, a source and all that is measured, in a cell with phases in two directions.
MIX = """\
simulation {
  mesh = { file = "cell.geo" }, order = 2, time = { steps = 100, integrator = "INTEGRATOR" }, backend = "BACKEND",
  materials = { default = {}, slab = { epsilon_r = 3, sigma = 0.01, debye = { { delta = 2, tau = 3e-10 } } } },
  bloch = { 3.1, -2.2, 0 },
  boundaries = { left = { kind = "periodic", with = "right" }, right = { kind = "periodic", with = "left" },
    front = { kind = "periodic", with = "back" }, back = { kind = "periodic", with = "front" }, default = { kind = "open" } },
  initial = { E = function(x, y, z) return math.exp(-50 * (z + 0.1) ^ 2), 0.3 * math.exp(-50 * (z - 0.2) ^ 2), 0 end },
  sources = { { at = { 0.1, 0.05, 0.1 }, moment = { 1e-3, 0, 0 }, waveform = waveform.step { rise = 1e-9 } } },
  output = {
    probes = { { name = "p", at = { 0.11, 0.07, -0.4 } } }, energy = { every = 10 },
    lines = { { name = "l", from = { 0.02, 0.02, -0.4 }, to = { 0.18, 0.1, 0.4 }, points = 7, every = 10, frequencies = { 3e8 } } },
    losses = { { name = "s", region = "slab" } },
    fluxes = { { name = "f", surface = "entry", direction = { 0, 0, 1 } } },
  },
}
"""
TABLES = ("probes/p", "lines/l", "lines/l_spectrum", "losses/s", "fluxes/f", "energy")


def test_backends_and_ranks(program):
    """Poles, losses, layers, sources and measurements are the same on all backends and ranks."""
    for integrator in ("leapfrog", "lsrk"):
        script = MIX.replace("INTEGRATOR", integrator)
        with Place(program, {"input/cell.geo": CELL}, script=script.replace("BACKEND", "cpu")) as place:
            place.good(*RUN)
            place.good(*RUN, "--output", "ranks", **on_ranks(3))
            place.write("input/case.lua", script.replace("BACKEND", "reference"))
            place.good(*RUN, "--output", "reference")
            for table in TABLES:
                one, *others = (np.genfromtxt(place.path(where, table + ".csv"), delimiter=",", names=True)
                                for where in ("case", "ranks", "reference"))
                names = [name for name in one.dtype.names if name not in ("time", "frequency", "x", "y", "z")]
                most = max(np.abs(one[name]).max() for name in names)
                expect(most > 0, f"{table} is zero")
                for other in others:
                    worst = max(np.abs(one[name] - other[name]).max() for name in names) / most
                    expect(worst < 1e-12, f"{integrator}: {table} differs by {worst:.2g}")


def test_refusals(program):
    fits, here = grid((2, 3, 3), (2, 3, 3)), wave()
    sides = here[here.index("    left"):here.index("  initial")]
    cases = [
        (here.replace(sides, "  },\n"), "bloch gives the fields a phase from period to period, and no boundary is periodic"),
        (here.replace("bottom = { kind = \"periodic\", with = \"top\" }, top = { kind = \"periodic\", with = \"bottom\" },", "")
         .replace("0 }, { ", "0.5 }, { "), "has the part (0, 0, 0.5), along which the mesh has no period"),
        (here.replace("energy =", "fields = { every = 10 }, energy ="), "output.fields has no form with Bloch phases"),
        (here.replace("energy =", 'voltages = { { name = "v", path = { { 0, 0, 0 }, { 0.1, 0, 0 } } } }, energy ='),
         "output.voltages: 'v' has no form with Bloch phases"),
        (here.replace("  initial", "  sources = { { region = 1, current = function(x, y, z, t) return t, 0, 0 end } },\n  initial"),
         "sources[1]: a function of (x, y, z, t) has no form with Bloch phases"),
        (here.replace("bloch = K", "bloch = 3"), "three numbers (rad/m)"),
    ]
    for script, said in cases:
        with Place(program, {"input/box.msh": fits}, script=script) as place:
            code, _, err, _ = place.run(*RUN)
            expect(code == 2 and said in err, f"{code}: {err} instead of {said}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
