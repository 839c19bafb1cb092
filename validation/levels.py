#!/usr/bin/python3
"""Are runs with local time steps stable? levels.py PROGRAM [--cases 30] [--first 0] [--steps 200000] [--jobs N]

Each case is a small box of tetrahedra, shaken, with one or two bad spots whose heights are 1:4 to 1:300 of the others:
vertices pushed against a face, an edge or a vertex, or thin layers of cells. Cases differ by flux, order (1 to 3), media (none,
losses, Drude, Lorentz and Debye poles), walls, perfectly matched layers and curved elements. All of E and H begin with
noise that no element resolves, so that every mode of the scheme is in it. `time.levels = "auto"` chooses levels, in one
of five cases it is 2. A mesh for which one level is best, where levels have longer steps with less
of the penalty and no shorter ones, or for which a step would take too long, is drawn again.

output.energy is that of E and H alone. It swings with what poles store, and it is without F^-1 of
share/doc/design/levels.md: noise of H in m shorter steps may come back as up to about 4 m^2/eta times its energy in E. So
what is tested is that it does not drift, in the second half of the run.
  drift   The mean of log(energy) in 20 blocks: the line through them rises by less than 4 of its standard errors + 0.01
          in this half, and in any case by less than 0.05.
  peak    The largest energy in the last tenth of the run is at most 1.2 of the largest before it in this half.
Where n modes have equal parts of the energy, one mode that grows is seen if it comes to about 1e-2 of all: at n =
5000 by 50 in energy. What losses have taken below 1e-24 of the first energy is rounding, and not looked at.
The script uses the standard library alone, and no Gmsh."""
import argparse
import csv
import itertools
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

ORDERS = list(itertools.permutations(range(3)))
EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1))  # Gmsh's order of the nodes 5 to 10
MEDIA = ("none", "none", "losses", "drude", "lorentz", "debye", "all")
SMALLEST = 1e-24
SAMPLES, BLOCKS, ORDER = 1000, 20, (1, 1, 2, 1, 2, 3)
LONGEST = 0.6  # ms a step, of a busy core

SCRIPT = """\
math.randomseed({seed})
local function noise() return 2 * math.random() - 1, 2 * math.random() - 1, 2 * math.random() - 1 end
local function weak() local x, y, z = noise() return x / 3767, y / 3767, z / 3767 end
simulation {{
  mesh = {{ file = "case.msh" }}, order = {order}, flux = "{flux}", backend = "cpu",
  time = {{ steps = {steps}, levels = {levels} }},
  materials = {{ {materials}, default = {{}} }},
  {layers}boundaries = {{ end_wall = {{ kind = "{wall}" }}, default = {{ kind = "pec" }} }},
  initial = {{ E = noise, H = weak }}, watchdog = {{ growth = 1e9 }},
  output = {{ energy = {{ every = {every} }}, progress = {{ every = 0 }} }},
}}
"""


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def six_volumes(x, tet):
    a, b, c, d = (x[v] for v in tet)
    return dot(minus(b, a), cross(minus(c, a), minus(d, a)))


def height(x, tet):
    """The least height of a tetrahedron: three volumes over its largest face."""
    largest = 0
    for drop in range(4):
        a, b, c = (x[v] for i, v in enumerate(tet) if i != drop)
        n = cross(minus(b, a), minus(c, a))
        largest = max(largest, math.sqrt(dot(n, n)))
    return six_volumes(x, tet) / largest


class Mesh:
    """Cells of a grid, cut into six; `body` are the cells of the second medium, `shell` the last planes in x."""

    def __init__(self, r, cells, shell, thin):
        self.shell = shell
        self.axes = [[float(i) for i in range(n + 1)] for n in cells]
        for axis, ratio in thin:
            at = r.randrange(1, cells[axis] - 1 - (shell if axis == 0 else 0))
            self.axes[axis] = [x + (1 / ratio - 1) * (i > at) for i, x in enumerate(self.axes[axis])]
        n = self.n = [len(axis) for axis in self.axes]
        self.x, self.tets, self.tags, self.triangles = {}, [], [], []
        inner = n[0] - 1 - shell
        self.inside = set()
        for q in itertools.product(*map(range, n)):
            x = [axis[i] for axis, i in zip(self.axes, q)]
            last = (inner if shell else n[0] - 1, n[1] - 1, n[2] - 1)
            if all(0 < i < end for i, end in zip(q, last)):
                self.inside.add(self.vertex(*q))
                for d in range(3):
                    room = min(x[d] - self.axes[d][q[d] - 1], self.axes[d][q[d] + 1] - x[d])
                    x[d] += 0.2 * room * r.uniform(-1, 1)
            self.x[self.vertex(*q)] = x
        body = r.randrange(1, n[1] - 1)
        for q in itertools.product(*(range(m - 1) for m in n)):
            for order in ORDERS:
                self.tets.append(self.corners(q, order))
                self.tags.append(3 if q[0] >= inner else 2 if q[1] >= body else 1)
        for c in range(3):
            a, b = [i for i in range(3) if i != c]
            for end in (0, n[c] - 1):
                for s in itertools.product(range(n[a] - 1), range(n[b] - 1)):
                    q = [0, 0, 0]
                    q[c], q[a], q[b] = end, s[0], s[1]
                    for order in ((a, b), (b, a)):
                        self.triangles.append((4 if c == 0 and end > 0 else 5, self.corners(q, order, False)))

    def vertex(self, i, j, k):
        return 1 + (i * self.n[1] + j) * self.n[2] + k

    def corners(self, q, order, solid=True):
        at, corner = list(q), [self.vertex(*q)]
        for c in order:
            at[c] += 1
            corner.append(self.vertex(*at))
        if solid and sum(order[a] > order[b] for a in range(3) for b in range(a + 1, 3)) % 2:
            corner[2], corner[3] = corner[3], corner[2]
        return corner

    def spoil(self, r, ratio):
        """Pushes a vertex inside against a face, an edge or a vertex of its surroundings, down to 1/ratio of where it
        was. Returns whether one was found that leaves all elements their orientation."""
        for _ in range(200):
            tet = r.choice(self.tets)
            v = r.choice(tet)
            others = [u for u in tet if u != v]
            if v not in self.inside:
                continue
            share = r.choice(((1, 0, 0), (0.5, 0.5, 0), (1 / 3, 1 / 3, 1 / 3), (0.2, 0.3, 0.5)))
            old = self.x[v]
            to = [sum(s * self.x[u][d] for s, u in zip(share, others)) for d in range(3)]
            self.x[v] = [b + (a - b) / ratio for a, b in zip(old, to)]
            around = [t for t in self.tets if v in t]
            if all(height(self.x, t) > 0.3 / ratio for t in around):
                return True
            self.x[v] = old
        return False

    def ratio(self):
        heights = sorted(height(self.x, t) for t in self.tets)
        return heights[len(heights) // 2] / heights[0]

    def bend(self, r, share):
        """Nodes in the middle of edges, of which a share is off the middle, by up to 0.08 of the least height there."""
        self.middle, room = {}, {}
        for tet in self.tets:
            h = height(self.x, tet)
            for a, b in EDGES:
                key = tuple(sorted((tet[a], tet[b])))
                room[key] = min(room.get(key, h), h)
        for number, ((a, b), h) in enumerate(sorted(room.items()), len(self.x) + 1):
            at = [(p + q) / 2 for p, q in zip(self.x[a], self.x[b])]
            if (a in self.inside or b in self.inside) and r.random() < share:
                at = [p + 0.08 * h * r.uniform(-1, 1) for p in at]
            self.middle[a, b] = (number, at)

    def write(self, path):
        middle = getattr(self, "middle", None)

        def nodes(corner, edges):
            more = [middle[tuple(sorted((corner[a], corner[b])))][0] for a, b in edges] if middle else []
            return " ".join(map(str, [*corner, *more]))

        points = dict(self.x)
        points.update(middle.values() if middle else ())
        with open(path, "w", encoding="ascii") as out:
            out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 4 "end_wall"\n2 5 "sides"\n'
                      '3 1 "air"\n3 2 "body"\n3 3 "shell"\n$EndPhysicalNames\n$Nodes\n%d\n' % len(points))
            for number, x in sorted(points.items()):
                out.write("%d %.17g %.17g %.17g\n" % (number, *x))
            out.write("$EndNodes\n$Elements\n%d\n" % (len(self.tets) + len(self.triangles)))
            number = itertools.count(1)
            for tag, tri in self.triangles:
                out.write("%d %d 2 %d %d %s\n" % (next(number), 9 if middle else 2, tag, tag, nodes(tri, EDGES[:3])))
            for tag, tet in zip(self.tags, self.tets):
                out.write("%d %d 2 %d %d %s\n" % (next(number), 11 if middle else 4, tag, tag, nodes(tet, EDGES)))
            out.write("$EndElements\n")


def medium(r, kind):
    """Of a mesh of cells of 1 m: rates about those of waves in it."""
    poles = {"drude": "drude = {{ {{ omega_p = {:.4g}, gamma = {:.3g} }} }}".format(10 ** r.uniform(7.5, 9),
                                                                                   r.choice((0, 10 ** r.uniform(5, 8)))),
             "lorentz": "lorentz = {{ {{ delta = {:.3g}, omega_0 = {:.4g}, gamma = {:.3g} }} }}".format(
                 r.uniform(0.3, 3), 10 ** r.uniform(7.5, 9), r.choice((0, 10 ** r.uniform(5, 8)))),
             "debye": "debye = {{ {{ delta = {:.3g}, tau = {:.3g} }} }}".format(r.uniform(0.5, 20), 10 ** r.uniform(-10, -7))}
    words = ["epsilon_r = {:.3g}".format(r.choice((1, r.uniform(1, 6))))]
    if kind == "losses":
        words.append("sigma = {:.3g}".format(10 ** r.uniform(-6, -2)))
    words += [text for name, text in poles.items() if kind in (name, "all")]
    return "body = { " + ", ".join(words) + " }"


def apart(steps):
    """Steps between samples: no multiple of a period."""
    return max(1, steps // SAMPLES - 3)


def draw(seed, attempt, number, steps, folder):
    """Writes the mesh and the script of a case, and returns what is in it in words."""
    r = random.Random(f"{seed} {attempt}")
    order = ORDER[number % 6]
    flux = ("upwind", "centered")[number // 2 % 2]
    kind = MEDIA[number % len(MEDIA)]
    shell = 1 if number % 5 == 3 and order < 3 else 0
    curved = number % 4 == 1
    cells = {1: [5, 4, 3], 2: [4, 3, 3], 3: [4, 3, 2]}[order]
    ratio = 4 * 75 ** r.random()
    layers = order == 3 or r.random() < 0.25
    cells[0] += shell
    mesh = Mesh(r, cells, shell, [(0, ratio)] if layers else [])
    if not layers and not (mesh.spoil(r, ratio) and (r.random() < 0.6 or mesh.spoil(r, 4 * 75 ** r.random()))):
        return None
    if curved:
        mesh.bend(r, 0.5)
    mesh.write(os.path.join(folder, "case.msh"))
    materials = medium(r, kind)
    wall = "absorbing" if shell or (kind == "none" and number % 3 == 2) else "pec"
    with open(os.path.join(folder, "case.lua"), "w", encoding="ascii") as out:
        out.write(SCRIPT.format(seed=seed, order=order, flux=flux, steps=steps, every=apart(steps),
                                levels=2 if number % 5 == 4 else '"auto"',
                                materials=materials, layers='layers = { shell = { kind = "box" } },\n  ' if shell else "",
                                wall=wall))
    words = [f"{len(mesh.tets)} elements 1:{mesh.ratio():.0f}", f"order {order}", flux, materials[9:-2], wall]
    return ", ".join(words + ["layer"] * shell + ["curved"] * curved)


def line(samples):
    """Slope of a straight line through (n, y), and its standard error if what is off it is noise."""
    n = len(samples)
    x0, y0 = sum(x for x, _ in samples) / n, sum(y for _, y in samples) / n
    xx = sum((x - x0) ** 2 for x, _ in samples)
    slope = sum((x - x0) * (y - y0) for x, y in samples) / xx
    rest = sum((y - y0 - slope * (x - x0)) ** 2 for x, y in samples)
    return slope, math.sqrt(rest / (n - 2) / xx)


def judge(energy, steps):
    """energy: (step, J). The words to print, and complaints."""
    first = energy[0][1]
    most = max(e for _, e in energy) / first
    half = [(n, e) for n, e in energy if n >= steps / 2 and e > SMALLEST * first]
    words, bad = f"most {most:.3f}, last {energy[-1][1] / first:.3g} of the first energy", []
    if not all(math.isfinite(e) for _, e in energy) or energy[-1][0] < 0.99 * steps:
        bad.append("energy")
    if len(half) >= 2 * BLOCKS:
        size = len(half) // BLOCKS
        blocks = [half[-size * (b + 1):len(half) - size * b] for b in range(BLOCKS)]
        slope, error = line([(sum(n for n, _ in b) / size, sum(math.log(e) for _, e in b) / size) for b in blocks])
        drift, error = slope * steps / 2, error * steps / 2
        before = max((e for n, e in half if n < 0.9 * steps), default=0)
        peak = max((e for n, e in half if n >= 0.9 * steps), default=0) / before
        words += f"; drift {drift:+.2g} +- {error:.1g}, peak {peak:.3f}"
        bad += ["drift"] * (drift > min(0.05, 4 * error + 0.01)) + ["peak"] * (peak > 1.2)
    return words, bad


def run(program, command, folder, seconds):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CURLEW_CHECK_SECONDS": "0.02"}
    done = subprocess.run([program, command, "case.lua"], capture_output=True, text=True, timeout=seconds, check=False,
                          cwd=folder, env=environment)
    return done.returncode, done.stdout + done.stderr


def times(steps):
    """The shorter steps in one, of "2 x 3"."""
    return math.prod(map(int, steps.split(" x ")))


def milliseconds(said, steps, words):
    """Of a step, roughly: passes over nodes, and calls."""
    work = re.search(r"levels +1: (\d+) elements, (\S+) of the work", said)
    nodes = {"1": 4, "2": 10, "3": 20}[re.search(r"order (\d)", words)[1]]
    return (3e-5 * (2 if "curved" in words else 1) * nodes * int(work[1]) / float(work[2]) +
            0.0055 * times(steps))


def case(options, number):
    folder = os.path.join(options.folder, str(number))
    os.makedirs(folder)
    begin, steps_said = time.monotonic(), None
    for attempt in range(20):
        words = draw(options.seed + number, attempt, number, options.steps, folder)
        if words is None:
            continue
        code, said = run(options.program, "check", folder, 120)
        steps_said = re.search(r"levels +(\d+(?: x \d+)*) steps of H in one", said)
        if code != 0 or (steps_said and times(steps_said[1]) > 1 and milliseconds(said, steps_said[1], words) < LONGEST):
            break
        steps_said = None
    result = {"number": number, "words": f"case {number}: {words}", "drawn": attempt, "bad": [], "said": said}
    if code != 0 or not steps_said:
        return {**result, "bad": ["no levels" if code == 0 else f"check: {code}"]}
    cores = re.findall(r"levels +\d+: (\d+) elements, \d+ of them in the core", said)
    try:
        code, said = run(options.program, "run", folder, options.seconds)
    except subprocess.TimeoutExpired:
        return {**result, "bad": [f"longer than {options.seconds} s"]}
    energy = []
    for root, _, files in os.walk(folder):
        if "energy.csv" in files:
            with open(os.path.join(root, "energy.csv"), encoding="ascii") as file:
                rows = list(csv.reader(row for row in file if not row.startswith("#")))
            at = rows[0].index("total")
            energy = [float(row[at]) for row in rows[1:]]
    every = apart(options.steps)
    found, bad = judge([(i * every, e) for i, e in enumerate(energy)], options.steps) if energy else ("no energy", ["energy"])
    if code != 0:
        bad.append(f"run: {code}")
    result["words"] += (f"\n    levels: {len(cores) + 1}, {steps_said[1]} steps of H in {', '.join(cores)} elements"
                        f"\n    {found}; {time.monotonic() - begin:.0f} s{' FAILED: ' + ', '.join(bad) if bad else ''}")
    return {**result, "bad": bad, "said": said}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=200000, help="a few thousand are too few for slow exchange to settle")
    parser.add_argument("--seed", type=int, default=0, help="draws other meshes and media")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=3600, help="limit for a run")
    parser.add_argument("--folder", help="keeps the meshes, scripts and results")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    begin, failed, drawn = time.monotonic(), [], 0
    with tempfile.TemporaryDirectory(prefix="curlew-levels-") as folder:
        options.folder = os.path.abspath(options.folder or folder)
        with ThreadPoolExecutor(options.jobs) as pool:
            # What takes longest begins first.
            numbers = sorted(range(options.first, options.first + options.cases), key=lambda n: -ORDER[n % 6])
            for result in (future.result() for future in as_completed([pool.submit(case, options, n) for n in numbers])):
                print(result["words"], flush=True)
                drawn += result["drawn"]
                if result["bad"]:
                    failed.append(result)
    for result in failed:
        print(f"FAILED: case {result['number']}: {', '.join(result['bad'])}\n{result['said'][-1500:]}")
    print(f"{options.cases - len(failed)} of {options.cases} hold over {options.steps} steps; {drawn} meshes were drawn again; "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
