#!/usr/bin/python3
"""Does a field behind its pulse ever grow again beside a perfectly matched layer? long_runs.py PROGRAM [NAME=VALUE ...]

Each of `meshes` random small meshes is run with both fluxes and all integrators, at 0.95 of the stability limit, for `steps`
steps behind the pulse of a dipole. The pulse is an odd one that begins at exp(-42): a current whose integral is not
zero leaves charges behind, and their field stays (that of waveform.differentiated_gaussian, which begins at exp(-25), is 1e-11
of the peak). A mesh is a box whose shell is a layer, or a box, sphere or cylinder from whose wall a layer
grows; spacings, vertices and angles are random, every third one has a medium with epsilon_r = 4 in a half of it, and what ends
the layer is `pec` or `absorbing`. For each run the script prints the number of elements, the largest rise of the energy behind
the pulse over its peak (of the samples, one every `every` steps), the level at which it was seen, and the fields at the end
over their peak (the root of the energies' ratio). It ends with 1 if a rise is above 1e-12 of the peak or a field at the end is.

meshes   20       how many meshes
first    0        the number of the first one, which is also its seed
steps    200000
every    100      steps between samples of the energy
order    2
jobs     the number of processors: so many runs at the same time, of one thread each
only     all      or e.g. rk4: the integrators to run, with commas
backend  cpu
keep     none     a file to which every result is appended as a line of JSON; runs that it has are not done again

It needs numpy and the program, no Gmsh geometry: meshes are written as .msh files."""
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

KINDS = ("shell", "box", "sphere", "cylinder")
INTEGRATORS = ("leapfrog", "lsrk", "rk4")
C0 = 299792458.0
BOUND = 1e-12
TAU = 1.21e-9  # s, of the pulse: its band reaches from 0 to 8e8 Hz
SCRIPT = """simulation {{
  name = "long", mesh = {{ file = "{mesh}", keep = false }}, order = {order}, flux = {flux}, backend = "{backend}",
  time = {{ integrator = "{integrator}", steps = {steps}, cfl = 0.95 }},
  materials = {{ slab = {slab}, default = {{}} }},
  layers = {layers}, boundaries = {{ wall = {wall} }},
  sources = {{ {{ at = {{ {at} }}, moment = {{ 0.3, 0.2, 1 }}, waveform = waveform.gaussian {{ f0 = 4e8, tau = {tau}, t0 = 6.5 * {tau} }} }} }},
  output = {{ energy = {{ every = {every} }}, progress = {{ every = 0 }} }},
}}
"""


def prisms(lower, upper, triangles):
    """Tetrahedra of prisms over triangles, cut so that neighbours fit: along the diagonals from the smaller number."""
    found = []
    for triangle in triangles:
        a, b, c = sorted(triangle)
        found += [(lower[a], lower[b], lower[c], upper[c]), (lower[a], lower[b], upper[b], upper[c]),
                  (lower[a], upper[a], upper[b], upper[c])]
    return found


def box(r, cells, layer):
    """Cubes cut into six. `layer`: how many at each side are the shell."""
    n = [c + 2 * layer + 1 for c in cells]
    thick, axes = r.uniform(0.5, 1.5), []
    for c in cells:
        inner = np.concatenate([[0], np.cumsum(r.uniform(0.6, 1.4, c))])
        outer = thick * np.arange(1, layer + 1)
        axes.append(np.concatenate([-outer[::-1], inner, inner[-1] + outer]))
    nodes, number = [], {}
    for q in itertools.product(*map(range, n)):
        x = np.array([axes[c][q[c]] for c in range(3)])
        for c in range(3):  # moved, but not out of a wall
            if layer < q[c] < n[c] - 1 - layer and all(layer <= q[d] <= n[d] - 1 - layer for d in range(3)):
                x[c] += 0.2 * r.uniform(-1, 1) * min(np.diff(axes[c])[q[c] - 1:q[c] + 1])
        number[q] = len(nodes)
        nodes.append(x)
    tetrahedra, groups = [], []
    for q in itertools.product(*(range(m - 1) for m in n)):
        shell = not all(layer <= q[c] < n[c] - 1 - layer for c in range(3))
        for order in itertools.permutations(range(3)):
            at, corners = list(q), [number[q]]
            for c in order:
                at[c] += 1
                corners.append(number[tuple(at)])
            tetrahedra.append(corners)
            groups.append("shell" if shell else "air")
    return np.array(nodes), tetrahedra, groups, layer + cells[0] // 2, axes


def sphere(r):
    """An icosahedron cut once: a ring of 80 tetrahedra around a point."""
    golden = (1 + 5 ** 0.5) / 2
    points = [np.array(p) for a in (-1, 1) for b in (-golden, golden) for p in ((0, a, b), (a, b, 0), (b, 0, a))]
    near = [[j for j in range(12) if 0 < np.linalg.norm(points[i] - points[j]) < 2.1] for i in range(12)]
    faces = [(i, j, k) for i in range(12) for j in near[i] for k in near[i] if i < j < k and k in near[j]]
    middle = {}
    for face in faces:
        for pair in itertools.combinations(face, 2):
            if pair not in middle:
                middle[pair] = len(points)
                points.append((points[pair[0]] + points[pair[1]]) / 2)
    triangles = []
    for i, j, k in faces:
        a, b, c = middle[i, j], middle[j, k], middle[i, k]
        triangles += [(i, a, c), (j, a, b), (k, b, c), (a, b, c)]
    points = np.array(points) + 0.1 * r.uniform(-1, 1, (len(points), 3))
    points *= (2.2 / np.linalg.norm(points, axis=1))[:, None]
    nodes = np.concatenate([points, [0.3 * r.uniform(-1, 1, 3)]])
    return nodes, [(*t, len(points)) for t in triangles], ["air"] * len(triangles)


def cylinder(r):
    """Slices of prisms around an axis."""
    sides, levels = int(r.integers(7, 10)), int(r.integers(2, 4))
    z = np.concatenate([[0], np.cumsum(r.uniform(0.8, 1.4, levels))])
    angle = 2 * np.pi * (np.arange(sides) + 0.2 * r.uniform(-1, 1, sides)) / sides
    radius = r.uniform(1.2, 1.8)
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    nodes = []
    for level in range(levels + 1):
        middle = 0.1 * r.uniform(-1, 1, 2)
        nodes += [(*p, z[level]) for p in (middle, *ring)]
    tetrahedra = []
    for level in range(levels):
        first = level * (sides + 1)
        triangles = [(0, 1 + i, 1 + (i + 1) % sides) for i in range(sides)]
        lower = np.arange(first, first + sides + 1)
        tetrahedra += prisms(lower, lower + sides + 1, triangles)
    return np.array(nodes), tetrahedra, ["air"] * len(tetrahedra)


def write(path, nodes, tetrahedra, groups):
    names = {"air": 1, "slab": 2, "shell": 3, "wall": 4}
    faces = {}
    lines = []
    for corners, group in zip(tetrahedra, groups):
        corners = list(corners)
        a, b, c, d = (nodes[i] for i in corners)
        if np.dot(np.cross(b - a, c - a), d - a) < 0:
            corners[2], corners[3] = corners[3], corners[2]
        lines.append("4 2 %d %d %d %d %d %d" % (names[group], names[group], *(1 + i for i in corners)))
        for face in itertools.combinations(corners, 3):
            key = tuple(sorted(face))
            faces[key] = faces.get(key, 0) + 1
    lines += ["2 2 4 4 %d %d %d" % tuple(1 + i for i in face) for face, count in faces.items() if count == 1]
    with open(path, "w", encoding="ascii") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 4 "wall"\n3 1 "air"\n3 2 "slab"\n3 3 "shell"\n'
                  "$EndPhysicalNames\n$Nodes\n%d\n" % len(nodes))
        for i, x in enumerate(nodes):
            out.write("%d %.17g %.17g %.17g\n" % (i + 1, *x))
        out.write("$EndNodes\n$Elements\n%d\n" % len(lines))
        for i, text in enumerate(lines):
            out.write("%d %s\n" % (i + 1, text))
        out.write("$EndElements\n")


def make(folder, seed):
    """Writes mesh `seed`; returns what a script needs of it."""
    r = np.random.default_rng(seed)
    kind = KINDS[seed % 4]
    layered = seed % 3 == 0
    if kind in ("shell", "box"):
        cells = [int(c) for c in r.integers(2, 4, 3)]
        while cells.count(3) > 2:
            cells = [int(c) for c in r.integers(2, 4, 3)]
        nodes, tetrahedra, groups, middle, axes = box(r, cells, 1 if kind == "shell" else 0)
        if layered:  # the half behind a plane of the grid, whose vertices go back onto it
            moved = {i for i, q in enumerate(itertools.product(*(range(len(a)) for a in axes))) if q[0] == middle}
            for i in moved:
                nodes[i][0] = axes[0][middle]
            centre = np.array([nodes[list(t)].mean(axis=0)[0] for t in tetrahedra])
            groups = ["slab" if g == "air" and x > axes[0][middle] else g for g, x in zip(groups, centre)]
    else:
        nodes, tetrahedra, groups = (sphere if kind == "sphere" else cylinder)(r)
    nodes = np.array(nodes) * 0.1
    write(os.path.join(folder, f"mesh{seed}.msh"), nodes, tetrahedra, groups)
    inside = np.array([nodes[list(t)].mean(axis=0) for t, g in zip(tetrahedra, groups) if g != "shell"])
    at = inside[r.integers(len(inside))]
    behind = ("pec", "absorbing")[seed // 4 % 2]
    grown = '{ kind = "open", elements = %d }' % (2 if kind == "sphere" else 1)
    return {"mesh": f"mesh{seed}.msh", "kind": kind, "at": ", ".join("%.6g" % x for x in at), "tau": TAU,
            "layers": '{ shell = { kind = "box" } }' if kind == "shell" else "nil",
            "wall": '{ kind = "%s" }' % behind if kind == "shell" else grown,
            "slab": "{ epsilon_r = 4 }" if "slab" in groups else "nil"}


def run(program, folder, case, given):
    seed, flux, integrator = case
    name = f"{seed}_{flux}_{integrator}"
    script = os.path.join(folder, name + ".lua")
    values = {**given["meshes"][seed], **{key: given[key] for key in ("order", "every", "backend")}, "flux": flux, "integrator": integrator}

    def call(steps, command):
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT.format(**values, steps=steps))
        output = os.path.join(folder, name)
        done = subprocess.run([program, command, script, *(["--quiet", "--output", output] if command == "run" else [])],
                              capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode not in (0, 4):
            raise RuntimeError(f"{name}: exit code {done.returncode}\n{done.stdout[-800:]}{done.stderr[-800:]}")
        return done, output

    _, output = call(1, "run")
    with open(os.path.join(output, "summary.json"), encoding="utf-8") as file:
        step = json.load(file)["time_step"]
    end = 13 * TAU
    pulse = int(np.ceil(end / step))
    done, output = call(pulse + given["steps"], "run")
    with open(os.path.join(output, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    energy = np.genfromtxt(os.path.join(output, "energy.csv"), delimiter=",", names=True)
    total, peak = energy["total"], energy["total"].max()
    behind = total[energy["time"] > end]
    rises = behind[1:] - np.minimum.accumulate(behind)[:-1]
    worst = int(rises.argmax())
    result = {"seed": seed, "kind": values["kind"], "flux": flux, "integrator": integrator, "elements": summary["elements"],
              "steps": given["steps"], "order": given["order"], "rise": float(rises[worst] / peak),
              "level": float(behind[worst] / peak), "end": float(np.sqrt(total[-1] / peak)), "exit": done.returncode}
    if not np.isfinite(total).all() or done.returncode != 0:
        result.update(rise=float("inf"), end=float("inf"))
    for part in os.listdir(output):
        if os.path.isfile(os.path.join(output, part)):
            os.remove(os.path.join(output, part))
    return result


def main():
    program = os.path.abspath(sys.argv[1])
    given = {"meshes": 20, "first": 0, "steps": 200000, "every": 100, "order": 2, "backend": "cpu", "jobs": os.cpu_count(), "only": "", "keep": ""}
    for text in sys.argv[2:]:
        name, value = text.split("=", 1)
        given[name] = type(given[name])(value)
    kept = {}
    if given["keep"] and os.path.exists(given["keep"]):
        with open(given["keep"], encoding="utf-8") as file:
            kept = {(r["seed"], r["flux"], r["integrator"]): r for r in map(json.loads, file)}
    seeds = range(given["first"], given["first"] + given["meshes"])
    integrators = given["only"].split(",") if given["only"] else INTEGRATORS
    cases = [(s, flux, i) for i in reversed(integrators) for s in seeds for flux in (0, 1)]  # the slow ones first
    with tempfile.TemporaryDirectory(prefix="curlew-long-") as folder:
        given["meshes"] = {s: make(folder, s) for s in seeds}

        def one(case):
            if case in kept:
                return kept[case]
            result = run(program, folder, case, given)
            print("mesh %2d %-8s %4d elements, flux %d, %-8s: rise %9.2e at %9.2e, end %9.2e" % (
                result["seed"], result["kind"], result["elements"], result["flux"], result["integrator"], result["rise"],
                result["level"], result["end"]), flush=True)
            if given["keep"]:
                with open(given["keep"], "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
            return result

        with ThreadPoolExecutor(given["jobs"]) as pool:
            results = list(pool.map(one, cases))
    for flux, integrator in itertools.product((0, 1), integrators):
        here = [r for r in results if r["flux"] == flux and r["integrator"] == integrator]
        print(f"flux {flux}, {integrator}: {len(here)} runs, largest rise {max(r['rise'] for r in here):.2e}, "
              f"largest end {max(r['end'] for r in here):.2e}")
    bad = [r for r in results if not (r["rise"] <= BOUND and r["end"] <= BOUND)]
    print(f"{len(bad)} of {len(results)} above {BOUND:g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
