"""Thin dipoles: directivity and pattern against the closed form, and a ground. README.md says what and why."""
import os

import numpy as np

from lib import plots

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Patterns of thin dipoles"
# Directivities of infinitely thin dipoles with a sinusoidal current, by length over wavelength.
DIRECTIVITY = {0.5: 1.640922, 1: 2.410998, 1.25: 3.282483}


def closed_form(length, theta):
    """|E_theta| up to a factor; C. A. Balanis, Antenna Theory, (4-62a) with k = 2 pi."""
    s = np.sin(np.radians(theta))
    safe = np.where(np.abs(s) < 1e-9, 1, s)
    k = 2 * np.pi
    value = (np.cos(k * length / 2 * np.cos(np.radians(theta))) - np.cos(k * length / 2)) / safe
    return np.where(np.abs(s) < 1e-9, 0, np.abs(value))


def linear(powers):
    return 10 ** (float(powers["directivity"]) / 10)


def run(context, table):
    panels = []
    given = {"order": 4, "size": 0.2, "stop": 24} if context.full else {"stop": 18, "reflection": -50}
    for length, exact in DIRECTIVITY.items():
        name = f"{length:g}"
        result = context.run(SCRIPT, name, length=length, **given)
        powers = {part: result.table("far_field", part + "_powers") for part in ("dipole", "region", "ground")}
        pattern = result.table("far_field", "dipole")
        table.near(f"{name} wavelengths: directivity", linear(powers["dipole"]), exact, 0.005)
        table.near(f"{name} wavelengths: the same above a ground", linear(powers["ground"]), 2 * exact, 0.005)
        table.at_most(f"{name} wavelengths: surface by name and as the boundary of a region, difference in dB",
                      abs(float(powers["dipole"]["directivity"] - powers["region"]["directivity"])), 0.002)
        table.at_most(f"{name} wavelengths: power through the surface against the integral of the pattern, relative",
                      abs(float(powers["dipole"]["integral"] / powers["dipole"]["radiated"]) - 1), 0.005)
        for phi, marker in ((0, "C0-"), (30, "C1:")):
            rows = pattern["phi"] == phi
            theta = pattern["theta"][rows]
            size = np.hypot(pattern["Etheta_re"][rows], pattern["Etheta_im"][rows])
            truth = closed_form(length, theta)
            cross = np.hypot(pattern["Ephi_re"][rows], pattern["Ephi_im"][rows])
            table.at_most(f"{name} wavelengths, phi = {phi}: error of E_theta over its largest value",
                          np.abs(size / size.max() - truth / truth.max()).max(), 0.01)
            table.at_most(f"{name} wavelengths, phi = {phi}: E_phi over the largest E_theta", cross.max() / size.max(), 0.01)
            if phi == 0:
                panels.append((f"{name} wavelengths", "theta, degrees", "E_theta over its largest value", "linear",
                               [("closed form", theta, truth / truth.max(), "k-"),
                                ("curlew", theta[::4], (size / size.max())[::4], "C0o")]))
    picture = plots.lines(context.path("patterns.png"), panels, "Thin dipoles with a sinusoidal current")
    return {"pictures": [picture], "text": "Far fields of current filaments in an eighth of a ball with three planes of "
                                           "images; an open sphere ends the room."}
