"""A permittivity by poles beside the table that it was fitted to, and the error over frequency."""

import json
import os

import numpy as np

from .style import GREY, Picture, draw_one, figure, frequency_axis, legend_beside, render, write

REAL, LOSS = "#0b6fb8", "#d1495b"
EPSILON_0 = 8.8541878128e-12


def evaluate(fit, frequency):
    """eps_r of the terms of a fit, e^{jwt}."""
    s = 2j * np.pi * np.asarray(frequency, dtype=float)
    eps = fit["epsilon_r"] + fit["sigma"] / (s * EPSILON_0)
    for term in fit["drude"]:
        eps = eps + float(term["omega_p"]) ** 2 / (s * (s + float(term["gamma"])))
    for pole in fit["poles"]:
        c, a = complex(*pole["c"]), complex(*pole["a"])
        eps = eps + c / (s - a)
        if a.imag > 0:
            eps = eps + c.conjugate() / (s - a.conjugate())
    return eps


def read(path):
    with open(path, encoding="utf-8") as file:
        fit = json.load(file)
    os.remove(path)
    return fit


def draw(fit):
    points = fit["points"]
    frequency = np.array([point["frequency"] for point in points])
    table = np.array([complex(*point["epsilon_r"]) for point in points])
    at_points = evaluate(fit, frequency)
    dense = np.geomspace(frequency[0], frequency[-1], 600)
    curve = evaluate(fit, dense)
    drawn = figure(8.0, 6.0)
    upper, lower = drawn.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": (2.2, 1)})
    factor = frequency_axis(lower, frequency)
    dots = {"linestyle": "none", "marker": "o", "markersize": 3.2, "alpha": 0.55}
    upper.plot(frequency * factor, table.real, color=REAL, label="eps', table", **dots)
    upper.plot(frequency * factor, -table.imag, color=LOSS, label="eps'', table", **dots)
    upper.plot(dense * factor, curve.real, color=REAL, label="eps', poles")
    upper.plot(dense * factor, -curve.imag, color=LOSS, label="eps'', poles")
    both = np.concatenate([table.real, -table.imag])
    if np.abs(both).max() > 50 * max(np.median(np.abs(both)), 1e-300):
        upper.set_yscale("symlog", linthresh=1)
    if frequency[-1] > 8 * frequency[0]:
        lower.set_xscale("log")
    upper.axhline(0, color=GREY, linewidth=0.7)
    upper.set_ylabel("relative permittivity")
    legend_beside(upper)
    relative = fit["error"] == "relative"
    error = np.abs(at_points - table) / (np.abs(table) / 100 if relative else 1)
    lower.semilogy(frequency * factor, np.maximum(error, 1e-14), color="#333333", marker=".", markersize=4, linewidth=0.8)
    lower.axhline(
        fit["tolerance"] * (100 if relative else 1), color=GREY, linestyle="--", linewidth=1, label="tolerance"
    )
    lower.set_ylabel("error (%)" if relative else "error")
    legend_beside(lower)
    percent = (100, " %") if relative else (1, "")
    terms = len(fit["drude"]) + len(fit["poles"])
    upper.set_title(
        f"{fit['name']}: {terms} pole{'' if terms == 1 else 's'} ({fit['states']} states), largest error "
        f"{fit['max_error'] * percent[0]:.3g}{percent[1]}, rms {fit['rms_error'] * percent[0]:.3g}{percent[1]}"
    )
    return drawn


def main(words):
    def work(path, out, kind):
        write(out, render(Picture("fit", "Fit", "", draw(read(path))), kind))

    return draw_one(words, __doc__, "fit", work)
