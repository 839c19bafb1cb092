"""A perfectly matched layer against the same mesh in a far larger one. README.md says what and why."""
import os
import shutil
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import grid  # noqa: E402

TITLE = "Reflection of a perfectly matched layer"
PROBES = {"side": "0.17,0,0", "corner": "0.16,0.15,0.17"}
# order, integrator, cubes in the layer, cubes of inside around the reference, end (ns), target (dB), bounds (dB): side, corner
COARSE = [(3, "leapfrog", 3, 5, 4.2, -80, {"side": -78, "corner": -66})]
FULL = [(3, "leapfrog", 4, 6, 5, -80, {"side": -80, "corner": -65}), (3, "lsrk", 4, 6, 5, -80, {"side": -80, "corner": -65}),
        (4, "leapfrog", 4, 6, 5, -80, {"side": -80, "corner": -80}), (4, "lsrk", 4, 6, 5, -80, {"side": -80, "corner": -80})]
# an open wall: order, end (ns), sheets of elements beyond it in the larger mesh, target (dB), bounds (dB)
OPEN_COARSE = [(2, 4.2, 5, -80, {"side": -76, "corner": -76})]
OPEN_FULL = [(2, 5, 7, -80, {"side": -66, "corner": -64}), (3, 5, 7, -80, {"side": -80, "corner": -80})]


def vectors(run, name, field):
    record = run.probe(name)
    return np.stack([record[field + c] for c in "xyz"], axis=1)


def run(context, table):
    folder = context.path("case")
    os.makedirs(folder, exist_ok=True)
    script = shutil.copy(os.path.join(HERE, "case.lua"), folder)

    def one(case):
        order, integrator, layer, around, end, target, _ = case
        name = f"{integrator}_{order}"
        step = {"leapfrog": 3e-11, "lsrk": 5e-11}[integrator] / order
        own = {"order": order, "integrator": integrator, "stop": end * 1e-9, "peak": 0.5e9, "step": step,
               "probes": ";".join(f"{p}:{at}" for p, at in PROBES.items())}
        for kind, values in (("layer", {"layer": layer}), ("far", {"layer": 0, "around": around})):
            grid.write(os.path.join(folder, f"{name}_{kind}.msh"), cells=(4, 4, 4), **values)
        return compare(name, {"layer": layer, "reflection": target}, own)

    def open_wall(case):
        order, end, sheets, target, _ = case
        name = f"open_{order}"
        own = {"order": order, "integrator": "leapfrog", "stop": end * 1e-9, "peak": 0.5e9, "step": 2.7e-11 / order,
               "probes": ";".join(f"{p}:{at}" for p, at in PROBES.items())}
        near, far = (os.path.join(folder, f"{name}_{kind}.msh") for kind in ("layer", "far"))
        grid.write(near, cells=(4, 4, 4), layer=0)
        with open(far, "w", encoding="ascii") as out:
            subprocess.run([os.path.join(os.path.dirname(context.bisect), "curlew_grown"), near, str(sheets), "0"], stdout=out, check=True)
        return compare(name, {"layer": 0, "wall": "open", "reflection": target}, own)

    def compare(name, wall, own):
        got = context.run(script, name + "_layer", mesh=f"{name}_layer.msh", **wall, **own)
        far = context.run(script, name + "_far", mesh=f"{name}_far.msh", layer=0, **own)
        energy = got.energy()["total"]
        rise = np.diff(energy[energy.argmax():]).max() / energy.max()
        errors = {}
        for probe in PROBES:
            for field in "EH":
                exact = vectors(far, probe, field)
                difference = np.linalg.norm(vectors(got, probe, field) - exact, axis=1).max()
                errors[probe, field] = 20 * np.log10(difference / np.linalg.norm(exact, axis=1).max())
        return errors, rise

    cases = FULL if context.full else COARSE
    for case, (errors, rise) in zip(cases, context.each(one, cases)):
        for (probe, field), decibels in errors.items():
            table.at_most(f"order {case[0]}, {case[1]}, {case[2]} cubes, '{probe}': {field}, dB", decibels, case[6][probe])
        table.at_most(f"order {case[0]}, {case[1]}: rise of the energy behind its peak", rise, 1e-9)
    cases = OPEN_FULL if context.full else OPEN_COARSE
    for case, (errors, rise) in zip(cases, context.each(open_wall, cases)):
        for (probe, field), decibels in errors.items():
            table.at_most(f"open wall, order {case[0]}, '{probe}': {field}, dB", decibels, case[4][probe])
        table.at_most(f"open wall, order {case[0]}: rise of the energy behind its peak", rise, 1e-9)
    return {"pictures": [], "text": "A dipole's pulse in a box of 0.4 m; the error against the same mesh in a far "
                                    "larger one, over the peak at the probe."}
