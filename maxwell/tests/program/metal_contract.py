#!/usr/bin/python3
"""Metal walls, kind "metal": metal_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import os
import re
import sys

import numpy as np

from harness import Place, expect, on_ranks
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
    # Roughness: E. Hammerstad, O. Jensen, IEEE MTT-S Digest 1980, 407.
    rms = 2e-5
    _, rough = transmission(program, f'{{ kind = "metal", conductivity = {SIGMA}, roughness = {rms} }}')
    formula = 1 + 2 / np.pi * np.arctan(1.4 * rms ** 2 * np.pi * f * MU0 * SIGMA)
    off = np.log(ideal / rough) / np.log(ideal / lossy) / formula - 1
    print("the factor of roughness", formula, "is off by", off)
    expect(np.abs(off).max() < 5e-3, f"the factor of roughness is off by {off}")


# A bar with a foil of copper across it.
BAR = """\
SetFactory("OpenCASCADE");
Box(1) = { 0, 0, -1, 0.5, 0.5, 1 };
Box(2) = { 0, 0, 0, 0.5, 0.5, 1 };
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-3;
Mesh.MeshSizeMax = 0.5;
Physical Surface("foil") = Surface In BoundingBox{ -e, -e, -e, 0.5 + e, 0.5 + e, e };
Physical Surface("left") = Surface In BoundingBox{ -e, -e, -1 - e, 0.5 + e, 0.5 + e, -1 + e };
Physical Surface("right") = Surface In BoundingBox{ -e, -e, 1 - e, 0.5 + e, 0.5 + e, 1 + e };
Physical Surface("magnetic") = { Surface In BoundingBox{ -e, -e, -1 - e, 0.5 + e, e, 1 + e },
                                 Surface In BoundingBox{ -e, 0.5 - e, -1 - e, 0.5 + e, 0.5 + e, 1 + e } };
"""
SHIELD = """\
simulation {
  mesh = { file = "bar.geo" }, order = 3, time = { stop = 6e-8 }, backend = "cpu", precision = "single",
  materials = { default = {} },
  boundaries = {
    left = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 }, waveform = waveform.gaussian { bandwidth = 2e8 } },
    right = { kind = "absorbing" }, magnetic = { kind = "pmc" }, default = { kind = "pec" },
  },
  interfaces = { foil = { kind = "metal_sheet", KEYS } },
  output = { probes = { { name = "front", at = { 0.25, 0.25, -0.5 } }, { name = "back", at = { 0.25, 0.25, 0.5 } } } },
}
"""


def forward(place, probe, f):
    """The spectrum of the wave that travels along +z."""
    rows = np.genfromtxt(place.path("case", f"probes/{probe}.csv"), delimiter=",", names=True)
    return np.exp(-2j * np.pi * np.outer(f, rows["time"])) @ (rows["Ex"] + ETA0 * rows["Hy"])


def test_shielding(program):
    """20 um of copper from 1 MHz to 200 MHz against the closed form of a slab."""
    f, sigma, d = np.array([1e6, 3e7, 1e8, 2e8]), 5.8e7, 20e-6
    Z, q = np.sqrt(2j * np.pi * f * MU0 / sigma), d * np.sqrt(2j * np.pi * f * MU0 * sigma)
    exact = 20 * np.log10(np.abs(np.cosh(q) + (Z / ETA0 + ETA0 / Z) / 2 * np.sinh(q)))
    with Place(program, {"input/bar.geo": BAR}, SHIELD.replace("KEYS", 'metal = "copper", thickness = 20e-6, band = { 1e6, 2e8 }')) as place:
        place.good(*RUN)
        found = 20 * np.log10(np.abs(forward(place, "front", f) / forward(place, "back", f)))
    print("shielding", found, "dB, closed form", exact)
    expect(np.abs(found - exact).max() < 0.05, f"the shielding is {found} dB, not {exact}")


def test_sheets_described(program):
    for keys, line, says in (
            ('metal = "copper", thickness = 20e-6, band = { 1e6, 2e8 }', r"foil: what passes is followed within 0\.\d+ %\n", "beyond the band"),
            ('metal = "copper", thickness = 1e-3, band = { 1e6, 1e9 }',
             r"foil: what passes is followed within 1 % up to 1\.\d+e\+06 Hz; beyond, less than 1e-08 of the surface impedance is left", ""),
            ("conductivity = 1, thickness = 1e-2", r"foil: 1 S/m, 0\.01 m, \S+ skin depths", "is a poor conductor at")):
        with Place(program, {"input/bar.geo": BAR}, SHIELD.replace("KEYS", keys)) as place:
            code, out, err, _ = place.run("check", "input/case.lua")
            expect(code == 0 and re.search(line, out) and says in err, f"{keys}: {out}{err}")


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


def check_balance(program, what, edit, limits, ranks=1, stop="1e-9"):
    """All that is lost is in the balance, also of a run that goes on from a checkpoint."""
    small = edit(RESONATOR.replace("order = 5", "order = 3").replace("12e-9", stop).replace(
        'metal = "copper"', "conductivity = 1e3").replace("energy = { every = 50 }", "balance = { every = 20 }"))
    mesh = {"input/box.msh": scaled((2, 2, 1), (SIDE, SIDE, HEIGHT))}
    shared = on_ranks(ranks) if ranks > 1 else {}
    for integrator, most in limits.items():
        with Place(program, mesh, small.replace("INTEGRATOR", integrator)) as place:
            place.good(*RUN, "--set", "checkpoint.every=60", **shared)
            names = os.listdir(place.path("case/checkpoint"))
            earlier = min(name.split("_")[1].split(".")[0] for name in names)
            for name in names:
                if earlier not in name:
                    os.remove(place.path("case/checkpoint", name))
            place.good(*RUN, "--set", "checkpoint.every=60", "--restart", **shared)
            expect(place.summary()["checkpoints"]["restarts"] == 1, "the run did not go on")
            rows = np.genfromtxt(place.path("case", "balance.csv"), delimiter=",", names=True)
            lost, off = rows["losses"][-1] / rows["energy"][0], np.abs(rows["difference"]).max() / rows["energy"][0]
            print(f"{what}, {ranks} ranks, {integrator}: {lost:.4f} of the energy lost, the balance is off by {off:.2g}")
            expect(0.1 < lost < 1 and off < most and rows["radiated"][-1] == 0, f"{what}, {integrator}: {lost}, {off}")


def test_balance(program):
    check_balance(program, "walls", lambda script: script, {"leapfrog": 1e-9, "lsrk": 5e-5, "rk4": 5e-5})


def with_sheet(script):
    """Of pec walls, and a sheet across the box on which E begins at zero."""
    sheet = 'interfaces = { between = { kind = "metal_sheet", conductivity = 1e3, thickness = 3e-4, band = { 2e9, 5e10 } } },'
    return script.replace("math.sin(k * x)", "math.sin(2 * k * x)").replace(
        'default = { kind = "metal", conductivity = 1e3, band = { 2e9, 5e10 } }', 'default = { kind = "pec" }').replace(
        "  boundaries =", f"  {sheet}\n  boundaries =")


def test_balance_of_sheet(program):
    check_balance(program, "a sheet", with_sheet, {"leapfrog": 1e-9, "lsrk": 5e-5, "rk4": 5e-5})


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
    sys.exit(main(sys.modules[__name__]))
