"""Fields in snapshots: three planes in space, the same planes flat, and one plane at several times."""

import re

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from . import silo
from .style import Picture, figure, handy, label, scale, space_figure

FINE, ROUGH = 24000, 5000  # triangles of a plane: colours are mixed inside a triangle, or even
TIMES, LOOKS = 4, 9  # snapshots that are drawn, and that are looked at before
BEYOND = 98  # per cent of what is drawn that lie within the colours
LYING = 1.6
LOUD = 0.05  # of the strongest field: a snapshot with less shows nothing beside it


class Shot:
    """What is drawn of a snapshot."""

    def __init__(self, snapshot, fields):
        self.step, self.time = snapshot.cycle, snapshot.time
        self.points, self.zones, self.path = snapshot.points, snapshot.zones, snapshot.path
        self.fields = fields  # by name, as silo_reader.Field

    def cut(self, name, axis, value, most):
        """xy[T][3][2] and values[T][3] on a plane."""
        import plot_slice

        xy, values, _ = plot_slice.cut(self, axis, value, self.fields[name])
        while len(xy) < most:
            xy, values = plot_slice.refine(xy), plot_slice.refine(values)
        return xy, values


def read(run, path, wanted):
    snapshot = silo.open_snapshot(run, path)
    if snapshot is None:
        return None
    from silo_reader import SnapshotError  # it needs what a snapshot has been opened with

    try:
        names = snapshot.names()
        if wanted is None:
            wanted = "E" if "E" in names else "H" if "H" in names else None
        if wanted is None:
            return None
        fields = {wanted: snapshot.field(wanted)}
        for axis in "xyz":
            if wanted in ("E", "H") and wanted + axis in names:
                fields[wanted + axis] = snapshot.field(wanted + axis)
        return Shot(snapshot, fields)
    except SnapshotError as error:
        run.errors.append(str(error))
        return None
    finally:
        snapshot.close()


def choose(run, options):
    """Up to TIMES paths of snapshots, equally far apart in the part of the run that has fields to speak of."""
    paths = run.snapshots()
    if options.step is not None:
        chosen = [path for path in paths if int(re.search(r"(\d+)\.\w+$", path).group(1)) == options.step]
        if not chosen:
            run.errors.append(f"'{run.folder}' has no snapshot of step {options.step}")
        return chosen
    first, last = loud_part(run, options, paths)
    numbers = np.unique(np.linspace(first, last, TIMES).round().astype(int))
    return [paths[number] for number in numbers]


def loud_part(run, options, paths):
    """The first and the last of the snapshots that have at least LOUD of the strongest field, among LOOKS of them."""
    if not paths or not silo.can_open(paths[0]) or silo.size_of(paths[0]) * LOOKS > silo.LARGEST:
        return 0, len(paths) - 1
    numbers = np.unique(np.linspace(0, len(paths) - 1, LOOKS).round().astype(int))
    strengths = []
    for number in numbers:
        shot = read(run, paths[number], options.field)
        strengths.append(strength(norm(next(iter(shot.fields.values())))) if shot is not None else 0.0)
    loud = np.flatnonzero(np.array(strengths) >= LOUD * max(strengths))
    if max(strengths) <= 0:
        return 0, len(paths) - 1
    return numbers[loud[0]], numbers[loud[-1]]


def norm(field):
    return np.linalg.norm(field.values, axis=-1) if field.values.ndim == 2 else field.values


def strength(values):
    return float(np.sqrt(np.nanmean(values.astype(float) ** 2)))


def middle(shot):
    """The middle of the mesh, less a hair: a plane through it then cuts elements and does not run along their faces."""
    low, high = shot.points.min(axis=0), shot.points.max(axis=0)
    return low + 0.4999 * (high - low)


def colours(name, values):
    """Colour map and limits: signed for components, from zero for lengths. A few nodes at an edge, where fields are
    singular, may lie beyond them."""
    together = np.concatenate([value.ravel() for value in values])
    largest = np.nanpercentile(np.abs(together), BEYOND) or np.nanmax(np.abs(together)) or 1.0
    signed = len(name) == 2 and name[0] in "EH" or np.nanmin(together) < 0
    return ("RdBu_r", -largest, largest) if signed else ("inferno", 0.0, largest)


def others(axis):
    return [i for i in range(3) if i != axis]


class Flat:
    """A plane on paper: the longer of its axes lies if the other one is much shorter."""

    def __init__(self, axis, xy, values):
        size, self.across = np.ptp(xy.reshape(-1, 2), axis=0), others(axis)
        self.xy, self.values, self.size = xy, values, size
        if size[1] > LYING * size[0]:
            self.xy, self.size, self.across = xy[..., ::-1], size[::-1], self.across[::-1]

    def draw(self, axes, shade, factor, unit):
        map_name, low, high = shade
        triangles = Triangulation(*(self.xy.reshape(-1, 2) * factor).T, np.arange(3 * len(self.xy)).reshape(-1, 3))
        image = axes.tripcolor(
            triangles, self.values.ravel(), shading="gouraud", cmap=map_name, vmin=low, vmax=high, rasterized=True
        )
        axes.grid(False)
        axes.set_aspect("equal")
        axes.set_anchor("W")
        axes.set_facecolor("0.88")
        axes.autoscale(tight=True)
        axes.locator_params(nbins=6)
        axes.set_xlabel(label("xyz"[self.across[0]], unit))
        axes.set_ylabel(label("xyz"[self.across[1]], unit))
        return image


def add_bar(drawn, image, name, unit, scaled, **where):
    text = label(f"|{name}|" if name in ("E", "H") else name, unit)
    extend = "both" if image.norm.vmin < 0 else "max"
    bar = drawn.colorbar(image, label=text, extend=extend, extendfrac=0.03, **where)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value * scaled:.4g}")
    bar.outline.set_visible(False)


def sheet(planes, columns):
    """A figure and axes for planes in rows of `columns`, all in one scale."""
    rows = [planes[i : i + columns] for i in range(0, len(planes), columns)]
    widths = [max(row[i].size[0] for row in rows if i < len(row)) for i in range(len(rows[0]))]
    heights = [max(plane.size[1] for plane in row) for row in rows]
    inch = min(9.0 / sum(widths), 8.0 / sum(heights), 3.6 / min(max(heights), max(widths)))
    drawn = figure(max(inch * sum(widths), 2.5) + 0.75 * len(widths) + 1.0, inch * sum(heights) + 0.8 * len(heights))
    grid = drawn.subplots(
        len(rows),
        len(widths),
        squeeze=False,
        gridspec_kw={
            "width_ratios": np.maximum(widths, 0.15 * max(widths)),
            "height_ratios": np.maximum(heights, 0.15 * max(heights)),
        },
    )
    for axes in grid.flat[len(planes) :]:
        axes.set_axis_off()
    return drawn, grid


def columns_of(planes):
    """How many planes go beside each other: as many as fit a page that is wider than high."""
    shape = max(plane.size[0] for plane in planes) / max(max(plane.size[1] for plane in planes), 1e-30)
    return len(planes) if shape < 1.5 else 2 if shape < 3 and len(planes) % 2 == 0 else 1


def draw_planes(shot, name, heights):
    """The planes beside or above each other, in one scale."""
    planes = [Flat(axis, *shot.cut(name, axis, height, FINE)) for axis, height in heights]
    shade = colours(name, [plane.values for plane in planes])
    scaled, prefixed = scale([shade[2]], shot.fields[name].unit)
    factor, metre = scale(np.ptp(shot.points, axis=0), "m")
    drawn, grid = sheet(planes, columns_of(planes))
    for axes, (axis, height), plane in zip(grid.flat, heights, planes):
        image = plane.draw(axes, shade, factor, metre)
        axes.set_title(f"{'xyz'[axis]} = {height * factor:.3g} {metre}", fontsize=10)
    add_bar(drawn, image, name, prefixed, scaled, ax=list(grid.flat), pad=0.02, shrink=0.9, panchor=False)
    return drawn


def draw_times(shots, name, axis, height):
    planes = [Flat(axis, *shot.cut(name, axis, height, FINE // 2)) for shot in shots]
    shade = colours(name, [plane.values for plane in planes])
    scaled, prefixed = scale([shade[2]], shots[0].fields[name].unit)
    factor, metre = scale(np.ptp(shots[0].points, axis=0), "m")
    drawn, grid = sheet(planes, columns_of(planes))
    for axes, shot, plane in zip(grid.flat, shots, planes):
        image = plane.draw(axes, shade, factor, metre)
        axes.set_title(f"{handy(shot.time, 's')}, step {shot.step}", fontsize=9)
        axes.label_outer()
    add_bar(drawn, image, name, prefixed, scaled, ax=list(grid.flat), pad=0.02, shrink=0.9, panchor=False)
    return drawn


def draw_space(shot, name):
    """Three planes through the middle, in the box of the mesh. A box that is long along z or y lies."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    factor, metre = scale(np.ptp(shot.points, axis=0), "m")
    at, triangles, shades = middle(shot), [], []
    for axis in range(3):
        xy, values = shot.cut(name, axis, at[axis], ROUGH)
        place = np.empty((len(xy), 3, 3))
        place[..., axis] = at[axis]
        place[..., others(axis)] = xy
        triangles.append(place * factor)
        shades.append(values.mean(axis=1))
    ends = np.stack([shot.points.min(axis=0), shot.points.max(axis=0)]) * factor
    size = ends[1] - ends[0]
    first = int(np.argmax(size)) if np.sort(size)[2] > LYING * np.sort(size)[1] else 0
    turned = [(first + i) % 3 for i in range(3)]  # the axes that are drawn as x, y and z
    values, ends, size = np.concatenate(shades), ends[:, turned], size[turned]
    map_name, low, high = colours(name, [values])
    limits = Normalize(low, high)
    drawn, axes, beside = space_figure(7.4, 5.6)
    paint = colormaps[map_name](limits(values))
    axes.add_collection3d(
        Poly3DCollection(
            np.concatenate(triangles)[..., turned], facecolors=paint, edgecolors=paint, linewidths=0.3, rasterized=True
        )
    )
    box = [
        [[ends[i, 0], ends[j, 1], ends[k, 2]], [ends[a, 0], ends[b, 1], ends[c, 2]]]
        for i, j, k in np.ndindex(2, 2, 2)
        for a, b, c in ((1, j, k), (i, 1, k), (i, j, 1))
        if (a, b, c) != (i, j, k)
    ]
    axes.add_collection3d(Line3DCollection(box, colors="0.5", linewidths=0.7))
    axes.set_box_aspect(np.maximum(size, 0.12 * size.max()), zoom=0.88)
    for number, (axis, drawn_as) in enumerate(zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz")):
        getattr(axes, f"set_{drawn_as}lim")(*ends[:, number])
        axis.set_label_text(label("xyz"[turned[number]], metre))
        axis.set_tick_params(labelsize=8)
        axis.labelpad = 14 if number == 0 and turned[0] != 0 else 8
        axis.set_major_locator(MaxNLocator(4 if size[number] > 0.4 * size.max() else 2))
    axes.grid(False)
    scaled, prefixed = scale([high], shot.fields[name].unit)
    add_bar(drawn, ScalarMappable(limits, map_name), name, prefixed, scaled, cax=beside)
    return drawn


def component(shots, whole):
    """The strongest component of E or H; a scalar itself."""
    parts = [name for name in shots[0].fields if name != whole]
    return max(parts, key=lambda name: max(strength(shot.fields[name].values) for shot in shots)) if parts else whole


def weight(shot, name, axis, height):
    """How much there is to see on a plane; of equal ones z is taken."""
    area = np.prod(np.ptp(shot.points, axis=0)[others(axis)])
    return (1.2 if axis == 2 else 1.0) * np.sqrt(area) * strength(shot.cut(name, axis, height, 1)[1])


def pictures(run, options):
    if not run.snapshots():
        return
    shots = [read(run, path, options.field) for path in choose(run, options)]
    shots = [shot for shot in shots if shot is not None]
    if not shots:
        return
    import plot_slice

    whole = next(iter(shots[0].fields))
    shot = max(shots, key=lambda one: strength(norm(one.fields[whole])))
    if strength(norm(shot.fields[whole])) == 0:
        run.notes.append(f"{whole} is zero in all snapshots that were looked at, and is not drawn")
        return
    planes = [options.plane] if options.plane else list(enumerate(middle(shot)))
    caption = f"Step {shot.step}, {handy(shot.time, 's')}" + (
        f": the strongest of the {len(shots)} snapshots that were looked at." if len(shots) > 1 else "."
    )
    try:
        yield Picture("fields_3d", f"{whole} in space", "Fields", draw_space(shot, whole), caption)
        yield Picture("fields_planes", f"{whole} on planes", "Fields", draw_planes(shot, whole, planes), caption)
        if len(shots) > 1:
            name = component(shots, whole)
            axis, height = max(planes, key=lambda one: weight(shot, name, *one))
            factor, metre = scale(np.ptp(shot.points, axis=0), "m")
            yield Picture(
                "fields_times",
                f"{name} at {'xyz'[axis]} = {height * factor:.3g} {metre}",
                "Fields",
                draw_times(shots, name, axis, height),
            )
    except plot_slice.UserError as error:
        run.errors.append(str(error))
