"""A cavity half filled with another medium: resonance and convergence. README.md says what and why."""
import importlib.util
import os

import numpy as np

from lib import plots, resonance, tetra
from lib.runner import ETA0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Jump of the material"
SPEC = importlib.util.spec_from_file_location("material_jump_reference", os.path.join(HERE, "reference.py"))
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)

CAVITIES = (("epsilon 4", 4.0, 1.0, "Ez"), ("epsilon 4, mu 2", 4.0, 2.0, "Ez"),
            ("epsilon 4, E across", 4.0, 1.0, "Hz"))
FULL_SIZES = {1: (0.14, 0.1, 0.07), 2: (0.2, 0.14, 0.1), 3: (0.25, 0.17, 0.12), 4: (0.2, 0.14, 0.1)}
MODE = 2  # of the test of convergence
COARSE_SIZES = {2: (0.25, 0.18, 0.13), 3: (0.28, 0.2, 0.14)}


def keys(cavity, mode):
    _, epsilon, mu, polarisation = cavity
    return {"epsilon": epsilon, "mu": mu, "polarisation": polarisation, "omega": float(mode.omega)}


def frequency(context, cavity, number, flux):
    """Frequency of the strongest line of a run of 10 periods, and the exact one."""
    mode = reference.Mode(*cavity[1:], number)
    name = f"{cavity[0].replace(' ', '_').replace(',', '')}_mode{number}_flux{flux}"
    run = context.run(SCRIPT, name, order=4, size=0.22 if context.full else 0.3, flux=flux, integrator="leapfrog",
                      stop=float(10 * 2 * np.pi / mode.omega), **keys(cavity, mode))
    records = [run.probe(side) for side in ("left", "right")]
    step = records[0]["time"][1]
    data = np.array([record[cavity[3]] for record in records])
    hertz, power = resonance.spectrum(step, data, 0.3 * mode.omega / (2 * np.pi), 3 * mode.omega / (2 * np.pi))
    found, _ = resonance.fit(step, data, [hertz[np.argmax(power)]])
    return found[0], mode


def resonances(context, table):
    numbers = (1, 2, 3) if context.full else (1, 2)
    jobs = [(cavity, number, flux) for cavity in CAVITIES for number in numbers for flux in (1, 0)]
    for (cavity, number, flux), (found, mode) in zip(jobs, context.each(lambda job: frequency(context, *job), jobs)):
        kind = "waves in both" if mode.propagates else "decays in vacuum"
        table.near(f"{cavity[0]}: mode {number} ({kind}), {'upwind' if flux else 'centered'}", found / 1e6,
                   mode.omega / (2e6 * np.pi), 2e-4, "MHz", 3)


def error(context, cavity, order, size):
    """L2 errors of E and eta0 H over their norms after 0.6 periods of the mode, with the upwind flux."""
    mode = reference.Mode(*cavity[1:], MODE)
    stop = float(0.6 * 2 * np.pi / mode.omega)
    name = f"{cavity[0].replace(' ', '_').replace(',', '')}_p{order}_{size:g}"
    given = {"order": order, "size": size, "flux": 1, **keys(cavity, mode)}
    run = context.run(SCRIPT, name, **given, **context.step_to(SCRIPT, name, stop, 0.9, **given))
    snapshot = run.snapshot()
    elements = tetra.Elements(snapshot, order)
    truth = mode.fields(snapshot.time)
    E, norm_E = elements.error(snapshot.field("E").values, lambda *x: truth(*x)[:3])
    H, norm_H = elements.error(ETA0 * snapshot.field("H").values, lambda *x: [ETA0 * h for h in truth(*x)[3:]])
    run.forget_snapshots()
    return {"E": E / norm_E, "H": H / norm_H, "h": elements.K ** (-1 / 3)}


def convergence(context, table):
    sizes = FULL_SIZES if context.full else COARSE_SIZES
    cavities = CAVITIES if context.full else CAVITIES[1:2]
    jobs = [(cavity, p, h) for cavity in cavities for p in sizes for h in sizes[p]]
    jobs.sort(key=lambda job: -(job[1] + 3) ** 5 / job[2] ** 4)
    done = dict(zip(jobs, context.each(lambda job: error(context, *job), jobs)))
    curves = []
    for cavity in cavities:
        for p, group in sizes.items():
            results = [done[cavity, p, h] for h in group]
            for field in "EH":
                size, values = [r["h"] for r in results], [r[field] for r in results]
                slope = tetra.rate(size, values)
                table.at_least(f"{cavity[0]}, p={p}: order of {field} ({', '.join(f'{v:.1e}' for v in values)})", slope,
                               p + 0.7)
                curves.append((cavity[0], field, p, size, values, slope))
    return plots.convergence(context.path("material_jump.png"), curves, [c[0] for c in cavities],
                             "Relative L2 error, second mode of half-filled cavities, upwind", "relative L2 error")


def run(context, table):
    resonances(context, table)
    return {"pictures": [convergence(context, table)],
            "text": "Box of 1 x 0.8 x 0.6 m, vacuum for x < 0.45 m. \"E across\" is the polarisation with the electric "
                    "field across the surface between the media, where it jumps by a factor of 4."}
