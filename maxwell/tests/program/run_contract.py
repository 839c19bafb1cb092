#!/usr/bin/python3
"""What a good run leaves and how a run ends: run_contract.py PROGRAM [NAME...] runs the tests whose names contain a
NAME, or all. share/doc/manual.md has the contract."""
import inspect
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import meshes
from harness import SCRIPT, Failure, Place, check_snapshot, edited, expect, fingerprint

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/plot"))

RUN = ("run", "input/case.lua")
# Long enough to be stopped: it would take hours.
ENDLESS = ("--set", "time.steps=100000000", "--set", "output.fields={every=1000000}", "--set",
           "output.progress.every=0.1")
EULER = ("--set", "time.integrator=euler", "--set", "time.step=3e-10", "--set", "flux=centered")
KEYS = {"name": str, "backend": str, "precision": str, "integrator": str, "flux": float, "order": int,
        "elements": int, "unknowns": int, "ranks": int, "threads": int, "lua_threads": int, "time_step": float, "stability_limit": float,
        "steps": int, "simulated_time": float, "loop_seconds": float, "dof_per_second": float,
        "evaluations_per_second": float, "seconds": dict, "energy_first": float, "energy_last": float,
        "doubts": list, "measures": dict, "checkpoints": dict, "stop_reason": str, "peak_memory_bytes": int, "versions": dict, "status": str}
PHASES = {"meshing", "setup", "stepping", "halo", "sources", "sources_ahead", "output", "snapshots",
          "snapshots_behind"}


def near(a, b, tolerance, what):
    expect(abs(a - b) <= tolerance * max(abs(a), abs(b)), f"{what}: {a!r} and {b!r}")


def files(place, folder="case"):
    """All but the lock and the ledger."""
    return {os.path.relpath(os.path.join(root, name), place.path(folder))
            for root, _, names in os.walk(place.path(folder)) for name in names
            if os.path.basename(root) != ".curlew"}


# ---- what a run leaves

SNAPSHOTS = {name for step in (0, 2, 4) for name in (f"fields_{step:06}.silo", f"blocks/fields_{step:06}_0000.silo")}
SNAPSHOTS |= {"blocks/mesh_DIGEST_0000.silo"}


def without_digest(names):
    return {re.sub(r"^blocks/mesh_[0-9a-f]{16}_", "blocks/mesh_DIGEST_", name) for name in names}


def test_files_of_a_run(program):
    with Place(program) as place:
        before = fingerprint(place.path("input"))
        place.good(*RUN)
        expect(without_digest(files(place)) == SNAPSHOTS | {"probes/inside.csv", "energy.csv", "configuration.json", "log.txt", "summary.json",
                                                          "mesh/whole.mesh"},
               f"files: {sorted(files(place))}")
        for name in files(place):
            if name.endswith(".silo"):
                check_snapshot(place.path("case", name))
        expect(fingerprint(place.path("input")) == before, "the input was changed")


def test_only_what_was_asked_for(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "output=nil")
        expect(files(place) == {"configuration.json", "log.txt", "summary.json", "mesh/whole.mesh"}, f"files: {sorted(files(place))}")


def test_tables(program):
    """Headers, rows as scheduled, times as multiples of the step, energies that add up and do not grow."""
    with Place(program) as place:
        place.good(*RUN, "--set", "time.steps=10", "--set", "output.probes.1.every=3", "--set",
                   "output.energy.every=4")
        step = place.summary()["time_step"]
        header, rows = place.rows("case/probes/inside.csv")
        expect(header == "time,Ex,Ey,Ez,Hx,Hy,Hz".split(","), f"header {header}")
        expect(len(rows) == 4, f"{len(rows)} rows of the probe")
        for n, row in zip((0, 3, 6, 9), rows):
            near(row[0], n * step, 1e-15, "time")
        near(rows[0][3], 0.7, 1e-12, "Ez at the start")
        header, rows = place.rows("case/energy.csv")
        expect(header == "step,time,electric,magnetic,total".split(","), f"header {header}")
        expect([row[0] for row in rows] == [0, 4, 8], f"steps {[row[0] for row in rows]}")
        for n, t, electric, magnetic, total in rows:
            near(t, n * step, 1e-15, "time")
            near(electric + magnetic, total, 1e-15, "sum of the energies")
            expect(total <= rows[0][4] * (1 + 1e-12), "the energy grows")


def test_first_row_is_the_initial_field(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "time.integrator=rk4")
        near(place.rows("case/probes/inside.csv")[1][0][3], 0.7, 1e-12, "Ez at the start")
        expect(place.rows("case/probes/inside.csv")[1][0][:3] == [0, 0, 0], "time, Ex and Ey at the start")
        expect(place.rows("case/probes/inside.csv")[1][0][4:] == [0, 0, 0], "H at the start")
        expect(place.rows("case/energy.csv")[1][0][3] == 0, "magnetic energy at the start")


def test_six_columns_at_one_time(program):
    """A wave that travels in x between a pair of electric and a pair of magnetic walls has Ez = -eta0 Hy wherever it
    is; but only if both are of the same time."""
    eta0 = 299792458 * 1.25663706212e-6
    pulse = "math.exp(-4 * (x - 2)^2)"
    script = edited(SCRIPT, ("order = 1", "order = 6"), ("right = { epsilon_r = 2 }", "right = {}"),
                    ("E = function(x, y, z) return 0, 0, x + y end",
                     f"E = function(x) return 0, 0, {pulse} end, "
                     f"H = function(x) return 0, -{pulse} / const.eta0, 0 end"),
                    ('walls = { kind = "pec" }',
                     '[3] = { kind = "pmc" }, [5] = { kind = "pec" }, default = { kind = "absorbing" }'),
                    ("0.4, 0.3, 0.2", "2.4, 0.3, 0.6"), ("steps = 4", "stop = 3e-9"))
    with Place(program, {"input/box.msh": meshes.box((5, 1, 1)).text()}, script) as place:
        place.good(*RUN, "--set", "output.fields=nil", "--set", "output.energy=nil")
        _, rows = place.rows("case/probes/inside.csv")
        largest = max(abs(row[3]) for row in rows)
        slope = max(abs(b[3] - a[3]) for a, b in zip(rows, rows[1:]))
        off = max(abs(row[3] + eta0 * row[5]) for row in rows)
        expect(len(rows) > 50 and 0.95 < largest < 1.05, f"no wave passed the probe: {len(rows)} rows, {largest}")
        # half a step apart would show half of the largest change in a step
        expect(off < 0.1 * slope, f"Ez and -eta0 Hy differ by {off:.3g}, the largest change in a step is {slope:.3g}")


def test_summary(program):
    with Place(program) as place:
        place.good(*RUN)
        summary = place.summary()
        expect(set(summary) == set(KEYS), f"keys: {set(summary) ^ set(KEYS)}")
        for name, kind in KEYS.items():
            right = isinstance(summary[name], (int, float)) if kind is float else isinstance(summary[name], kind)
            expect(right, f"{name} = {summary[name]!r} is not of type {kind.__name__}")
        expected = {"name": "case", "backend": "cpu", "precision": "double", "integrator": "leapfrog", "flux": 1,
                    "order": 1, "elements": 12, "unknowns": 6 * 4 * 12, "ranks": 1, "steps": 4, "status": "done", "stop_reason": "steps",
                    "checkpoints": {"written": 0, "seconds": 0, "restarts": 0}}
        for name, value in expected.items():
            expect(summary[name] == value, f"{name} is {summary[name]!r}, not {value!r}")
        expect(summary["threads"] >= 1 and 1 << 20 < summary["peak_memory_bytes"] < 1 << 32, "threads or memory")
        near(summary["time_step"], 0.95 * summary["stability_limit"], 1e-12, "step and limit")
        near(summary["simulated_time"], 4 * summary["time_step"], 1e-12, "simulated time")
        near(summary["dof_per_second"], summary["unknowns"] * 4 / summary["loop_seconds"], 1e-9, "DoF/s")
        near(summary["evaluations_per_second"], summary["dof_per_second"], 1e-12, "evaluations/s")
        expect(set(summary["seconds"]) == PHASES, f"phases {set(summary['seconds'])}")
        expect(all(0 <= value < 60 for value in summary["seconds"].values()), f"seconds {summary['seconds']}")
        expect(set(summary["versions"]) >= {"curlew", "gmsh", "lua", "silo"}, f"versions {summary['versions']}")
        _, rows = place.rows("case/energy.csv")
        near(summary["energy_first"], rows[0][4], 1e-12, "first energy")
        near(summary["energy_last"], rows[-1][4], 1e-12, "last energy")
        for integrator, evaluations in (("rk4", 4), ("lsrk", 5)):
            place.good(*RUN, "--set", f"time.integrator={integrator}")
            summary = place.summary()
            near(summary["evaluations_per_second"], evaluations * summary["dof_per_second"], 1e-12, integrator)


def test_summary_of_strange_names(program):
    """Names are bytes; the summary is JSON all the same."""
    names = {b"na\xc3\xafve \xe2\x82\xac": "na\u00efve \u20ac", b"latin \xef": "latin \ufffd",
             b'a "quote" \\': 'a "quote" \\'}
    for name, read in names.items():
        with Place(program) as place:
            os.rename(place.path("input/case.lua"), os.path.join(place.path("input").encode(), name + b".lua"))
            place.good("run", b"input/" + name + b".lua", "-o", "case")
            expect(place.summary()["name"] == read, f"{name}: {place.summary()['name']}")


def test_stop_is_reached_exactly(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "time.stop=1e-9")
        summary = place.summary()
        near(summary["simulated_time"], 1e-9, 1e-12, "simulated time")
        expect(summary["steps"] == 4 and summary["time_step"] <= 0.95 * summary["stability_limit"] * (1 + 1e-12),
               f"{summary['steps']} steps of {summary['time_step']}")


def test_probe_is_snapshot_at_a_node(program):
    """At the centre of an edge of an element of order 2 there is a node, and the probe has its value."""
    import numpy as np
    from silo_reader import Snapshot
    at = (0.5, 0.5, 0.5)  # the middle of the diagonal that all elements of the first cube share
    with Place(program) as place:
        place.good(*RUN, "--set", "order=2", "--set", "output.probes.1.at={0.5,0.5,0.5}", "--set",
                   "output.fields.average=true", "--set", "time.steps=6", "-o", "averaged")
        _, rows = place.rows("averaged/probes/inside.csv")
        averaged = Snapshot(place.path("averaged/fields_000006.silo"))
        expect(averaged.cycle == 6, f"cycle {averaged.cycle}")
        near(averaged.time, rows[6][0], 1e-12, "time of the snapshot")
        place.good(*RUN, "--set", "order=2", "--set", "output.probes.1.at={0.5,0.5,0.5}", "--set", "time.steps=6")
        _, rows = place.rows("case/probes/inside.csv")
        snapshot = Snapshot(place.path("case/fields_000006.silo"))
        nodes = np.flatnonzero(np.abs(snapshot.points - at).max(axis=1) < 1e-12)
        expect(len(nodes) == 6, f"{len(nodes)} nodes at the middle of the diagonal, not one of each of 6 elements")
        values = np.concatenate([snapshot.field("E").values[nodes], snapshot.field("H").values[nodes]], axis=1)
        scale = np.array([1, 1, 1, 1 / 377, 1 / 377, 1 / 377])
        off = (np.abs(values - rows[6][1:]) / scale).max(axis=1)
        expect(off.min() < 1e-12, f"no element has the probe's values: {off}")
        one = np.flatnonzero(np.abs(averaged.points - at).max(axis=1) < 1e-12)
        expect(len(one) == 1, f"{len(one)} nodes there in the averaged snapshot")
        mean = averaged.field("E").values[one[0]]
        expect(np.abs(mean - values[:, :3].mean(axis=0)).max() < 1e-6, "the average is not the mean of the elements")


def test_quantities(program):
    from silo_reader import Snapshot
    with Place(program) as place:
        place.good(*RUN, "--set", "output.fields.quantities={'H','material'}")
        snapshot = Snapshot(place.path("case/fields_000000.silo"))
        expect(set(snapshot.variables) == {"Hx", "Hy", "Hz", "epsilon_r", "mu_r", "sigma"}, f"{snapshot.variables}")
        expect(sorted(set(snapshot.field("epsilon_r").values)) == [1, 2], "epsilon_r in the snapshot")


def test_reproducible(program):
    with Place(program) as place:
        for name in ("one", "two"):
            place.good(*RUN, "-o", name, "--set", "order=3", "--set", "time.steps=50")
        for name in ("energy.csv", "probes/inside.csv"):
            with open(place.path("one", name), "rb") as one, open(place.path("two", name), "rb") as two:
                expect(one.read() == two.read(), f"{name} differs between two identical runs")


def test_single_is_near_double(program):
    with Place(program) as place:
        rows = {}
        for precision in ("double", "single"):
            place.good(*RUN, "-o", precision, "--set", f"precision={precision}", "--set", "time.steps=50", "--set",
                       "order=3")
            expect(place.summary(precision)["precision"] == precision, "precision in the summary")
            rows[precision] = place.rows(f"{precision}/probes/inside.csv")[1]
        scale = max(abs(row[3]) for row in rows["double"])
        off = max(abs(a[3] - b[3]) for a, b in zip(rows["double"], rows["single"])) / scale
        expect(0 < off < 1e-4, f"single differs from double by {off:.2g} of the largest value")


# ---- the command line

def test_output_set_and_args(program):
    script = edited(SCRIPT, ("x + y", "(args.height or 1) * (x + y)"))
    with Place(program, script=script) as place:
        os.mkdir(place.path("else"))
        out = place.good(*RUN, "--output", "else/where", "--set", "time.steps=2", "-D", "height=3")
        expect("else/where/ (2 snapshots, 1 measurements)" in out, f"the last line does not name the folder: {out}")
        expect(sorted(os.listdir(place.root)) == ["else", "input"], "something else was made")
        expect(place.summary("else/where")["steps"] == 2, "--set was not heard")
        near(place.rows("else/where/probes/inside.csv")[1][0][3], 3 * 0.7, 1e-12, "what -D gives")
        place.good(*RUN, "-Dheight=2", "-oglued", "--set=order=2", "--quiet")
        near(place.rows("glued/probes/inside.csv")[1][0][3], 2 * 0.7, 1e-12, "what -D gives")
        expect(place.summary("glued")["order"] == 2, "--set=KEY=VALUE was not heard")
        place.good(*RUN, "--set", "name=other")
        expect(place.summary("other")["name"] == "other", "the name is not that of the folder")


def test_quiet(program):
    with Place(program) as place:
        code, out, err, _ = place.run(*RUN, "--quiet")
        expect((code, out, err) == (0, "", ""), f"a quiet run says {out!r} {err!r}")
        with open(place.path("case/log.txt"), encoding="utf-8") as file:
            log = file.read()
        loud = place.good(*RUN)
        expect(len(log.splitlines()) == len(loud.splitlines()) > 3, "log.txt is not what a run prints")
        with open(place.path("case/log.txt"), encoding="utf-8") as file:
            expect(file.read() == loud, "log.txt is not what was printed")
        _, out, err, _ = place.run(*RUN, "-q", "--set", "initial=nil")
        expect(out == "" and re.fullmatch("curlew: warning: there are no initial fields .*\n", err), f"warns {err!r}")


def test_help_version_info(program):
    with Place(program) as place:
        for option in ("--help", "-h", "help"):
            out = place.good(option)
            expect("simulation {" in out and "usage: curlew run SCRIPT" in out, "no example in the help")
        script = re.search(r"(?m)^  simulation \{\n.*?^  \}\n", out, re.S).group()
        # the example of the help is a script that works
        place.write("input/help.lua", script.replace("cavity.geo", "cube.geo").replace("20e-9", "1e-9"))
        place.write("input/cube.geo", 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n')
        place.good("run", "input/help.lua", "--set", "mesh.size=1", "--set", "order=1")
        version = place.good("--version")
        expect(re.fullmatch(r"curlew \d+\.\d+\.\d+\n", version) and place.good("-V") == version, f"version {version!r}")
        info = place.good("info")
        for word in (version, "Gmsh ", "Lua ", "Silo ", "MPI", "backends:", "reference"):
            expect(word in info, f"info does not say {word!r}")


def test_check(program):
    with Place(program) as place:
        before = fingerprint(place.root)
        out = place.good("check", "input/case.lua")
        expect(fingerprint(place.root) == before, "check changed something")
        for words in (r"12 tetrahedra", r"288 unknowns", r"4 steps of [\d.e-]+ s", r"stability limit [\d.e-]+ s",
                      r"memory +fields [\d.]+ MB", r"left: 6 elements", r"right: 6 elements, refractive index 1.414",
                      r"10 points per wavelength at [\d.e+]+ Hz", r"3 snapshots",
                      r"measures +probes 1; files of about [\d.]+ MB"):
            expect(re.search(words, out), f"check does not say {words!r}:\n{out}")
        # order 1, longest edge sqrt(3): 10 points in c0 / (10 sqrt(3))
        frequency = float(re.search(r"left: .* at ([\d.e+]+) Hz", out).group(1))
        near(frequency, 299792458 / (10 * 3 ** 0.5), 1e-3, "frequency of 10 points per wavelength")


# ---- folders

def test_rerun_leaves_nothing_of_the_run_before(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "time.steps=40")
        place.write("case/notes.txt", "mine")
        place.good(*RUN, "--set", "output.probes.1.name=new")
        expect(without_digest(files(place)) == SNAPSHOTS | {"probes/new.csv", "energy.csv", "configuration.json", "log.txt", "summary.json", "notes.txt",
                                                          "mesh/whole.mesh"},
               f"files: {sorted(files(place))}")
        expect(place.summary()["steps"] == 4 and len(place.rows("case/energy.csv")[1]) == 5, "old numbers")


def test_rerun_on_fewer_ranks_leaves_no_blocks(program):
    from silo_reader import Snapshot
    anyone = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
              "OMPI_MCA_rmaps_base_oversubscribe": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    with Place(program) as place:
        for ranks, limit, blocks in ((3, 32, {0, 1, 2}), (2, 1, {0}), (1, 32, {0})):
            place.good(*RUN, "--set", f"output.fields.files={limit}", wrapper=("mpirun", "-n", str(ranks)),
                       environment=anyone)
            expect({name for name in without_digest(files(place)) if name.endswith(".silo")} ==
                   {f"fields_{step:06d}.silo" for step in (0, 2, 4)} |
                   {f"blocks/fields_{step:06d}_{block:04d}.silo" for step in (0, 2, 4) for block in blocks} |
                   {f"blocks/mesh_DIGEST_{block:04d}.silo" for block in blocks},
                   f"{ranks} ranks: files {sorted(files(place))}")
            snapshot = Snapshot(place.path("case/fields_000004.silo"))
            expect(len(snapshot.blocks) == ranks and len(snapshot.zones) == 12, f"{ranks} ranks: {snapshot.blocks}")


WAVE = """simulation {
  name = "case", mesh = { file = "box.msh" }, order = 2, time = { steps = 40 }, materials = { default = {} },
  boundaries = { walls = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
                           origin = { 3, 0, 0 }, waveform = WAVEFORM } },
  output = { probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } } },
}
"""


def test_lua_waveform_equals_the_native_one(program):
    """Also where a wave's origin lies behind the mesh, so that its nodes are ahead of the run's time."""
    last = []
    for waveform in ("waveform.gaussian { tau = 2e-9, t0 = 12e-9 }",
                     "function(t) return math.exp(-((t - 12e-9) / 2e-9)^2) end"):
        with Place(program, {}, WAVE.replace("WAVEFORM", waveform)) as place:
            place.good(*RUN)
            last.append([float(row[3]) for row in place.rows("case/probes/inside.csv")[1]])
    expect(max(last[0]) > 0.1, "there is no wave")
    for native, table in zip(*last):
        expect(abs(native - table) < 1e-3, f"native {native}, Lua {table}")


def test_port_below_its_cutoff(program):
    """A square port of 1 m: 149.896 MHz."""
    below = "the waveform's band, 5e+07 to 5e+07 Hz, lies below the mode's cut-off, 1.49896e+08 Hz: nothing propagates"
    partly = ("the waveform reaches down to 0 Hz, below the mode's cut-off, 1.49896e+08 Hz: that part does not "
              "propagate and decays slowly")
    for waveform, says in (("waveform.sine { f0 = 5e7 }", below), ("waveform.ricker { f_peak = 3e8 }", partly),
                           ("waveform.step { rise = 1e-9 }", partly), ("waveform.sine { f0 = 2e8 }", None),
                           ("waveform.gaussian { f0 = 3e8, bandwidth = 1e8 }", None)):
        script = SCRIPT.replace("walls = {", f'[1] = {{ kind = "waveguide_port", waveform = {waveform} }},\n    walls = {{')
        with Place(program, {}, script) as place:
            code, _, err, _ = place.run("check", "input/case.lua", "--set", "order=4")
            line = script[:script.index("[1] =")].count("\n") + 1
            expect(code == 0, err)
            told = [text for text in err.splitlines() if "cut-off" in text]
            expect(told == ([f"curlew: warning: input/case.lua:{line}: boundaries.[1]: {says}"] if says else []),
                   f"{waveform}: warns {err!r}")


def test_mesh_beside_the_script(program):
    """A relative mesh is found from any working directory; the output is in the working directory."""
    with Place(program) as place:
        os.mkdir(place.path("elsewhere"))
        place.good("run", "../input/case.lua", cwd=place.path("elsewhere"))
        place.good("run", place.path("input/case.lua"), "--output", "b", cwd=place.path("elsewhere"))
        place.good("run", "case.lua", "--output", "../elsewhere/c", cwd=place.path("input"))
        expect(sorted(os.listdir(place.path("elsewhere"))) == ["b", "c", "case"], "the folders are elsewhere")
        expect(sorted(os.listdir(place.path("input"))) == ["box.msh", "case.lua"], "something beside the script")


def test_input_that_cannot_be_written(program):
    geometry = {"input/cube.geo": 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n'}
    script = edited(SCRIPT, ('file = "box.msh"', 'file = "cube.geo", size = 1'), ('walls = { kind = "pec" }', ""),
                    ("left = { epsilon_r = 1 }, right = { epsilon_r = 2 }", "default = {}"))
    with Place(program, geometry, script) as place:
        read_only = False
        if os.geteuid() == 0:  # modes do not bind root
            source = place.path("input")
            read_only = all(subprocess.run(command, check=False, capture_output=True).returncode == 0 for command in (
                ["mount", "--bind", source, source], ["mount", "-o", "remount,ro,bind", source]))
        try:
            for root, _, names in os.walk(place.path("input")) if not read_only else ():
                for name in names:
                    os.chmod(os.path.join(root, name), 0o444)
                os.chmod(root, 0o555)
            before = fingerprint(place.path("input"))
            place.good(*RUN)
            expect(fingerprint(place.path("input")) == before, "the input was changed")
        finally:
            if not read_only:
                os.chmod(place.path("input"), 0o755)
            while subprocess.run(["mountpoint", "-q", place.path("input")], check=False).returncode == 0:
                subprocess.run(["umount", place.path("input")], check=True)


# ---- the end of a run

def stopped(program, number):
    """Starts an endless run, sends the signal after a while, and looks at the files."""
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS)
        deadline = time.monotonic() + 30
        while not (os.path.exists(place.path("case/fields_000000.silo")) and
                   os.path.getsize(place.path("case/energy.csv")) > 4096):
            expect(time.monotonic() < deadline and process.poll() is None, "the run does not start")
            time.sleep(0.05)
        expect(place.summary()["status"] == "running", f"status of a run that runs: {place.summary()['status']}")
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        check_snapshot(place.path("case/fields_000000.silo"))
        rows = [] if number == signal.SIGKILL else [place.rows(f"case/{name}.csv")[1] for name in
                                                    ("energy", "probes/inside")]
        return process.returncode, err.decode(), place.summary(), rows


def check_interrupted(program, number, says):
    code, err, summary, (energy, probe) = stopped(program, number)
    expect(code == 130, f"exit code {code}: {err}")
    expect(re.fullmatch(rf"curlew: interrupted at step \d+ of 100000000; {says}\n", err),
           f"says {err!r}")
    expect(summary["status"] == "interrupted" and summary["error"] == err[len("curlew: "):].strip(), f"{summary}")
    steps = summary["steps"]
    expect(steps > 0 and len(energy) == len(probe) == steps, f"{steps} steps, {len(energy)} and {len(probe)} rows")
    expect([row[0] for row in energy] == list(range(steps)), "rows of the energy are missing")


def test_interrupt(program):
    check_interrupted(program, signal.SIGINT, "what was written until then is whole")


def test_terminate(program):
    check_interrupted(program, signal.SIGTERM, "--restart goes on from there")


def test_kill(program):
    code, _, summary, _ = stopped(program, signal.SIGKILL)
    expect(code == -signal.SIGKILL and summary["status"] == "running", f"{code}, status {summary['status']}")


def blown_up(program, *arguments, script=SCRIPT, warns=False):
    with Place(program, script=script) as place:
        code, _, err, _ = place.run(*RUN, *arguments)
        lines = err.splitlines()
        expect(code == 4, f"exit code {code}: {err}")
        expect(len(lines) == (2 if warns else 1), f"says {err}")
        message = lines[-1][len("curlew: "):]
        expect(lines[-1].startswith("curlew: the solution blew up: "), f"says {err}")
        expect(re.search(r" at step \d+ \(t = [\d.e-]+ s\); .* element \d+ at \(.*\) m in material '(left|right)'; "
                         r"likely causes: .+", message), f"says {message}")
        summary = place.summary()
        expect(summary["status"] == "blew up" and summary["error"] == message, f"summary {summary}")
        for name in files(place):
            if name.endswith(".silo"):
                check_snapshot(place.path("case", name))
        place.rows("case/energy.csv")
        return message, summary


def test_blow_up(program):
    message, summary = blown_up(program, *EULER, "--set", "time.steps=100000", warns=True)
    expect("Euler" in message, f"the cause is not named: {message}")
    expect(0 < summary["steps"] < 100000 and summary["stability_limit"] is None, f"summary {summary}")
    expect(re.search("the energy is [0-9.e+-]+ J, the initial one was [0-9.e+-]+ J", message), f"says {message}")


def test_overflow_in_single(program):
    message, summary = blown_up(program, "--set", "precision=single",
                                script=edited(SCRIPT, ("x + y", "1e200 * (x + y)")))
    expect("NaN or infinity in the fields at step 0 " in message and "single precision" in message, f"says {message}")
    expect(summary["energy_first"] is None and summary["steps"] == 0, f"summary {summary}")


GENERAL = """\
simulation {
  mesh = { file = "box.msh" }, order = 2, time = { steps = 40 },
  materials = { default = {} },
  sources = { { region = "left", %s } },
  output = { probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } } },
}
"""
SEPARABLE = GENERAL % """profile = function(x, y, z) return y, 0, x end,
                waveform = function(t) return math.sin(3e8 * t) end"""


def general(weight="", failure=""):
    return GENERAL % f"""current = function(x, y, z, t)
    local s = math.sin(3e8 * t) {weight} {failure} return s * y, 0, s * x end"""


def test_general_sources_run_ahead(program):
    """A function of position and time, which a thread evaluates a stage ahead, drives as profile times waveform does."""
    for integrator in ("leapfrog", "lsrk"):
        ends = []
        for script in (SEPARABLE, general()):
            with Place(program, script=script) as place:
                place.good(*RUN, "--set", "time.integrator=" + integrator)
                ends.append(place.rows("case/probes/inside.csv")[1])
                seconds = place.summary()["seconds"]
                expect(seconds["sources"] >= 0 and seconds["sources_ahead"] >= 0, f"seconds {seconds}")
        largest = max(abs(value) for row in ends[0] for value in row[1:4])
        worst = max(abs(a - b) for one, other in zip(*ends) for a, b in zip(one[1:4], other[1:4]))
        expect(largest > 0 and worst < 1e-4 * largest, f"{integrator}: {worst} of {largest}")
    if os.cpu_count() > 1:
        expect(seconds["sources_ahead"] > 0, f"no source was evaluated ahead: {seconds}")


def test_general_source_fails_late(program):
    with Place(program, script=general(failure="if t > 2e-9 then error('no more of this') end")) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 2 and err.count("\n") == 1 and "no more of this" in err and "sources[1]" in err,
               f"exit code {code}: {err}")
        expect(place.summary()["status"] == "failed", "status")


def test_overflow_in_double(program):
    message, _ = blown_up(program, script=edited(SCRIPT, ("x + y", "1e200 * (x + y)")))
    expect("initial fields near the largest number" in message, f"says {message}")


def main(module):
    program = os.path.abspath(sys.argv[1])
    tests = [(name, test) for name, test in inspect.getmembers(module, inspect.isfunction)
             if name.startswith("test_") and (len(sys.argv) == 2 or any(part in name for part in sys.argv[2:]))]

    def attempt(test):
        try:
            test[1](program)
        except Failure as failure:
            return str(failure)
        except Exception:  # a broken test is a failed one, and the others still run
            return traceback.format_exc()
        return None

    failed = 0
    with ThreadPoolExecutor(int(os.environ.get("CURLEW_TEST_WORKERS", "3"))) as pool:
        for (name, _), why in zip(tests, pool.map(attempt, tests)):
            print(f"{'ok' if why is None else 'FAILED'}: {name}{'' if why is None else ': ' + why}")
            failed += why is not None
    print(f"{len(tests)} tests, {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
