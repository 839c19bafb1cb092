#!/usr/bin/python3
"""Disks that are full, turn read-only or lose the output while a run writes: disk_contract.py PROGRAM [NAME...] runs the
tests whose names contain a NAME, or all. The disks are file systems in memory, mounted where nobody else sees them: the
tests need the right to mount, as root or in a user namespace, and are skipped without."""
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys

from bad_environment import NO_SPACE, fill, mounted
from checkpoint_contract import SMALL, check_same, checkpoints, content, finished, newest, results, started, wait_for
from harness import SCRIPT, Place, check_message, check_snapshot, edited, expect
from run_contract import ENDLESS, RUN, main

READ_ONLY = "Read-only file system"
OUT = ("-o", "disk/case")
EVERY = ("--set", "checkpoint.every=20")
# Fields, tables, planes and sums, and so many steps that the disk can be full in the middle.
SCENE = edited(SMALL, ("steps = 60", "steps = 200"))


class Disk(Place):
    """With a small file system in the folder disk."""

    def __init__(self, program, options="size=8m", script=SCRIPT):
        super().__init__(program, script=script)
        os.mkdir(self.path("disk"))
        self._mounted = mounted(self.path("disk"), options)

    def __enter__(self):
        why = self._mounted.__enter__()
        expect(not why, f"no disk: {why}")
        return self

    def __exit__(self, *_):
        while os.path.ismount(self.path("disk")):
            subprocess.run(["umount", "--recursive", self.path("disk")], check=True)
        super().__exit__()

    def fill(self, leave=0):
        fill(self.path("disk/ballast"), leave)

    def make_room(self):
        os.remove(self.path("disk/ballast"))

    def make_read_only(self, name):
        """A folder for all that is opened there from now on; what was open before can be written."""
        for options in (("--bind", self.path(name), self.path(name)),
                        ("-o", "remount,bind,ro", self.path(name))):
            subprocess.run(["mount", *options], check=True)

    def make_writable(self, name):
        subprocess.run(["umount", self.path(name)], check=True)


def failed(place, says, *options, code=3):
    """A run that ends with one line, perhaps behind warnings, and leaves nothing that looks whole and is not."""
    result, _, err, _ = place.run(*RUN, *OUT, "-q", *options)
    lines = err.splitlines(keepends=True)
    expect(lines and all("warning: " in line for line in lines[:-1]), f"says {err}")
    check_message(lines[-1], says)
    expect(result == code, f"exit code {result}: {err}")
    check_left(place)
    return lines[:-1]


def check_left(place, folder="disk/case"):
    """No unfinished files, snapshots whole, and a summary that does not say that all went well."""
    for root, _, names in os.walk(place.path(folder)):
        for name in names:
            expect(not name.endswith((".part", ".room")), f"{name} was left behind")
            if name.endswith(".silo"):
                check_snapshot(os.path.join(root, name))
    with open(place.path(folder, "summary.json"), encoding="utf-8") as file:
        expect(json.load(file)["status"] != "done", "summary.json says that the run is done")


def whole(place, options=EVERY):
    """The run that nothing disturbs, to compare with."""
    place.good(*RUN, "-q", *options, "-o", "whole")


def goes_on(place, what, options=EVERY):
    """From the last good checkpoint to the same end, bit for bit."""
    expect(checkpoints(place, "disk/case"), f"{what}: there is no checkpoint")
    place.good(*RUN, "-q", *options, *OUT, "--restart")
    check_same(place, "whole", "disk/case", what)


# ---- full disks: what fails is said, and with room again the run goes on from its last good checkpoint

def full_on_the_way(program, says, *settings, room, options=EVERY):
    """A disk too small for the run; it must have written a checkpoint and fail later at what is expected."""
    options = (*options, *settings)
    with Disk(program, script=SCENE) as place:
        whole(place, options)
        place.fill(room)
        failed(place, says, *options)
        place.make_room()
        goes_on(place, says.pattern, options)


def test_full_at_a_snapshot(program):
    full_on_the_way(program, re.compile(rf"cannot write 'disk/case/fields_000\d+\.silo': {NO_SPACE}.*"),
                    "--set", "output.fields.every=10", "--set", "output.planes=nil", room=900 << 10)


def test_full_at_a_plane(program):
    full_on_the_way(program, re.compile(rf"cannot write 'disk/case/planes/cut_000\d+\.silo': {NO_SPACE}.*"), "--set",
                    "output.fields=nil", "--set", "output.planes.1.every=5", "--set", "output.planes.1.frequencies=nil",
                    room=700 << 10)


TABLES = ("--set", "output.fields=nil", "--set", "output.planes=nil", "--set", "time.steps=20000", "--set",
          "checkpoint.every=2000")


def test_full_at_a_probe(program):
    full_on_the_way(program, re.compile(rf"cannot write 'disk/case/probes/inside\.csv': {NO_SPACE}"), "--set",
                    "output.energy=nil", room=1200 << 10, options=TABLES)


def test_full_at_the_energy(program):
    full_on_the_way(program, re.compile(rf"cannot write 'disk/case/energy\.csv': {NO_SPACE}"), "--set",
                    "output.probes=nil", room=900 << 10, options=TABLES)


def test_full_at_the_summary(program):
    """All is done but the word that it is: that is no success."""
    with Disk(program) as place:
        process = place.start(*RUN, *OUT, "-q", "--set", "output=nil", "--set", "time.steps=400000")
        log = place.path("disk/case/log.txt")  # with its first line it has a page of the disk, and room for the rest
        wait_for(place, lambda: os.path.exists(log) and os.path.getsize(log) > 0, "the run does not start", process)
        place.fill()
        _, err = process.communicate(timeout=120)
        check_message(err.decode(), f"cannot write 'disk/case/summary.json': {NO_SPACE}")
        expect(process.returncode == 3, f"exit code {process.returncode}")
        summary = place.summary("disk/case")  # that of the beginning, which has room for the bad news
        expect(summary["status"] == "failed" and NO_SPACE in summary["error"], f"{summary}")
        check_left(place)


SELDOM = ("--set", "output.energy.every=1000", "--set", "output.probes.1.every=1000")
LITTLE = 32768  # bytes: for some thousand rows, and not for a checkpoint


def running(place):
    """A run without end on the disk, which has a checkpoint; its tables grow slowly."""
    process = place.start(*RUN, *ENDLESS, *SELDOM, *OUT, "-q")
    wait_for(place, lambda: os.path.exists(place.path("disk/case/fields_000000.silo")), "the run does not start", process)
    process.send_signal(signal.SIGUSR1)
    wait_for(place, lambda: len(finished(place, "disk/case")) == 2, "no checkpoint", process)
    return process


def next_line(process):
    """That the run says, as soon as it has; what comes behind it is left to be read."""
    line = b""
    while not line.endswith(b"\n"):
        expect(select.select([process.stderr], [], [], 60)[0], "the run says nothing")
        byte = os.read(process.stderr.fileno(), 1)
        expect(byte, f"the run has ended: {line}")
        line += byte
    return line


def ends(process, code, *says, before):
    """Each of the patterns is one line that the run has said, `before` or since, in that order; repetitions aside."""
    _, err = process.communicate(timeout=60)
    expect(process.returncode == code, f"exit code {process.returncode}: {err}")
    everything = (before + err).decode().splitlines()
    lines = [line for number, line in enumerate(everything) if number == 0 or kind(line) != kind(everything[number - 1])]
    expect(len(lines) == len(says), f"says {lines}")
    for line, pattern in zip(lines, says):
        expect(re.fullmatch("curlew: " + pattern, line), f"expected {pattern}\n     got  {line}")


def kind(line):
    return re.sub(r"\d+", "N", line)


def test_full_at_a_checkpoint(program):
    """A warning; the run goes on, the ones before stay, and once there is room again there are new ones."""
    with Disk(program) as place:
        process = running(place)
        before = newest(place, "disk/case")
        place.fill(LITTLE)
        log = place.path("disk/case/log.txt")
        process.send_signal(signal.SIGUSR1)
        said = next_line(process)
        expect(newest(place, "disk/case") == before and process.poll() is None, "the checkpoint before has gone")
        place.make_room()
        process.send_signal(signal.SIGUSR1)
        wait_for(place, lambda: newest(place, "disk/case") > before, "no checkpoint with room again", process)
        process.send_signal(signal.SIGTERM)
        warning = (r"warning: no checkpoint at step \d+, the run goes on: cannot write "
                   rf"'disk/case/checkpoint/step_\d+_0000\.h5': {NO_SPACE}.*")
        ends(process, 130, warning, r"interrupted at step \d+ of 100000000; --restart goes on from there", before=said)
        expect(os.path.getsize(log) > 0, "no log")
        expect(place.summary("disk/case")["checkpoints"]["written"] >= 3, f"{place.summary('disk/case')}")
        expect(all(name.endswith(".h5") for name in checkpoints(place, "disk/case")), "unfinished files")


def full_when_told_to_end(program, make_bad, make_good, reason):
    """The run cannot write its last checkpoint: it says so, and the one before is good."""
    with Disk(program) as place:
        process = running(place)
        before = newest(place, "disk/case")
        make_bad(place)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        says = rf"stopped at step \d+ of 100000000 without a checkpoint: .*: {reason}.*"
        check_message(err.decode().splitlines(keepends=True)[-1], re.compile(says))
        expect(process.returncode == 3 and newest(place, "disk/case") == before, f"exit code {process.returncode}: {err}")
        make_good(place)
        steps = before + 5000
        options = ("-q", *SELDOM, "--set", "output.fields={every=1000000}", "--set", f"time.steps={steps}", *OUT)
        place.good(*RUN, *options, "--restart")
        expect(place.summary("disk/case")["steps"] == steps, f"{place.summary('disk/case')}")
        table = place.rows("disk/case/energy.csv")[1]
        expect([row[0] for row in table] == list(range(0, steps + 1, 1000)), "rows of energy")


def test_full_when_told_to_end(program):
    full_when_told_to_end(program, lambda place: place.fill(LITTLE), Disk.make_room, NO_SPACE)


def test_no_more_files(program):
    """Files, not bytes, run out."""
    with Disk(program, "size=8m,nr_inodes=14", SMALL) as place:
        warnings = failed(place, re.compile(rf"cannot write 'disk/case/.*': {NO_SPACE}.*"), *EVERY, "--set",
                          "output.fields.every=4")
        expect(all(NO_SPACE in line for line in warnings), f"says {warnings}")


def test_restart_on_a_full_disk(program):
    """Refused; nothing is lost, and with room again it goes on."""
    with Disk(program, script=SCENE) as place:
        whole(place)
        place.good(*RUN, "-q", *EVERY, *OUT, "--set", "time.steps=100")
        place.fill()
        before = results(place, "disk/case")
        says = re.compile(rf"cannot write 'disk/case/summary\.json': {NO_SPACE}")
        code, _, err, _ = place.run(*RUN, "-q", *EVERY, *OUT, "--restart")
        check_message(err, says)
        expect(code == 3 and results(place, "disk/case") == before, f"exit code {code}, or something was changed")
        place.make_room()
        goes_on(place, "restart on a full disk")


# ---- read-only

def test_read_only_script(program):
    """Nothing is written to the folder of the script."""
    with Disk(program) as place:
        shutil.move(place.path("input"), place.path("disk/input"))
        place.make_read_only("disk")
        place.good("run", "disk/input/case.lua", "-q")
        place.good("check", "disk/input/case.lua")
        expect(place.summary()["status"] == "done", "summary")


def test_read_only_at_the_start(program):
    with Disk(program) as place:
        os.mkdir(place.path("disk/case"))
        place.make_read_only("disk")
        for out, says in (("disk/case", "write to"), ("disk/other", "make")):
            code, _, err, _ = place.run(*RUN, "-o", out)
            check_message(err, f"cannot {says} the output folder '{out}': {READ_ONLY}")
            expect(code == 3 and not os.listdir(place.path("disk/case")), f"exit code {code}")


def test_read_only_restart(program):
    """Refused, nothing is changed; once it can be written it goes on."""
    with Disk(program, script=SCENE) as place:
        whole(place)
        place.good(*RUN, "-q", *EVERY, *OUT, "--set", "time.steps=100")
        before = results(place, "disk/case")
        place.make_read_only("disk/case")
        code, _, err, _ = place.run(*RUN, "-q", *EVERY, *OUT, "--restart")
        check_message(err, f"cannot write to the output folder 'disk/case': {READ_ONLY}")
        expect(code == 3 and results(place, "disk/case") == before, f"exit code {code}")
        place.make_writable("disk/case")
        goes_on(place, "restart from a read-only disk")


def test_read_only_at_a_snapshot(program):
    with Disk(program) as place:
        process = started(place, *OUT, "-q", "--set", "output.fields.every=20000", folder="disk/case")
        place.make_read_only("disk/case")
        _, err = process.communicate(timeout=120)
        check_message(err.decode(), re.compile(rf"cannot write 'disk/case/fields_\d+\.silo': {READ_ONLY}"))
        expect(process.returncode == 3, f"exit code {process.returncode}")
        check_left(place)


def test_read_only_at_a_checkpoint(program):
    with Disk(program) as place:
        process = running(place)
        before = content(place, "disk/case/checkpoint", checkpoints(place, "disk/case")[0])
        place.make_read_only("disk/case/checkpoint")
        process.send_signal(signal.SIGUSR1)
        said = next_line(process)
        expect(process.poll() is None, "the run has ended")
        place.make_writable("disk/case/checkpoint")
        expect(content(place, "disk/case/checkpoint", checkpoints(place, "disk/case")[0]) == before, "was changed")
        process.send_signal(signal.SIGTERM)
        ends(process, 130, rf"warning: no checkpoint at step \d+, the run goes on: .*: {READ_ONLY}.*",
             r"interrupted at step \d+ of 100000000; --restart goes on from there", before=said)


def test_read_only_when_told_to_end(program):
    full_when_told_to_end(program, lambda place: place.make_read_only("disk/case/checkpoint"),
                          lambda place: place.make_writable("disk/case/checkpoint"), READ_ONLY)


def test_read_only_at_the_end(program):
    """The tables can be written, being open; the summary cannot."""
    with Disk(program, "size=64m") as place:
        process = place.start(*RUN, *OUT, "-q", "--set", "time.steps=100000", "--set", "output.fields=nil")
        wait_for(place, lambda: os.path.exists(place.path("disk/case/energy.csv")), "the run does not start", process)
        place.make_read_only("disk/case")
        _, err = process.communicate(timeout=120)
        check_message(err.decode(), f"cannot write 'disk/case/summary.json': {READ_ONLY}")
        expect(process.returncode == 3, f"exit code {process.returncode}")
        check_left(place)


def in_namespace():
    """Runs this program again where it may mount; ends with 77 where nobody lets it."""
    for flags in ("-m", "-rm"):
        test = ["unshare", flags, "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
        if shutil.which("unshare") and subprocess.run(test, check=False, capture_output=True).returncode == 0:
            os.execvpe("unshare", ["unshare", flags, sys.executable, *sys.argv], {**os.environ, "CURLEW_TEST_MOUNTS": "1"})
    print("skipped: no right to mount a small disk, neither as root nor in a user namespace")
    return 77


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]) if os.environ.get("CURLEW_TEST_MOUNTS") == "1" else in_namespace())
