"""S-parameters: size in dB and phase, and the Smith chart of what returns. From sparameters.csv, or where that is not there
from the Touchstone file."""

import os
import re
import sys

import numpy as np

from . import smith
from .results import ResultError
from .style import GREY, Picture, decibel, figure, frequency_axis, legend_beside

# the Python package: beside this folder's, or where the interpreter has it
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from curlew.errors import CurlewError  # noqa: E402
from curlew.network import read_touchstone as network_of  # noqa: E402

DEPTH = 80


def from_table(table):
    """{"S11": complex values, ...} of sparameters.csv."""
    names = [name[:-3] for name in table.names if re.fullmatch(r"S\d+(_\d+)?_re", name)]
    return {name: table[name + "_re"] + 1j * table[name + "_im"] for name in names}


def read_touchstone(path):
    """Frequencies, Hz, and {"S11": values, ...} of a Touchstone 1 file."""
    try:
        network = network_of(path)
    except CurlewError as error:
        raise ResultError(str(error)) from None
    ports = range(len(network.ports))
    return network.frequency, {name_of_entry(i + 1, j + 1): network.S[:, i, j] for j in ports for i in ports}


def name_of_entry(i, j):
    return f"S{i}_{j}" if max(i, j) > 9 else f"S{i}{j}"


def reflections(entries):
    """The names of what returns to its own port."""
    return [name for name in entries if len(set(name[1:].split("_") if "_" in name else [name[1], name[2:]])) == 1]


def draw(frequency, entries, error=None):
    drawn = figure(8.4, 6.0)
    size, phase = drawn.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": (1.5, 1)})
    style = {"marker": "o", "markersize": 3.5} if len(frequency) < 25 else {}
    factor = frequency_axis(phase, frequency)
    for name, values in entries.items():
        size.plot(frequency * factor, decibel(values), label=name, **style)
        phase.plot(frequency * factor, np.degrees(np.angle(values)), linewidth=1.1, **style)
    if error is not None and np.isfinite(error).any():
        size.plot(
            frequency * factor, decibel(error), color=GREY, linestyle=":", linewidth=1.2, label="error,\nestimated"
        )
    low, high = size.get_ylim()
    size.set_ylim(max(low, -DEPTH), max(high, 2))
    size.set_ylabel("|S| (dB)")
    phase.set_ylabel("phase (degrees)")
    phase.set_ylim(-190, 190)
    phase.set_yticks([-180, -90, 0, 90, 180])
    legend_beside(size)
    return drawn


def read(run):
    """(frequency, entries, estimated errors or None), or None where there is nothing to draw."""
    if run.has("sparameters.csv"):
        table = run.table(run.path("sparameters.csv"))
        if table is None:
            return None
        return table["frequency"], from_table(table), table["error"] if "error" in table else None
    for path in run.touchstone():
        try:
            return (*read_touchstone(path), None)
        except ResultError as error:
            run.errors.append(str(error))
    return None


def pictures(run, _):
    found = read(run)
    if found is None:
        return
    frequency, entries, error = found
    entries = {name: values for name, values in entries.items() if np.isfinite(values).any()}
    if not entries:
        run.notes.append(f"the S-parameters of '{run.folder}' are all nan and are not drawn")
        return
    yield Picture("sparameters", "S-parameters", "S-parameters", draw(frequency, entries, error))
    returned = {name: entries[name] for name in reflections(entries)}
    if returned:
        yield Picture(
            "smith",
            "Smith chart",
            "S-parameters",
            smith.draw(frequency, returned),
            "Impedances are over that of each port. The dot is the lowest frequency, the cross the highest, the ring "
            "that with the least reflection.",
        )
