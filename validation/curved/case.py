"""Resonances of cavities with curved walls: order of convergence with curved elements. README.md says what and why."""
import os

import numpy as np

from lib import tetra
from lib.runner import C0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Curved cavities"
# Wave numbers: zeros of (x j1)', of j1, of J0, and of J0(x/2) Y0(x) - Y0(x/2) J0(x).
EXACT = {"TM1": 2.7437072699922693, "TE1": 4.4934094579090642, "can": 2.4048255576957728, "coax": 6.2460618391913836}
COMPONENT = {"TM1": "Ez", "TE1": "Ex", "can": "Ez", "coax": "Ez"}
GEOMETRY_RATE = {1: 2, 2: 4, 3: 6, 4: 8}  # share/doc/design/mesh.md
SIZES = {1: (0.3, 0.2, 0.14), 2: (0.5, 0.3, 0.2), 3: (0.6, 0.4, 0.27), 4: (0.8, 0.5, 0.35), 5: (0.8, 0.6, 0.4),
         6: (0.9, 0.7, 0.5)}
COARSE = {2: (0.6, 0.4, 0.28), 3: (0.8, 0.55, 0.38)}


def wave_number(run, mode):
    """Fits A exp(-a t) cos(k c t + phase) to the record behind its first fifth, in which fast errors die away; weights
    that vanish at the ends keep other lines out, if the record is long enough to tell them apart."""
    record = run.probe("p")
    keep = record["time"] > 0.2 * record["time"][-1]
    time, value = C0 * record["time"][keep], record[COMPONENT[mode]][keep]
    x = np.linspace(0, 1, len(time))
    weight = np.sin(np.pi * x) ** 4
    middle = time.mean()
    a, k = 0.0, EXACT[mode]
    for _ in range(30):
        wave = np.exp((-a + 1j * k) * (time - middle))
        model = np.stack([wave.real, wave.imag, np.ones_like(time)], axis=1) * weight[:, None]
        amplitude = np.linalg.lstsq(model, weight * value, rcond=None)[0]
        rest = weight * value - model @ amplitude
        turn = (amplitude[0] - 1j * amplitude[1]) * wave * (time - middle) * weight
        both = np.hstack([model, np.stack([-turn.real, -turn.imag], axis=1)])
        change = np.linalg.lstsq(both, rest, rcond=None)[0]
        a, k = a + change[3], k + change[4]
        if abs(change[4]) < 1e-13 * k:
            break
    return without_steps(-a + 1j * k, C0 * run.summary["time_step"]).imag


def without_steps(rate, step):
    """The rate of the equations in space whose solution lsrk turns into exp(rate t): the factor of one step is the
    integrator's polynomial (M. H. Carpenter, C. A. Kennedy, NASA TM 109112, 1994), which is inverted."""
    z = rate * step
    for _ in range(20):
        factor = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + 24 * z / 200))))
        slope = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + 24 * z / 40)))
        z -= (factor - np.exp(rate * step)) / slope
    return z / step


def error(context, mode, order, geometry, size):
    name = f"{mode}_p{order}_g{geometry}_{size:g}"
    run = context.run(SCRIPT, name, mode=mode, order=order, geometry=geometry, size=size)
    return {"error": abs(wave_number(run, mode) / EXACT[mode] - 1), "K": run.summary["elements"]}


def size_of(mode, size):
    """The rod is half as thick as the other walls."""
    return 0.5 * size if mode == "coax" else size


def geometry_of(order):
    return 4 if order >= 4 else 2


def run(context, table):
    sizes = SIZES if context.full else COARSE
    modes = list(EXACT) if context.full else ["TM1"]
    jobs = [(mode, order, geometry_of(order), size_of(mode, size)) for mode in modes for order in sizes for size in sizes[order]]
    done = dict(zip(jobs, context.each(lambda job: error(context, *job), jobs)))
    text = []
    for mode in modes:
        for order in sizes:
            g = geometry_of(order)
            group = [done[mode, order, g, size_of(mode, size)] for size in sizes[order]]
            values = [r["error"] for r in group]
            slope = tetra.rate([r["K"] ** (-1 / 3) for r in group], values)
            wanted = min(2 * order, GEOMETRY_RATE[g])
            name = f"{mode}, p={order}, maps of order {g} ({', '.join(f'{v:.1e}' for v in values)})"
            if mode == "coax" and g == 2 and order > 1:  # walls of both signs: README.md
                table.note(name, f"{slope:.2f}")
            else:
                table.at_least(name, slope, wanted - 0.5)
            text.append(f"{mode} p={order}: " + ", ".join(str(r["K"]) for r in group))
    return {"pictures": [], "text": "Elements: " + "; ".join(text) + ". In brackets: relative errors of the frequency."}
