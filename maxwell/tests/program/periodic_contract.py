#!/usr/bin/python3
"""Periodic boundaries: periodic_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import cmath
import math
import os
import random
import sys

import numpy as np

import meshes
from harness import Place, expect, on_ranks
from run_contract import RUN, main

C0 = 299792458.0
SIDES = ("left", "right", "front", "back", "bottom", "top")
ALL = """\
    left = { kind = "periodic", with = "right" }, right = { kind = "periodic", with = "left" },
    front = { kind = "periodic", with = "back" }, back = { kind = "periodic", with = "front" },
    bottom = { kind = "periodic", with = "top" }, top = { kind = "periodic", with = "bottom" },"""

# A plane wave in a cell that is periodic in all directions, of which one wavelength lies along each.
WAVE = """\
local eta = 376.730313668
local function wave(x, y, z) return math.cos(2 * math.pi * (x / LX + y / LY + z / LZ)) end
simulation {
  mesh = { file = "box.msh", unit = UNIT }, order = 3, flux = "FLUX", backend = "BACKEND",
  time = { step = 7e-12, steps = 200, integrator = "INTEGRATOR" },
  materials = { default = {} },
  boundaries = {
""" + ALL + """
  },
  initial = {
    E = function(x, y, z) local s = wave(x, y, z) / math.sqrt(2); return s, -s, 0 end,
    H = function(x, y, z) local s = wave(x, y, z) / math.sqrt(6) / eta; return s, s, -2 * s end,
  },
  output = { probes = { { name = "p", at = { 0.21, 0.33, 0.47 } } }, energy = { every = 1 } },
}
"""


def grid(cells, period, shake=0.25, unlike=0.0):
    """A grid of cubes, six tetrahedra each, whose vertices, also those of the sides, are moved alike in all periods.
    unlike: moves one vertex of the right side, in cells."""
    mesh = meshes.Mesh()
    nx, ny, nz = cells

    def node(i, j, k):
        return 1 + i + (nx + 1) * (j + (ny + 1) * k)

    moves = random.Random(3)
    moved = {(i, j, k): [shake * (2 * moves.random() - 1) for _ in range(3)]
             for i in range(period[0]) for j in range(period[1]) for k in range(period[2])}
    for k in range(nz + 1):
        for j in range(ny + 1):
            for i in range(nx + 1):
                move = list(moved[i % period[0], j % period[1], k % period[2]])
                if (i, j, k) == (nx, 1, 1):
                    move[1] += unlike
                mesh.point(node(i, j, k), *(float(at) + by for at, by in zip((i, j, k), move)))
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                corners = [node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) for c in range(8)]
                for tet in meshes.SIX:
                    mesh.add(3, 1, meshes.TETRAHEDRON, [corners[c] for c in tet])
                    for drop in range(4):
                        face = [c for c in tet if c != tet[drop]]
                        for d, (at, last) in enumerate(((i, nx), (j, ny), (k, nz))):
                            for side in (0, 1):
                                if at == side * (last - 1) and all(c >> d & 1 == side for c in face):
                                    mesh.add(2, 2 * d + side + 1, meshes.TRIANGLE, [corners[c] for c in face])
    mesh.elements.sort(key=lambda element: (element[0], element[1]))
    for number, name in enumerate(SIDES, 1):
        mesh.group(2, number, name, [number])
    return mesh.text()


def wave(flux="upwind", integrator="lsrk", backend="cpu", period=(4, 4, 4)):
    script = WAVE.replace("FLUX", flux).replace("INTEGRATOR", integrator).replace("BACKEND", backend).replace("UNIT", "0.25")
    for name, cells in zip(("LX", "LY", "LZ"), period):
        script = script.replace(name, str(0.25 * cells))
    return script


def probe(place, folder="case"):
    return np.genfromtxt(place.path(folder, "probes/p.csv"), delimiter=",", names=True)


def difference(one, other):
    names = [name for name in one.dtype.names if name != "time"]
    return max(np.abs(one[name] - other[name]).max() / max(np.abs(one[name]).max(), 1e-30) for name in names if name[0] == "E")


def test_wave(program):
    """A plane wave goes through the sides as if they were not there."""
    with Place(program, {"input/box.msh": grid((4, 4, 4), (4, 4, 4), 0.1)}, script=wave()) as place:
        out = place.good(*RUN, "--set", "order=4", "--set", "time.step=auto", "--set", "time.steps=100")
        expect("periodic  boundaries.left and boundaries.right: 32 faces each, (1, 0, 0) m apart" in out, out)
        found = probe(place)
        phase = 2 * math.pi * (0.21 + 0.33 + 0.47)
        right = np.cos(phase - 2 * math.pi * math.sqrt(3) * C0 * found["time"]) / math.sqrt(2)
        worst = np.abs(found["Ex"] - right).max()
        expect(worst < 0.01, f"the wave is wrong by {worst:.2g} of 0.7")


def test_doubled_cell(program):
    """One period and two give the same field, whatever the integrator and backend, and keep energy with the centred flux."""
    for flux, integrator, backend in (("centered", "leapfrog", "cpu"), ("upwind", "lsrk", "cpu"), ("upwind", "leapfrog", "reference"),
                                      ("centered", "rk4", "reference")):
        found, energy = [], []
        for cells in ((2, 3, 3), (4, 3, 3)):
            with Place(program, {"input/box.msh": grid(cells, (2, 3, 3))}, script=wave(flux, integrator, backend, (2, 3, 3))) as place:
                place.good(*RUN)
                found.append(probe(place))
                energy.append(np.genfromtxt(place.path("case/energy.csv"), delimiter=",", names=True)["total"])
        worst = difference(*found)
        expect(worst < 1e-11, f"{flux}, {integrator}, {backend}: two periods differ from one by {worst:.2g}")
        drift = np.abs(energy[0] / energy[0][0] - 1).max()
        expect(drift < 1e-12 or flux == "upwind" or integrator == "rk4", f"{flux}: the energy drifts by {drift:.2g}")


def test_ranks_and_restart(program):
    with Place(program, {"input/box.msh": grid((3, 3, 3), (3, 3, 3))}, script=wave(period=(3, 3, 3))) as place:
        place.good(*RUN, "--set", "checkpoint.every=90")
        one = probe(place)
        for ranks in (2, 3):
            place.good(*RUN, "--output", "shared", **on_ranks(ranks))
            worst = difference(one, probe(place, "shared"))
            expect(worst < 1e-12, f"{ranks} ranks differ by {worst:.2g}")
        with open(place.path("case/probes/p.csv"), "rb") as file:
            whole = file.read()
        for name in os.listdir(place.path("case/checkpoint")):
            if "180" in name:
                os.remove(place.path("case/checkpoint", name))
        place.good(*RUN, "--set", "checkpoint.every=90", "--restart")
        expect(place.summary()["checkpoints"]["restarts"] == 1, "the run did not go on")
        with open(place.path("case/probes/p.csv"), "rb") as file:
            expect(file.read() == whole, "a restart changes the field")


# A slab in a column that is periodic across, between open walls.
CELL = """\
SetFactory("OpenCASCADE");
W = 0.2; e = 1e-6;
Box(1) = {0, 0, -0.5, W, W, 0.3};
Box(2) = {0, 0, -0.2, W, W, 0.2};
Box(3) = {0, 0, 0, W, W, 0.3};
Box(4) = {0, 0, 0.3, W, W, 0.2};
BooleanFragments{ Volume{1:4}; Delete; }{}
Mesh.MeshSizeMax = 0.1;
left() = Surface In BoundingBox{-e, -e, -1, e, W+e, 1};
right() = Surface In BoundingBox{W-e, -e, -1, W+e, W+e, 1};
front() = Surface In BoundingBox{-e, -e, -1, W+e, e, 1};
back() = Surface In BoundingBox{-e, W-e, -1, W+e, W+e, 1};
Periodic Surface {right()} = {left()} Translate {W, 0, 0};
Periodic Surface {back()} = {front()} Translate {0, W, 0};
Physical Surface("left") = {left()}; Physical Surface("right") = {right()};
Physical Surface("front") = {front()}; Physical Surface("back") = {back()};
entry() = Surface In BoundingBox{-e, -e, -0.2-e, W+e, W+e, -0.2+e};
Physical Surface("entry") = {entry()};
Physical Volume("slab") = {3}; Physical Volume("total") = {2, 3, 4};
"""
SLAB = """\
simulation {
  mesh = { file = "cell.geo" }, order = 3, time = { stop = 4e-8 },
  materials = { default = {}, slab = { epsilon_r = 4 } },
  boundaries = { left = { kind = "periodic", with = "right" }, right = { kind = "periodic", with = "left" },
    front = { kind = "periodic", with = "back" }, back = { kind = "periodic", with = "front" }, default = { kind = "open" } },
  interfaces = { entry = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
    waveform = waveform.gaussian { f0 = 3e8, bandwidth = 4e8 } } },
  output = { probes = { { name = "back", at = { 0.11, 0.07, -0.4 }, frequencies = { 2e8, 3e8, 4e8 } },
                        { name = "through", at = { 0.11, 0.07, 0.4 }, frequencies = { 2e8, 3e8, 4e8 } } } },
}
"""


def test_slab(program):
    """Reflection over transmission of a slab, with layers that grow beside periodic sides."""
    with Place(program, {"input/cell.geo": CELL}, script=SLAB) as place:
        place.good(*RUN)
        found = [np.genfromtxt(place.path(f"case/probes/{name}_spectrum.csv"), delimiter=",", names=True) for name in ("back", "through")]
        n, d = 2, 0.3
        for back, through in zip(*found):
            k = 2 * math.pi * back["frequency"] / C0
            rho, turn = (1 - n) / (1 + n), cmath.exp(-2j * n * k * d)
            R, T = rho * (1 - turn) / (1 - rho * rho * turn), (1 - rho * rho) * cmath.exp(-1j * n * k * d) / (1 - rho * rho * turn)
            right = R * cmath.exp(-0.4j * k) / (T * cmath.exp(-0.1j * k))
            ratio = complex(back["Ex_re"], back["Ex_im"]) / complex(through["Ex_re"], through["Ex_im"])
            off = abs(ratio / right - 1)
            expect(off < 4e-3, f"R/T at {back['frequency']:g} Hz is wrong by {off:.2g}")


def test_refusals(program):
    fits = grid((3, 3, 3), (3, 3, 3))
    cases = [
        (grid((3, 3, 3), (3, 3, 3), unlike=0.1), wave(), (), "boundaries.left and boundaries.right do not have the same triangles"),
        (grid((1, 3, 3), (1, 3, 3)), wave(), (), "a period takes two elements at least"),
        (fits, wave().replace("energy =", 'fluxes = { { name = "f", surface = "left" } }, energy ='), (),
         "output.fluxes.left: surface 1 is a periodic side"),
        (grid((3, 3, 3), (3, 3, 3), shake=0), wave().replace('left = { kind = "periodic", with = "right" }', 'left = { kind = "tem_port" }')
         .replace('right = { kind = "periodic", with = "left" }', 'right = { kind = "pec" }'), (),
         "boundaries.left: a tem_port does not know periodic sides yet"),
        (fits, wave().replace('with = "right"', 'with = "up"'), (), "the boundary that its 'with' names must be periodic with it"),
    ]
    for mesh, script, words, said in cases:
        with Place(program, {"input/box.msh": mesh}, script=script) as place:
            code, _, err, _ = place.run(*RUN, *words)
            expect(code == 2 and said in err, f"{code}: {err}")
    alone = SLAB.replace("output = {", 'output = { far_field = { { name = "f", region = "slab", frequencies = { 3e8 } } },')
    with Place(program, {"input/cell.geo": CELL}, script=alone) as place:
        code, _, err, _ = place.run("check", "input/case.lua")
        expect(code == 2 and "output.far_field: 'f' would be the field of one cell" in err, err)
    slanted = SLAB.replace("direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 }", "direction = { 0.1, 0, 1 }, polarisation = { 1, 0, -0.1 }")
    with Place(program, {"input/cell.geo": CELL}, script=slanted) as place:
        code, _, err, _ = place.run("check", "input/case.lua")
        expect(code == 2 and "interfaces.entry: the wave reaches the sides that are" in err, err)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
