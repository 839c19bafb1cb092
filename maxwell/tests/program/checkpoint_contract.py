#!/usr/bin/python3
"""Checkpoints, restarts and the rules by which a run stops: checkpoint_contract.py PROGRAM [NAME...] runs the tests
whose names contain a NAME, or all. share/doc/manual.md has the contract."""
import os
import re
import resource
import shutil
import signal
import sys
import time

from harness import SCRIPT, Place, check_message, edited, expect, in_time, on_ranks
from ranks_scenes import scene
from run_contract import ENDLESS, EULER, RUN, files, main

# Every probe, sum and spectrum of one small run, at frequencies that its mesh holds also with mesh.unit = 2; absorbing
# walls remember a step of leapfrog.
SMALL = edited(SCRIPT, ('walls = { kind = "pec" }', 'walls = { kind = "absorbing" }'), ("steps = 4", "steps = 60"),
               ("order = 1", "order = 2"),
               ("at = { 0.4, 0.3, 0.2 } }", "at = { 0.4, 0.3, 0.2 }, frequencies = { 1e7, 3e7 } }"),
               ("fields = { every = 2 }", 'fields = { every = 20 }, planes = { { name = "cut", origin = { 0, 0, 0.5 }, '
                'u = { 2, 0, 0 }, v = { 0, 1, 0 }, points = { 5, 4 }, every = 15, frequencies = { 2e7 } } }'))
EVERY = ("--set", "checkpoint.every=20")


def content(place, *names):
    with open(place.path(*names), "rb") as file:
        return file.read()


def checkpoints(place, folder="case"):
    return sorted(os.listdir(place.path(folder, "checkpoint")))


def finished(place, folder="case"):
    """Those that have got their names; none where there is no folder yet."""
    if not os.path.isdir(place.path(folder, "checkpoint")):
        return []
    return [name for name in checkpoints(place, folder) if name.endswith(".h5")]


def newest(place, folder="case"):
    return max(int(name.split("_")[1].split(".")[0]) for name in checkpoints(place, folder))


def forget(place, step, folder="case"):
    """The checkpoints from that step on are gone."""
    for name in checkpoints(place, folder):
        if int(name.split("_")[1].split(".")[0]) >= step:
            os.remove(place.path(folder, "checkpoint", name))


def results(place, folder):
    """All that does not tell the time of day: tables byte for byte, fields bit for bit, and which files there are."""
    found = {}
    for name in files(place, folder):
        if name.endswith((".csv", ".s2p")) or re.fullmatch(r"checkpoint/step_\d+_\d+\.h5", name):
            found[name] = content(place, folder, name)
        elif name not in ("configuration.json", "log.txt", "summary.json") and not name.startswith("checkpoint/"):
            found[name] = b""
    return found


def check_same(place, one, other, what):
    a, b = results(place, one), results(place, other)
    expect(set(a) == set(b), f"{what}: files {sorted(set(a) ^ set(b))}")
    expect(any(name.startswith("checkpoint/") for name in a), f"{what}: there are no fields to compare")
    differ = [name for name in sorted(a) if a[name] != b[name]]
    expect(not differ, f"{what}: {differ} differ")


def split(program, files_, script, what, *options, every=20, ranks=1):
    """A run, and one that begins anew at the last but one of its checkpoints: the same bits."""
    several = on_ranks(ranks) if ranks > 1 else {}
    with Place(program, files_, script) as place:
        often = (*RUN, *options, "--quiet", "--set", f"checkpoint.every={every}")
        place.good(*often, "-o", "whole", **several)
        shutil.copytree(place.path("whole"), place.path("split"))
        expect(len(checkpoints(place, "split")) == 2 * (1 + ranks), f"{what}: checkpoints")
        forget(place, newest(place, "split"), "split")
        place.good(*often, "-o", "split", "--restart", **several)
        check_same(place, "whole", "split", what)
        expect(place.summary("split")["checkpoints"]["restarts"] == 1, f"{what}: restarts in the summary")
        expect(place.summary("split")["steps"] == place.summary("whole")["steps"], f"{what}: steps in the summary")


# ---- a run in two parts is the run in one

def test_split_everywhere(program):
    """Every integrator, precision and backend."""
    for backend in ("reference", "cpu"):
        for integrator in ("leapfrog", "rk4", "lsrk", "euler"):
            for precision in ("double", "single"):
                extra = () if integrator != "euler" else ("--set", "time.step=1e-11", "--set", "flux=centered")
                split(program, None, SMALL, f"{backend}, {integrator}, {precision}", "--set", f"backend={backend}",
                      "--set", f"time.integrator={integrator}", "--set", f"precision={precision}", *extra)


def test_split_fluxes(program):
    for flux in ("upwind", "centered", "0.3"):
        for backend in ("reference", "cpu"):
            split(program, None, SMALL, f"{backend}, {flux}", "--set", f"flux={flux}", "--set", f"backend={backend}")


def test_split_scenes(program):
    """Every kind of source, wall, interface and measurement; ports with their past, and S-parameters of two runs."""
    for integrator, flux in (("leapfrog", "upwind"), ("lsrk", "centered")):
        split(program, *scene("box", integrator, flux, steps=60, sheet="graphene" if flux == "upwind" else "metal"), f"box, {integrator}")
        for name in ("guide", "strip", "line"):
            split(program, *scene(name, integrator, flux), f"{name}, {integrator}", "--set", "time.steps=100", every=30)


def test_split_in_the_second_run_of_s_parameters(program):
    """The checkpoints that are left are those of the first run, then of the second."""
    files_, script = scene("strip")
    with Place(program, files_, script) as place:
        place.good(*RUN, "-q", "-o", "whole")
        for every, steps in ((120, (120, 320)), (200, (200, 400)), (199, (199, 399))):  # of the runs' 200 steps each
            place.good(*RUN, "-q", "--set", f"checkpoint.every={every}", "-o", "split")
            found = sorted({int(name.split("_")[1].split(".")[0]) for name in checkpoints(place, "split")})
            expect(found == list(steps), f"checkpoints of steps {found}, every {every}")
            if every == 200:
                forget(place, 400, "split")
            place.good(*RUN, "-q", "--restart", "-o", "split")
            for name in ("sparameters.csv", "case.s2p", "ports/left.csv", "energy.csv", "voltages/middle.csv"):
                expect(content(place, "whole", name) == content(place, "split", name), f"{name} differs, every {every}")


def test_other_backend(program):
    """To 1e-12 of the largest value."""
    for first, second in (("reference", "cpu"), ("cpu", "reference")):
        with Place(program, script=SMALL) as place:
            place.good(*RUN, "-q", "--set", f"backend={second}", "-o", "whole")
            place.good(*RUN, "-q", "--set", f"backend={first}", *EVERY, "-o", "split")
            forget(place, 60, "split")
            place.good(*RUN, "-q", "--set", f"backend={second}", "--restart", "-o", "split")
            check_near(place, "whole", "split", "probes/inside.csv")


def check_near(place, one, other, name):
    a, b = place.rows(f"{one}/{name}")[1], place.rows(f"{other}/{name}")[1]
    expect(len(a) == len(b), f"{len(a)} and {len(b)} rows")
    for first, last in ((1, 4), (4, 7)):
        largest = max(abs(value) for row in a for value in row[first:last])
        worst = max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p[first:last], q[first:last]))
        expect(0 < largest and worst <= 1e-12 * largest, f"{name}: differ by {worst} of {largest}")


def test_more_steps(program):
    """A run that is over goes on when it is given more steps."""
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERY, "--set", "time.steps=80", "-o", "whole")
        place.good(*RUN, "-q", *EVERY, "-o", "split")
        out = place.good(*RUN, *EVERY, "--set", "time.steps=80", "-o", "split", "--restart")
        expect("restart   at step 60 of 80" in out, f"says {out}")
        check_same(place, "whole", "split", "more steps")


# ---- when

def started(place, *options, folder="case"):
    """A run without end that has written some rows and its first snapshot."""
    path, snapshot = place.path(folder, "energy.csv"), place.path(folder, "fields_000000.silo")
    there = os.path.getsize(path) if os.path.exists(path) else 0
    process = place.start(*RUN, *ENDLESS, *options)
    deadline = time.monotonic() + 30
    while not (os.path.exists(path) and os.path.getsize(path) > there + 4096 and os.path.exists(snapshot)):
        expect(time.monotonic() < deadline and process.poll() is None, "the run does not start")
        time.sleep(0.02)
    return process


def wait_for(place, condition, what, process):
    deadline = time.monotonic() + 30
    while not condition():
        expect(time.monotonic() < deadline and process.poll() is None, what)
        time.sleep(0.02)


def test_signals(program):
    """SIGUSR1 writes one and the run goes on, SIGTERM writes one and it ends; the last two stay."""
    with Place(program) as place:
        process = started(place)
        for expected in (2, 4, 4):
            before = newest(place) if os.path.isdir(place.path("case/checkpoint")) else -1
            process.send_signal(signal.SIGUSR1)
            wait_for(place, lambda: os.path.isdir(place.path("case/checkpoint")) and checkpoints(place) and
                     newest(place) > before and len(finished(place)) == expected, "no checkpoint after SIGUSR1",
                     process)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        expect(process.returncode == 130, f"exit code {process.returncode}: {err}")
        summary = place.summary()
        expect(newest(place) == summary["steps"] and len(checkpoints(place)) == 4, f"{checkpoints(place)}, {summary}")
        expect(summary["stop_reason"] == "signal" and summary["checkpoints"]["written"] == 4, f"{summary}")
        expect(len(place.rows("case/energy.csv")[1]) == summary["steps"], "rows of energy")
        process = started(place, "--restart")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        again = place.summary()
        expect(again["steps"] > summary["steps"] and again["checkpoints"]["restarts"] == 1, f"{again}")
        expect([row[0] for row in place.rows("case/energy.csv")[1]] == list(range(again["steps"])), "rows of energy")


def test_minutes(program):
    with Place(program) as place:
        process = started(place, "--set", "checkpoint.minutes=0.005")
        wait_for(place, lambda: len(finished(place)) == 4,
                 "no checkpoints after some seconds", process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        expect(place.summary()["checkpoints"]["written"] >= 2, f"{place.summary()}")


def test_walltime(program):
    """The run ends before the limit, with a checkpoint, and goes on in the next job."""
    with Place(program) as place:
        for limit, restart in (("3", ()), ("'00:00:03'", ("--restart",))):
            def run():
                code, _, err, seconds = place.run(*RUN, "-q", *ENDLESS, "--set", f"time.walltime={limit}", *restart)
                check_message(err, re.compile(r"stopped before the end of time.walltime at step \d+ of 100000000; "
                                              "--restart goes on from there"))
                summary = place.summary()
                expect(code == 130 and summary["stop_reason"] == "walltime", f"{code}, {summary}")
                expect(newest(place) == summary["steps"], f"{checkpoints(place)}, {summary['steps']}")
                return seconds
            in_time(3, run)
        expect(place.summary()["checkpoints"]["restarts"] >= 1, f"{place.summary()}")


def test_walltime_is_a_time(program):
    with Place(program) as place:
        for value in ("'12'", "'1:2'", "'01:60:00'", "'00:00:00'", "'1:00:00x'", "0", "-1", "'-1:00:00'", "true"):
            code, _, err, _ = place.run(*RUN, "--set", f"time.walltime={value}")
            expect(code == 2 and "walltime" in err and "23:50:00" in err, f"{value}: exit code {code}: {err}")


# ---- rules

def test_decay(program):
    with Place(program, script=SMALL) as place:
        out = place.good(*RUN, "--set", "time.steps=100000", "--set", "time.decay=30", "--set", "watchdog.every=10",
                         "--set", "output.planes=nil", "--set", "output.fields=nil")
        summary = place.summary()
        energy = [row[4] for row in place.rows("case/energy.csv")[1]]
        expect(summary["stop_reason"] == "decay" and summary["status"] == "done" and "dB below" in out, f"{summary}")
        expect(summary["steps"] % 10 == 0 and len(energy) == summary["steps"] + 1, f"{summary['steps']}, {len(energy)}")
        expect(energy[-1] <= 1e-3 * max(energy[::10]) < energy[-11], "the energy at the end")


def test_decay_of_s_parameters(program):
    """The rule ends each of the runs, as well as it does when the second goes on from a checkpoint."""
    files_, script = scene("strip")
    options = ("-q", "--set", "time.steps=1500", "--set", "time.decay=15", "--set", "checkpoint.every=200")
    with Place(program, files_, script) as place:
        place.good(*RUN, *options, "-o", "whole")
        summary = place.summary("whole")
        expect(summary["stop_reason"] == "decay" and 300 < summary["steps"] < 1500, f"{summary}")
        shutil.copytree(place.path("whole"), place.path("split"))
        expect(newest(place, "split") > summary["steps"], f"{checkpoints(place, 'split')}: not of the second run")
        place.good(*RUN, *options, "-o", "split", "--restart")
        check_same(place, "whole", "split", "strip with decay")


def test_function(program):
    """It is given time, step and energy; on several calls, while another thread evaluates sources."""
    script = edited(SCRIPT, ("steps = 4", "steps = 100000, finish = function(t, n, energy) FINISH end"),
                    ("fields = { every = 2 },", ""),
                    ("initial =", 'sources = { { region = "left", current = function(x, y, z, t) '
                     'return math.sin(1e9 * t), 0, x end } },\n  initial ='))
    for finish, steps in (("return n >= 150", 150), ("return t > 1e-8 and energy > 0", None)):
        with Place(program, script=script.replace("FINISH", finish)) as place:
            place.good(*RUN, "-q")
            summary = place.summary()
            expect(summary["stop_reason"] == "function" and summary["status"] == "done", f"{summary}")
            expect(steps in (None, summary["steps"]) and 0 < summary["steps"] < 1000, f"{summary['steps']} steps")
    for finish in ("return 1", "return", "return true, true", "error('no')"):
        with Place(program, script=script.replace("FINISH", finish)) as place:
            code, _, err, _ = place.run(*RUN, "-q")
            expect(code == 2 and "case.lua:" in err and "time.finish" in err, f"exit code {code}: {err}")
            expect(place.summary()["status"] == "failed" and place.summary()["stop_reason"] is None, "summary")


def test_end_time(program):
    with Place(program) as place:
        place.good(*RUN, "-q", "--set", "time.stop=1e-9")
        expect(place.summary()["stop_reason"] == "end time", f"{place.summary()}")


# ---- what does not match is refused, and nothing is touched

def small_with_checkpoints(program):
    place = Place(program, script=SMALL)
    place.good(*RUN, "-q", *EVERY)
    return place


def refused(place, says, *options, code=2):
    before = results(place, "case")
    result, _, err, _ = place.run(*RUN, "-q", *EVERY, "--restart", *options)
    check_message(err, says)
    expect(result == code, f"exit code {result}: {err}")
    expect(results(place, "case") == before, f"{options}: the output was changed")


OTHER = "the checkpoint is of another run: it had "
THEN = "; run it without --restart, or as it was"
MISMATCHES = (
    ("order=3", "order = 2, this one has order = 3"),
    ("precision=single", "precision = double, this one has precision = single"),
    ("time.integrator=rk4", "time.integrator = leapfrog, this one has time.integrator = rk4"),
    ("flux=0.5", "flux = 1, this one has flux = 0.5"),
    ("mesh.unit=2", "another mesh, by its vertices"),
    ("time.cfl=0.5", r"time step in s = \S+, this one has time step in s = \S+"),
    ("materials.left.epsilon_r=1.001", "materials.left.epsilon_r = 1, this one has materials.left.epsilon_r = 1.001"),
    ("materials.left.sigma=1e-6", r"no key like materials.left.sigma = \S+e-0[67]"),
    ("boundaries.walls.kind=pmc",
     'boundaries.walls.kind = "absorbing", this one has boundaries.walls.kind = "pmc"'),
    ("output.energy.every=2", "output.energy.every = 1, this one has output.energy.every = 2"),
    ("output.probes.1.at={0.4,0.3,0.3}", r"output.probes.1.at.3 = \S+, this one has output.probes.1.at.3 = \S+"),
    ("output.probes.1.frequencies={1e7}", r"output.probes.1.frequencies.2 = 30000000, and this one has no such key"),
    ("output.planes=nil", "output.planes.1.every = 15, and this one has no such key"),
    ("output.fields.every=10", "output.fields.every = 20, this one has output.fields.every = 10"),
)


def test_mismatches(program):
    with small_with_checkpoints(program) as place:
        for option, says in MISMATCHES:
            says = re.compile(OTHER + says + THEN)
            # a change of the step's length is found first, where there is one
            step = re.compile(OTHER + r"time step in s = \S+, this one has time step in s = \S+" + THEN)
            code, _, err, _ = place.run(*RUN, "-q", *EVERY, "--restart", "--set", option)
            message = err.strip()[len("curlew: "):]
            expect(code == 2 and (says.fullmatch(message) or
                                  (option.startswith(("materials.left.eps", "boundaries")) and step.fullmatch(message))),
                   f"{option}: exit code {code}: {err}")
        refused(place, re.compile(OTHER + "order = 2, this one has order = 3" + THEN), "--set", "order=3")


def test_other_functions(program):
    """Functions are compared by what they do, and by the variables outside that they use."""
    script = edited(SMALL, ("-- a script that works", "local a = args.a or 1\nlocal t = { b = args.b or 2 }"),
                    ("return 0, 0, x + y", "return 0, 0, a * x + t.b * y"))
    with Place(program, script=script) as place:
        place.good(*RUN, "-q", *EVERY)
        says = OTHER + "another initial.E" + THEN
        for option in ("a=3", "b=3"):
            refused(place, says, "-D", option)
        place.write("input/case.lua", script.replace("a * x + t.b", "a * x - t.b"))
        refused(place, says)
        place.write("input/case.lua", "-- with a remark\n\n" + script.replace("t.b * y", "t.b *  y"))
        place.good(*RUN, "-q", "--restart", "-D", "a=1")


def test_functions_that_remember(program):
    """What a function has changed of its own variables until a checkpoint does not count."""
    script = edited(SMALL, ("-- a script that works", "local calls = 0"),
                    ("initial =", 'sources = { { region = "left", current = function(x, y, z, t) calls = calls + 1 '
                     'return math.sin(1e9 * t), 0, x end } },\n  initial ='))
    split(program, None, script, "a function that counts its calls")


def test_functions_with_random_numbers(program):
    """What math.random gives belongs to a place and a time, so that a restart finds the same; another seed is refused."""
    noise = ("return 0, 0, x + y + 0.01 * math.random()", "return math.random() - 0.5, 0, 0.1 * math.random()")
    script = edited(SMALL, ("-- a script that works", "if args.seed then math.randomseed(args.seed) end"),
                    ("return 0, 0, x + y", noise[0]),
                    ("initial =", 'sources = { { region = "left", current = function(x, y, z, t) ' + noise[1] +
                     " end } },\n  initial ="))
    for integrator in ("leapfrog", "lsrk"):
        split(program, None, script, f"random numbers, {integrator}", "--set", f"time.integrator={integrator}")
    with Place(program, script=script) as place:
        place.good(*RUN, "-q", *EVERY, "-o", "other")
        place.good(*RUN, "-q", *EVERY, "-D", "seed=1")
        expect(content(place, "case/energy.csv") != content(place, "other/energy.csv"), "the seed does nothing")
        refused(place, OTHER + "another math.randomseed" + THEN, "-D", "seed=2")
        refused(place, re.compile(OTHER + r"math.randomseed = digest \w+, and this one has no such key" + THEN))


def test_other_mesh(program):
    import meshes
    with small_with_checkpoints(program) as place:
        place.write("input/box.msh", meshes.box((2, 2, 1)).text())
        refused(place, re.compile(OTHER + r"number of elements of the mesh = 12, .* = 24" + THEN), "--set",
                "time.step=1e-11")


def test_what_may_change(program):
    with small_with_checkpoints(program) as place:
        shutil.move(place.path("input/box.msh"), place.path("input/other.msh"))
        place.good(*RUN, "-q", "--restart", "--set", "mesh.file=other.msh", "--set", "output.progress.every=1", "--set",
                   "checkpoint.minutes=7", "--set", "watchdog.every=7", "--set", "time.walltime=1000", "--set",
                   "name=anything", "-o", "case")


def test_nothing_to_go_on_from(program):
    with Place(program, script=SMALL) as place:
        code, _, err, _ = place.run(*RUN, "--restart", "-q")
        check_message(err, "--restart: there is no checkpoint in 'case/checkpoint'")
        expect(code == 2 and not os.path.exists(place.path("case")), f"exit code {code}, or a folder was made")
        place.good(*RUN, "-q")
        before = results(place, "case")
        code, _, err, _ = place.run(*RUN, "--restart", "-q")
        check_message(err, "--restart: there is no checkpoint in 'case/checkpoint'")
        expect(code == 2 and results(place, "case") == before, "the output was changed")
        code, _, err, _ = place.run("check", "input/case.lua", "--restart")
        check_message(err, "--restart is for curlew run; see curlew --help")


def test_fewer_steps(program):
    with small_with_checkpoints(program) as place:
        refused(place, "--restart: the checkpoint was written at step 60, and the run has only 50", "--set",
                "time.steps=50")


def test_tables_that_are_gone(program):
    with small_with_checkpoints(program) as place:
        whole = content(place, "case/probes/inside.csv")
        place.write("case/probes/inside.csv", whole[:200])
        code, _, err, _ = place.run(*RUN, "-q", "--restart")
        check_message(err, re.compile(r"'case/probes/inside.csv' has 200 bytes, and had \d+ when the checkpoint was "
                                      "written"))
        expect(code == 3 and place.summary()["status"] == "failed", f"exit code {code}")
        place.write("case/probes/inside.csv", whole)
        os.remove(place.path("case/energy.csv"))
        code, _, err, _ = place.run(*RUN, "-q", "--restart")
        check_message(err, "cannot write 'case/energy.csv': No such file or directory")
        expect(code == 3, f"exit code {code}")


# ---- damage

def damaged(place, change, names, what):
    """With the newest checkpoint changed the run goes on from the one before, says so, and ends as it should."""
    shutil.rmtree(place.path("case"), ignore_errors=True)
    shutil.copytree(place.path("whole"), place.path("case"))
    for name in names:
        path = place.path("case/checkpoint", name)
        change(path)
    code, _, err, _ = place.run(*RUN, "-q", *EVERY, "--restart")
    expect(code == 0, f"{what}: exit code {code}: {err}")
    expect(re.fullmatch(r"(curlew: )?warning: the checkpoint of step 60 is of no use: [^\n]*; taking the one before\n",
                        err), f"{what}: says {err}")
    check_same(place, "whole", "case", what)


def flip(offset, bit):
    def change(path):
        with open(path, "r+b") as file:
            file.seek(offset, os.SEEK_END if offset < 0 else os.SEEK_SET)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1 << bit]))
    return change


def test_damage(program):
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERY, "-o", "whole")
        root, part = "step_000000000060.h5", "step_000000000060_0000.h5"
        for name in (root, part):
            size = os.path.getsize(place.path("whole/checkpoint", name))
            for length in (0, 1, 100, 511, 512, 600, size // 2, size - 1):
                damaged(place, lambda path: os.truncate(path, length), (name,), f"{name} cut to {length}")
            for offset in (0, 40, 300, 511, 512, 530, 700, 1500, size // 2, size - 100, -1):
                damaged(place, flip(offset, offset % 8), (name,), f"{name}, bit flipped at {offset}")
            damaged(place, lambda path: open(path, "ab").write(b"more"), (name,), f"{name} with more at its end")
        damaged(place, os.remove, (part,), "no fields")
        damaged(place, lambda path: shutil.copy(place.path("whole/checkpoint/step_000000000040_0000.h5"), path),
                (part,), "the fields of another checkpoint")
        damaged(place, lambda path: shutil.copy(place.path("input/box.msh"), path), (root,), "not even HDF5")


def test_both_damaged(program):
    with small_with_checkpoints(program) as place:
        for step in (40, 60):
            os.truncate(place.path(f"case/checkpoint/step_{step:012d}.h5"), 1000)
        before = results(place, "case")
        code, _, err, _ = place.run(*RUN, "-q", "--restart")
        lines = err.splitlines()
        expect(code == 2 and len(lines) == 3 and "taking the one before" in lines[0] and
               lines[2] == "curlew: --restart: there is no checkpoint in 'case/checkpoint' that is whole",
               f"exit code {code}: {err}")
        expect(results(place, "case") == before, "the output was changed")


def test_killed_while_pruning(program):
    """Whatever a kill left of the last but two, a restart at the end of the run leaves what the run would have."""
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERY, "--set", "time.steps=40", "-o", "short")
        place.good(*RUN, "-q", *EVERY, "-o", "whole")
        first = [name for name in checkpoints(place, "short") if "20" in name]
        expect(len(first) == 2, f"{first}")
        for left in (first, [name for name in first if name.endswith("_0000.h5")]):
            shutil.copytree(place.path("whole"), place.path("case"), dirs_exist_ok=True)
            for name in left:
                shutil.copy(place.path("short/checkpoint", name), place.path("case/checkpoint", name))
            place.good(*RUN, "-q", *EVERY, "--restart")
            check_same(place, "whole", "case", f"with {left}")


def test_leftovers(program):
    """What a killed run left unfinished is no checkpoint, and goes with the restart."""
    with small_with_checkpoints(program) as place:
        for name in ("step_000000000020.h5.part", "step_000000000020_0000.h5", "step_000000000060_0000.h5.part"):
            place.write("case/checkpoint/" + name, "rubbish")
        place.write("case/checkpoint/mine.txt", "mine")
        place.write("case/fields_000060.silo.part", "rubbish")
        place.good(*RUN, "-q", "--restart", "--set", "time.steps=80", *EVERY)
        expect(checkpoints(place) == ["mine.txt"] + sorted(
            f"step_{step:012d}{part}.h5" for step in (60, 80) for part in ("", "_0000")), f"{checkpoints(place)}")
        expect("fields_000060.silo.part" not in files(place), "an unfinished snapshot stayed")
        place.good(*RUN, "-q")
        expect(checkpoints(place) == ["mine.txt"], f"an earlier run's: {checkpoints(place)}")


# ---- bad days

def test_checkpoint_in_the_way(program):
    """A checkpoint that cannot be written is a warning, but not when the run ends with it."""
    with Place(program, script=SMALL) as place:
        process = started(place)
        place.write("case/checkpoint", "in the way")
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        expect(process.poll() is None, "the run has ended")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        err = err.decode()
        says = "cannot make the output folder 'case/checkpoint': a file of that name is in the way"
        expect(process.returncode == 3 and re.search(rf"no checkpoint at step \d+, the run goes on: {says}", err) and
               re.search(rf"curlew: stopped at step \d+ of 100000000 without a checkpoint: {says}\n", err), f"says {err}")
        expect(place.summary()["status"] == "failed", f"{place.summary()}")


def test_no_room(program):
    """A limit on the size of files stands for a full disk: it comes true in the middle of the file."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
    fine = ("--set", "order=6", "--set", "output.fields=nil", "--set", "output.planes=nil", "--set", "time.steps=60",
            "--set", "output.probes.1.every=2")  # too few samples to doubt that the end still rings
    with Place(program, script=SMALL) as place:
        code, _, err, _ = place.run(*RUN, "-q", *EVERY, *fine, before=limit)
        expect(code == 0, f"exit code {code}: {err}")
        expect(len(err.splitlines()) == 3 and all(
            re.fullmatch(r"(curlew: )?warning: no checkpoint at step \d+, the run goes on: cannot write "
                         r"'case/checkpoint/step_\d+_0000.h5': File too large.*", line) for line in err.splitlines()),
               f"says {err}")
        expect(checkpoints(place) == [], f"left: {checkpoints(place)}")
        place.good(*RUN, "-q", *EVERY, *fine, "-o", "whole")
        shutil.rmtree(place.path("case"))
        place.good(*RUN, "-q", "--set", "checkpoint.every=20", *fine)
        forget(place, 60)
        code, _, err, _ = place.run(*RUN, "-q", *EVERY, *fine, "--restart", before=limit)
        expect(code == 0 and "File too large" in err and newest(place) == 40, f"exit code {code}: {err}")
        for name in ("probes/inside.csv", "energy.csv", "probes/inside_spectrum.csv"):
            expect(content(place, "case", name) == content(place, "whole", name), f"{name} differs")


def test_function_that_fails(program):
    """In the middle of the run, by an error or a result that is none: the checkpoint before is as good as ever."""
    for fault, says in (("error('no more')", "no more"), ("return 0, 0 / 0, 0", r"sources\[1\] returned nan")):
        script = edited(SMALL, ("initial =", 'sources = { { region = "left", current = function(x, y, z, t) if args.t and '
                                f"t > args.t and io.open('broken') then {fault} end return math.sin(1e9 * t), 0, x end "
                                "} },\n  initial ="))
        with Place(program, script=script) as place:
            place.good(*RUN, "-q", *EVERY, "-o", "whole")
            late = ("--trust", "-D", f"t={50 * place.summary('whole')['time_step']!r}")
            os.mkdir(place.path("broken"))  # can be opened, and is no file of which an identity knows
            code, _, err, _ = place.run(*RUN, "-q", *EVERY, *late)
            check_message(err, re.compile(rf"input/case\.lua:\d+: {says}.* in step (49|50) of 60"))
            expect(code == 2 and place.summary()["status"] == "failed" and newest(place) == 40, f"{code}: {err}")
            os.rmdir(place.path("broken"))
            place.good(*RUN, "-q", *EVERY, "--restart", *late)
            check_same(place, "whole", "case", fault)


def test_not_a_number(program):
    """Of fields that are no numbers no checkpoint is made: the last good one stays."""
    with Place(program) as place:
        code, _, err, _ = place.run(*RUN, "-q", *EULER, "--set", "time.steps=100000", "--set", "precision=single", "--set",
                                    "watchdog.every=90000", "--set", "output=nil", "--set", "checkpoint.every=10")
        expect(code == 4 and "the solution blew up: NaN or infinity in the fields at step" in err, f"{code}: {err}")
        step = int(re.search(r"at step (\d+)", err).group(1))
        expect(newest(place) == step - 10 and len(checkpoints(place)) == 4, f"step {step}: {checkpoints(place)}")
        expect(place.summary()["status"] == "blew up" and place.summary()["stop_reason"] is None, "summary")


def test_folder_removed(program):
    """The run says at its end that its folder is gone."""
    with Place(program) as place:
        process = started(place)
        shutil.rmtree(place.path("case"))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        expect(process.returncode == 3 and b"cannot make the output folder 'case/checkpoint': No such file" in err,
               f"exit code {process.returncode}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
