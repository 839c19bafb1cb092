"""Modes of the rectangular waveguide WR-90. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Rectangular waveguide WR-90"
A, B, LENGTH = 22.86e-3, 10.16e-3, 60e-3
POINTS = 13
SPACING = 0.6 * LENGTH / (POINTS - 1)
# name, mode, number of half waves across A and B, and what goes into the script
BAND = ("TE10", "TE10", (1, 0), {"f0": 10e9, "band": 5e9, "from": 8e9, "to": 12e9, "points": 81})
BELOW = ("TE10 below cut-off", "TE10", (1, 0), {"f0": 5e9, "band": 2e9, "from": 4.5e9, "to": 6e9, "points": 31})
HIGHER = (("TE20", "TE20", (2, 0), {"f0": 16.5e9, "band": 4e9, "from": 15e9, "to": 18e9, "points": 31}),
          ("TM11", "TM11", (1, 1), {"f0": 20e9, "band": 4e9, "from": 18.5e9, "to": 21.5e9, "points": 31}))


def constant(index, hertz):
    """gamma of exp(-gamma z): j beta above cut-off, alpha below."""
    cutoff = np.hypot(index[0] * np.pi / A, index[1] * np.pi / B)
    return np.sqrt(cutoff**2 - (2 * np.pi * hertz / C0) ** 2 + 0j)


def impedance(mode, index, hertz):
    """Transverse E over transverse H of a wave along +z: omega mu/beta (TE), beta/(omega epsilon) (TM)."""
    ratio = 2j * np.pi * hertz / C0 / constant(index, hertz)
    return ETA0 * (ratio if mode.startswith("TE") else 1 / ratio)


def along(result):
    """Frequencies, and Ey and Hx as [frequency][point] from the line's Fourier transform."""
    table = result.table("lines", "axis_spectrum")
    hertz = np.unique(table["frequency"])
    order = np.lexsort((table["z"], table["frequency"]))
    fields = [(table[c + "_re"] + 1j * table[c + "_im"])[order].reshape(len(hertz), POINTS) for c in ("Ey", "Hx")]
    return hertz, fields[0], fields[1]


def transform(record, name, hertz):
    time = record["time"]
    return np.exp(-2j * np.pi * hertz[:, None] * time[None, :]) @ record[name] * (time[1] - time[0])


def fitted(E, H):
    """gamma and Z of any sum of the waves exp(-+gamma z), so that what the ports send back does not count.
    E(z + d) + E(z - d) = 2 cosh(gamma d) E(z), in the mean over all points and both fields; then both amplitudes by
    least squares: E = a p + b/p and Z H = -(a p - b/p) with p = exp(-gamma z), Hx = -Ey/Z for a wave along +z."""
    gamma, Z = [], []
    for e, h in zip(E, H):
        scale = np.abs(e).max() / np.abs(h).max()
        h = -scale * h
        inner, outer = [np.concatenate(v) for v in ((e[1:-1], h[1:-1]), (e[2:] + e[:-2], h[2:] + h[:-2]))]
        g = np.arccosh(np.vdot(inner, outer) / np.vdot(inner, inner) / 2 + 0j) / SPACING
        g = g if abs(g.real) > abs(g.imag) or g.imag > 0 else -g  # the branch of gamma = j beta or alpha
        p = np.exp(-g * SPACING * np.arange(POINTS))
        a, b = (np.linalg.lstsq(np.stack([p, 1 / p], axis=1), field, rcond=None)[0] for field in (e, h))
        gamma.append(g)
        Z.append(scale * a[0] / b[0])
    return np.array(gamma), np.array(Z)


def decibel(value):
    return 20 * np.log10(np.maximum(np.abs(value), 1e-12))


def simulate(context, case, integrator):
    name, mode, _, keys = case
    high = 7 if mode != "TE10" else 10
    given = {"order": 4, "size": (5 if high == 7 else 7) if context.full else high,
             "stop": 12e-9 if context.full else 6e-9 if name.endswith("cut-off") else 4e-9}
    return context.run(SCRIPT, f"{integrator}_{name.replace(' ', '_')}", mode=mode, integrator=integrator, **given,
                       **keys)


def band(table, head, result):
    hertz, E, H = along(result)
    gamma, Z = fitted(E, H)
    beta, truth = gamma.imag, constant((1, 0), hertz).imag
    true_Z = impedance("TE10", (1, 0), hertz).real
    at = int(np.argmin(np.abs(hertz - 10e9)))
    table.near(f"{head}: beta at 10 GHz", beta[at], 158.238, 1e-3, "rad/m", 3)
    table.near(f"{head}: Z_TE = -Ey/Hx at 10 GHz", Z[at].real, 498.974, 1e-3, "ohm", 3)
    table.at_most(f"{head}: largest error of beta(f), 8 to 12 GHz", np.abs(beta / truth - 1).max(), 1e-3)
    table.at_most(f"{head}: largest error of Z_TE(f)", np.abs(Z / true_Z - 1).max(), 1e-3)
    middle = transform(result.probe("middle"), "Ey", hertz)
    difference = np.abs(E[:, POINTS // 2] / middle - 1).max()
    table.at_most(f"{head}: running transform against that of the record", difference, 1e-9)
    f, S = result.s_parameters()
    table.at_most(f"{head}: largest |S11|, 8 to 12 GHz, dB", decibel(S["S11"]).max(), -40)
    turn = np.angle(S["S21"] * np.exp(1j * constant((1, 0), f).imag * LENGTH), deg=True)
    table.at_most(f"{head}: largest error of the phase of S21, degrees", np.abs(turn).max(), 0.5)
    table.at_most(f"{head}: largest | |S21| - 1 |", np.abs(np.abs(S["S21"]) - 1).max(), 2e-3)
    return hertz, beta, truth, Z.real, true_Z, f, decibel(S["S11"]), turn


def below(table, head, result):
    hertz, E, H = along(result)
    gamma, _ = fitted(E, H)
    truth = constant((1, 0), hertz).real
    at = int(np.argmin(np.abs(hertz - 5e9)))
    table.near(f"{head}: alpha at 5 GHz", gamma[at].real, truth[at], 1e-2, "1/m", 3)
    table.at_most(f"{head}: largest error of alpha(f), 4.5 to 6 GHz", np.abs(gamma.real / truth - 1).max(), 1e-2)
    return hertz, gamma.real, truth


def higher(table, head, case, result):
    _, mode, index, _ = case
    hertz, E, H = along(result)
    gamma, Z = fitted(E, H)
    truth, true_Z = constant(index, hertz).imag, impedance(mode, index, hertz).real
    table.at_most(f"{head}: largest error of beta(f)", np.abs(gamma.imag / truth - 1).max(), 5e-3)
    table.at_most(f"{head}: largest error of Z(f)", np.abs(Z / true_Z - 1).max(), 1e-2)
    f, S = result.s_parameters()
    table.at_most(f"{head}: largest |S11|, dB", decibel(S["S11"]).max(), -40)


def run(context, table):
    cases = (BAND, BELOW) + (HIGHER if context.full else HIGHER[:1])
    jobs = [(case, integrator) for case in cases for integrator in ("leapfrog", "lsrk")
            if context.full or case[0] != "TE20" or integrator == "leapfrog"]
    shown = {}
    for (case, integrator), result in zip(jobs, context.each(lambda job: simulate(context, *job), jobs)):
        head = f"{case[0]}, {integrator}"
        if case is BAND:
            shown[integrator] = band(table, head, result)
        elif case is BELOW:
            shown["below " + integrator] = below(table, head, result)
        else:
            higher(table, head, case, result)
    hertz, beta, truth, Z, true_Z, f, S11, turn = shown["leapfrog"]
    low, alpha, true_alpha = shown["below leapfrog"]
    panels = [("propagation constant of TE10", "frequency, GHz", "1/m", "linear",
               [("beta exact", hertz / 1e9, truth, "k-"), ("beta", hertz[::5] / 1e9, beta[::5], "C0o"),
                ("alpha exact", low / 1e9, true_alpha, "k--"), ("alpha", low[::3] / 1e9, alpha[::3], "C1s")]),
              ("wave impedance of TE10", "frequency, GHz", "ohm", "linear",
               [("exact", hertz / 1e9, true_Z, "k-"), ("-Ey/Hx", hertz[::5] / 1e9, Z[::5], "C0o")]),
              ("|S11| of the matched guide", "frequency, GHz", "dB", "linear",
               [(i, shown[i][5] / 1e9, shown[i][6], style) for i, style in (("leapfrog", "C0-"), ("lsrk", "C1--"))]),
              ("error of the phase of S21", "frequency, GHz", "degrees", "linear",
               [(i, shown[i][5] / 1e9, shown[i][7], style) for i, style in (("leapfrog", "C0-"), ("lsrk", "C1--"))])]
    picture = plots.lines(context.path("waveguide.png"), panels, "WR-90, 60 mm long, p = 4")
    return {"pictures": [picture],
            "text": "beta, alpha and the impedance come from the Fourier transforms of Ey and Hx at 13 points along the "
                    "guide, S from the ports at its ends."}
