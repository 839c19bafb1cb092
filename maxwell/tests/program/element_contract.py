#!/usr/bin/python3
"""Lumped elements across a gap, kind "lumped_element": element_contract.py PROGRAM [NAME...] runs the tests whose names
contain a NAME, or all. share/doc/manual.md has the contract."""
import os
import sys

import numpy as np

from harness import Place, expect, on_ranks
from run_contract import RUN, main

ETA0 = 376.730313668
C0 = 299792458.0

# A parallel-plate line of 2 m, 1 m wide and high, 377 ohm: magnetic walls in y, electric ones in z. The port is at one
# end, the element at the other.
LINE = """\
simulation {
  mesh = { file = "box.msh" }, order = 5, time = { stop = 150e-9, integrator = "INTEGRATOR" }, backend = "BACKEND",
  materials = { default = {} },
  boundaries = {
    [1] = { kind = "lumped_port", resistance = 376.730313668, direction = { 0, 0, 1 },
            waveform = waveform.gaussian { bandwidth = 1.2e8 } },
    [2] = { kind = "lumped_element", direction = { 0, 0, 1 }, PARTS },
    [3] = { kind = "pmc" }, walls = { kind = "pec" },
  },
  output = { s_parameters = { from = 5e6, to = 6e7, points = 12 }, energy = { every = 1 } },
}
"""
R, L, C = 250.0, 1.5e-6, 8e-12
CASES = [("R",), ("L",), ("C",), ("series", "R", "L"), ("series", "R", "C"), ("series", "L", "C"), ("series", "R", "L", "C"),
         ("parallel", "R", "L"), ("parallel", "R", "C"), ("parallel", "L", "C"), ("parallel", "R", "L", "C")]
VALUES = {"R": ("resistance", R), "L": ("inductance", L), "C": ("capacitance", C)}
# One of each form of the equations: a current or a voltage as state, behind a resistor or not.
FORMS = [("series", "R", "L", "C"), ("parallel", "R", "L", "C"), ("series", "R", "C"), ("parallel", "R", "L")]


def script(case, integrator="leapfrog", backend="cpu", values=None):
    parts = ", ".join(f"{VALUES[part][0]} = {(values or {}).get(part, VALUES[part][1])!r}" for part in case if part in VALUES)
    if case[0] in ("series", "parallel"):
        parts += f', circuit = "{case[0]}"'
    return LINE.replace("INTEGRATOR", integrator).replace("BACKEND", backend).replace("PARTS", parts)


def reflection(place, folder="case"):
    """Frequencies and S11 of a run."""
    rows = np.genfromtxt(place.path(folder, "sparameters.csv"), delimiter=",", names=True)
    return rows["frequency"], rows["S11_re"] + 1j * rows["S11_im"]


def closed_form(case, frequency):
    """The line of 377 ohm and 2 m that ends with the parts."""
    s = 2j * np.pi * frequency
    impedance = {"R": R + 0 * s, "L": s * L, "C": 1 / (s * C)}
    of_parts = [impedance[part] for part in case if part in VALUES]
    Z = 1 / sum(1 / part for part in of_parts) if case[0] == "parallel" else sum(of_parts)
    return (Z - ETA0) / (Z + ETA0) * np.exp(-2 * s * 2 / C0)


def compare(program, integrator, tolerance):
    for case in CASES:
        with Place(program, script=script(case, integrator)) as place:
            place.good(*RUN)
            f, S = reflection(place)
            worst = np.abs(S - closed_form(case, f)).max()
            expect(worst < tolerance, f"{integrator}, {case}: S11 is wrong by {worst:.2g}")


def test_leapfrog(program):
    compare(program, "leapfrog", 2e-3)


def test_lsrk(program):
    compare(program, "lsrk", 2e-4)


def test_rk4(program):
    compare(program, "rk4", 2e-4)


def test_backends_agree(program):
    """The reference backend and cpu, in each form and with each kind of integrator."""
    for case in FORMS:
        for integrator in ("leapfrog", "rk4"):
            found = []
            for backend in ("reference", "cpu"):
                with Place(program, script=script(case, integrator, backend)) as place:
                    place.good(*RUN, "--set", "order=2", "--set", "time.steps=300", "--set", "time.stop=nil")
                    found.append(reflection(place)[1])
            worst = np.abs(found[0] - found[1]).max()
            expect(worst < 1e-10, f"{integrator}, {case}: the backends differ by {worst:.2g}")


def test_restart(program):
    """A run that goes on from a checkpoint ends with the same bits."""
    for case in FORMS:
        for integrator in ("leapfrog", "rk4"):
            few = ("--set", "order=2", "--set", "time.steps=200", "--set", "time.stop=nil")
            with Place(program, script=script(case, integrator)) as place:
                place.good(*RUN, *few, "--set", "checkpoint.every=90")
                with open(place.path("case/sparameters.csv"), "rb") as file:
                    whole = file.read()
                for name in os.listdir(place.path("case/checkpoint")):
                    if "180" in name:
                        os.remove(place.path("case/checkpoint", name))
                place.good(*RUN, *few, "--set", "checkpoint.every=90", "--restart")
                expect(place.summary()["checkpoints"]["restarts"] == 1, "the run did not go on")
                with open(place.path("case/sparameters.csv"), "rb") as file:
                    expect(file.read() == whole, f"{integrator}, {case}: a restart changes S")


def test_ranks(program):
    for case in FORMS:
        few = ("--set", "order=2", "--set", "time.steps=200", "--set", "time.stop=nil")
        with Place(program, script=script(case)) as place:
            place.good(*RUN, *few)
            one = reflection(place)[1]
            place.good(*RUN, *few, "--output", "shared", **on_ranks(3))
            worst = np.abs(reflection(place, "shared")[1] - one).max()
            expect(worst < 1e-9, f"{case}: ranks change S by {worst:.2g}")


def test_stiff_elements(program):
    """Parts that are smaller than what the mesh resolves shorten the step, are warned of, and stay stable."""
    for case, values in ((("L",), {"L": 1e-9}), (("C",), {"C": 1e-15}), (("series", "R", "C"), {"R": 1.0, "C": 1e-14}),
                         (("parallel", "R", "L"), {"R": 1e4, "L": 1e-8})):
        for integrator in ("leapfrog", "lsrk"):
            with Place(program, script=script(case, integrator, values=values)) as place:
                place.good(*RUN, "--set", "order=2", "--set", "time.cfl=0.98", "--set", "time.stop=60e-9")
                energy = np.genfromtxt(
                    place.path("case/energy.csv"), delimiter=",", names=True)["total"]
                late = energy[3 * len(energy) // 4:].max()
                expect(late < 1e-3 * energy.max(), f"{integrator}, {case}: {late:.3g} J of {energy.max():.3g} J are left")
    with Place(program, script=script(("L",), values={"L": 1e-10})) as place:
        code, _, err, _ = place.run("check", "input/case.lua")
        expect(code == 0 and "makes the step" in err and "times as long" in err, f"no warning: {err}")


def test_described(program):
    with Place(program, script=script(("parallel", "R", "C"))) as place:
        out = place.good("check", "input/case.lua")
        expect("element   'surface_2': a gap of 1 m along (0, 0, 1), 1 m wide, 250 ohm and 8e-12 F in parallel" in out, out)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
