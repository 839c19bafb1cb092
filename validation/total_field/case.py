"""An oblique plane wave in an empty cube: no field outside. README.md says what and why."""
import os
from types import SimpleNamespace

import numpy as np
from silo_reader import Snapshot

from lib import plots, tetra
from lib.runner import C0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Total field and scattered field"
DIRECTION, POLARISATION = np.array([1, 2, 2]) / 3, np.array([2, 1, -2]) / 3
PROBES = 12
BOUND = 1e-4  # of the scattered field at p = 3, for a wave of 1 V/m,
BOUND_SIZE, BOUND_WIDTH = 0.25, 1.2  # m: with elements of this size for a pulse exp(-(s/width)^2)
WIDTH = 0.6  # m: the pulse of the test of convergence

# Target sizes of the elements by order.
FULL_SIZES = {1: (0.14, 0.1, 0.07), 2: (0.25, 0.18, 0.11), 3: (0.25, 0.18, 0.125), 4: (0.25, 0.18, 0.14)}
COARSE_SIZES = {2: (0.3, 0.22, 0.18), 3: (0.4, 0.3, 0.22)}


def middle(width):
    """When the largest value is at the origin, as in case.lua."""
    return (4.8 * width + 5 / 6) / C0


def wave(width, time):
    """E and eta0 H of the plane wave."""

    def fields(x, y, z):
        s = DIRECTION[0] * x + DIRECTION[1] * y + DIRECTION[2] * z
        value = np.exp(-((C0 * (time - middle(width)) - s) / width) ** 2)
        return [c * value for c in np.concatenate([POLARISATION, np.cross(DIRECTION, POLARISATION)])]

    return fields


def nothing(x, _y, _z):
    return [np.zeros_like(x)] * 6


def part(snapshot, order, inside):
    """The elements inside or outside the surface, and their values of E and eta0 H."""
    count = (order + 1) * (order + 2) * (order + 3) // 6
    points = snapshot.points.reshape(-1, count, 3)
    pick = (np.abs(points.mean(axis=1)).max(axis=1) < 0.5) == inside
    zones = snapshot.zones.reshape(len(points), -1)[pick] % count + count * np.arange(pick.sum())[:, None]
    cut = SimpleNamespace(path=snapshot.path, points=points[pick].reshape(-1, 3), zones=zones.reshape(-1, 4))
    values = np.hstack([snapshot.field("E").values, ETA0 * snapshot.field("H").values])
    return tetra.Elements(cut, order), values.reshape(-1, count, 6)[pick].reshape(-1, 6)


def errors(snapshot, order, width):
    """L2 error of E and of eta0 H inside and outside over that of the wave inside; largest values outside."""
    result = {"E outside": 0, "H outside": 0, "E inside": 0, "H inside": 0}
    elements = 0
    for inside in (True, False):
        cut, values = part(snapshot, order, inside)
        elements += cut.K
        truth = wave(width, snapshot.time) if inside else nothing
        for field, first in (("E", 0), ("H", 3)):
            columns = slice(first, first + 3)
            error, norm = cut.error(values[:, columns], lambda *x: truth(*x)[columns])
            result["norm " + field] = norm if inside else result["norm " + field]
            result[f"{field} {'inside' if inside else 'outside'}"] = error / result["norm " + field]
            result[f"largest {field}"] = float(np.linalg.norm(values[:, columns], axis=1).max())
        result["volume inside" if inside else "volume outside"] = cut.volume()
    result["h"] = elements ** (-1 / 3)
    return result


def converged(context, order, size):
    """Errors when the pulse is in the middle, with steps that are short against the mesh's error."""
    name = f"p{order}_{size:g}"
    given = {"order": order, "size": size, "width": WIDTH, "integrator": "lsrk"}
    steps = context.step_to(SCRIPT, name, middle(WIDTH), 0.9, **given)
    run = context.run(SCRIPT, name, **given, **steps, every=steps["steps"])
    result = errors(run.snapshot(), order, WIDTH)
    run.forget_snapshots()
    return result


def convergence(context, table):
    sizes = FULL_SIZES if context.full else COARSE_SIZES
    jobs = [(p, h) for p in sizes for h in sizes[p]]
    jobs.sort(key=lambda job: -(job[0] + 3) ** 5 / job[1] ** 4)
    done = dict(zip(jobs, context.each(lambda job: converged(context, *job), jobs)))
    volume = max(max(abs(r["volume inside"] - 1), abs(r["volume outside"] - 2.375)) for r in done.values())
    table.at_most("volumes of the two regions, error, m^3", volume, 1e-12)
    curves = []
    for p in sizes:
        group = [done[p, h] for h in sizes[p]]
        for where in ("outside", "inside"):
            for field in "EH":
                values = [r[f"{field} {where}"] for r in group]
                size = [r["h"] for r in group]
                slope = tetra.rate(size, values)
                text = f"p={p}: order of {field} {where} ({', '.join(f'{v:.1e}' for v in values)})"
                table.at_least(text, slope, p + 0.7)
                curves.append((where, field, p, size, values, slope))
    return plots.convergence(context.path("total_field_convergence.png"), curves, ("outside", "inside"),
                             "L2 error over the norm of the wave, pulse in the middle",
                             "relative L2 error (outside: scattered field)")


def scattered(context, integrator):
    """|E| and eta0 |H| at the probes while the pulse comes and goes, and the errors when it is in the middle."""
    given = {"order": 3, "size": BOUND_SIZE, "width": BOUND_WIDTH, "integrator": integrator}
    steps = context.step_to(SCRIPT, integrator, middle(BOUND_WIDTH), 0.9, **given)
    snapshot = steps["steps"]
    run = context.run(SCRIPT, integrator, **given, steps=8 * snapshot // 5, step=steps["step"], every=snapshot,
                      probes="true")
    records = [run.probe(f"p{i + 1:02d}") for i in range(PROBES)]
    length = {field: np.array([scale * np.sqrt(sum(r[field + c] ** 2 for c in "xyz")) for r in records])
              for field, scale in (("E", 1), ("H", ETA0))}
    path = os.path.join(run.folder, f"fields_{snapshot:06d}.silo")
    result = errors(Snapshot(path), 3, BOUND_WIDTH)
    run.forget_snapshots()
    return records[0]["time"], length, result


def run(context, table):
    panels = []
    for integrator in ("leapfrog", "lsrk"):
        time, length, result = scattered(context, integrator)
        for field, symbol in (("E", "|E|"), ("H", "eta0 |H|")):
            table.at_most(f"{integrator}, p=3: largest {symbol} at {PROBES} probes outside", length[field].max(),
                          BOUND)
            table.at_most(f"{integrator}, p=3: largest {symbol} outside, pulse midway",
                          result[f"largest {field}"], BOUND)
            table.note(f"{integrator}, p=3: relative L2 error of {field} inside", result[f"{field} inside"])
        skip = slice(len(time) // 40, None, len(time) // 400)
        panels.append((f"{integrator}, p = 3, h = {BOUND_SIZE} m", "time, ns", "V/m", "log",
                       [("wave in the middle of the cube", time[skip] * 1e9,
                         np.exp(-((time[skip] - middle(BOUND_WIDTH)) * C0 / BOUND_WIDTH) ** 2), "k-"),
                        ("bound", time[[0, -1]] * 1e9, [BOUND, BOUND], "k:")] +
                       [(f"{symbol} outside, largest of {PROBES} probes", time[skip] * 1e9,
                         length[field].max(axis=0)[skip], style)
                        for field, symbol, style in (("E", "|E|", "C0-"), ("H", r"$\eta_0$|H|", "C1-"))]))
    pictures = [plots.lines(context.path("total_field.png"), panels, "Field outside an empty total-field cube"),
                convergence(context, table)]
    return {"pictures": pictures,
            "text": "Cube of 1 m in one of 1.5 m, a Gaussian pulse of 1 V/m along (1,2,2); fields outside in V/m. In "
                    "brackets: L2 errors on the three meshes over the norm of the wave inside."}
