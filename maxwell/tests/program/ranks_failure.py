#!/usr/bin/python3
"""How a run on several ranks ends that one of them cannot go on with, or that is stopped: ranks_failure.py PROGRAM
[NAME...] runs the tests whose names contain a NAME, or all."""
import os
import re
import signal
import sys
import time

import numpy as np

import meshes
from harness import SCRIPT, Place, check_leftovers, check_snapshot, edited, expect, on_ranks
from run_contract import EULER, RUN, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/plot"))
from silo_reader import Snapshot  # noqa: E402

# Seconds from the failure to the end, on a machine that does nothing else.
LIMIT = 10 * max(1, os.getloadavg()[0] / os.cpu_count())
STEP = ("--set", "time.step=1e-12")
ENDLESS = (*STEP, "--set", "time.steps=100000000", "--set", "output.fields={every=1000000}")
NO_SPACE = "(No space left on device|Disk quota exceeded|File too large)"
# A bar of 8 cubes, which any partition cuts across: what is at its far end is on one rank alone.
BAR = meshes.box((8, 1, 1)).text()
LIMITS = """\
#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = {rank} ]; then ulimit {option}; fi
exec "$@"
"""


def bar(program, script=SCRIPT, files=None):
    return Place(program, {"input/box.msh": BAR, **(files or {})}, script)


def limited(place, rank, option):
    """A program in front of the ranks that sets a limit for one of them."""
    place.write("limits.sh", LIMITS.format(rank=rank, option=option))
    os.chmod(place.path("limits.sh"), 0o755)
    return place.path("limits.sh")


def messages(out, err):
    """What the program said, without warnings and the launcher's comments."""
    return [line[len("curlew: "):] for line in (out + err).splitlines()
            if line.startswith("curlew: ") and not line.startswith("curlew: warning: ")]


def check_parts(folder):
    """No part of a snapshot is broken or left unfinished, and the snapshots that are there have all of theirs."""
    blocks = os.path.join(folder, "blocks")
    for name in os.listdir(blocks) if os.path.isdir(blocks) else ():
        expect(name.endswith(".silo"), f"{name} was left behind")
        check_snapshot(os.path.join(blocks, name))
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".silo"):
            snapshot = Snapshot(os.path.join(folder, name))
            expect(len(snapshot.field("E").values) == len(snapshot.points) > 0, f"{name} has no whole field")


def check_end(place, result, code, says):
    """The exit code, one message, and nothing that looks whole but is not; returns the message."""
    status, out, err, seconds = result
    said = messages(out, err)
    expect(status == code, f"exit code {status}, not {code}:\n{out}{err}")
    expect(len(said) == 1 and re.search(says, said[0]), f"expected /{says}/, got {said} in:\n{out}{err}")
    expect(seconds < LIMIT, f"took {seconds:.1f} s")
    check_leftovers(place.path("case"))
    check_parts(place.path("case"))
    if os.path.exists(place.path("case/summary.json")):
        summary = place.summary()
        expect(summary["status"] not in ("running", "done"), f"status {summary['status']}")
        expect(summary["error"] == said[0], f"summary: {summary['error']}; said: {said[0]}")
    for name in ("energy", "probes/inside"):
        if code != 3 and os.path.exists(place.path(f"case/{name}.csv")):
            place.rows(f"case/{name}.csv")
    return said[0]


def fails(program, ranks, code, says, *arguments, script=SCRIPT, limit=None, options=()):
    with bar(program, script) as place:
        front = (limited(place, *limit),) if limit else ()
        result = place.run(*RUN, *arguments, **on_ranks(ranks, *options, *front))
        return check_end(place, result, code, says)


# ---- scripts

def test_wrong_script(program):
    for ranks in (2, 4):
        for script in (edited(SCRIPT, ("order = 1", "ordre = 1")), edited(SCRIPT, ("order = 1", "order = = 1")),
                       edited(SCRIPT, ("order = 1", "order = error('not today')")),
                       edited(SCRIPT, ("walls = {", "wals = {")), edited(SCRIPT, ("box.msh", "bax.msh"))):
            with bar(program, script) as place:
                one, out, err, _ = place.run(*RUN)
                said = messages(out, err)
                expect(one == 2 and len(said) == 1, f"on one rank: {one}: {said}")
                check_end(place, place.run(*RUN, **on_ranks(ranks)), 2, "^" + re.escape(said[0]) + "$")


def test_wrong_command_line(program):
    with bar(program) as place:
        check_end(place, place.run("run", "input/case.lua", "--nonsense", **on_ranks(3)), 2, "nonsense")


def test_function_fails_on_one_rank_in_set_up(program):
    far = "if x > 7.4 then error('not so far') end"
    for script in (
            edited(SCRIPT, ("{ epsilon_r = 2 }", f"{{ epsilon_r = function(x) {far} return 2 end }}")),
            edited(SCRIPT, ("return 0, 0, x + y", f"{far} return 0, 0, x + y")),
            edited(SCRIPT, ("output = {",
                            "sources = { { region = 'right', waveform = waveform.ricker { f_peak = 1e8 }, "
                            f"profile = function(x) {far} return 0, 0, 1 end }} }},\n  output = {{"))):
        for ranks in (2, 4):
            fails(program, ranks, 2, r"case\.lua:\d+: not so far", script=script)


def current(far):
    return edited(SCRIPT, ("output = {", f"sources = {{ {{ region = 'right', current = function(x, y, z, t) {far} "
                           "return 0, 0, 1 end } },\n  output = {"))


def test_function_fails_on_one_rank_in_the_loop(program):
    script = current("if x > 7.4 and t > 3e-11 then error('no more of this') end")
    for ranks in (2, 4):
        for arguments in (ENDLESS, (*ENDLESS, "--set", "time.integrator=lsrk")):
            fails(program, ranks, 2, "no more of this.*sources|sources.*no more of this", *arguments, script=script)


def test_blow_up(program):
    """At the same place of the mesh, whatever the number of ranks."""
    arguments = (*EULER, "--set", "time.steps=100000", "--set", "output.fields=nil")
    with bar(program) as place:
        status, out, err, _ = place.run(*RUN, *arguments)
        expect(status == 4, f"exit code {status}: {err}")
        said, rows = messages(out, err), place.rows("case/energy.csv")[1]
    for ranks in (2, 3):
        with bar(program) as place:
            check_end(place, place.run(*RUN, *arguments, **on_ranks(ranks)), 4, f"^{re.escape(said[0])}$")
            expect(len(place.rows("case/energy.csv")[1]) == len(rows) > 0, "rows of the energy are missing")


def test_more_ranks_than_elements(program):
    script = edited(SCRIPT, ("left = { epsilon_r = 1 }, right = { epsilon_r = 2 }", "left = {}"))
    with Place(program, {"input/box.msh": meshes.box((1, 1, 1)).text()}, script) as place:
        check_end(place, place.run(*RUN, **on_ranks(7)), 2, "^7 ranks are more than .*: at most 6 make sense$")
        expect(not os.path.exists(place.path("case")), "an output folder was made")


# ---- the environment

def test_output_folder_cannot_be_made(program):
    fails(program, 3, 3, "cannot make the output folder 'no/such'", "--output", "no/such")


def test_disk_full_for_the_first_rank(program):
    """While it writes its tables."""
    fails(program, 3, 3, f"cannot write 'case/.*': {NO_SPACE}", *STEP, "--set",
          "time.steps=100000000", "--set", "output.fields=nil", limit=(0, "-f 128"),
          options=("--mca", "btl", "self,tcp"))


def test_disk_full_for_another_rank(program):
    """While it writes its part of a snapshot; limits also hold for the files through which ranks share memory."""
    for ranks, rank in ((2, 1), (4, 2)):
        fails(program, ranks, 3, f"cannot write 'case/.*': {NO_SPACE}", "--set", "order=8", "--set",
              "output.fields={every=1}", limit=(rank, "-f 128"), options=("--mca", "btl", "self,tcp"))


def test_out_of_memory_on_one_rank(program):
    """Address space enough for the libraries and not for a part of a mesh of order 8."""
    if os.environ.get("LSAN_OPTIONS") is not None:
        return  # the address sanitizer needs more address space than the limit
    for ranks, rank in ((2, 0), (3, 1)):
        with Place(program, {"input/box.msh": meshes.box((24, 16, 16)).text()}) as place:
            front = limited(place, rank, "-v 450000")
            check_end(place, place.run(*RUN, "--set", "order=8", "--set", "output={}", *EULER,
                                       **on_ranks(ranks, "--mca", "btl", "self,tcp", front)), 3, "out of memory")


# ---- signals

def runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Running:
    """A run, by default an endless one, once it is in its loop."""

    def __init__(self, place, ranks, *arguments):
        self.process = place.start(*RUN, *(arguments or ENDLESS), **on_ranks(ranks))
        deadline = time.monotonic() + 60
        while not (os.path.exists(place.path("case/energy.csv")) and
                   os.path.getsize(place.path("case/energy.csv")) > 4096 and
                   # the first snapshot, which is written beside the loop, has its name
                   ("output.fields=nil" in arguments or os.path.exists(place.path("case/fields_000000.silo")))):
            expect(time.monotonic() < deadline and self.process.poll() is None, "the run does not start")
            time.sleep(0.05)
        self.pid = self._children()
        expect(sorted(self.pid) == list(range(ranks)), f"processes {self.pid}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """What a failed test leaves does not go on."""
        if self.process.poll() is None:
            for pid in filter(runs, self.pid.values()):
                os.kill(pid, signal.SIGKILL)
            self.process.wait(LIMIT)

    def _children(self):
        """rank -> process"""
        found = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                if parent != self.process.pid:
                    continue
                with open(f"/proc/{name}/environ", "rb") as file:
                    rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)\0", file.read())
            except OSError:
                continue
            if rank:
                found[int(rank.group(1))] = int(name)
        return found

    def end(self):
        """(exit code, stdout, stderr, seconds); no process is left."""
        started = time.monotonic()
        out, err = self.process.communicate(timeout=60)
        while any(runs(pid) for pid in self.pid.values()) and time.monotonic() < started + LIMIT:
            time.sleep(0.05)
        seconds = time.monotonic() - started
        left = [rank for rank, pid in self.pid.items() if runs(pid)]
        expect(not left, f"ranks {left} still run")
        return self.process.returncode, out.decode(), err.decode(), seconds


def test_kill_one_rank(program):
    for ranks, rank in ((2, 1), (3, 0), (4, 2)):
        with bar(program) as place, Running(place, ranks) as run:
            os.kill(run.pid[rank], signal.SIGKILL)
            code, out, err, seconds = run.end()
            expect(code == 128 + signal.SIGKILL, f"exit code {code}: {err}")
            expect(seconds < LIMIT, f"took {seconds:.1f} s")
            expect(place.summary()["status"] != "done", "summary.json says that the run is done")
            check_parts(place.path("case"))


def interrupted(program, ranks, number, rank):
    """The signal goes to one rank, or to the launcher, which hands it on and has an exit code of its own."""
    with bar(program) as place, Running(place, ranks) as run:
        os.kill(run.process.pid if rank is None else run.pid[rank], number)
        # of the launcher the ranks hear SIGTERM, whatever it got
        term = rank is None or number == signal.SIGTERM
        then = "--restart goes on from there" if term else "what was written until then is whole"
        message = check_end(place, run.end(), 1 if rank is None else 130,
                            rf"^interrupted at step \d+ of 100000000; {then}$")
        summary, energy = place.summary(), place.rows("case/energy.csv")[1]
        steps = int(re.search(r"step (\d+)", message).group(1))
        expect(summary["status"] == "interrupted" and summary["steps"] == steps, f"{summary}")
        expect([row[0] for row in energy] == list(range(steps)), f"{len(energy)} rows of energy at step {steps}")
        expect(len(place.rows("case/probes/inside.csv")[1]) == steps, "rows of the probe are missing")


def test_interrupt_the_launcher(program):
    interrupted(program, 2, signal.SIGINT, None)


def test_terminate_the_launcher(program):
    interrupted(program, 3, signal.SIGTERM, None)


def test_interrupt_one_rank(program):
    for rank in (0, 1):
        interrupted(program, 3, signal.SIGINT, rank)


def test_terminate_one_rank(program):
    interrupted(program, 4, signal.SIGTERM, 2)


def test_stopped_and_continued(program):
    """A rank that sleeps for a while keeps the others waiting, and changes nothing."""
    length = (*STEP, "--set", "time.steps=20000", "--set", "output.fields=nil")
    with bar(program) as place:
        place.good(*RUN, *length, "-o", "one", "--quiet")
        with Running(place, 3, *length) as run:
            for rank in (1, 0):
                os.kill(run.pid[rank], signal.SIGSTOP)
                time.sleep(1)
                expect(run.process.poll() is None, "the run was over too soon")
                os.kill(run.pid[rank], signal.SIGCONT)
            code, out, err, _ = run.end()
        expect(code == 0 and not messages(out, err), f"exit code {code}: {out}{err}")
        for name in ("probes/inside", "energy"):
            one, other = (np.array(place.rows(f"{folder}/{name}.csv")[1]) for folder in ("one", "case"))
            expect(one.shape == other.shape and np.abs(one - other).max() <= 1e-12 * np.abs(one).max(),
                   f"{name} differs")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
