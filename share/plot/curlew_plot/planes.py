"""Fields on planes of measurement, from tables and from Silo files."""

import os
import re

import numpy as np

from . import silo
from .lines import COMPONENTS, bar, by_time, strongest
from .results import name_of
from .style import Picture, figure, handy, label, scale, unit_of

LOOKS = 9  # Silo files of a plane that are looked at
SPECTRA = 3  # frequencies of a plane that are drawn


def sides(place):
    """Distances along both sides of a grid of points, the first side running fastest; None where it is no grid."""
    if len(place) < 4:
        return None
    step = place[1] - place[0]
    turns = np.flatnonzero(np.linalg.norm(np.diff(place, axis=0) - step, axis=1) > 1e-6 * np.linalg.norm(step))
    first = int(turns[0]) + 1 if len(turns) else len(place)
    if len(place) % first or first in (1, len(place)):
        return None
    u = np.linalg.norm(step) * np.arange(first)
    return u, np.linalg.norm(place[first] - place[0]) * np.arange(len(place) // first)


def draw(place, values, name, unit, signed):
    """Values at the points of a plane; None where the points are no grid."""
    found = sides(place)
    if found is None:
        return None
    u, v = found
    (s, s_unit), (f, f_unit) = scale(np.append(u, v), "m"), scale(values, unit)
    largest = np.nanmax(np.abs(values)) * f or 1.0
    drawn = figure(7.0, min(max(7.0 * v[-1] / u[-1] * 0.75 + 0.9, 2.5), 7.5))
    axes = drawn.subplots()
    axes.grid(False)
    axes.set_facecolor("0.85")
    axes.set_aspect("equal")
    grid = np.ma.masked_invalid(values.reshape(len(v), len(u)) * f)
    kind = {"cmap": "RdBu_r", "vmin": -largest} if signed else {"cmap": "inferno", "vmin": 0}
    shading = "nearest" if grid.mask.any() else "gouraud"
    image = axes.pcolormesh(u * s, v * s, grid, vmax=largest, shading=shading, rasterized=True, **kind)
    bar(drawn, axes, image, name, f_unit)
    axes.set_xlabel(label("along u", s_unit))
    axes.set_ylabel(label("along v", s_unit))
    return drawn


def of_table(table, name):
    """Places, the values at the time of the largest, and that time."""
    times, points = by_time(table)
    values = table[name][: len(times) * points].reshape(len(times), points)
    at = int(np.nanargmax(np.nanmax(np.abs(values), axis=1)))
    return np.stack([table[axis][:points] for axis in "xyz"], axis=1), values[at], times[at]


def files(run):
    """The Silo files of each plane, {"cut": [paths of times], "cut_spectrum": [paths of frequencies]}."""
    found = {}
    for path in run.plane_files():
        name = re.sub(r"_\d{6,}\.silo$", "", path)
        found.setdefault(name, []).append(path)
    return found


def of_files(run, paths, spectrum):
    """(points, values, component, time or frequency) of the file with the strongest field; None without."""
    best = None
    for number in np.unique(np.linspace(0, len(paths) - 1, LOOKS).round().astype(int)):
        plane = silo.open_plane(run, paths[number])
        if plane is None:
            return None
        if spectrum:
            none = np.zeros(len(plane["points"]))
            sizes = {
                name: np.hypot(plane.get(name + "_re", none), plane.get(name + "_im", none)) for name in COMPONENTS
            }
        else:
            sizes = {name: plane[name] for name in COMPONENTS}
        sizes = {name: np.where(plane["inside"] > 0.5, values, np.nan) for name, values in sizes.items()}
        name = strongest(sizes)
        largest = np.nanmax(np.abs(sizes[name])) if name is not None else 0
        if largest > 0 and (best is None or largest > best[0]):
            best = (largest, plane["points"], sizes[name], name, plane["time"])
    return best[1:] if best is not None else None


def spectra_of_tables(run):
    """Planes of output.spectra in tables: sizes at the first frequencies."""
    for path in run.tables("spectra"):
        table = run.table(path)
        if table is None or "x" not in table:  # the losses of a region
            continue
        table.columns.update(
            {name: np.hypot(table[name + "_re"], table[name + "_im"]) for name in COMPONENTS if name + "_re" in table}
        )
        table.columns.update({name: np.zeros(len(table)) for name in COMPONENTS if name not in table})
        name, title = strongest(table), name_of(path)
        if name is None:
            continue
        frequencies, points = by_time({"time": table["frequency"]})
        unit = unit_of(name) + (" s" if run.norm(title) == "none" else "")
        place = np.stack([table[axis][:points] for axis in "xyz"], axis=1)
        for number, frequency in enumerate(frequencies[:SPECTRA]):
            drawn = draw(place, table[name][number * points : (number + 1) * points], f"size of {name}", unit, False)
            if drawn is not None:
                when = handy(frequency, "Hz")
                head = f"{name} on plane {title} at {when}"
                yield Picture(f"spectra_{title}_{number + 1:06}", head, "Lines and planes", drawn)


def pictures(run, _):
    yield from spectra_of_tables(run)
    for path in run.tables("planes"):
        table = run.table(path)
        name = strongest(table) if table is not None else None
        if name is not None:
            place, values, time = of_table(table, name)
            drawn = draw(place, values, name, unit_of(name), True)
            if drawn is not None:
                caption = f"The time of the largest field, {handy(time, 's')}."
                yield Picture(
                    f"planes_{name_of(path)}", f"{name} on plane {name_of(path)}", "Lines and planes", drawn, caption
                )
    for stem, paths in files(run).items():
        plain, kind = name_of(stem + ".silo"), os.path.basename(os.path.dirname(stem))
        spectrum = kind == "spectra" or stem.endswith("_spectrum")
        for some in [[path] for path in paths[:SPECTRA]] if spectrum else [paths]:
            found = of_files(run, some, spectrum)
            if found is None:
                continue
            place, values, name, at = found
            divided = kind == "spectra" and run.norm(plain) != "none"
            unit = f"{unit_of(name)} s" if spectrum and not divided else unit_of(name)
            drawn = draw(place, values, f"size of {name}" if spectrum else name, unit, not spectrum)
            if drawn is None:
                continue
            when = handy(at, "Hz" if spectrum else "s")
            number = f"_{re.search(r'([0-9]+).silo$', some[0]).group(1)}" if spectrum else ""
            title = f"{name} on plane {plain.removesuffix('_spectrum')}" + (f" at {when}" if spectrum else "")
            caption = "" if spectrum else f"The largest of the times that were looked at, {when}."
            yield Picture(f"{kind}_{plain}{number}", title, "Lines and planes", drawn, caption)
