"""The surfaces of a mesh in space, coloured by what the script gave them: all walls, and what is inside."""

import json
import os
import re

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from .style import Picture, draw_one, label, render, scale, write

MOST = 60000  # triangles of a view: what matplotlib sorts in some seconds
ENTRIES = 14  # of the legend
CLEAR = 0.3  # of surfaces between media, so that what is behind them can be seen
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
COLOURS = ("#0b6fb8", "#d1495b", "#2e933c", "#e08e0b", "#7b4ea3", "#17a2a2", "#8c564b", "#c2185b", "#7f8c1c", "#34495e")
PLAIN = "#b9c0c6"  # of walls of metal


class Surface:
    def __init__(self, entry):
        self.outside, self.given = entry["outside"], entry["given"]
        self.x = np.asarray(entry["triangles"], dtype=float).reshape(-1, 3, 3)
        self.normal = np.cross(self.x[:, 1] - self.x[:, 0], self.x[:, 2] - self.x[:, 0])
        self.area = 0.5 * np.linalg.norm(self.normal, axis=1)
        sides = [entry["first"], entry["second"]]
        self.name = self.given or " | ".join(dict.fromkeys(side or "no material" for side in sorted(sides)))
        if entry["groups"] and not any(f"'{group}'" in self.name for group in entry["groups"]):
            self.name += f" ({', '.join(entry['groups'])})"

        self.solid = re.search(r"\bpec\b|_port\b", self.given) is not None

    def plain(self):
        return self.outside and self.given.startswith("boundary pec")

    def within(self):
        """Is it drawn inside? Walls of layers are walls; ports are in both views."""
        return "_port" in self.given if self.outside else not self.given.startswith("boundary")


def read(path):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    os.remove(path)
    return model["name"], [Surface(entry) for entry in model["surfaces"] if entry["triangles"]]


def colours(surfaces):
    """A colour for each name; those of larger area come first, metal is grey."""
    area = {}
    for surface in surfaces:
        area[surface.name] = area.get(surface.name, 0) + surface.area.sum()
    plain = {surface.name for surface in surfaces if surface.plain()}
    more = [to_rgb(colormaps["tab20"](i)) for i in range(20)]
    chosen, bright = {}, [*map(to_rgb, COLOURS), *more]
    for name in sorted(area, key=area.get, reverse=True):
        chosen[name] = to_rgb(PLAIN) if name in plain else bright[(len(chosen) - len(plain & set(chosen))) % len(bright)]
    return chosen


def paint(axes, surfaces, chosen, factor, clear):
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    x = np.concatenate([surface.x for surface in surfaces])
    normal = np.concatenate([surface.normal for surface in surfaces])
    colour = np.concatenate([np.tile(chosen[surface.name], (len(surface.x), 1)) for surface in surfaces])
    alpha = np.concatenate([np.full(len(surface.x), 1 if surface.solid else clear) for surface in surfaces])
    if len(x) > MOST:  # the largest are most of what is seen
        kept = np.argsort(np.linalg.norm(normal, axis=1))[-MOST:]
        x, normal, colour, alpha = x[kept], normal[kept], colour[kept], alpha[kept]
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    shade = 0.62 + 0.38 * np.abs((normal / np.where(length > 0, length, 1)) @ LIGHT)
    faces = np.clip(colour * shade[:, None], 0, 1)
    lines = np.column_stack([faces * 0.72, 0.5 + 0.5 * alpha])
    axes.add_collection3d(
        Poly3DCollection(
            x * factor, facecolors=np.column_stack([faces, alpha]), edgecolors=lines, linewidths=0.25, rasterized=True
        )
    )


def frame(axes, low, high, metre, title):
    size = high - low
    axes.set_box_aspect(np.maximum(size, 0.12 * size.max()), zoom=0.92)
    for number, (axis, name) in enumerate(zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz")):
        middle, half = 0.5 * (low[number] + high[number]), 0.5 * max(size[number], 1e-3 * size.max())
        getattr(axes, f"set_{name}lim")(middle - half, middle + half)
        axis.set_label_text(label(name, metre))
        axis.set_tick_params(labelsize=7)
        axis.set_major_locator(MaxNLocator(4 if size[number] > 0.4 * size.max() else 2))
        axis.pane.set_facecolor("0.985")
    axes.view_init(elev=24, azim=-58)
    axes.grid(False)
    axes.set_title(title, fontsize=10)


def draw(name, surfaces):
    outer = [surface for surface in surfaces if surface.outside]
    inner = [surface for surface in surfaces if surface.within()]
    chosen = colours(surfaces)
    points = np.concatenate([surface.x.reshape(-1, 3) for surface in surfaces])
    factor, metre = scale(np.ptp(points, axis=0), "m")
    low, high = points.min(axis=0) * factor, points.max(axis=0) * factor
    views = [(outer, 1, "walls, from outside"), (inner, CLEAR, "inside: surfaces in the mesh, and ports")]
    views = [view for view in views if view[0]]
    drawn = Figure(figsize=(5.6 * len(views) + 0.4, 6.4), constrained_layout=False)
    drawn.suptitle(name, fontsize=12, y=1.0)
    for i, (parts, clear, title) in enumerate(views):
        axes = drawn.add_axes((i / len(views) + 0.01, 0.24, 1 / len(views) - 0.03, 0.7), projection="3d")
        paint(axes, parts, chosen, factor, clear)
        frame(axes, low, high, metre, title)
    entries = [Patch(facecolor=colour, label=name) for name, colour in list(chosen.items())[:ENTRIES]]
    left = len(chosen) - len(entries)
    if left > 0:
        entries.append(Patch(facecolor="none", label=f"and {left} more"))
    drawn.legend(handles=entries, loc="lower center", ncol=2 if len(views) > 1 else 1, fontsize=8, frameon=False)
    return drawn


def main(words):
    def work(path, out, kind):
        if out.lower().endswith(".json"):  # for programs that draw it themselves
            with open(path, "rb") as file:
                content = file.read()
            os.remove(path)
            write(out, content)
            return
        name, surfaces = read(path)
        write(out, render(Picture("model", name, "", draw(name, surfaces)), kind))

    return draw_one(words, __doc__, "model", work)
