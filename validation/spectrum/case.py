"""Resonances of a cube and of a small box, found blind in the records of probes. README.md says what and why."""
import os

import numpy as np

from lib import plots, resonance
from lib.runner import C0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Spectrum of two boxes"
PROBES = ("one", "two", "three")
TOLERANCE = 5e-4
FLOOR = 1e-4  # a line is a maximum of the spectrum less than 40 dB below the largest


def exact(edges, modes):
    """Resonances c/2 sqrt((m/a)^2 + (n/b)^2 + (p/c)^2), Hz."""
    return [C0 / 2 * np.linalg.norm(np.array(mode) / np.array(edges)) for mode in modes]


def channels(run, components):
    records = [run.probe(name) for name in PROBES]
    time = records[0]["time"]
    return time[1] - time[0], np.array([record[c] for record in records for c in components])


def measure(step, data, low, high):
    """Spectrum, and the fitted lines in [low, high] with amplitudes."""
    frequency, power = resonance.spectrum(step, data, low, high)
    found, amplitude = resonance.fit(step, data, resonance.peaks(frequency, power, FLOOR))
    return frequency, power, found, amplitude


def compare(table, name, found, labels, values, band, scale, unit):
    """Every expected line is there, and nothing else in the band."""
    inside = found[(found > band[0]) & (found < band[1])]
    table.equal(f"{name}: lines from {band[0] / scale:g} to {band[1] / scale:g} {unit}", len(inside), len(values))
    for label, value in zip(labels, values):
        nearest = inside[np.argmin(np.abs(inside - value))] if len(inside) else 0.0
        table.near(f"{name}: {label}", nearest / scale, value / scale, TOLERANCE, unit, 3 if scale < 1e9 else 5)


def cube(context, table):
    labels = ("110, three modes", "111, two modes", "210, six modes", "211, six modes", "220, three modes",
              "221 and 300, nine modes")
    values = exact((1, 1, 1), ((1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 0), (2, 2, 1)))
    directions = ("ex", "ey", "ez") if context.full else ("all",)

    def one(direction):
        bump = {key: int(direction in (key, "all")) for key in ("ex", "ey", "ez")}
        return context.run(SCRIPT, f"cube_{direction}", **bump)

    runs = context.each(one, directions)
    parts = [channels(run, ("Hx", "Hy", "Hz")) for run in runs]
    # the fit reaches beyond the band that is judged, so that the next lines (474.0 and 497.1 MHz) do not disturb it
    frequency, power, found, amplitude = measure(parts[0][0], np.vstack([p[1] for p in parts]), 100e6, 505e6)
    compare(table, "cube", found, labels, values, (100e6, 460e6), 1e6, "MHz")
    if context.full:
        multiplicity(table, found, amplitude, values)
    name = f"unit cube, {runs[0].summary['elements']} elements, order 4: H at three points"
    return (name, frequency, power, list(zip(values, ("110", "111", "210", "211", "220", "221, 300"))), 1e6, "MHz")


def multiplicity(table, found, amplitude, values):
    """Bumps along x, y and z excite the modes of one frequency in different proportions: the rank of the amplitudes
    [bump][channel] is their number, as far as three bumps can tell."""
    for value, label, expected in ((values[0], "110", 3), (values[1], "111", 2)):
        line = np.argmin(np.abs(found - value))
        singular = np.linalg.svd(amplitude[line].reshape(3, -1), compute_uv=False)
        rank = int((singular > 0.02 * singular[0]).sum())
        text = ", ".join(f"{s:.2g}" for s in singular / singular[0])
        table.equal(f"cube: {label}, rank of the amplitudes (singular values {text})", rank, expected)


def box(context, table):
    edges = (0.05, 0.02, 0.06)
    run = context.run(SCRIPT, "box", a=edges[0], b=edges[1], c=edges[2], size=0.02, stop=20e-9)
    step, data = channels(run, ("Ey",))
    te_names = ("TE101", "TE102", "TE201", "TE202", "TE103")
    te = exact(edges, ((1, 0, 1), (1, 0, 2), (2, 0, 1), (2, 0, 2), (1, 0, 3)))
    frequency, power, found, _ = measure(step, data, 2e9, 8.8e9)
    compare(table, "box, Ey", found, te_names, te, (2e9, 8.3e9), 1e9, "GHz")
    # Ez is seen in TM modes only; TM110 has the frequency of TE103
    step, data = channels(run, ("Ez",))
    tm = exact(edges, ((1, 1, 0),))
    tm_frequency, tm_power, found, _ = measure(step, data, 6e9, 8.8e9)
    compare(table, "box, Ez", found, ("TM110",), tm, (6e9, 8.3e9), 1e9, "GHz")
    name = f"5 x 2 x 6 cm box, {run.summary['elements']} elements, order 4: "
    next_one = exact(edges, ((1, 1, 1),))[0]
    return [(name + "Ey at three points", frequency, power, list(zip(te + [next_one], te_names + ("111",))), 1e9,
             "GHz"),
            (name + "Ez at three points", tm_frequency, tm_power, [(tm[0], "TM110"), (next_one, "TM111")], 1e9, "GHz")]


def run(context, table):
    panels = [cube(context, table)] + box(context, table)
    picture = plots.spectrum(context.path("spectrum.png"), panels, "Spectrum; exact resonances dashed")
    return {"pictures": [picture],
            "text": "Lines are the maxima of the windowed spectrum (Blackman-Harris) above -40 dB, refined by one "
                    "least-squares fit of sinusoids to all records together."}
