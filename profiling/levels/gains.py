#!/usr/bin/env python3
"""What local time steps gain on meshes with a few small elements: gains.py [--program PROGRAM] [--meshes slot,wires,...]
[--fluxes upwind,centered] [--order 2] [--cells 8] [--backend cpu] [--repeats 3] [--stop SECONDS]
[--launcher "mpirun -n 2"] prints a table in Markdown.

Each mesh is run by turns (graded.lua) with one level and with time.levels = "auto" to the same end. Measured is the
median of the ratios of their loop times, counted what the log says: the gain that passes over elements allow. The
loops of both must last some seconds, on a machine that does nothing else: --stop sets the end. It needs Gmsh in the
program, and nothing but Python.
"""
import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ("mesh", "elements", "slowest over median", "flux", "steps of H in one", "core", "counted", "measured",
           "of counted", "spread", "one level")
MESHES = ("slot", "wires", "feed", "crack")


def run(options, mesh, flux, levels, folder):
    """(summary, log) of a run."""
    words = [*shlex.split(options.launcher), options.program, "run", os.path.join(FOLDER, "graded.lua"), "-o", folder]
    for name, value in (("mesh", mesh), ("N", options.cells), ("order", options.order), ("stop", options.stop)):
        words += ["-D", f"{name}={value}"]
    for name, value in (("flux", f'"{flux}"'), ("time.levels", levels), ("backend", f'"{options.backend}"')):
        words += ["--set", f"{name}={value}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gains.py: {mesh}, {flux}: {done.stderr.strip()}")
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file), done.stdout


def found(pattern, log, otherwise):
    match = re.search(pattern, log)
    return match[1] if match else otherwise


def measure(options, mesh, flux, folder):
    ratios = []
    for _ in range(options.repeats):
        one, _ = run(options, mesh, flux, "1", os.path.join(folder, "one"))
        many, log = run(options, mesh, flux, '"auto"', os.path.join(folder, "auto"))
        ratios.append(one["loop_seconds"] / many["loop_seconds"])
    slowest = found(r"the slowest element allows (\S+) of the step", log, "?")
    steps = found(r"levels +((?:\d+ x )*\d+) steps of H in one", log, "one level")
    counted = found(r"counted so, the run is (\S+) times as fast", log, "1")
    part = found(r"levels +2: \d+ elements, (\d+) of them in the core", log, "0")
    middle = statistics.median(ratios)
    spread = (max(ratios) - min(ratios)) / middle
    row = (mesh, one["elements"], slowest, flux, steps, f"{100 * int(part) / one['elements']:.2g} %", counted,
           f"{middle:.3g}", f"{middle / float(counted):.2f}", f"{100 * spread:.0f} %", f"{one['loop_seconds']:.2g} s")
    print(*row, sep=" | ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="curlew")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--meshes", default=",".join(MESHES))
    parser.add_argument("--fluxes", default="upwind,centered")
    parser.add_argument("--order", type=int, default=2)
    parser.add_argument("--cells", type=int, default=8, help="elements across the box: N of graded.lua")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--stop", type=float, default=3e-9)
    options = parser.parse_args()
    if os.path.dirname(options.program):
        options.program = os.path.abspath(options.program)
    print(*COLUMNS, sep=" | ")
    print(*("---" for _ in COLUMNS), sep=" | ")
    for mesh in options.meshes.split(","):
        for flux in options.fluxes.split(","):
            with tempfile.TemporaryDirectory() as folder:
                measure(options, mesh, flux, folder)


if __name__ == "__main__":
    main()
