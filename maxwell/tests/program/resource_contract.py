#!/usr/bin/python3
"""What the system does not give: memory, threads, descriptors; and what libraries and the disk do then.

resource_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all. CURLEW_TEST_FAULTS is the
library that makes calls fail (faults.c); without it those tests are left out, as the summary says. With
CURLEW_TEST_THOROUGH=1, 40 levels of memory each and some hundred faults: about 20 minutes of one processor."""
import os
import random
import re
import resource
import shutil
import signal
import sys
import time

import meshes
from harness import SCRIPT, Failure, Place, check_leftovers, edited, expect, on_ranks
from run_contract import ENDLESS, RUN, main

FAULTS = os.environ.get("CURLEW_TEST_FAULTS", "")
THOROUGH = os.environ.get("CURLEW_TEST_THOROUGH") == "1"
SANITIZED = "ASAN_OPTIONS" in os.environ or "LSAN_OPTIONS" in os.environ
SECONDS = 20  # in which a run that cannot be has to end, on a machine that has nothing else to do
CHECKPOINTS = ("--set", "checkpoint.every=2")
MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "share", "doc", "manual.md")
MB = 1 << 20


def said(err):
    """The lines of stderr that are not warnings."""
    lines = err.splitlines()
    return [line for line in lines if not line.startswith("curlew: warning: ")]


def check_end(place, code, err, folder="case"):
    """Done, or code 3 with one line, and a summary that says which."""
    if code == 0:
        expect(not said(err), f"a run that was done said: {err}")
        expect(place.summary(folder)["status"] == "done", "the summary of a run that was done")
        return
    expect(code == 3, f"exit code {code}: {err}")
    expect(len(said(err)) == 1 and said(err)[0].startswith("curlew: "), f"not one line: {err}")
    if os.path.exists(place.path(folder, "summary.json")):
        summary = place.summary(folder)
        expect(summary["status"] == "failed" and summary["error"], f"the summary of a run that failed: {summary}")


# ---- memory

# What a run needs beyond its libraries is some 100 MB: fields, the search for the step, snapshots, checkpoints.
LARGE = ("--set", "order=5", "--set", "mesh.file=large.msh")
LARGE_MESH = {"input/large.msh": meshes.box((6, 6, 6)).text()}


def levels(first, last, few):
    count = 40 if THOROUGH else few
    return [int(first * (last / first) ** (i / (count - 1))) for i in range(count)]


def try_levels(program, sizes, limit):
    """`limit` gives for a size the options of Place.run, or the reason why it cannot be set."""
    ends = []
    for size in sizes:
        for again in (True, True, False):  # a machine that has much else to do may need longer
            with Place(program, LARGE_MESH) as place:
                options = limit(size)
                if isinstance(options, str):
                    print(f"left out: {options}")
                    return
                code, _, err, seconds = place.run(*RUN, "-q", *LARGE, *CHECKPOINTS, **options)
                try:
                    check_end(place, code, err)
                    expect(code == 0 or seconds < SECONDS or again, f"it took {seconds:.1f} s to say: {err}")
                    expect("mesh.memory" not in err, f"another limit is blamed: {err}")
                except Failure as failure:
                    raise Failure(f"{size >> 20} MB: {failure}") from None
            if code == 0 or seconds < SECONDS:
                break
        ends.append(code)
    expect(ends[0] == 3 and ends[-1] == 0, f"the levels are badly chosen: {ends}")


def test_levels_of_address_space(program):
    """ulimit -v, from what the program and its libraries themselves take: below that the system's loader gives up."""
    if SANITIZED:
        return
    def limit(size):
        return {"before": lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))}
    with Place(program) as place:
        first = next(size for size in range(40 * MB, 200 * MB, 5 * MB) if place.run("--version", **limit(size))[0] == 0)
    try_levels(program, levels(first, 900 * MB, 8), limit)


class Group:
    """A control group with a limit to its memory, version 1 or 2."""

    def __init__(self, size):
        self.folder, self.why = None, "no control group of memory can be made here"
        for root, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            folder = f"{root}/curlew_test_{os.getpid()}_{size}_{time.monotonic_ns()}"
            try:
                os.mkdir(folder)
            except OSError:
                continue
            self.folder = folder
            try:
                with open(f"{folder}/{name}", "w", encoding="ascii") as file:
                    file.write(str(size))
                self.why = None
                return
            except OSError:
                self.end()

    def enter(self):
        with open(f"{self.folder}/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(os.getpid()))

    def end(self):
        for _ in range(100):  # a process that was killed leaves it a little later
            try:
                os.rmdir(self.folder)
                break
            except OSError:
                time.sleep(0.05)
        self.folder = None


def test_levels_of_a_control_group(program):
    """Where Linux gives addresses without memory behind them and kills who uses them."""
    if SANITIZED:
        return
    groups = []

    def limit(size):
        groups.append(Group(size))
        return groups[-1].why or {"before": groups[-1].enter}
    try:
        try_levels(program, levels(6 * MB, 500 * MB, 8), limit)
    finally:
        for group in groups:
            if group.folder is not None:
                group.end()


def addresses(place, megabytes, threads):
    limit = (megabytes * MB, megabytes * MB)
    return place.run(*RUN, "-q", environment={"OMP_NUM_THREADS": str(threads)},
                     before=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))


def needed(place):
    """The megabytes of addresses that a run of one thread needs here: processors, libraries and builds of OpenBLAS differ."""
    low, high = 35, 1035  # fails, works
    expect(addresses(place, high, 1)[0] == 0, f"{high} MB of addresses are too few")
    while high - low > 10:
        middle = (low + high) // 2
        code, _, err, _ = addresses(place, middle, 1)
        expect(code in (0, 3, 127), f"{middle} MB: exit code {code}: {err}")
        low, high = (low, middle) if code == 0 else (middle, high)
    return high


def test_threads(program):
    """OpenMP's library would end the program for want of a thread's stack."""
    if SANITIZED:
        return
    with Place(program) as place:
        need = needed(place)
        with open(MANUAL, encoding="utf-8") as file:
            promised = int(re.search(r"with (\d+) MB the examples run", file.read())[1])
        expect(need <= promised, f"a run needs {need} MB of addresses, and the manual says that {promised} suffice")
        code, _, err, _ = addresses(place, need + 60, 64)
        check_end(place, code, err)
        found = re.search(r"warning: (\d+) threads instead of 64: the system gives no more", err)
        expect(code == 0 and found and 1 <= int(found[1]) < 60, f"exit code {code}: {err}")


# ---- descriptors

MANY = """
local probes = {}
for i = 1, args.n do probes[i] = { name = "p" .. i, at = { 0.1 + 0.8 * i / args.n, 0.3, 0.2 } } end
""" + edited(SCRIPT, ('probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } }', "probes = probes"),
             ("-- a script that works\n", ""), ("    fields = { every = 2 },\n", ""))


def test_many_tables(program):
    """More tables than descriptors: the same rows as with descriptors enough, also behind a checkpoint."""
    count, limit = (5000, 256) if THOROUGH else (300, 128)
    few = {"before": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))}
    options, steps = ("-q", "-D", f"n={count}"), ("--set", "time.steps=120")
    with Place(program, script=MANY) as place:
        place.good(*RUN, *options, *steps, "-o", "whole")
        place.good(*RUN, *options, *steps, "-o", "few", **few)
        place.good(*RUN, *options, "--set", "time.steps=70", "--set", "checkpoint.every=70", "-o", "split", **few)
        code, _, err, _ = place.run(*RUN, *options, *steps, "--restart", "-o", "split", **few)
        if code == 0:  # the script with another number of steps may be another run
            compare = ("few", "split")
        else:
            compare = ("few",)
            expect("checkpoint" in err, err)
        for name in [f"probes/p{i}.csv" for i in range(1, count + 1)] + ["energy.csv"]:
            with open(place.path("whole", name), "rb") as file:
                rows = file.read()
            for other in compare:
                with open(place.path(other, name), "rb") as file:
                    expect(file.read() == rows, f"{other}/{name} is another table")


def test_table_removed_among_many(program):
    """Also of a table that has no descriptor between its rows."""
    with Place(program, script=MANY) as place:
        process = place.start(*RUN, "-q", "-D", "n=300", *ENDLESS, before=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (128, 128)))
        wait(lambda: os.path.exists(place.path("case/probes/p300.csv")) and
             os.path.getsize(place.path("case/probes/p300.csv")) > 100, process)
        os.remove(place.path("case/probes/p300.csv"))
        _, err = process.communicate(timeout=60)
        err = err.decode()
        check_end(place, process.returncode, err)
        expect(re.search(r"'case/probes/p300\.csv'", err), err)


def wait(condition, process):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end or process.poll() is not None:
            process.kill()
            raise Failure(f"it does not come: {process.communicate()}")
        time.sleep(0.02)


# ---- calls that fail

def with_fault(program, call, at, how="", inside=None, lasts=False, ranks=None):
    """One run; (code, calls of that kind, seconds). With at = 0 nothing fails."""
    with Place(program) as place:
        environment = {"LD_PRELOAD": FAULTS, "FAULT_CALL": call, "FAULT_AT": str(at), "FAULT_HOW": how,
                       "FAULT_COUNT": place.path("count")}
        if inside:
            environment["FAULT_IN"] = inside
        if lasts:
            environment["FAULT_LASTS"] = "1"
        code, _, err, seconds = place.run(*RUN, "-q", *CHECKPOINTS, environment=environment)
        what = f"{call} {at} in {inside}, {how}{', and later ones' if lasts else ''}"
        try:
            check_end(place, code, err)
            expect(seconds < SECONDS, f"it took {seconds:.1f} s")
            if code != 0 and os.path.exists(place.path("case/energy.csv")):
                check_rows(place)
            if code != 0 and call != "malloc":
                check_leftovers(place.path("case"))
        except Failure as failure:
            raise Failure(f"{what}: {failure}") from None
        count = 0
        if os.path.exists(place.path("count")):
            with open(place.path("count"), encoding="ascii") as file:
                count = int(file.read())
        return code, count


def check_rows(place):
    """Whole rows; the last one may be cut off by the end."""
    with open(place.path("case/energy.csv"), encoding="ascii") as file:
        lines = file.read().split("\n")
    expect("\0" not in "".join(lines), "zeros in energy.csv")
    expect(all(line.count(",") == 4 for line in lines[:-1]), "energy.csv has a broken line")


def sweep(program, call, few, **options):
    """At some of the calls of a run, among them the first and the last."""
    chance = random.Random(25)
    code, count = with_fault(program, call, 0, **options)
    expect(code == 0 and count > 0, f"exit code {code}, {count} calls of {call} in {options.get('inside')}")
    tries = {1, count} | {chance.randint(1, count) for _ in range(40 if THOROUGH else few)}
    for lasts in (False, True):
        for at in sorted(tries):
            code, _ = with_fault(program, call, at, lasts=lasts, **options)
            # A checkpoint that cannot be written is a warning, and what is missing once may not be missed.
            expect(code == 3 or not lasts or at > 0.9 * count, f"{call} {at} and later of {count}: exit code {code}")


def test_faults_of_memory_in_silo(program):
    sweep(program, "malloc", 2, inside="silo")


def test_faults_of_memory_in_hdf5(program):
    sweep(program, "malloc", 2, inside="hdf5")


def test_faults_of_memory_in_lua(program):
    sweep(program, "malloc", 1, inside="lua")


def test_faults_of_memory_in_openmp(program):
    sweep(program, "malloc", 1, inside="gomp")


def test_faults_of_memory_in_the_program(program):
    sweep(program, "malloc", 3, inside="curlew")


def test_faults_of_writes(program):
    """A disk that is broken, and one that is full: an error with the file's name, also where HDF5 writes."""
    for how in ("EIO", "ENOSPC"):
        sweep(program, "write", 1, how=how)


def test_faults_of_writes_that_go_on(program):
    """Writes that are cut short or interrupted are taken up again: the run is done, and nothing is missing."""
    for how in ("short", "EINTR"):
        for inside in ("curlew", "hdf5"):
            _, count = with_fault(program, "write", 0, inside=inside)
            for at in sorted({1, max(count // 2, 1), count}):
                code, _ = with_fault(program, "write", at, how=how, inside=inside)
                expect(code == 0, f"write {at} of {count} in {inside}, {how}: exit code {code}")


def test_faults_of_syncs(program):
    for how in ("EIO", "EINTR"):
        _, count = with_fault(program, "fsync", 0)
        expect(count > 0, "nothing waits for the disk")
        for at in sorted({1, max(count // 2, 1), count}):
            code, _ = with_fault(program, "fsync", at, how=how)
            expect(code in ((0,) if how == "EINTR" else (0, 3)), f"fsync {at} of {count}, {how}: exit code {code}")


def test_faults_of_renames(program):
    sweep(program, "rename", 1, how="EIO")


def test_faults_of_creations(program):
    sweep(program, "open", 2, how="EIO")


def test_faults_of_memory_in_a_rank(program):
    """On several ranks the code is that of the rank that ended, and launchers say more than one line."""
    if shutil.which("mpirun") is None:
        return
    for inside, lasts in (("silo", False), ("silo", True), ("libmpi.", True)):
        with Place(program) as place:
            fault = {"FAULT_CALL": "malloc", "FAULT_IN": inside, "FAULT_AT": "200" if inside == "silo" else "50"}
            if lasts:
                fault["FAULT_LASTS"] = "1"
            wrapper = on_ranks(2, *[word for name in fault for word in ("-x", name)], "-x", f"LD_PRELOAD={FAULTS}")
            wrapper["environment"].update(fault)
            code, _, err, _ = place.run(*RUN, "-q", *CHECKPOINTS, **wrapper)
            expect(code == 3 and "curlew: out of memory: a library" in err, f"{inside}: exit code {code}: {err}")
            if os.path.exists(place.path("case/summary.json")):
                expect(place.summary()["status"] == "failed", f"{inside}: {place.summary()}")


# ---- signals that ask for the end

def ended(program, how, ends, **options):
    """The run is ended by how(process); then it goes on from its checkpoint."""
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS, **options)
        wait(lambda: os.path.exists(place.path("case/energy.csv")) and
             os.path.getsize(place.path("case/energy.csv")) > 200, process)
        how(process)
        try:
            _, err = process.communicate(timeout=60)
        except ValueError:  # its output was closed
            process.wait(60)
            err = b""
        expect(process.returncode == ends, f"exit code {process.returncode}: {err.decode()}")
        summary = place.summary()
        if ends == 130:
            expect(summary["status"] == "interrupted" and summary["stop_reason"] == "signal", f"{summary}")
            expect([name for name in os.listdir(place.path("case/checkpoint")) if name.endswith(".h5")], "no checkpoint")
            place.good(*RUN, "-q", "--restart", *ENDLESS[2:], "--set", f"time.steps={int(summary['steps']) + 10}")


def test_hangup(program):
    ended(program, lambda process: process.send_signal(signal.SIGHUP), 130)


def test_time_of_processor(program):
    ended(program, lambda process: process.send_signal(signal.SIGXCPU), 130)


def test_nohup(program):
    """Ignored when the run began, it is ignored."""
    def how(process):
        process.send_signal(signal.SIGHUP)
        time.sleep(1)
        expect(process.poll() is None, "it ended")
        process.send_signal(signal.SIGTERM)
    ended(program, how, 130, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))


def test_nobody_reads(program):
    """The pipe that the run speaks to is closed, as by `curlew run ... | head`."""
    ended(program, lambda process: process.stdout.close(), 130)


def test_terminal_goes(program):
    """SIGHUP, and every write to the terminal is an error from then on."""
    main_end, terminal = os.openpty()
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS, stdout=terminal,
                              before=os.setsid)
        os.close(terminal)
        wait(lambda: os.path.exists(place.path("case/energy.csv")) and
             os.path.getsize(place.path("case/energy.csv")) > 200, process)
        os.close(main_end)
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 130, f"exit code {process.returncode}: {err.decode()}")
        expect(place.summary()["status"] == "interrupted", f"{place.summary()}")


def test_crash(program):
    """A signal of a crash, as a library would raise it: a line, code 70, and a summary that says so."""
    if SANITIZED:
        return
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        with Place(program) as place:
            process = place.start(*RUN, *ENDLESS, "-q")
            wait(lambda at=place.path("case/energy.csv"): os.path.exists(at) and os.path.getsize(at) > 200, process)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            err = err.decode()
            expect(process.returncode == 70 and re.fullmatch(rf"curlew: bug: signal {int(number)} \(.*\)\n", err),
                   f"exit code {process.returncode}: {err}")
            summary = place.summary()
            expect(summary["status"] == "failed" and summary["error"] in err, f"{summary}")


def test_crash_of_a_rank(program):
    """The others are ended by the launcher; the summary is put right by the one that crashed."""
    if shutil.which("mpirun") is None or SANITIZED:
        return
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS, "-q", **on_ranks(2))
        wait(lambda: os.path.exists(place.path("case/energy.csv")) and
             os.path.getsize(place.path("case/energy.csv")) > 200, process)
        os.kill(ranks_of(process)[-1], signal.SIGSEGV)
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 70 and b"curlew: bug: signal 11" in err, f"exit code {process.returncode}: {err}")
        expect(place.summary()["status"] == "failed" and "signal 11" in place.summary()["error"], f"{place.summary()}")


def ranks_of(process):
    """The processes that the launcher started, in the order of their numbers."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return sorted(int(word) for word in file.read().split())


for _name in [name for name in globals() if name.startswith("test_faults") and not FAULTS]:
    print(f"left out: {_name}: there is no library that makes calls fail")
    del globals()[_name]

if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
