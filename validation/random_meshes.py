#!/usr/bin/python3
"""Does one bad element set the pace of a run? random_meshes.py PROGRAM [GEOMETRIES [FIRST]]

Random geometries (boxes, cylinders, cut and fused solids), each with three sizes of elements, go through `curlew check`.
The slowest element must allow at least half of the step of the median, or the log must name the feature of the geometry
that makes it slow. 12 geometries by default, 200 for the figures of share/doc/validation.md. The box whose one sliver
took 1,516,582 steps comes first: at most 10,000, in about the seconds that `check` announces."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

SCRIPT = """simulation {{ mesh = {{ file = "{file}", size = {size:.6g}, unit = 1e-3 }}, order = 3, time = {{ {time} }},
  materials = {{ default = {{}} }} }}
"""
GOAL = 0.5


def cylinder(r, tag, d):
    axis = r.randrange(3)
    at = [round(r.uniform(0.3, 0.7) * x, 3) for x in d]
    along = [0, 0, 0]
    along[axis] = round(d[axis] * r.uniform(0.5, 1.6), 3)
    at[axis] = round(r.uniform(-0.5, 0.3) * d[axis], 3)
    radius = round(r.uniform(0.12, 0.42) * min(d), 3)
    return "Cylinder({}) = {{{:g}, {:g}, {:g}, {:g}, {:g}, {:g}, {:g}}};\n".format(tag, *at, *along, radius)


def tool(r, tag, d):
    kind = r.randrange(3)
    if kind == 0:
        return cylinder(r, tag, d)
    if kind == 1:
        at = [round(r.uniform(0, 1) * x, 3) for x in d]
        return "Sphere({}) = {{{:g}, {:g}, {:g}, {:g}}};\n".format(tag, *at, round(r.uniform(0.2, 0.6) * min(d), 3))
    at = [round(r.uniform(-0.3, 0.7) * x, 3) for x in d]
    return "Box({}) = {{{:g}, {:g}, {:g}, {:g}, {:g}, {:g}}};\n".format(tag, *at, *[round(r.uniform(0.2, 0.8) * x, 3)
                                                                                 for x in d])


def geometry(seed):
    """Text, and the longest side in mm."""
    r = random.Random(seed)
    kind = ("box", "cylinder", "cut", "fused")[seed % 4]
    d = [round(r.uniform(20, 150), 3) for _ in range(3)]
    text = 'SetFactory("OpenCASCADE");\n'
    box = "Box(1) = {{0, 0, 0, {:g}, {:g}, {:g}}};\n".format(*d)
    if kind == "box":
        text += box
    elif kind == "cylinder":
        text += "Cylinder(1) = {{0, 0, 0, 0, 0, {:g}, {:g}}};\n".format(d[2], round(d[0] / 2, 3))
    else:
        operation = "BooleanDifference" if kind == "cut" else "BooleanUnion"
        text += box + tool(r, 2, d) + operation + "(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };\n"
    return kind, text, max(d)


def curlew(program, command, folder, name, text, size, stop, seconds=120):
    with open(os.path.join(folder, name + ".geo"), "w", encoding="utf-8") as file:
        file.write(text)
    script = os.path.join(folder, name + ".lua")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(file=name + ".geo", size=size, time=stop))
    try:
        done = subprocess.run([program, command, script], capture_output=True, text=True, timeout=seconds, check=False,
                              cwd=folder)
    except subprocess.TimeoutExpired:
        return None, "no answer within %g s" % seconds
    return done.returncode, done.stdout + done.stderr


def ratio_of(text):
    """What the mesh has at last: height of the slowest element over the median's; and before repair."""
    found = re.search(r"repair: the slowest element had (\S+) of the median height, now (\S+) ", text)
    if found:
        return float(found[1]), float(found[2])
    left = re.search(r"slow: \d+ elements below \S+ of the median height, the slowest (\S+), because", text)
    left = left or re.search(r"slow: the element at \(.*\) m has (\S+) of the median height", text)
    return (float(left[1]), float(left[1])) if left else (1.0, 1.0)


def judge(program, folder, seed, number, size, kind, text):
    code, said = curlew(program, "check", folder, f"g{seed}_{number}", text, size, "steps = 1")
    result = {"seed": seed, "kind": kind, "size": size, "code": code}
    if code == 2 and "Gmsh could not" in said:
        return {**result, "what": "not meshed"}
    if code != 0:
        return {**result, "what": "failed", "said": said}
    before, after = ratio_of(said)
    named = "because" in said
    what = "good" if after >= GOAL else "named" if named else "slow"
    if before < 1 and "nothing in the geometry demands" in said and after < GOAL and not named:
        what = "slow"
    return {**result, "what": what, "before": before, "after": after, "said": said}


def the_box(program, folder):
    """The example of the issue; returns complaints."""
    text = 'SetFactory("OpenCASCADE"); Box(1) = {0,0,0,72.136,34.036,150};\n'
    code, said = curlew(program, "check", folder, "sliver", text, 25, "stop = 10e-9")
    steps = re.search(r"time +(\d+) steps", said)
    announced = re.search(r"run +about (\S+) s on this machine", said)
    if code != 0 or not steps or not announced:
        return [f"the box: {code}\n{said}"]
    begin = time.monotonic()
    code, ran = curlew(program, "run", folder, "sliver", text, 25, "stop = 10e-9")
    took = time.monotonic() - begin
    print(f"the box: {steps[1]} steps, about {announced[1]} s announced, {took:.2f} s with meshing")
    complaints = []
    if int(steps[1]) > 10000:
        complaints.append(f"the box takes {steps[1]} steps")
    if code != 0 or not took < 20 * float(announced[1]) + 10 or float(announced[1]) > 20 * took:
        complaints.append(f"the box took {took:.2f} s, {announced[1]} s were announced\n{ran[-500:]}")
    return complaints


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory(prefix="curlew-meshes-") as folder:
        complaints = the_box(program, folder)
        jobs = []
        for seed in range(first, first + count):
            kind, text, longest = geometry(seed)
            jobs += [(seed, n, longest / n, kind, text) for n in (4, 6, 9)]
        with ThreadPoolExecutor(int(os.environ.get("CURLEW_TEST_WORKERS", "2"))) as pool:
            results = list(pool.map(lambda job: judge(program, folder, *job), jobs))
    for what in ("good", "named", "not meshed", "slow", "failed"):
        here = [r for r in results if r["what"] == what]
        print(f"{what}: {len(here)} of {len(results)}" + (
            f", slowest {min(r['before'] for r in here):.2g} of the median before, {min(r['after'] for r in here):.2g} now"
            if here and "before" in here[0] else ""))
    repaired = [r for r in results if r.get("before", 1) < GOAL]
    gains = sorted(r["after"] / r["before"] for r in repaired if r["before"] > 0)
    if gains:
        print(f"repaired: {len(repaired)}, of which good now {sum(r['after'] >= GOAL for r in repaired)}; faster by "
              f"{gains[len(gains) // 2]:.3g} (median), {gains[-1]:.3g} (most)")
    complaints += [f"seed {r['seed']} ({r['kind']}), size {r['size']:.5g}: {r['what']}\n{r.get('said', '')}"
                   for r in results if r["what"] in ("slow", "failed")]
    for complaint in complaints:
        print("FAILED:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
