#!/usr/bin/python3
"""What open walls return of a dipole's pulse, as a table: table.py PROGRAM [jobs=N] [only=WORDS]

The inside of a case is a box of cubes of 0.1 m, cut into six, with the source and two probes. It runs with an open wall, and as
part of a far larger mesh whose walls nothing comes back from in time. The table has the largest difference over the largest
field at each probe, in dB, of E and of H. `only` takes cases whose names contain one of the words, with commas. It needs numpy
and the program. A case takes 10 minutes to an hour of one processor, nearly all of it for the larger mesh.

Unlike in case.py the mesh beyond the wall is another one than that of the larger mesh, so that waves which the mesh does not
carry come back as well: with a peak at 0.5 GHz (order 3, a band that ends at two cubes a wavelength) these are -56 and -50 dB."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import grid  # noqa: E402

SIDE, CORNER = "0.17,0,0", "0.16,0.15,0.17"
BOX = {"cells": (4, 4, 4), "at": "0.013,-0.007,0.005", "probes": f"side:{SIDE};corner:{CORNER}", "peak": 0.3e9, "stop": 7e-9, "bound": -80}
CASES = {}
for order in (3, 4):
    for integrator in ("leapfrog", "lsrk"):
        CASES[f"box, order {order}, {integrator}"] = {**BOX, "order": order, "integrator": integrator}
CASES["box, order 2, leapfrog"] = {**BOX, "order": 2}
CASES["box, order 4, 6 elements, -120 dB"] = {**BOX, "order": 4, "elements": 6, "reflection": -120, "bound": -100}
CASES["source in the corner, order 3"] = {**BOX, "at": "0.143,0.136,0.155", "bound": -60}
CASES["source in the corner, order 4"] = {**BOX, "order": 4, "at": "0.143,0.136,0.155", "bound": -60}
CASES["long box, grazing, order 3"] = {
    **BOX, "cells": (4, 4, 14), "at": "0.013,-0.007,-0.605", "probes": "middle:0.17,0.01,0.02;end:0.17,0.02,0.61", "stop": 9e-9, "bound": -60}
CASES["half space, epsilon_r 4, order 3"] = {**BOX, "slab": 4, "peak": 0.2e9, "stop": 10e-9, "at": "0.013,-0.007,0.055",
                                             "probes": f"above:{SIDE[:-1]}0.05;below:0.17,0.03,-0.07", "bound": -60}


def fields(folder, probe, field):
    table = np.genfromtxt(os.path.join(folder, "probes", probe + ".csv"), delimiter=",", names=True)
    return np.stack([table[field + c] for c in "xyz"], axis=1)


def run(program, folder, number, name):
    case = {"order": 3, "integrator": "leapfrog", **CASES[name]}
    # what comes back from the walls of the larger mesh is later than `stop`
    around = int(np.ceil((case["stop"] * 299792458 / 2) / 0.1 - 0.5 * min(case["cells"]) + 1)) if "around" not in case else case["around"]
    step = {"leapfrog": 2.7e-11, "lsrk": 4.5e-11}[case["integrator"]] / case["order"]
    output = {}
    for kind, more in (("open", {"around": 0}), ("far", {"around": around})):
        mesh = os.path.join(folder, f"{number}_{kind}.msh")
        grid.write(mesh, cells=case["cells"], layer=0, slab=1 if "slab" in case else 0, **more)
        output[kind] = os.path.join(folder, f"{number}_{kind}")
        given = {"mesh": mesh, "layer": 0, "wall": "open" if kind == "open" else "absorbing", "step": step,
                 **{key: case[key] for key in ("order", "integrator", "at", "probes", "peak", "stop", "slab") if key in case}}
        if kind == "open":
            given.update({key: case[key] for key in ("elements", "reflection") if key in case})
        words = [word for key, value in given.items() for word in ("-D", f"{key}={value}")]
        done = subprocess.run([program, "run", os.path.join(HERE, "case.lua"), "--quiet", "--trust", "--output", output[kind], *words],
                              capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr}")
    text, worst = "", -np.inf
    for probe in [part.split(":")[0] for part in case["probes"].split(";")]:
        both = []
        for field in "EH":
            exact, got = (fields(output[kind], probe, field) for kind in ("far", "open"))
            both.append(20 * np.log10(np.linalg.norm(got - exact, axis=1).max() / np.linalg.norm(exact, axis=1).max()))
        text += f" {probe} {both[0]:.0f}, {both[1]:.0f} |"
        worst = max(worst, *both)
    print(f"| {name} |{text} {case['bound']} | {'good' if worst <= case['bound'] else 'SHORT'} |", flush=True)
    return worst <= case["bound"]


def main():
    given = {"jobs": str(os.cpu_count()), "only": "", **dict(text.split("=", 1) for text in sys.argv[2:])}
    names = [name for name in CASES if not given["only"] or any(word in name for word in given["only"].split(","))]
    with tempfile.TemporaryDirectory(prefix="curlew-table-") as folder, ThreadPoolExecutor(int(given["jobs"])) as pool:
        good = list(pool.map(lambda job: run(os.path.abspath(sys.argv[1]), folder, *job), enumerate(names)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
