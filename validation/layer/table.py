#!/usr/bin/python3
"""What layers return of a pulse, as a table: table.py PROGRAM [jobs=N] [only=WORDS] [backend=NAME] [grown=PROGRAM]

A dipole, or a current spread over a ball of 0.2 m, (1 - r^2)^4, is in a box of cubes of 0.1 m, cut into six, or in a ball. The
room runs with an open wall, and as part of the same mesh in a far larger one, from whose wall nothing comes back in time. The
table has the largest difference over the largest field at each probe, in dB, of E and of H.

The larger mesh has beyond the open wall the very elements of its layer, and further sheets of them, all of them plain vacuum (or
the slab's medium): curlew_grown makes it with the code that makes layers. It is looked for beside the program's folder; grown=
says where it is. In cases of a shell, which is drawn, grid.py makes both meshes. `only` takes cases whose names contain one of the
words, with | between them. It needs numpy and both programs. A case takes one to twenty minutes of one processor, nearly all of it for the
larger mesh."""
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
DIPOLE = {"cells": (4, 4, 4), "at": "0.013,-0.007,0.005", "probes": f"side:{SIDE};corner:{CORNER}", "peak": 0.5e9, "stop": 5e-9, "bound": -80}
BALL = {**DIPOLE, "at": "0,0,0", "bump": 0.2, "peak": 0.3e9, "stop": 7e-9}
# a source that touches three walls of a box of 0.8 m, or one wall and the plane of the slab
NEAR = {**BALL, "cells": (8, 8, 8), "at": "0.2,0.2,0.2", "probes": "side:0.37,0,0;corner:0.36,0.35,0.37", "bound": -60}
CASES = {}
for order, integrator in ((2, "leapfrog"), (3, "leapfrog"), (3, "lsrk"), (4, "leapfrog"), (4, "lsrk")):
    CASES[f"dipole, box, order {order}, {integrator}"] = {**DIPOLE, "order": order, "integrator": integrator, "bound": -80 if order > 2 else 0}
CASES["dipole, box, order 4, 6 elements, -120 dB"] = {**DIPOLE, "order": 4, "elements": 6, "reflection": -120, "bound": -100}
for order in (3, 4):
    CASES[f"ball, box, order {order}"] = {**BALL, "order": order}
    CASES[f"ball that touches three walls, order {order}"] = {**NEAR, "order": order}
    CASES[f"dipole, 5 cm from three walls, order {order}"] = {**DIPOLE, "order": order, "at": "0.143,0.136,0.155", "bound": -60}
    CASES[f"dipole, long box, grazing, order {order}"] = {
        **DIPOLE, "order": order, "cells": (4, 4, 14), "at": "0.013,-0.007,-0.505", "probes": "middle:0.17,0.01,0.02;end:0.17,0.02,0.61",
        "stop": 7e-9, "bound": -60}
    CASES[f"dipole, wall through a half space of epsilon_r 4, order {order}"] = {
        **DIPOLE, "order": order, "slab": 4, "peak": 0.3e9, "stop": 7e-9, "at": "0.013,-0.007,0.055",
        "probes": f"above:{SIDE[:-1]}0.05;below:0.17,0.03,-0.07", "bound": -60}
    CASES[f"dipole, sphere, order {order}"] = {
        **DIPOLE, "order": order, "sphere": "0.3", "probes": "side:0.26,0.01,0.02;near:0.1,-0.15,0.18", "bound": -60}
# the same mesh in a far larger one: the layer is a shell of cubes, as its user may draw it
for order, integrator, cubes, target, bound in (
        (3, "leapfrog", 3, -80, -80), (3, "lsrk", 3, -80, -80), (3, "leapfrog", 4, -80, -80), (4, "leapfrog", 3, -80, -80),
        (4, "lsrk", 3, -80, -80), (4, "leapfrog", 6, -120, -100)):
    CASES[f"shell of {cubes} cubes, order {order}, {integrator}, {target} dB"] = {
        **DIPOLE, "order": order, "integrator": integrator, "shell": cubes, "reflection": target, "bound": bound}


def fields(folder, probe, field):
    table = np.genfromtxt(os.path.join(folder, "probes", probe + ".csv"), delimiter=",", names=True)
    return np.stack([table[field + c] for c in "xyz"], axis=1)


def difference(reference, folder, probe, field):
    """The largest difference of the probe's field in the two folders over the largest field of the first, in dB."""
    exact, got = fields(reference, probe, field), fields(folder, probe, field)
    return 20 * np.log10(np.linalg.norm(got - exact, axis=1).max() / np.linalg.norm(exact, axis=1).max())


def nearest_wall(case, place):
    """How far from the nearest part of the wall a place "x,y,z" is, m."""
    x = np.array([float(c) for c in place.split(",")])
    if "sphere" in case:
        return float(case["sphere"]) - np.linalg.norm(x)
    return (0.05 * np.array(case["cells"]) - abs(x)).min()


def around(case, sheet):
    """How many sheets of the larger mesh no wave crosses to and fro before the end."""
    way = nearest_wall(case, case["at"]) - case.get("bump", 0) + min(nearest_wall(case, part.split(":")[1]) for part in case["probes"].split(";"))
    return int(np.ceil((case["stop"] * 299792458 - max(way, 0)) / 2 / sheet))


def grown(program, path, given, sheets):
    with open(path, "w", encoding="ascii") as file:
        subprocess.run([program, given, str(sheets), "0"], stdout=file, check=True)


def meshes(programs, folder, number, case):
    """Writes the mesh of the case and the larger one; returns their files."""
    path = {kind: os.path.join(folder, f"{number}_{kind}.msh") for kind in ("open", "far")}
    slab = 1 if "slab" in case else 0
    if "shell" in case:
        grid.write(path["open"], cells=case["cells"], layer=case["shell"])
        grid.write(path["far"], cells=case["cells"], layer=0, around=around(case, 0.1))
    elif "sphere" in case:
        grown(programs["grown"], path["open"], os.path.join(HERE, "sphere.geo"), 0)
        grown(programs["grown"], path["far"], path["open"], around(case, 0.1))
    else:
        grid.write(path["open"], cells=case["cells"], layer=0, slab=slab)
        grown(programs["grown"], path["far"], path["open"], around(case, 0.107))
    return path


def run(programs, folder, number, name, backend):
    case = {"order": 3, "integrator": "leapfrog", **CASES[name]}
    step = {"leapfrog": 2.7e-11, "lsrk": 4.5e-11}[case["integrator"]] / case["order"] * (0.5 if "sphere" in case else 1)
    mesh, output = meshes(programs, folder, number, case), {}
    for kind, file in mesh.items():
        output[kind] = os.path.join(folder, f"{number}_{kind}")
        shell = kind == "open" and "shell" in case
        given = {"mesh": file, "layer": int(shell), "wall": "open" if kind == "open" and not shell else "absorbing", "step": step,
                 "backend": backend,
                 **{key: case[key] for key in ("order", "integrator", "at", "probes", "peak", "stop", "slab", "bump") if key in case}}
        if kind == "open":
            given.update({key: case[key] for key in ("elements", "reflection") if key in case})
        words = [word for key, value in given.items() for word in ("-D", f"{key}={value}")]
        done = subprocess.run([programs["curlew"], "run", os.path.join(HERE, "case.lua"), "--quiet", "--trust", "--output", output[kind], *words],
                              capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr}")
    text, worst = "", -np.inf
    for probe in [part.split(":")[0] for part in case["probes"].split(";")]:
        both = [difference(output["far"], output["open"], probe, field) for field in "EH"]
        text += f" {probe} {both[0]:.0f}, {both[1]:.0f} |"
        worst = max(worst, *both)
    for file in mesh.values():
        os.remove(file)
    print(f"| {name} |{text} {case['bound']} | {'good' if worst <= case['bound'] else 'SHORT'} |", flush=True)
    return worst <= case["bound"]


def main():
    program = os.path.abspath(sys.argv[1])
    given = {"jobs": str(os.cpu_count()), "only": "", "backend": "auto",
             "grown": os.path.join(os.path.dirname(program), "../validation/curlew_grown"), **dict(text.split("=", 1) for text in sys.argv[2:])}
    names = [name for name in CASES if not given["only"] or any(word in name for word in given["only"].split("|"))]
    programs = {"curlew": program, "grown": os.path.abspath(given["grown"])}
    with tempfile.TemporaryDirectory(prefix="curlew-table-") as folder, ThreadPoolExecutor(int(given["jobs"])) as pool:
        good = list(pool.map(lambda job: run(programs, folder, *job, given["backend"]), enumerate(names)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
