"""resonances.csv: where it rings, and how long."""

import numpy as np

from .results import ResultError, number, read_rows
from .style import GREY, Picture, figure, scale


def read(run):
    """The rows, numbers as numbers; [] where there are none."""
    path = run.path("resonances.csv")
    if not run.has("resonances.csv"):
        return []
    try:
        rows = read_rows(path)
    except ResultError as error:
        run.errors.append(str(error))
        return []
    for row in rows:
        for key in ("frequency", "decay", "Q", "amplitude", "phase", "error"):
            row[key] = number(row.get(key))
    return [row for row in rows if np.isfinite(row["frequency"])]


def draw(rows):
    drawn = figure(8.4, 3.8)
    axes = drawn.subplots()
    factor, unit = scale([row["frequency"] for row in rows], "Hz")
    lowest = min([abs(row["Q"]) for row in rows if np.isfinite(row["Q"]) and row["Q"] != 0] or [1])
    floor = 10 ** (np.floor(np.log10(lowest)) - 0.5)
    rows = sorted(rows, key=lambda row: row["frequency"])
    for row in rows:
        doubtful, x = bool(row.get("doubt")), row["frequency"] * factor
        colour = GREY if doubtful else "#0b6fb8"
        height = abs(row["Q"]) if np.isfinite(row["Q"]) and row["Q"] != 0 else lowest
        axes.plot([x, x], [floor, height], color=colour, linewidth=1.6, linestyle=":" if doubtful else "-")
        axes.plot(x, height, "o", color=colour, markerfacecolor="white" if doubtful else colour, markersize=7)
        (
            axes.annotate(
                f"{x:.7g}",
                (x, height),
                xytext=(0, 9),
                textcoords="offset points",
                ha="center",
                fontsize=9,
                color=colour,
            )
            if len(rows) <= 8
            else None
        )
    axes.set_yscale("log")
    axes.set_ylim(floor, 6 * max(floor * 2, max(abs(row["Q"]) for row in rows if np.isfinite(row["Q"]))))
    frequencies = [row["frequency"] * factor for row in rows]
    margin = 0.25 * (frequencies[-1] - frequencies[0]) or 0.1 * frequencies[0]
    axes.set_xlim(frequencies[0] - margin, frequencies[-1] + margin)
    axes.set_xlabel(f"frequency ({unit})")
    axes.set_ylabel("Q")
    return drawn


def pictures(run, _):
    rows = read(run)
    if rows:
        doubt = "Open rings on dotted lines are doubtful." if any(row.get("doubt") for row in rows) else ""
        yield Picture("resonances", "Resonances", "Resonances", draw(rows), doubt)
