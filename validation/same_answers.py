#!/usr/bin/python3
"""Says whether two builds of curlew give the same answers.

    validation/same_answers.py OLD NEW [--ranks 1,3] [--backend cpu,reference] [--cases examples,validation,kinds]
                               [--only coax] [--set time.integrator=lsrk]... [--restart] [--output DIR]

OLD and NEW are programs, /build/maxwell/curlew, or PROGRAM:SHARE where the script library is that of another folder.
Every script is run for some tens of steps by both, in scratch folders, with snapshots and energies besides what it
asks for. Compared are CSV and Touchstone files byte by byte, summary.json but for times and the machine, and the
snapshots: byte by byte, and where that fails array by array (python3-silo). Each line of the table is one script,
backend and number of ranks: `same`, or which file differs and by how much. With --restart the new program is stopped
after two thirds of the steps and goes on from its checkpoint; the old one runs through. The energy balance is left out
then: its sums begin anew behind a checkpoint.

Exit code: 0 all the same, 1 something differs or failed in one of them only.
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "share", "plot"))

STEPS = 60
TIMES = {"loop_seconds", "dof_per_second", "evaluations_per_second", "seconds", "profile", "peak_memory_bytes",
         "card_memory_bytes", "versions", "measures", "model", "checkpoints", "threads", "lua_threads"}
TIMES_OF_PARTS = {"halo_seconds_least"}
SECONDS = 300  # that a run may take
NEWS = ["the old program does not know a key of this script"]
MODIFIED = re.compile(rb"(\x12\0\x08\0.\0\0\0\x01\0\0\0)....", re.DOTALL)


def terms():
    """The names in the table of terms.lua."""
    with open(os.path.join(HERE, "same_answers", "terms.lua"), encoding="utf-8") as file:
        table = file.read().split("local terms = {")[1].split("\n}\n")[0]
    return re.findall(r"^  (\w+) = \{", table, re.MULTILINE)


# Settings (-D) of scripts, one or several for each; those that are not named here run as they are.
SETTINGS = {
    "01_cavity": [{"L": "0.5"}],
    "07_esd": [{"size": "0.4"}],
    "coax": [{"load": load} for load in ("resistor", "open", "short", "matched")],
    "energy": [{}, {"field": "noise", "sigma": "0.01"}],
    "material_jump": [{"omega": "1e9"}],
    "waveguide": [{}, {"mode": "TM11"}],
    "power": [{"size": "0.08"}],
    "total_field": [{"probes": "1"}],
    "kinds": [{"walls": "drives", "middle": "surface_current"}, {"walls": "drives", "format": "csv"},
              {"walls": "waves", "middle": "total_field"}, {"walls": "ports"}, {"walls": "gap", "middle": "pec"}],
    # Snapshots, which all runs are given here, have no form with Bloch phases.
    "terms": [{"term": term} for term in terms() if term != "bloch"],
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--ranks", default="1,3", help="default: %(default)s")
    parser.add_argument("--backend", default="cpu,reference", help="default: %(default)s")
    parser.add_argument("--cases", default="examples,validation,kinds", help="default: %(default)s; kinds is one "
                        "scene for each kind of wall, source, interface, medium and measure")
    parser.add_argument("--only", default="", help="scripts with this in their name")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all runs, repeatable")
    parser.add_argument("--restart", action="store_true", help="the new program goes on from a checkpoint")
    parser.add_argument("--output", help="keep the output folders here")
    return parser.parse_args()


def scripts(groups, only):
    """[(name, script, settings)]"""
    found = []
    for group in groups:
        folder = os.path.join(ROOT, "examples") if group == "examples" else HERE
        if group == "kinds":
            base = os.path.join(HERE, "same_answers")
            paths = [(name[:-4], os.path.join(base, name)) for name in os.listdir(base) if name.endswith(".lua")]
        else:
            paths = []
            for name in os.listdir(folder):
                stem = name.split("_", 1)[1] if group == "examples" and "_" in name else "case"
                script = os.path.join(folder, name, stem + ".lua")
                if os.path.exists(script):
                    paths.append((name, script))
        for name, script in sorted(paths):
            for settings in SETTINGS.get(name, [{}]):
                text = " ".join([name] + [f"{key}={value}" for key, value in settings.items()])
                if only in text:
                    found.append((text, script, settings))
    return found


def run(program, script, folder, settings, keys, ranks, more=()):
    """None, or why it failed."""
    path, _, share = program.partition(":")
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    if share:
        environment["CURLEW_SHARE"] = share
    command = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    command += [os.path.abspath(path), "run", script, "--quiet", "--output", folder, *more]
    for key, value in settings.items():
        command += ["-D", f"{key}={value}"]
    for key in keys:
        command += ["--set", key]
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {SECONDS} s"
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if "warning:" not in line and line.strip()]
    return f"exit code {done.returncode}: {lines[0] if lines else ''}"


def files_of(folder):
    """{relative path} of the answers in an output folder."""
    found = set()
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("mesh", "checkpoint", ".curlew")]
        found |= {os.path.relpath(os.path.join(where, name), folder) for name in names if name != "log.txt"}
    return found


def read(path):
    """The bytes of a file; of HDF5 files without the times at which objects were modified (message 0x12 of their
    headers: type, size 8, flags, version 1, seconds)."""
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"\x89HDF"):
        content = MODIFIED.sub(b"\\1", content)
    return content


def numbers(line):
    values = []
    for word in line.split(","):
        try:
            values.append(float(word))
        except ValueError:
            return None
    return values


def how_much(pairs):
    """The largest difference of [(a, b)], over the largest value."""
    most = max((abs(a) for a, _ in pairs if math.isfinite(a)), default=0)
    off = max((abs(a - b) if math.isfinite(a - b) else math.inf for a, b in pairs
               if not (a == b or (math.isnan(a) and math.isnan(b)))), default=0)
    return off / most if most > 0 else off


def compare_tables(old, new):
    a, b = old.decode().splitlines(), new.decode().splitlines()
    if len(a) != len(b):
        return f"{len(a)} lines, now {len(b)}"
    columns, text = {}, 0
    for one, other in zip(a, b):
        left, right = numbers(one), numbers(other)
        if left is None or right is None or len(left) != len(right):
            text += one != other
            continue
        for k, pair in enumerate(zip(left, right)):
            columns.setdefault(k, []).append(pair)
    if text:
        return f"{text} lines of text differ"
    return f"by {max(how_much(pairs) for pairs in columns.values()):.1e} of the largest value of a column"


def compare_summaries(old, new):
    a, b = json.loads(old), json.loads(new)
    said = []
    for key in sorted(a.keys() | b.keys()):
        left, right = a.get(key, "absent"), b.get(key, "absent")
        if key == "partition" and isinstance(left, dict) and isinstance(right, dict):
            left = {k: v for k, v in left.items() if k not in TIMES_OF_PARTS}
            right = {k: v for k, v in right.items() if k not in TIMES_OF_PARTS}
        if key not in TIMES and left != right:
            said.append(f"{key} was {left}, is {right}")
    return "; ".join(said)


def compare_snapshots(old, new):
    try:
        import numpy as np
        from silo_reader import Snapshot
    except ImportError:
        return "bytes differ (python3-silo would say where)"
    a, b = Snapshot(old), Snapshot(new)
    try:
        return compare_arrays(np, a, b)
    finally:
        a.close()
        b.close()


def compare_arrays(np, a, b):
    if a.variables != b.variables:
        return f"variables were {a.variables}, are {b.variables}"
    if not np.array_equal(a.points, b.points) or not np.array_equal(a.zones, b.zones):
        return "meshes differ"
    if (a.time, a.cycle) != (b.time, b.cycle):
        return f"time {a.time}, step {a.cycle}, now {b.time}, {b.cycle}"
    said = []
    for name in a.variables:
        x, y = a.field(name).values, b.field(name).values
        if not np.array_equal(x, y, equal_nan=True):
            said.append(f"{name} by {np.abs(x - y).max() / max(np.abs(x).max(), 1e-300):.1e} of its largest value")
    return "; ".join(said)


def compare(old, new):
    """[what differs]"""
    left, right = files_of(old), files_of(new)
    said = [f"{name} is missing" for name in sorted(left - right)]
    said += [f"{name} is new" for name in sorted(right - left)]
    for name in sorted(left & right):
        a, b = os.path.join(old, name), os.path.join(new, name)
        one, other = read(a), read(b)
        if one == other or name.startswith("blocks"):  # blocks are read with the snapshot that names them
            continue
        if name == "summary.json":
            what = compare_summaries(one, other)
        elif name.endswith(".silo") and "/" not in name:
            what = compare_snapshots(a, b)
        elif name.endswith(".csv"):
            what = compare_tables(one, other)
        else:
            what = "bytes differ"
        said += [f"{name}: {what}"] if what else []
    blocks = [name for name in left & right if name.startswith("blocks")]
    for root in sorted({os.path.basename(name)[:13] + ".silo" for name in blocks if "fields_" in name}):
        parts = [name for name in blocks if os.path.basename(name).startswith(root[:13])]
        if any(read(os.path.join(old, name)) != read(os.path.join(new, name)) for name in parts):
            what = compare_snapshots(os.path.join(old, root), os.path.join(new, root))
            said += [f"{root}: {what}"] if what else []
    return said


def one_case(options, case, backend, ranks, folder):
    _, script, settings = case
    keys = [f"backend={backend}", "output.progress.every=0", f"output.fields.every={STEPS // 2}",
            f"output.energy.every={STEPS // 12}", *options.set]
    last = [f"time.steps={STEPS}"]
    if options.restart and os.path.dirname(script).endswith("same_answers"):
        keys.append("output.balance=nil")
    old, new = os.path.join(folder, "old"), os.path.join(folder, "new")
    failed = run(options.old, script, old, settings, keys + last, ranks)
    if options.restart:
        keys.append(f"checkpoint.every={STEPS // 3}")
        now = run(options.new, script, new, settings, keys + [f"time.steps={2 * STEPS // 3 + 1}"], ranks)
        now = now or run(options.new, script, new, settings, keys + last, ranks, ["--restart"])
    else:
        now = run(options.new, script, new, settings, keys + last, ranks)
    if failed and "unknown key" in failed and not now:
        return NEWS
    if failed or now:
        return [f"both fail: {failed}"] if failed == now else [f"was: {failed or 'fine'}; is: {now or 'fine'}"]
    return compare(old, new)


def main():
    options = arguments()
    for program in (options.old, options.new):
        if not os.access(program.partition(":")[0], os.X_OK):
            print(f"there is no program '{program.partition(':')[0]}'", file=sys.stderr)
            return 2
    base = options.output or tempfile.mkdtemp(prefix="same_answers_")
    cases = scripts(options.cases.split(","), options.only)
    differing = count = 0
    try:
        for number, case in enumerate(cases):
            for backend in options.backend.split(","):
                for ranks in map(int, options.ranks.split(",")):
                    folder = os.path.join(base, f"{number:02d}_{backend}_{ranks}")
                    shutil.rmtree(folder, ignore_errors=True)
                    os.makedirs(folder)
                    said = one_case(options, case, backend, ranks, folder)
                    count += said is not NEWS
                    differing += bool(said) and said is not NEWS
                    print(f"{case[0]:34s} {backend:10s} {ranks}  {said[0] if said else 'same'}", flush=True)
                    for line in said[1:12]:
                        print(f"{'':48s} {line}", flush=True)
                    if not options.output:
                        shutil.rmtree(folder)
    finally:
        if not options.output:
            shutil.rmtree(base, ignore_errors=True)
    print(f"{count - differing} of {count} runs are the same")
    return 1 if differing or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
