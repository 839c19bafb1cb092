#!/usr/bin/env python3
"""What each integrator costs, and how accurate it is: integrators.py [--program PROGRAM] [--orders 1-6] [--size 0.25]
[--periods 5] [--repeats 3] [--csv FILE] prints a table in Markdown.

The mode (1,1,0) of a unit cube with conducting walls, from exact fields, for some periods with the automatic step, on
one mesh of straight elements for all orders. The error is that of E and eta0 H on a plane of 900 points at the end,
over the root mean square of the fields there: closed form against the solution. `mesh alone` is the error with a
quarter of the step of lsrk: what the mesh leaves and no integrator can mend. The cost is processor time of one thread
of the backend cpu: the difference between a longer and a shorter run, the least of some, so that set-up is not in it
and other programs on the machine disturb little. It needs nothing but Python.
"""
import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
INTEGRATORS = ("leapfrog", "lsrk", "rk4")
C0 = 299792458.0
OMEGA = C0 * math.pi * math.sqrt(2)
PHASE = 0.6
GEOMETRY = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("inside") = {1};
"""
SCRIPT = """local pi, sin, cos = math.pi, math.sin, math.cos
local w = const.c0 * pi * math.sqrt(2)
simulation {
  name = "case", backend = "cpu", order = args.order, mesh = { file = "case.geo", size = args.size, keep = false },
  time = { integrator = args.integrator, stop = args.stop, steps = args.steps, step = args.step },
  materials = { inside = {} }, boundaries = { default = { kind = "pec" } },
  initial = {
    E = function(x, y, z) return 0, 0, sin(pi * x) * sin(pi * y) * cos(PHASE) end,
    H = function(x, y, z)
      local scale = pi * sin(PHASE) / (w * const.mu0)
      return -scale * sin(pi * x) * cos(pi * y), scale * cos(pi * x) * sin(pi * y), 0
    end,
  },
  output = {
    progress = { every = 0 },
    planes = args.looks and { { name = "cut", origin = { 0.01, 0.02, 0.37 }, u = { 0.97, 0, 0.1 }, v = { 0, 0.96, 0.1 }, points = { 30, 30 },
                                format = "csv", every = args.looks } } or {},
  },
}
""".replace("PHASE", str(PHASE))


class Case:
    def __init__(self, program, folder, size):
        self.program, self.folder, self.size = program, folder, size
        for name, text in (("case.geo", GEOMETRY), ("case.lua", SCRIPT)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)

    def run(self, **keys):
        """(summary, processor seconds)"""
        words = [f"-D{name}={value!r}" if isinstance(value, float) else f"-D{name}={value}" for name, value in keys.items()]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, "run", "case.lua", "--quiet", f"-Dsize={self.size}", *words], cwd=self.folder,
                              env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"integrators.py: {done.stderr.strip()}")
        with open(os.path.join(self.folder, "case", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        return summary, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def error(self):
        """The error at the last time of the plane, relative."""
        with open(os.path.join(self.folder, "case", "planes", "cut.csv"), encoding="ascii") as file:
            rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
        last, eta0 = rows[-1][0], C0 * 1.25663706212e-6
        off = size = 0.0
        for time, x, y, _, *fields in rows:
            if time != last:
                continue
            angle = OMEGA * time + PHASE
            H = math.pi * math.sin(angle) * C0 / OMEGA  # of eta0 H
            truth = (0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) * math.cos(angle),
                     -H * math.sin(math.pi * x) * math.cos(math.pi * y), H * math.cos(math.pi * x) * math.sin(math.pi * y), 0)
            for i, value in enumerate(truth):
                off += (fields[i] * (1 if i < 3 else eta0) - value) ** 2
                size += value ** 2
        return math.sqrt(off / size), last


def steps_to(case, order, integrator, stop):
    """Steps of the automatic length, a little shorter so that the last one ends at `stop`."""
    return math.ceil(stop / case.run(order=order, integrator=integrator, steps=1)[0]["time_step"])


def measure(case, order, integrator, stop, repeats):
    """Error, steps a period and processor seconds a period."""
    steps = steps_to(case, order, integrator, stop)
    step = stop / steps
    case.run(order=order, integrator=integrator, steps=steps, step=step, looks=steps)
    error, _ = case.error()
    few = max(10, steps // 10)
    _, once = case.run(order=order, integrator=integrator, steps=few, step=step)
    _, twice = case.run(order=order, integrator=integrator, steps=2 * few, step=step)
    many = max(2 * few, int(few * min(1000.0, 2.0 / max(twice - once, 2e-3))))  # steps that take about 2 s
    costs = []
    for _ in range(repeats):
        costs.append(case.run(order=order, integrator=integrator, steps=few + many, step=step)[1]
                     - case.run(order=order, integrator=integrator, steps=few, step=step)[1])
    period = 2 * math.pi / OMEGA
    return {"order": order, "integrator": integrator, "step": step, "steps": period / step, "error": error,
            "seconds": min(costs) / many * period / step}


def best_of_space(case, order, stop):
    steps = 4 * steps_to(case, order, "lsrk", stop)
    case.run(order=order, integrator="lsrk", steps=steps, step=stop / steps, looks=steps)
    return case.error()[0]


def print_table(results):
    print("| order | mesh alone | | leapfrog | lsrk | rk4 |")
    print("|---|---|---|---|---|---|")
    for order in sorted({result["order"] for result in results}):
        own = {result["integrator"]: result for result in results if result["order"] == order}
        base = own["leapfrog"]["seconds"]
        print(f"| {order} | {own['leapfrog']['space']:.1e} | error | "
              + " | ".join(f"{own[name]['error']:.1e}" for name in INTEGRATORS) + " |")
        print("| | | cost | " + " | ".join(f"{own[name]['seconds'] / base:.2f}" for name in INTEGRATORS) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "maxwell", "curlew"))
    parser.add_argument("--orders", default="1-6")
    parser.add_argument("--size", type=float, default=0.25)
    parser.add_argument("--periods", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--csv")
    options = parser.parse_args()
    first, _, last = options.orders.partition("-")
    stop = options.periods * 2 * math.pi / OMEGA
    results = []
    with tempfile.TemporaryDirectory(prefix="curlew_integrators_") as folder:
        case = Case(os.path.abspath(options.program), folder, options.size)
        for order in range(int(first), int(last or first) + 1):
            space = best_of_space(case, order, stop)
            for integrator in INTEGRATORS:
                results.append({**measure(case, order, integrator, stop, options.repeats), "space": space})
                print(f"order {order} {integrator}: {results[-1]}", file=sys.stderr, flush=True)
    print_table(results)
    if options.csv:
        with open(options.csv, "w", encoding="ascii", newline="") as file:
            writer = csv.DictWriter(file, list(results[0]))
            writer.writeheader()
            writer.writerows(results)


if __name__ == "__main__":
    main()
