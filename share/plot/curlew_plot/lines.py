"""Fields along lines: over the time, and at frequencies."""

import numpy as np

from .results import name_of
from .style import Picture, figure, handy, label, legend_beside, scale, unit_of

MOST = 400  # times of a map
SEVERAL = 5
COMPONENTS = ("Ex", "Ey", "Ez", "Hx", "Hy", "Hz")


def strongest(table, ending=""):
    """The component of E that is largest, or where E is zero that of H."""
    for group in (COMPONENTS[:3], COMPONENTS[3:]):
        sizes = [np.nanmax(np.abs(table[name + ending]), initial=0) for name in group]
        if max(sizes) > 0:
            return group[int(np.argmax(sizes))]
    return None


def by_time(table):
    """times[T], and the number of points, each of which comes once a time."""
    time = table["time"]
    points = int(np.argmax(time != time[0])) or len(time)
    times = len(time) // points
    return time[: times * points : points], points


def bar(drawn, axes, image, name, unit):
    colours = drawn.colorbar(image, ax=axes, label=label(name, unit), pad=0.02)
    colours.outline.set_visible(False)


def distance(table, rows):
    """The way along the points of some rows."""
    place = np.stack([table[axis][rows] for axis in "xyz"], axis=1)
    return np.append(0, np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1)))


def draw_line(table, name):
    times, points = by_time(table)
    along = distance(table, slice(points))
    values = table[name][: len(times) * points].reshape(len(times), points)
    every = -(-len(times) // MOST)
    times, values = times[::every], values[::every]
    (t, t_unit), (s, s_unit), (v, v_unit) = scale(times, "s"), scale(along, "m"), scale(values, unit_of(name))
    largest = np.nanmax(np.abs(values)) * v or 1.0
    drawn = figure(8.4, 4.2)
    axes = drawn.subplots()
    axes.grid(False)
    axes.set_facecolor("0.85")
    if len(times) < 2:
        axes.plot(along * s, values[0] * v)
        axes.set_ylabel(label(name, v_unit))
    else:
        image = axes.pcolormesh(
            along * s,
            times * t,
            values * v,
            cmap="RdBu_r",
            vmin=-largest,
            vmax=largest,
            shading="nearest",
            rasterized=True,
        )
        bar(drawn, axes, image, name, v_unit)
        axes.set_ylabel(label("time", t_unit))
    axes.set_xlabel(label("along the line", s_unit))
    axes.set_xlim(0, along[-1] * s)
    return drawn


def draw_spectrum(table, name):
    """The size at up to SEVERAL frequencies, along the line."""
    frequencies = np.unique(table["frequency"])
    chosen = frequencies[np.unique(np.linspace(0, len(frequencies) - 1, SEVERAL).round().astype(int))]
    values = np.hypot(table[name + "_re"], table[name + "_im"])
    drawn = figure(8.4, 3.8)
    axes = drawn.subplots()
    for frequency in chosen:
        rows = table["frequency"] == frequency
        along = distance(table, rows)
        factor, unit = scale(along, "m")
        axes.plot(along * factor, values[rows], label=handy(frequency, "Hz"))
    axes.set_xlabel(label("along the line", unit))
    axes.set_ylabel(label(f"size of {name}", f"{unit_of(name)} s"))
    axes.margins(x=0)
    legend_beside(axes)
    return drawn


def pictures(run, _):
    for path in run.tables("lines"):
        table = run.table(path)
        part = "_re" if table is not None and "Ex_re" in table else ""  # with Bloch phases the real part is drawn
        name = strongest(table, part) if table is not None else None
        if name is not None:
            name += part
            title = f"{name} along line {name_of(path)}"
            yield Picture(f"lines_{name_of(path)}", title, "Lines and planes", draw_line(table, name))
    for path in run.spectra("lines"):
        table = run.table(path)
        name = strongest(table, "_re") if table is not None else None
        if name is not None:
            title = f"Spectrum of {name} along line {name_of(path)[: -len('_spectrum')]}"
            yield Picture(f"lines_{name_of(path)}", title, "Lines and planes", draw_spectrum(table, name))
