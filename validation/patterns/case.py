"""Thin dipoles: directivity and pattern against the closed form, and a ground. README.md says what and why."""
import os

import numpy as np

from lib import plots

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
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


def powers_of_a_port(context, table, name, **given):
    """A dipole with a port, a pulse of 0.3 to 1.6 GHz: the powers of the pulse, as energies. The spectra of the powers are
    summed with that of the incident wave; losses and port have records in time."""
    result = context.run(os.path.join(HERE, "dipole.lua"), name, **given)
    powers, port, lost = result.table("far_field", "pattern_powers"), result.table("ports", "gap"), result.table("losses", "sleeve")
    time, hertz = port["time"], powers["frequency"]
    weight = np.abs(np.trapz(np.exp(-2j * np.pi * hertz[:, None] * time) * port["incident"], time, axis=1)) ** 2
    accepted = np.trapz(port["voltage"] * port["current"], time)
    from_spectra = 2 * np.trapz(weight * powers["accepted"], hertz) / 146
    efficiency = (weight * powers["radiated"]).sum() / (weight * powers["accepted"]).sum()
    losses = np.trapz(lost["power"], lost["time"]) / accepted
    table.near(f"{name}: accepted energy, from the spectrum over that in time", from_spectra / accepted, 1, 0.001)
    table.near(f"{name}: integral of the pattern over the power through the surface",
               (weight * powers["integral"]).sum() / (weight * powers["radiated"]).sum(), 1, 0.005)
    table.near(f"{name}: efficiency from the far field, 1 - losses/accepted", efficiency, 1 - losses, 0.005)


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
    powers_of_a_port(context, table, "port, lossy sleeve", sigma=0.01)
    if context.full:
        powers_of_a_port(context, table, "port, lossless", stop=14e-9)
        powers_of_a_port(context, table, "port, lossy sleeve, finer", sigma=0.01, metal=8, size=35)
    picture = plots.lines(context.path("patterns.png"), panels, "Thin dipoles with a sinusoidal current")
    return {"pictures": [picture], "text": "Far fields of current filaments in an eighth of a ball with three planes of "
                                           "images; an open sphere ends the room."}
