"""Modes of the rectangular waveguide WR-90. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Rectangular waveguide WR-90"
A, B, LENGTH = 22.86e-3, 10.16e-3, 40e-3
POINTS = 7
SPACING = 0.6 * LENGTH / (POINTS - 1)
SLAB, SLAB_EPSILON = 10e-3, 2.2
# name, mode, its half waves across A and B, and what goes into the script
DRIVE = {"f0": 10e9, "band": 4.4e9, "from": 8e9, "to": 12e9, "points": 81, "stop": 3.2e-9}
BAND = ("TE10", "TE10", (1, 0), DRIVE)
FILLED = ("TE10, slab", "TE10", (1, 0), {**DRIVE, "epsilon": SLAB_EPSILON, "stop": 4e-9})
BELOW = ("TE10 below cut-off", "TE10", (1, 0),
         {"f0": 5e9, "band": 2.4e9, "from": 4.5e9, "to": 6e9, "points": 31, "stop": 4e-9})
TE20 = ("TE20", "TE20", (2, 0), {"f0": 15.5e9, "band": 3e9, "from": 14.5e9, "to": 16.5e9, "points": 31, "stop": 3.2e-9})
TM11 = ("TM11", "TM11", (1, 1), {"f0": 19e9, "band": 4e9, "from": 18e9, "to": 20e9, "points": 31, "stop": 3.2e-9})


def constant(index, hertz, epsilon=1.0):
    """gamma of exp(-gamma z): j beta above cut-off, alpha below."""
    cutoff = np.hypot(index[0] * np.pi / A, index[1] * np.pi / B)
    return np.sqrt(cutoff**2 - epsilon * (2 * np.pi * hertz / C0) ** 2 + 0j)


def impedance(mode, index, hertz):
    """Transverse E over transverse H of a wave along +z: omega mu/beta (TE), beta/(omega epsilon) (TM)."""
    ratio = 2j * np.pi * hertz / C0 / constant(index, hertz)
    return ETA0 * (ratio if mode.startswith("TE") else 1 / ratio)


def filled(hertz):
    """S11 and S21 of the guide with the slab in its middle, TE10: the line of impedance 1/gamma and length SLAB between
    two lines (D. M. Pozar, Microwave Engineering, sections 2.3 and 3.3), seen from the ports."""
    outer, inner = constant((1, 0), hertz), constant((1, 0), hertz, SLAB_EPSILON)
    r = (outer - inner) / (outer + inner)  # (Z - Z0)/(Z + Z0) with Z proportional to 1/gamma
    q = np.exp(-inner * SLAB)
    line = np.exp(-outer * (LENGTH - SLAB))
    return r * (1 - q**2) / (1 - r**2 * q**2) * line, (1 - r**2) * q / (1 - r**2 * q**2) * line


def along(result):
    """Frequencies, and Ey and Hx as [frequency][point] from the line's Fourier transform."""
    table = result.table("lines", "axis_spectrum")
    hertz = np.unique(table["frequency"])
    order = np.lexsort((table["z"], table["frequency"]))
    fields = [(table[c + "_re"] + 1j * table[c + "_im"])[order].reshape(len(hertz), POINTS) for c in ("Ey", "Hx")]
    return hertz, fields[0], fields[1]


def transform(record, name, hertz):
    time = record["time"]
    return np.trapz(np.exp(-2j * np.pi * hertz[:, None] * time[None, :]) * record[name], time, axis=1)


def fitted(E, H):
    """gamma and Z of any sum of the waves exp(-+gamma z), so that what the ports send back does not count.
    E(z + d) + E(z - d) = 2 cosh(gamma d) E(z), in the mean over all points and both fields; then both amplitudes by
    least squares: E = a p + b/p and Z H = -(a p - b/p) with p = exp(-gamma z), Hx = -Ey/Z for a wave along +z."""
    gamma, Z, back = [], [], []
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
        back.append((a[1] - b[1] * a[0] / b[0]) / (2 * a[0]))  # of E + Z H and E - Z H with this Z: what comes back
    return np.array(gamma), np.array(Z), np.array(back)


def decibel(value):
    return 20 * np.log10(np.maximum(np.abs(value), 1e-12))


def simulate(context, case, integrator):
    name, mode, _, keys = case
    across, size = (4, 6) if context.full else (2, 10) if case in (BAND, BELOW) else (3, 8)
    keys = {**keys, "stop": 3 * keys["stop"]} if context.full else keys
    return context.run(SCRIPT, f"{integrator}_{name.replace(' ', '_').replace(',', '')}", mode=mode, order=4,
                       integrator=integrator, across=across, size=size, **keys)


def band(table, head, result):
    hertz, E, H = along(result)
    gamma, Z, back = fitted(E, H)
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
    table.at_most(f"{head}: wave that comes back, from the fields inside, dB", decibel(back).max(), -40)
    turn = np.angle(S["S21"] * np.exp(1j * constant((1, 0), f).imag * LENGTH), deg=True)
    table.at_most(f"{head}: largest error of the phase of S21, degrees", np.abs(turn).max(), 0.5)
    table.at_most(f"{head}: largest | |S21| - 1 |", np.abs(np.abs(S["S21"]) - 1).max(), 2e-3)
    return hertz, beta, truth, Z.real, true_Z, f, decibel(S["S11"]), turn


def below(table, head, result):
    hertz, E, H = along(result)
    gamma, _, _ = fitted(E, H)
    truth = constant((1, 0), hertz).real
    at = int(np.argmin(np.abs(hertz - 5e9)))
    table.near(f"{head}: alpha at 5 GHz", gamma[at].real, truth[at], 1e-2, "1/m", 3)
    table.at_most(f"{head}: largest error of alpha(f), 4.5 to 6 GHz", np.abs(gamma.real / truth - 1).max(), 1e-2)
    return hertz, gamma.real, truth


def higher(table, head, case, result):
    _, mode, index, _ = case
    hertz, E, H = along(result)
    gamma, Z, _ = fitted(E, H)
    truth, true_Z = constant(index, hertz).imag, impedance(mode, index, hertz).real
    table.at_most(f"{head}: largest error of beta(f)", np.abs(gamma.imag / truth - 1).max(), 5e-3)
    table.at_most(f"{head}: largest error of Z(f)", np.abs(Z / true_Z - 1).max(), 1e-2)
    f, S = result.s_parameters()
    table.at_most(f"{head}: largest |S11|, dB", decibel(S["S11"]).max(), -40)


def slab(table, head, result):
    f, S = result.s_parameters()
    S11, S21 = filled(f)
    table.at_most(f"{head}: largest error of S11", np.abs(S["S11"] - S11).max(), 2e-3)
    table.at_most(f"{head}: largest error of S21", np.abs(S["S21"] - S21).max(), 2e-3)
    return f, S, S11, S21


def pictures(context, shown):
    hertz, beta, truth, Z, true_Z = shown[BAND[0], "leapfrog"][:5]
    low, alpha, true_alpha = shown[BELOW[0], "leapfrog"]
    f, S, S11, S21 = shown[FILLED[0], "leapfrog"]
    matched = [(i, *shown[BAND[0], i][5:], style) for i, style in (("leapfrog", "C0-"), ("lsrk", "C1--"))]
    first = [("propagation constant of TE10", "frequency, GHz", "1/m", "linear",
              [("beta exact", hertz / 1e9, truth, "k-"), ("beta", hertz[::5] / 1e9, beta[::5], "C0o"),
               ("alpha exact", low / 1e9, true_alpha, "k--"), ("alpha", low[::3] / 1e9, alpha[::3], "C1s")]),
             ("wave impedance of TE10", "frequency, GHz", "ohm", "linear",
              [("exact", hertz / 1e9, true_Z, "k-"), ("-Ey/Hx", hertz[::5] / 1e9, Z[::5], "C0o")]),
             (f"slab of 10 mm, epsilon_r = {SLAB_EPSILON}", "frequency, GHz", "S", "linear",
              [("exact" if name == "S11" and part == "real" else "_", f / 1e9, getattr(exact, part), "k-")
               for name, exact in (("S11", S11), ("S21", S21)) for part in ("real", "imag")] +
              [(f"{name}, {part}", f[::5] / 1e9, getattr(S[name], part)[::5], style)
               for name, part, style in (("S11", "real", "C0o"), ("S11", "imag", "C0s"), ("S21", "real", "C1o"),
                                         ("S21", "imag", "C1s"))])]
    second = [("|S11| of the matched guide", "frequency, GHz", "dB", "linear",
               [(i, f / 1e9, S11, style) for i, f, S11, _, style in matched]),
              ("error of the phase of S21", "frequency, GHz", "degrees", "linear",
               [(i, f / 1e9, turn, style) for i, f, _, turn, style in matched])]
    return [plots.lines(context.path("waveguide.png"), first, "WR-90, 40 mm long, p = 4, leapfrog"),
            plots.lines(context.path("waveguide_matched.png"), second, "WR-90, 40 mm long, without the slab")]


def run(context, table):
    cases = ((BAND, band), (FILLED, slab), (BELOW, below), (TE20, higher), (TM11, higher))
    jobs = [(case, check, integrator) for case, check in cases for integrator in ("leapfrog", "lsrk")
            if context.full or case is not TM11]
    shown = {}
    results = context.each(lambda job: simulate(context, job[0], job[2]), jobs)
    for (case, check, integrator), result in zip(jobs, results):
        arguments = (case, result) if check is higher else (result,)
        shown[case[0], integrator] = check(table, f"{case[0]}, {integrator}", *arguments)
    return {"pictures": pictures(context, shown),
            "text": f"beta, alpha and the impedance come from the Fourier transforms of Ey and Hx at {POINTS} points "
                    "along the guide, S from the ports at its ends."}
