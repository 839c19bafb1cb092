"""How pictures look: colours, grids, units with prefixes, and how they are saved."""

import io
import os
import sys
import tempfile
import traceback
from dataclasses import dataclass

import matplotlib
import numpy as np
from curlew_outputs import MADE, OutputError, check
from matplotlib import image
from matplotlib.figure import Figure

from .results import WriteError

matplotlib.use("Agg")
matplotlib.rcParams.update(
    {
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.labelsize": 10,
        "legend.fontsize": 9,
        "figure.dpi": 120,
        "axes.grid": True,
        "grid.color": "0.88",
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "0.35",
        "lines.linewidth": 1.5,
        "legend.frameon": False,
        "axes.formatter.useoffset": True,
        "axes.prop_cycle": matplotlib.cycler(
            color=["#0b6fb8", "#d1495b", "#2e933c", "#e08e0b", "#7b4ea3", "#5c6b73", "#17a2a2", "#8c564b"]
        ),
        "axes.formatter.limits": (-3, 4),
        "figure.constrained_layout.use": True,
        "svg.fonttype": "none",
    }
)
GREY = "0.45"
PREFIXES = (
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
    (1e-15, "f"),
)
UNITS = {
    "time": "s",
    "frequency": "Hz",
    "power": "W",
    "voltage": "V",
    "current": "A",
    "incident": "V",
    "reflected": "V",
    "E": "V/m",
    "H": "A/m",
    "P": "C/m^2",
    "J": "A/m^2",
    "electric": "J",
    "magnetic": "J",
    "total": "J",
    "energy": "J",
    "x": "m",
}


@dataclass
class Picture:
    name: str  # of the file, without its ending
    title: str  # its heading in the report
    section: str  # of the report
    figure: Figure
    caption: str = ""


def figure(width=7.4, height=3.8):
    return Figure(figsize=(width, height))


def space_figure(width, height):
    """A figure with axes in space, and axes for the bar of colours beside them: their labels are in no layout's account."""
    drawn = Figure(figsize=(width, height), constrained_layout=False)
    axes = drawn.add_axes((0.0, 0.02, 0.8, 0.96), projection="3d", computed_zorder=False)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.pane.set_facecolor("0.985")
    return drawn, axes, drawn.add_axes((0.88, 0.2, 0.025, 0.6))


def unit_of(column):
    """The unit of a column of curlew's tables: that of Ez is V/m."""
    component = len(column) > 1 and column[0] in "EHPJ" and column[2:] in ("", "_re", "_im")
    return UNITS.get(column) or (UNITS[column[0]] if component else "")


def scale(values, unit, least=0.5):
    """Factor, and unit with its prefix, that make the largest of the values a handy number, not below `least`: 1e9 and
    "ns". Values without a unit, and those that no prefix fits, stay as they are."""
    finite = np.abs(np.asarray(values, dtype=float))
    finite = finite[np.isfinite(finite)]
    largest = finite.max() if len(finite) else 0.0
    if not unit or largest == 0:
        return 1.0, unit
    for factor, letter in PREFIXES:
        if largest >= 0.9999999 * least * factor:
            return (1 / factor, letter + unit) if largest < 1e4 * factor else (1.0, unit)
    return 1.0, unit


def handy(value, unit, digits=4):
    """A number with its unit: handy(2.45e9, "Hz") is "2.45 GHz"."""
    factor, name = scale([value], unit, 1.0)
    return f"{value * factor:.{digits}g} {name}".strip()


def label(name, unit):
    return f"{name} ({unit})" if unit else name


def decibel(values, factor=20, floor=-400):
    """factor log10 |values|; what is 0 has the floor."""
    with np.errstate(divide="ignore"):
        return np.maximum(factor * np.log10(np.abs(values)), floor)


def thin(x, *curves, most=6000):
    """Long records, with the lowest and the highest value of every stretch, as many points as a picture can show."""
    if len(x) <= most:
        return (x, *curves)
    stretch = -(-len(x) // (most // 2))
    whole = len(x) // stretch * stretch
    first = np.arange(0, whole, stretch)
    out = [np.append(np.repeat(x[first], 2), x[whole:])]
    for curve in curves:
        parts = curve[:whole].reshape(-1, stretch)
        out.append(np.append(np.stack([parts.min(axis=1), parts.max(axis=1)], axis=1).ravel(), curve[whole:]))
    return tuple(out)


def time_axis(axes, time):
    """Labels the axis of time; returns the factor for its values."""
    factor, unit = scale(time, "s")
    axes.set_xlabel(label("time", unit))
    axes.set_xlim(time[0] * factor, max(time[-1], time[0] + 1e-30) * factor)
    return factor


def frequency_axis(axes, frequency):
    factor, unit = scale(frequency, "Hz")
    axes.set_xlabel(label("frequency", unit))
    if frequency[-1] > frequency[0]:
        axes.set_xlim(frequency[0] * factor, frequency[-1] * factor)
    return factor


def legend_beside(axes, **options):
    """A legend right of the axes, where it covers nothing."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handlelength=1.4, **options)


def render(picture, kind):
    """The picture as bytes of a file of its kind."""
    content = io.BytesIO()
    metadata = {"Date": None, "Creator": MADE} if kind == "svg" else None
    picture.figure.savefig(
        content, format=kind, dpi=130, metadata=metadata, facecolor="white", bbox_inches="tight", pad_inches=0.1
    )
    return trimmed(content.getvalue()) if kind == "png" else content.getvalue()


def trimmed(content, margin=13):
    """A PNG without the white around it, but for a margin: axes in space take more room than they fill."""
    pixels = image.imread(io.BytesIO(content), format="png")
    inked = (pixels[..., :3] < 0.995).any(axis=2)
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    if len(rows) == 0:
        rows, columns = np.array([0, len(pixels)]), np.array([0, len(pixels[0])])
    part = pixels[
        max(rows[0] - margin, 0) : rows[-1] + margin + 1, max(columns[0] - margin, 0) : columns[-1] + margin + 1
    ]
    out = io.BytesIO()
    image.imsave(
        out, np.ascontiguousarray(part[..., :3]), format="png", dpi=130, metadata={"Software": MADE}
    )
    return out.getvalue()


def write(path, content, inputs=(), known=False):
    """A file appears under its name only when it is complete. WriteError where it cannot be written, OutputError where its
    place is taken (outputs.py)."""
    part = None
    check(path, inputs, known)
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".part_", dir=os.path.dirname(path) or ".")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(part, 0o666 & ~_mask())
        os.replace(part, path)
    except OSError as error:
        if part is not None and os.path.exists(part):
            os.remove(part)
        raise WriteError(f"cannot write '{path}': {error.strerror}") from None


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def draw_one(words, usage, what, work):
    """The command `... INPUT PICTURE`: calls work(path, out, kind) and returns the exit code."""
    if len(words) != 2:
        print(usage, file=sys.stderr)
        return 2
    path, out = words
    try:
        work(path, out, "svg" if out.lower().endswith(".svg") else "png")
    except OutputError as error:
        print(f"curlew: {error}", file=sys.stderr)
        return 2
    except WriteError as error:
        print(f"curlew: {error}", file=sys.stderr)
        return 3
    except (OSError, ValueError, KeyError) as error:
        print(f"curlew: '{path}' is no {what}: {error}", file=sys.stderr)
        return 2
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        return 70
    return 0
