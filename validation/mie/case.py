"""Spheres in a plane wave against Mie's series: cross-sections and patterns. README.md says what and why."""
import os
import sys

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0, ETA0

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reference  # noqa: E402

SCRIPT = os.path.join(HERE, "case.lua")
SAR_SCRIPT = os.path.join(HERE, "sar.lua")
TISSUES = ((900e6, 0.1, 41.5, 0.97, 0.3), (2.45e9, 0.05, 39.2, 1.8, 0.23))  # Hz, m, epsilon_r, S/m, elements in radii
TITLE = "Spheres in a plane wave"
LOBE = 0.1  # of the largest value of a cut: below it a difference in dB says little


def index_of(body, hertz):
    """The refractive index for exp(+jwt); None for a perfect conductor."""
    if body == "metal":
        return None
    return np.sqrt(body[0] - 1j * body[1] / (2 * np.pi * hertz * EPSILON0))


def decibel(ratio):
    return 10 * np.log10(ratio)


def compare(run, body):
    """Errors by name, at every frequency, and what is drawn."""
    powers, pattern = run.table("far_field", "far_powers"), run.table("far_field", "far")
    found = {name: [] for name in ("ka", "scattering", "extinction", "absorption", "back", "cuts", "integral")}
    drawn = []
    for row in np.atleast_1d(powers):
        hertz = row["frequency"]
        x, index = 2 * np.pi * hertz / C0, index_of(body, hertz)
        scattering, extinction, back = reference.efficiencies(x, index)
        cut = pattern[pattern["frequency"] == hertz]
        exact = dict(zip((0, 90), reference.bistatic(x, index, cut[cut["phi"] == 0]["theta"])))
        largest = max(values.max() for values in exact.values())
        off = []
        for phi, values in exact.items():
            part = cut[cut["phi"] == phi]
            off.append(np.abs(decibel(part["rcs"] / np.pi / values))[values > LOBE * largest].max())
            drawn.append((hertz, phi, part["theta"], decibel(part["rcs"] / np.pi), decibel(values)))
        found["ka"].append(x)
        found["scattering"].append(row["scattering"] / np.pi / scattering - 1)
        found["extinction"].append(row["extinction"] / np.pi / extinction - 1)
        found["absorption"].append((row["absorption"] / np.pi - (extinction - scattering)) / extinction)
        found["back"].append(decibel(cut[(cut["theta"] == 180) & (cut["phi"] == 0)]["rcs"][0] / np.pi / back))
        found["cuts"].append(max(off))
        found["integral"].append(row["integral"] / row["radiated"] - 1)
    return {name: np.array(values) for name, values in found.items()}, drawn


def check_sar(context, table):
    """The mean SAR of balls of tissue of 1000 kg/m^3 in a wave of 1 V/m."""
    for hertz, radius, epsilon, sigma, size in TISSUES:
        run = context.run(SAR_SCRIPT, f"sar_{hertz / 1e6:g}MHz", frequency=hertz, radius=radius, epsilon=epsilon, sigma=sigma,
                          C=size)
        scattering, extinction, _ = reference.efficiencies(2 * np.pi * hertz * radius / C0, index_of((epsilon, sigma), hertz))
        mean = (extinction - scattering) / (2 * ETA0) / (4 / 3 * radius * 1000)
        table.near(f"mean SAR of a ball at {hertz / 1e6:g} MHz", 1e6 * float(run.table("spectra", "body_sar")["average"]),
                   1e6 * mean, 5e-3, "uW/kg")


def run(context, table):
    table.at_most("Mie's series against published numbers, relative", reference.check(), 1e-5)
    bodies = {"metal": "metal"}
    if context.full:
        bodies.update({"epsilon_r = 4": (4, 0), "lossy": (4, 0.02)})
    panels = []
    for name, body in bodies.items():
        given = {"from": 1.0, "to": 3.0, "points": 5, "C": 0.25, "S": 0.45, "R": 1.6, "stop": 22, "wall": "open"}
        if context.full:
            given.update(C=0.15, S=0.35, points=9, stop=70 if body == (4, 0) else 30)
        if body != "metal":
            given.update(epsilon=body[0], sigma=body[1])
        errors, drawn = compare(context.run(SCRIPT, name.replace(" ", ""), **given), body)
        for what in ("scattering", "extinction"):
            table.at_most(f"{name}: {what}, largest relative error, ka = 1 to 3", np.abs(errors[what]).max(), 0.01)
        table.at_most(f"{name}: absorption, largest error over the extinction", np.abs(errors["absorption"]).max(), 0.01)
        table.at_most(f"{name}: monostatic cross-section, largest error, dB", np.abs(errors["back"]).max(), 0.2)
        table.at_most(f"{name}: bistatic cross-section, largest error of larger lobes, dB", errors["cuts"].max(), 0.2)
        table.at_most(f"{name}: power through the surface against the integral of the pattern, relative",
                      np.abs(errors["integral"]).max(), 0.005)
        hertz = drawn[-1][0]
        lines = []
        for at, phi, theta, values, exact in drawn:
            if at == hertz:
                colour = "C0" if phi == 0 else "C1"
                lines.append((f"Mie, phi = {phi}", theta, exact, colour + "-"))
                lines.append((f"curlew, phi = {phi}", theta[::2], values[::2], colour + "o"))
        panels.append((f"{name}, ka = 3", "theta, degrees", "bistatic cross-section over pi a^2, dB", "linear", lines))
    if context.full:
        check_sar(context, table)
    picture = plots.lines(context.path("mie.png"), panels, "A sphere in a plane wave")
    return {"pictures": [picture], "text": "A quarter of the room with two planes of images; the surface of total field is "
                                           "also that of the far field."}
