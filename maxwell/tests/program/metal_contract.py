#!/usr/bin/python3
"""Metal walls, kind "metal": metal_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import re
import sys

import numpy as np

from harness import Place, expect
from meshes import box
from run_contract import RUN, main

MU0, C0 = 1.25663706212e-6, 299792458.0
ETA0 = MU0 * C0

# WR-90, 60 mm long along x.
A, B, LENGTH = 22.86e-3, 10.16e-3, 60e-3
GUIDE = """\
simulation {
  mesh = { file = "box.msh" }, order = 4, time = { stop = 4e-9 }, backend = "cpu",
  materials = { default = {} },
  boundaries = {
    [1] = { kind = "waveguide_port", number = 1, waveform = waveform.gaussian { f0 = 10e9, bandwidth = 4e9 } },
    [2] = { kind = "waveguide_port", number = 2 },
    default = WALL,
  },
  output = { s_parameters = { from = 9e9, to = 11e9, points = 5 } },
}
"""
SIGMA = 1e5

# A box of copper that resonates at 10 GHz.
SIDE, HEIGHT = 21.2e-3, 10e-3
RESONATOR = f"""\
local k = math.pi / {SIDE}
simulation {{
  mesh = {{ file = "box.msh" }}, order = 5, backend = "cpu",
  time = {{ stop = 12e-9, integrator = "INTEGRATOR" }},
  materials = {{ default = {{}} }},
  boundaries = {{ default = {{ kind = "metal", metal = "copper", band = {{ 2e9, 5e10 }} }} }},
  initial = {{ E = function(x, y, z) return 0, 0, math.sin(k * x) * math.sin(k * y) end }},
  output = {{ energy = {{ every = 50 }} }},
}}
"""


def scaled(cells, size):
    """The text of a box of that size, m."""
    mesh = box(cells)
    mesh.points = {tag: tuple(x * s / n for x, s, n in zip(point, size, cells)) for tag, point in mesh.points.items()}
    return mesh.text()


def transmission(program, wall):
    with Place(program, {"input/box.msh": scaled((6, 2, 1), (LENGTH, A, B))}, GUIDE.replace("WALL", wall)) as place:
        place.good(*RUN)
        rows = np.genfromtxt(place.path("case", "sparameters.csv"), delimiter=",", names=True)
        return rows["frequency"], np.abs(rows["S21_re"] + 1j * rows["S21_im"])


def test_attenuation(program):
    """D. M. Pozar, Microwave Engineering, 4th ed., (3.96). The run without losses gives what the mesh takes."""
    f, ideal = transmission(program, '{ kind = "pec" }')
    _, lossy = transmission(program, f'{{ kind = "metal", conductivity = {SIGMA} }}')
    k = 2 * np.pi * f / C0
    beta = np.sqrt(k ** 2 - (np.pi / A) ** 2)
    alpha = np.sqrt(np.pi * f * MU0 / SIGMA) * (2 * B * np.pi ** 2 + A ** 3 * k ** 2) / (A ** 3 * B * beta * k * ETA0)
    off = np.log(ideal / lossy) / (alpha * LENGTH) - 1
    print("attenuation is off by", off)
    expect(np.abs(off).max() < 5e-3, f"the attenuation is off by {off}")


def test_quality(program):
    """Pozar, (6.46), of TE101."""
    f = C0 / (np.sqrt(2) * SIDE)
    Rs, k = np.sqrt(np.pi * f * MU0 / 5.8e7), 2 * np.pi * f / C0
    Q = (k * SIDE ** 2) ** 3 * HEIGHT * ETA0 / (2 * np.pi ** 2 * Rs * (4 * SIDE ** 3 * HEIGHT + 2 * SIDE ** 4))
    for integrator in ("leapfrog", "lsrk"):
        with Place(program, {"input/box.msh": scaled((2, 2, 1), (SIDE, SIDE, HEIGHT))},
                   RESONATOR.replace("INTEGRATOR", integrator)) as place:
            place.good(*RUN)
            rows = np.genfromtxt(place.path("case", "energy.csv"), delimiter=",", names=True)
            late = rows["time"] > 2e-9
            found = -2 * np.pi * f / np.polyfit(rows["time"][late], np.log(rows["total"][late]), 1)[0]
            print(f"{integrator}: Q {found:.5g}, closed form {Q:.5g}")
            expect(abs(found / Q - 1) < 5e-3, f"{integrator}: Q is {found:.5g}, not {Q:.5g}")


def test_described(program):
    mesh = {"input/box.msh": scaled((6, 2, 1), (LENGTH, A, B))}
    with Place(program, mesh, GUIDE.replace("WALL", '{ kind = "metal", metal = "brass" }')) as place:
        out = place.good("check", "input/case.lua")
        expect(re.search(r"metal +default: 2\.564e\+07 S/m, \d+ resistors beside inductors follow its skin from \S+ to \S+ "
                         r"Hz within 0\.\d+ %; \S+ ohm at the upper end", out), out)
    for keys, says in (('metal = "copper", band = { 1e8, 2e9 }', "beyond the band its losses are wrong"),
                       ("conductivity = 1", "is a poor conductor at"),
                       ('metal = "zinc", band = { 1, 2e10 }', "")):
        with Place(program, mesh, GUIDE.replace("WALL", f'{{ kind = "metal", {keys} }}')) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            expect(code == 0 and says in err, f"{keys}: {err}")


if __name__ == "__main__":
    main(sys.modules[__name__])
