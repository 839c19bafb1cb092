"""The quality of the mesh and what it does to the step: the elements of the first snapshot, and what the log says."""

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from . import silo
from .style import GREY, Picture, figure, handy, label, scale


def corners(snapshot, order):
    """Places of the corners of the elements, [K][4][3]; None where they cannot be told, as from averaged values. An element
    of order p is p^3 tetrahedra, one after the other, and its corners are the nodes that only one of them has."""
    pieces = order**3
    if order < 1 or len(snapshot.zones) % pieces:
        return None
    nodes = np.sort(snapshot.zones.reshape(-1, 4 * pieces), axis=1)
    single = np.ones(nodes.shape, dtype=bool)
    same = nodes[:, 1:] == nodes[:, :-1]
    single[:, 1:] &= ~same
    single[:, :-1] &= ~same
    if (single.sum(axis=1) != 4).any():
        return None
    return snapshot.points[nodes[single].reshape(-1, 4)]


def heights_and_edges(x):
    """The least height and the longest edge of tetrahedra, [K]."""
    volume = np.abs(np.einsum("ki,ki->k", x[:, 1] - x[:, 0], np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 0]))) / 6
    faces = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
    area = np.stack([np.linalg.norm(np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a]), axis=1) / 2 for a, b, c in faces])
    edges = np.stack([np.linalg.norm(x[:, a] - x[:, b], axis=1) for a in range(4) for b in range(a)])
    return 3 * volume / area.max(axis=0), edges.max(axis=0)


def draw(height, quality):
    drawn = figure(8.8, 3.4)
    left, right = drawn.subplots(1, 2)
    left.hist(quality, bins=np.linspace(0, 1, 41), color="#0b6fb8")
    left.set_xlim(0, 1)
    left.set_xlabel("quality: least height / longest edge, 1 if regular")
    left.set_ylabel("elements")
    factor, unit = scale(height, "m")
    bins = np.geomspace(height.min() * factor * 0.95, height.max() * factor * 1.05, 41)
    right.hist(height * factor, bins=bins, color="#2e933c")
    if bins[-1] > 8 * bins[0]:
        right.set_xscale("log")
        right.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        right.xaxis.set_minor_formatter(NullFormatter())
        right.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    right.axvline(np.median(height) * factor, color="black", linestyle="--", linewidth=1.0)
    right.axvline(height.min() * factor, color="#d1495b", linewidth=1.2)
    right.set_title(
        f"red: least, {height.min() / np.median(height):.2g} of the median (dashed)",
        fontsize=9,
        color=GREY,
        loc="right",
    )
    right.set_xlabel(label("least height of an element", unit))
    right.set_ylabel("elements")
    return drawn


def step_text(summary):
    step, limit = summary.get("time_step"), summary.get("stability_limit")
    if not step:
        return ""
    return f"Step {handy(step, 's')}" + (f", {step / limit:.3g} of the limit of {handy(limit, 's')}." if limit else ".")


def pictures(run, _):
    paths, order = run.snapshots(), run.summary.get("order")
    if not paths or not isinstance(order, int):
        return
    snapshot = silo.open_snapshot(run, paths[0])
    if snapshot is None:
        return
    x = corners(snapshot, order)
    snapshot.close()
    if x is None:
        return
    height, longest = heights_and_edges(x)
    quality = height / longest / np.sqrt(2 / 3)
    yield Picture(
        "mesh",
        "Quality of the mesh",
        "Mesh and step",
        draw(height, quality),
        f"{len(x)} elements, quality {quality.min():.2g} to {quality.max():.2g}. {step_text(run.summary)}",
    )
