#!/usr/bin/python3
"""Draws a field of a curlew snapshot on an axis-aligned plane.

    plot_slice.py cavity/fields_000100.silo --field Ez --plane z=0.5 -o ez.png

The snapshot is a Silo file or, with the ending .hdf, a VTKHDF file.
--field takes a scalar or a component (Ez), or a vector, of which the magnitude is drawn (E or '|E|').
--plane takes x, y or z and metres. Needs NumPy and matplotlib; for Silo Debian's python3-silo, for
VTKHDF h5py or vtk.
Exit codes: 0 done, 2 a wrong file, field or plane, 3 a module is missing or the picture cannot be written.
"""
import argparse
import io
import math
import os
import re
import sys

try:
    import numpy as np
    import curlew_plot  # noqa: F401  loads matplotlib without the settings of this folder
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.tri import Triangulation
    from mpl_toolkits.axes_grid1 import make_axes_locatable
    from curlew_outputs import MADE, OutputError, check
    from silo_reader import MissingModule, SnapshotError
except ImportError as error:
    print(f"plot_slice: {error}; it needs Debian's python3-numpy and python3-matplotlib, and /usr/bin/python3", file=sys.stderr)
    sys.exit(3)

FORMATS = ("png", "pdf", "svg")
FINE = 60000  # triangles; fewer are refined, since the colours inside a triangle are mixed and not looked up


class UserError(Exception):
    pass


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        print(f"plot_slice: {message} (--help shows an example)", file=sys.stderr)
        sys.exit(2)


def parse_arguments():
    parser = OneLineParser(prog="plot_slice.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("snapshot", metavar="SNAPSHOT", help="a file .silo or .hdf")
    parser.add_argument("--field", required=True, help="Ez, or E or '|E|' for the magnitude")
    parser.add_argument("--plane", required=True, help="x=, y= or z= and metres, such as z=0.5")
    parser.add_argument("-o", "--output", required=True, help="the picture: .png, .pdf or .svg")
    parser.add_argument("--title", help="instead of field, plane and time")
    parser.add_argument("--limit", type=float, help="end of the colour scale, in the field's unit")
    return parser.parse_args()


def parse_plane(text):
    match = re.fullmatch(r"\s*([xyz])\s*=\s*(\S+)\s*", text)
    try:
        value = float(match.group(2)) if match else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"'{text}' is no plane; write x=, y= or z= and metres, such as z=0.5")
    return "xyz".index(match.group(1)), value


def crossings(tets, distance):
    """Triangles of the plane in tetrahedra as pairs of points: ends[T][3][2], and the row of the tetrahedron [T]."""
    side = distance[tets] < 0
    below = side.sum(axis=1)
    rows = np.flatnonzero((below > 0) & (below < 4))
    below = below[rows]
    # Points below the plane first.
    order = np.argsort(~side[rows], axis=1, kind="stable")
    v = np.take_along_axis(tets[rows], order, axis=1)
    parts, owner = [], []
    for count, triangles in (
        (1, [[(0, 1), (0, 2), (0, 3)]]),
        (3, [[(0, 3), (1, 3), (2, 3)]]),
        (2, [[(0, 2), (0, 3), (1, 3)], [(0, 2), (1, 3), (1, 2)]]),
    ):
        pick = below == count
        for triangle in triangles:
            parts.append(np.stack([v[pick][:, edge] for edge in triangle], axis=1))
            owner.append(rows[pick])
    return np.concatenate(parts), np.concatenate(owner)


def cut(snapshot, axis, value, field):
    """xy[T][3][2] in metres and values[T][3] of the triangles in which the plane cuts the tetrahedra."""
    height = snapshot.points[:, axis]
    low, high = height.min(), height.max()
    tiny = 1e-9 * (high - low)
    if not low - tiny <= value <= high + tiny:
        raise UserError(f"the plane {'xyz'[axis]} = {value:g} m misses the mesh, which reaches from {low:g} to {high:g} m")
    distance = height - value
    # Points in the plane count as above it, and at the lower end of the mesh as below, so that each cell is cut once.
    distance[np.abs(distance) <= tiny] = 0
    if value <= low + tiny:
        distance = -distance
    ends, owner = crossings(snapshot.zones, distance)
    if len(ends) == 0:
        raise UserError(f"the plane {'xyz'[axis]} = {value:g} m cuts no cell of the mesh")
    d = distance[ends]
    weight = d[..., 0] / (d[..., 0] - d[..., 1])
    across = [i for i in range(3) if i != axis]
    xy = snapshot.points[:, across][ends]
    xy = xy[..., 0, :] + weight[..., None] * (xy[..., 1, :] - xy[..., 0, :])
    if field.centring == "zone":
        return xy, np.repeat(scalar(field.values[owner])[:, None], 3, axis=1), across
    ends_value = field.values[ends]
    if field.values.ndim == 2:  # interpolate the vector, then take its length
        weight = weight[..., None]
    values = ends_value[:, :, 0] + weight * (ends_value[:, :, 1] - ends_value[:, :, 0])
    return xy, scalar(values, field.values.ndim), across


def scalar(values, dimensions=None):
    """The length of vectors; scalars as they are."""
    return np.linalg.norm(values, axis=-1) if (dimensions or values.ndim) == 2 else values


def refine(corner):
    """Each triangle as four, [T][3][...] -> [4T][3][...]."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    return np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])


def open_snapshot(path):
    if path.lower().endswith(".hdf"):
        from vtkhdf_reader import Snapshot
    else:
        from silo_reader import Snapshot
    return Snapshot(path)


def scaled(largest, steps):
    """The factor and the name of the unit in which `largest` is a handy number."""
    for factor, name in steps:
        if largest >= 1 / factor:
            break
    return factor, name


LENGTHS = ((1, "m"), (1e2, "cm"), (1e3, "mm"), (1e6, "µm"), (1e9, "nm"))
TIMES = ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"), (1e12, "ps"), (1e15, "fs"))


def draw(arguments, snapshot, field, magnitude, axis, value):
    xy, values, across = cut(snapshot, axis, value, field)
    finite = np.isfinite(values).all(axis=1)
    if not finite.any():
        raise UserError(f"'{snapshot.path}': {field.name} has no finite value on the plane")
    xy, values = xy[finite], values[finite]
    while len(xy) < FINE:
        xy, values = refine(xy), refine(values)

    component = any(field.name in definition.strip("{}").replace(" ", "").split(",")
                    for definition in snapshot.expressions.values())
    signed = not magnitude and (component or values.min() < 0)
    largest = arguments.limit or np.abs(values).max() or 1.0
    if signed:
        colours, limits = "RdBu_r", (-largest, largest)
    elif magnitude or values.min() <= 0:
        colours, limits = "inferno", (0, largest)
    else:
        colours, limits = "viridis", (values.min(), arguments.limit or values.max())

    extent = np.ptp(xy.reshape(-1, 2), axis=0)
    factor, unit = scaled(extent.max(), LENGTHS)
    xy = xy * factor
    extent = extent * factor
    width = 6.4
    height = min(max(width * extent[1] / max(extent[0], 1e-30) * 0.80 + 1.0, 2.4), 9.0)
    figure, axes = plt.subplots(figsize=(width, height))
    triangles = Triangulation(*xy.reshape(-1, 2).T, np.arange(3 * len(xy)).reshape(-1, 3))
    image = axes.tripcolor(triangles, values.ravel(), shading="gouraud", cmap=colours, vmin=limits[0],
                           vmax=limits[1], rasterized=True)
    axes.set_aspect("equal")
    axes.autoscale(tight=True)
    axes.set_facecolor("0.85")
    axes.set_xlabel(f"{'xyz'[across[0]]} ({unit})")
    axes.set_ylabel(f"{'xyz'[across[1]]} ({unit})")
    symbol = f"|{field.name}|" if magnitude else field.name
    beside = make_axes_locatable(axes).append_axes("right", size=0.18, pad=0.12)
    bar = figure.colorbar(image, cax=beside, label=f"{symbol} ({field.unit})" if field.unit else symbol)
    bar.formatter.set_powerlimits((-3, 4))
    time_factor, time_unit = scaled(abs(snapshot.time) or 1.0, TIMES)
    axes.set_title(arguments.title or f"{symbol} at {'xyz'[axis]} = {value * factor:.4g} {unit},  "
                   f"t = {snapshot.time * time_factor:.4g} {time_unit},  step {snapshot.cycle}", fontsize=11)
    return figure


def save(figure, path, kind, inputs=()):
    """The picture appears under its name only when it is complete."""
    content = io.BytesIO()
    metadata = {"png": {"Software": MADE}, "svg": {"Creator": MADE}, "pdf": {"Creator": MADE}}.get(kind)
    figure.savefig(content, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
    part = path + ".part"
    try:
        check(path, inputs)
        with open(part, "wb") as file:
            file.write(content.getvalue())
        os.replace(part, path)
    except OutputError as error:
        print(f"plot_slice: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if os.path.exists(part):
            os.remove(part)
        print(f"plot_slice: cannot write '{path}': {error.strerror}", file=sys.stderr)
        return 3
    return 0


def main():
    arguments = parse_arguments()
    try:
        kind = os.path.splitext(arguments.output)[1].lstrip(".").lower()
        if kind not in FORMATS:
            raise UserError(f"'{arguments.output}' does not end in {', '.join('.' + name for name in FORMATS)}")
        if arguments.limit is not None and not 0 < arguments.limit < math.inf:
            raise UserError(f"--limit {arguments.limit:g} is not positive")
        axis, value = parse_plane(arguments.plane)
        snapshot = open_snapshot(arguments.snapshot)
        field = snapshot.field(arguments.field.strip("|"))
        magnitude = field.values.ndim == 2
        if arguments.field.startswith("|") and not magnitude:
            field.values, magnitude = np.abs(field.values), True
        figure = draw(arguments, snapshot, field, magnitude, axis, value)
    except (UserError, SnapshotError) as error:
        print(f"plot_slice: {error}", file=sys.stderr)
        return 3 if isinstance(error, MissingModule) else 2
    return save(figure, arguments.output, kind, [arguments.snapshot])


if __name__ == "__main__":
    sys.exit(main())
