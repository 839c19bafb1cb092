"""Input impedance of a dipole antenna. README.md says what and why."""
import os
import sys

import numpy as np

from lib import plots
from lib.runner import C0

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reference  # noqa: E402

SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Input impedance of a dipole antenna"
LENGTH, RADIUS, GAP, RESISTANCE = 0.5, 0.01, 0.02, 150.0
HALF_WAVE = C0 / (2 * LENGTH)
HERTZ = np.linspace(200e6, 400e6, 21)  # as in the script


def transform(time, values, hertz):
    return np.trapz(np.exp(-2j * np.pi * hertz[:, None] * time[None, :]) * values, time, axis=1)


def thin():
    """Impedances of half-wave dipoles that get thinner, from the reference: Omega = 2 ln(length/radius)."""
    omega = np.array([7, 8, 9, 10, 12, 14, 17, 20, 25.0])
    radius = LENGTH * np.exp(-omega / 2)
    return omega, np.array([reference.impedance(HALF_WAVE, LENGTH, a, min(2e-3, a), arm=60, cap=3) for a in radius])


def run(context, table):
    exact = np.array([reference.impedance(f, LENGTH, RADIUS, GAP, RESISTANCE) for f in HERTZ])
    finer = reference.impedance(HALF_WAVE, LENGTH, RADIUS, GAP, RESISTANCE, arm=80, cap=10)
    half_wave = reference.impedance(HALF_WAVE, LENGTH, RADIUS, GAP, RESISTANCE)
    table.at_most("reference: change with twice the segments, of |Z|", abs(finer / half_wave - 1), 1e-3)
    omega, limit = thin()
    for w in (10, 20, 25):
        Z = limit[list(omega).index(w)]
        table.note(f"reference: half-wave dipole, Omega = {w}, ohm", f"{Z.real:.1f} {Z.imag:+.1f}j")
    table.at_most("reference, Omega = 25: distance from 73.13 + 42.54j, ohm", abs(limit[-1] - (73.13 + 42.54j)), 5)
    # an eighth or all of it, integrator, order, radius of the ball, size of the elements at the conductor, bound
    if context.full:
        jobs = [("eighth", "leapfrog", 3, 1.25, 0.012, 0.025), ("eighth", "lsrk", 3, 1.25, 0.012, 0.025),
                ("round eighth", "leapfrog", 3, 1.25, 0.012, 0.01),
                ("whole", "leapfrog", 2, 1, 0.012, 0.04)]
    else:
        jobs = [("eighth", "leapfrog", 2, 1, 0.012, 0.03), ("eighth", "lsrk", 2, 1, 0.012, 0.03),
                ("round eighth", "leapfrog", 2, 1, 0.012, 0.015)]

    def one(job):
        part, integrator, order, radius, near, _ = job
        return context.run(SCRIPT, f"{integrator}_{part.replace(' ', '_')}", whole=int(part == "whole"), order=order,
                           integrator=integrator, radius=radius, near=near, stop=25e-9,
                           round=int(part.startswith("round")))

    shown = {}
    for (part, integrator, *_, bound), result in zip(jobs, context.each(one, jobs)):
        head = f"{part}, {integrator}"
        factor = 1 if part == "whole" else 0.5  # twice the voltage and four times the current of the eighth
        record = result.table("ports", "gap")
        time, at = record["time"], np.append(HERTZ, HALF_WAVE)
        Z = factor * transform(time, record["voltage"], at) / transform(time, record["current"], at)
        _, S = result.s_parameters()
        from_S = RESISTANCE * (1 + S["S11"]) / (1 - S["S11"])
        table.near(f"{head}: R at {HALF_WAVE / 1e6:.1f} MHz", Z[-1].real, half_wave.real, 0.03, "ohm", 2)
        table.near(f"{head}: X at {HALF_WAVE / 1e6:.1f} MHz", Z[-1].imag, half_wave.imag, 0.06, "ohm", 2)
        table.at_most(f"{head}: largest |Z - reference|/|Z|, 200 to 400 MHz", np.abs(Z[:-1] / exact - 1).max(), bound)
        table.at_most(f"{head}: Z from S11 against V/I of the record", np.abs(from_S / Z[:-1] - 1).max(), 1e-3)
        zero, true_zero = (np.interp(0, values[:12].imag, HERTZ[:12] / 1e6) for values in (Z, exact))
        table.near(f"{head}: resonance (X = 0)", zero, true_zero, 0.01, "MHz", 2)
        shown[part, integrator] = Z[:-1]
    Z = shown["eighth", "leapfrog"]
    name = f"length {LENGTH} m, radius {RADIUS * 1e3:.0f} mm, gap {GAP * 1e3:.0f} mm"
    panels = [(name, "frequency, MHz", "ohm", "linear",
               [("R, method of moments", HERTZ / 1e6, exact.real, "k-"),
                ("X, method of moments", HERTZ / 1e6, exact.imag, "k--"),
                ("R", HERTZ / 1e6, Z.real, "C0o"), ("X", HERTZ / 1e6, Z.imag, "C1s")]),
              ("half-wave dipoles, method of moments", "1/Omega", "ohm", "linear",
               [("R", 1 / omega, limit.real, "C0.-"), ("X", 1 / omega, limit.imag, "C1.-"),
                ("infinitely thin: 73.13 + 42.54j", [0, 0], [73.13, 42.54], "k*")])]
    picture = plots.lines(context.path("antenna.png"), panels, "Input impedance of a dipole, leapfrog")
    return {"pictures": [picture],
            "text": "Z from voltage and current of the lumped port in the gap; the reference is a method of moments "
                    "for the same body, `validation/antenna/reference.py`."}
