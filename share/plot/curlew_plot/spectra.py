"""NAME_spectrum.csv: transforms at the frequencies that the script asked for, size and phase."""

import numpy as np

from .results import name_of
from .style import Picture, decibel, figure, frequency_axis, legend_beside, unit_of

DEPTH = 80
SILENT = 1e-4  # of the largest value: what is smaller all along is not drawn


def quantities(table):
    """Columns as complex numbers: {"Ex": values, ...}."""
    names = [name[:-3] for name in table.names if name.endswith("_re") and name[:-3] + "_im" in table]
    return {name: table[name + "_re"] + 1j * table[name + "_im"] for name in names}


def groups(values):
    """Quantities of one unit each."""
    found = {}
    for name in values:
        found.setdefault(unit_of(name), []).append(name)
    return found


def draw(table):
    frequency, values = table["frequency"], quantities(table)
    parts = [
        (unit, names, max(np.nanmax(np.abs(values[name])) for name in names)) for unit, names in groups(values).items()
    ]
    parts = [part for part in parts if part[2] > 0]
    if not parts:
        return None
    drawn = figure(9.6, 0.6 + 2.4 * len(parts))
    grid = drawn.subplots(len(parts), 2, squeeze=False)
    style = {"marker": "o", "markersize": 3.5} if len(frequency) < 25 else {}
    for (size, phase), (unit, names, largest) in zip(grid, parts):
        for axes in (size, phase):
            factor = frequency_axis(axes, frequency)
        for name in names:
            if np.nanmax(np.abs(values[name])) < SILENT * largest:
                continue
            size.plot(frequency * factor, decibel(values[name] / largest), label=name, linewidth=1.3, **style)
            phase.plot(frequency * factor, np.degrees(np.angle(values[name])), label=name, linewidth=1.0, **style)
        low, high = size.get_ylim()
        size.set_ylim(max(low, -DEPTH), max(high, 3))
        size.set_ylabel("size (dB)")
        size.set_title(f"0 dB is {largest:.3g} {unit} s", fontsize=9, color="0.45", loc="right")
        phase.set_ylabel("phase (degrees)")
        phase.set_ylim(-190, 190)
        phase.set_yticks([-180, -90, 0, 90, 180])
        legend_beside(phase)
    return drawn


def pictures(run, _):
    for kind in run.kinds():
        for path in run.spectra(kind):
            table = run.table(path)
            drawn = draw(table) if table is not None else None
            if drawn is not None:
                name = name_of(path)
                yield Picture(f"{kind}_{name}", f"Spectrum of {name[:-len('_spectrum')]}", "Spectra", drawn)
