"""Order of convergence of E and H on unstructured meshes. README.md says what and why."""
import os

import numpy as np

from lib import plots, tetra
from lib.runner import C0, ETA0, MU0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Convergence on unstructured meshes"
PHASE = 0.6
OMEGA = C0 * np.pi * np.sqrt(2)
STOP = 0.5 * 2 * np.pi / OMEGA

# Target sizes of the elements by order. Low orders need finer meshes to be where the error falls as it should.
SIZES = {1: (0.18, 0.125, 0.08), 2: (0.25, 0.18, 0.11), 3: (0.35, 0.18, 0.125), 4: (0.35, 0.25, 0.18),
         5: (0.5, 0.25, 0.18), 6: (0.5, 0.25, 0.14)}
COARSE_ORDERS, FULL_ORDERS = (1, 2, 3), (1, 2, 3, 4, 5, 6)
COARSE_SIZES = {1: (0.25, 0.18, 0.125), 2: (0.35, 0.25, 0.18), 3: (0.5, 0.25, 0.18)}


def exact(time):
    """Ez, Hx, Hy of the mode; the other components are zero."""
    angle = OMEGA * time + PHASE
    scale = np.pi * np.sin(angle) / (OMEGA * MU0)

    def fields(x, y, z):
        zero, sx, sy = np.zeros_like(z), np.sin(np.pi * x), np.sin(np.pi * y)
        return (zero, zero, sx * sy * np.cos(angle), -scale * sx * np.cos(np.pi * y),
                scale * np.cos(np.pi * x) * sy, zero)

    return fields


def errors(run, order):
    """L2 errors of E (V/m) and eta0 H (V/m), and the elements."""
    snapshot = run.snapshot()
    elements = tetra.Elements(snapshot, order)
    truth = exact(snapshot.time)
    error_E, norm_E = elements.error(snapshot.field("E").values, lambda *x: truth(*x)[:3])
    error_H, norm_H = elements.error(snapshot.field("H").values, lambda *x: truth(*x)[3:])
    values = np.hstack([snapshot.field("E").values, ETA0 * snapshot.field("H").values])
    return {"E": error_E, "H": ETA0 * error_H, "norm_E": norm_E, "norm_H": ETA0 * norm_H, "elements": elements,
            "step": run.summary["time_step"], "values": values}


def one(context, flux, order, size, fraction):
    name = f"{'upwind' if flux else 'centered'}_p{order}_{size:g}_{fraction:g}"
    keys = {"order": order, "size": size, "flux": flux, "phase": PHASE}
    steps = context.step_to(SCRIPT, name, STOP, fraction, **keys)
    run = context.run(SCRIPT, name, **keys, **steps)
    result = errors(run, order)
    run.forget_snapshots()
    return result


def check_tools(table, results):
    """The measuring instrument itself."""
    table.at_most("basis: largest deviation from orthonormality", max(tetra.orthonormality(p) for p in range(1, 7)),
                  1e-11)
    table.at_most("condition of the Vandermonde matrices", max(r["elements"].condition for r in results), 100)
    volume = max(max(abs(r["elements"].volume() - 1), abs(r["elements"].sub_volume - 1)) for r in results)
    table.at_most("volume of elements and of sub-tetrahedra, minus 1", volume, 1e-12)
    norm = max(max(abs(r["norm_E"] / (0.5 * abs(np.cos(OMEGA * STOP + PHASE))) - 1) for r in results),
               max(abs(r["norm_H"] / (0.5 * abs(np.sin(OMEGA * STOP + PHASE))) - 1) for r in results))
    table.at_most("norm of the exact fields by quadrature, relative error", norm, 1e-8)


def fraction_of_limit(orders, flux, order):
    """Steps as parts of the limit, smaller for the smallest errors (check_time_error)."""
    return 0.5 if flux == 1 and order == orders[-1] else 0.8


def check_time_error(context, table, order, size, result, fraction):
    """The error does not come from the time step: a run with steps 1.6 times as long differs by d, in L2; as the
    integrator is of fourth order, the error of the shorter steps is d / (ratio^4 - 1)."""
    longer = one(context, 1, order, size, 1.6 * fraction)
    ratio = longer["step"] / result["step"]
    for field, columns in (("E", slice(0, 3)), ("H", slice(3, 6))):
        difference = (longer["values"] - result["values"])[:, columns]
        norm, _ = result["elements"].error(difference, lambda x, y, z: [np.zeros_like(x)] * 3)
        share = norm / (ratio**4 - 1) / result[field]
        table.at_most(f"p={order}, finest: part of the time step in the error of {field}", share, 0.1)


def run(context, table):
    orders, sizes = (FULL_ORDERS, SIZES) if context.full else (COARSE_ORDERS, COARSE_SIZES)
    jobs = [(flux, p, h) for flux in (1, 0) for p in orders for h in sizes[p]]
    # the longest first, so that processors end together
    jobs.sort(key=lambda job: -(job[1] + 3) ** 5 / job[2] ** 4)
    fractions = {job: fraction_of_limit(orders, *job[:2]) for job in jobs}
    done = dict(zip(jobs, context.each(lambda job: one(context, *job, fractions[job]), jobs)))
    check_tools(table, list(done.values()))
    curves = []
    for flux, name in ((1, "upwind"), (0, "centered")):
        for p in orders:
            group = [done[flux, p, h] for h in sizes[p]]
            size = [r["elements"].K ** (-1 / 3) for r in group]
            for field in "EH":
                values = [r[field] for r in group]
                slope = tetra.rate(size, values)
                text = f"{name}, p={p}: order of {field} ({', '.join(f'{v:.1e}' for v in values)})"
                table.at_least(text, slope, p + 0.7 if flux else p - 0.3)
                curves.append((name, field, p, size, values, slope))
    last = orders[-1]
    finest = done[1, last, sizes[last][-1]]
    check_time_error(context, table, last, sizes[last][-1], finest, fractions[1, last, sizes[last][-1]])
    if context.full:
        for field in "EH":
            table.at_most(f"p=6, finest mesh, upwind: L2 error of {field}, V/m", finest[field], 1e-9)
    picture = plots.convergence(context.path("convergence.png"), curves, ("upwind", "centered"),
                                "L2 error after half a period, mode (1,1,0) of the unit cube")
    text = "Elements by order: " + "; ".join(
        f"p={p}: " + ", ".join(str(done[1, p, h]["elements"].K) for h in sizes[p]) for p in orders) + ". "
    text += ("Three numbers in brackets: L2 errors on the three meshes, of E in V/m and of H times 376.73 ohm in V/m; "
             "the exact mode has amplitude 1 V/m. h is (number of elements)^(-1/3).")
    return {"pictures": [picture], "text": text}
