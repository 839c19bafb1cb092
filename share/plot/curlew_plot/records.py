"""Records in time, each beside its spectrum: those of all measures at one place, and ports."""

import re

import numpy as np

from .results import name_of
from .style import GREY, Picture, decibel, figure, frequency_axis, label, legend_beside, scale, thin, time_axis, unit_of

SILENT = 1e-4  # of the largest value in a panel: what is smaller all along is not drawn
DEPTH = 80  # dB of spectra that are drawn
COLOURS = [
    "#0b6fb8",
    "#d1495b",
    "#2e933c",
    "#e08e0b",
    "#7b4ea3",
]  # of the columns of a panel: those of E and H along an axis share one


def panels(kind, table):
    """The columns that share an axis."""
    if kind == "ports":
        return [("voltage", ["incident", "reflected", "voltage"]), ("current", ["current"])]
    fields = dict.fromkeys(name[0] for name in table.names if re.fullmatch("[A-Z][xyz](_re|_im)?", name))
    if fields:  # vectors: E and H of a probe
        parts = [("{}", ""), ("Re {}", "_re"), ("Im {}", "_im")]  # with Bloch phases a probe has the latter two
        return [(name.format(f), [f + axis + part for axis in "xyz"]) for name, part in parts for f in fields]
    return [(table.names[1], table.names[1:])]


def spectrum(time, values):
    """Frequencies, Hz, and |X|, the transform of a record; and whether a Hann window had to end it. None for a record
    whose samples are not equally far apart or too few."""
    steps = np.diff(time)
    if len(time) < 16 or not np.isfinite(values).all() or np.ptp(steps) > 1e-3 * abs(steps.mean()):
        return None
    largest = np.abs(values).max()
    cut = np.abs(values[-max(len(values) // 20, 2) :]).max() > 0.01 * largest > 0
    window = np.hanning(len(values)) if cut else np.ones(len(values))
    length = 1 << int(np.ceil(np.log2(4 * len(values))))
    if cut:
        values = values - values.mean()
    transform = np.fft.rfft(values * window, length) * steps.mean()
    return np.fft.rfftfreq(length, steps.mean()), np.abs(transform), cut


def _draw_spectra(axes, table, names, unit, colours):
    found = {name: spectrum(table["time"], table[name]) for name in names}
    found = {name: one for name, one in found.items() if one is not None}
    largest = max((one[1].max() for one in found.values()), default=0)
    if largest <= 0:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no spectrum", ha="center", va="center", color=GREY, transform=axes.transAxes)
        return
    levels = {name: decibel(one[1] / largest) for name, one in found.items()}
    frequency = next(iter(found.values()))[0]
    seen = np.flatnonzero(np.max(list(levels.values()), axis=0) > -60)
    last = min(int(1.1 * seen[-1]) + 2, len(frequency) - 1)
    factor = frequency_axis(axes, frequency[: last + 1])
    for name in names:
        if name in levels:
            x, y = thin(frequency[: last + 1] * factor, np.maximum(levels[name][: last + 1], -2 * DEPTH))
            axes.plot(x, y, linewidth=1.2, color=colours[name])
    axes.set_ylim(-DEPTH, 5)
    window = ", Hann window" if any(one[2] for one in found.values()) else ""
    axes.set_ylabel("spectrum (dB)")
    axes.set_title(f"0 dB is {largest:.3g} {unit} s{window}", fontsize=9, color=GREY, loc="right")


def loud(table, names):
    """The columns that are worth a curve, and the others."""
    sizes = {name: np.nanmax(np.abs(table[name]), initial=0) for name in names}
    largest = max(sizes.values())
    drawn = [name for name in names if sizes[name] > SILENT * largest]
    return drawn, [name for name in names if name not in drawn]


def draw(kind, table):
    rows = [(name, [column for column in columns if column in table]) for name, columns in panels(kind, table)]
    rows = [(name, columns) for name, columns in rows if columns and loud(table, columns)[0]]
    if not rows:
        return None, "all zero"
    drawn = figure(9.6, 0.6 + 2.4 * len(rows))
    grid = drawn.subplots(len(rows), 2, squeeze=False, gridspec_kw={"width_ratios": (1.25, 1)})
    silent = []
    for (axes, beside), (name, columns) in zip(grid, rows):
        shown, quiet = loud(table, columns)
        silent += quiet
        unit, colours = unit_of(columns[0]), dict(zip(columns, COLOURS))
        scaled, prefixed = scale(np.concatenate([table[column] for column in shown]), unit)
        factor = time_axis(axes, table["time"])
        for column in shown:
            time, values = thin(table["time"] * factor, table[column] * scaled)
            axes.plot(time, values, label=column, linewidth=1.2, color=colours[column])
        axes.set_ylabel(label(name if len(columns) > 1 else columns[0], prefixed))
        if len(columns) > 1:
            legend_beside(axes)
        _draw_spectra(beside, table, shown, unit, colours)
    return drawn, f"Zero, or below {SILENT:g} of the largest, and not drawn: {', '.join(silent)}." if silent else ""


def pictures(run, _):
    for kind, word in {**run.kinds(), "ports": "Port"}.items():
        for path in run.tables(kind):
            table = run.table(path)
            if table is None:
                continue
            drawn, caption = draw(kind, table)
            name = name_of(path)
            if drawn is None:
                run.notes.append(f"'{path}' is zero all along and is not drawn")
                continue
            yield Picture(f"{kind}_{name}", f"{word} {name}", "Records", drawn, caption)
