#!/usr/bin/env python3
"""Volumes of balls whose elements are large for their radius: balls.py CURLEW [--seeds 20] [--sizes 0.4 0.5 ...] [--box 1.8]

Balls of radius 1, alone or with --box in a box of half that width, meshed with sizes of 0.4 to 1.2 radii from different
random seeds of Gmsh. The volume that `curlew check` finds must be 4 pi/3 within 0.2 %, or a warning must say what it is;
and what the warning says must be so. A line for each size: the worst volume, meshes that were mended, warnings, and the
limit of the step. The full table takes some minutes; libdg/mesh/tests/test_curved_mesh.c (test_balls) has four in CI."""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

GEOMETRY = """\
SetFactory("OpenCASCADE");
DefineConstant[ seed = 1, half = 0 ];
Mesh.RandomSeed = seed;
Sphere(1) = {0, 0, 0, 1};
If (half > 0)
  Box(2) = {-half, -half, -half, 2 * half, 2 * half, 2 * half};
  BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }
EndIf
Physical Volume("ball") = {1};
"""
SCRIPT = """\
simulation {
  mesh = { file = "ball.geo", size = args.size, geometry = 2, parameters = { seed = args.seed, half = args.half } },
  order = 2, time = { steps = 1 }, materials = { default = {} }, boundaries = { default = { kind = "pec" } },
}
"""
EXACT = 4 / 3 * math.pi


def look(program, folder, size, seed, half):
    """One mesh: volume, elements, limit of the step, whether it was mended, and (followed, wanted) of a warning."""
    command = [program, "check", os.path.join(folder, "ball.lua")]
    for name, value in (("size", size), ("seed", seed), ("half", half)):
        command += ["-D", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode != 0:
        raise SystemExit(f"size {size}, seed {seed}: {text}")
    ball = re.search(r"^volume +\d+ 'ball': (\d+) elements, ([\d.e+-]+) m", text, re.M)
    said = re.search(r"warning: mesh\.size is too large.* volume \d+ 'ball' is .*\(([\d.e+-]+) for ([\d.e+-]+) m", text)
    limit = float(re.search(r"stability limit ([\d.e+-]+)", text)[1])
    return float(ball[2]), limit, "could not follow their curves" in text, said and (float(said[1]), float(said[2]))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("program")
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--sizes", type=float, nargs="*", default=[0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2])
    options.add_argument("--box", type=float, default=0)
    given = options.parse_args()
    wrong = 0
    print("| size / radius | worst volume | beyond 0.2 % | warned | mended | mean limit of the step, s |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="curlew_balls_") as folder:
        for name, text in (("ball.geo", GEOMETRY), ("ball.lua", SCRIPT)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for size in given.sizes:
            balls = [look(given.program, folder, size, seed, given.box) for seed in range(1, given.seeds + 1)]
            off = [volume / EXACT - 1 for volume, _, _, _ in balls]
            for (volume, _, _, said), error in zip(balls, off):
                true = said and abs(said[0] / volume - 1) < 1e-3 and abs(said[1] / EXACT - 1) < 1e-3
                wrong += abs(error) > 2.2e-3 and not true
            print(f"| {size:g} | {100 * max(off, key=abs):.2f} % | {sum(abs(error) > 2e-3 for error in off)} "
                  f"| {sum(said is not None for _, _, _, said in balls)} | {sum(mended for _, _, mended, _ in balls)} "
                  f"| {sum(limit for _, limit, _, _ in balls) / len(balls):.3g} |", flush=True)
    print(f"{wrong} meshes are wrong in silence, or with an untrue figure")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
