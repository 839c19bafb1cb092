#!/usr/bin/python3
"""Snapshots that leave while the run goes on: snapshot_contract.py PROGRAM [NAME...] runs the tests whose names contain
a NAME, or all. CURLEW_TEST_SLOW_DISK is the library that makes the disk slow (slow_disk.c); without it those tests are
left out, as the summary says."""
import contextlib
import os
import re
import signal
import sys
import time

import numpy as np

import meshes
from checkpoint_contract import SMALL, check_same, checkpoints, finished, wait_for
from harness import SCRIPT, Place, check_message, edited, expect, in_time, on_ranks
from run_contract import ENDLESS, EULER, RUN, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/plot"))
from silo_reader import Snapshot  # noqa: E402

EVERYTHING = ("--set", 'output.fields={every=2, quantities={"E", "H", "material"}}', "--set", "time.steps=12")
STEPS = range(0, 13, 2)


def ahead(snapshots):
    return ("--set", f"output.fields.ahead={snapshots}")


def snapshots(place, folder="case"):
    return sorted(name for name in os.listdir(place.path(folder)) if name.endswith(".silo"))


def names(steps):
    return [f"fields_{step:06}.silo" for step in steps]


@contextlib.contextmanager
def opened(*path):
    snapshot = Snapshot(os.path.join(*path))
    try:
        yield snapshot
    finally:
        snapshot.close()


def check_equal(place, one, other, some=("Ex", "Hz")):
    """The same snapshots with the same numbers."""
    expect(snapshots(place, one) == snapshots(place, other), f"{snapshots(place, other)}")
    for name in snapshots(place, one):
        with opened(place.path(one), name) as a, opened(place.path(other), name) as b:
            check_content(name, a, b, some)


def check_content(name, a, b, some):
    expect(a.time == b.time and a.cycle == b.cycle, f"{name}: time and step")
    expect(np.array_equal(a.points, b.points) and np.array_equal(a.zones, b.zones), f"{name}: mesh")
    expect(set(a.variables) == set(b.variables) and set(some) <= set(a.variables), f"{a.variables}")
    for variable in a.variables:
        expect(np.array_equal(a.field(variable).values, b.field(variable).values), f"{name}: {variable}")


# ---- the same files whoever writes them

def test_same_files(program):
    for options in ((), ("--set", "output.fields.average=true"), ("--set", "backend=reference"),
                    ("--set", "precision=single")):
        with Place(program, script=SMALL) as place:
            place.good(*RUN, "-q", *EVERYTHING, *options, *ahead(0), "-o", "in_line")
            expect(snapshots(place, "in_line") == names(STEPS), f"{snapshots(place, 'in_line')}")
            for number in (1, 2, 5):
                place.good(*RUN, "-q", *EVERYTHING, *options, *ahead(number), "-o", "ahead")
                check_equal(place, "in_line", "ahead")
            expect(place.summary("in_line")["seconds"]["snapshots_behind"] == 0, "in line, a thread worked")
            seconds = place.summary("ahead")["seconds"]
            expect(seconds["snapshots_behind"] > 0 and 0 < seconds["snapshots"] <= seconds["output"], f"{seconds}")


def test_same_files_on_ranks(program):
    """Also where ranks share files or averages, which all is done in line."""
    for options in ((), ("--set", "output.fields.average=true"), ("--set", "output.fields.files=2")):
        with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
            place.good(*RUN, "-q", *EVERYTHING, *options, *ahead(0), "-o", "in_line", **on_ranks(3))
            for number in (1, 3):
                place.good(*RUN, "-q", *EVERYTHING, *options, *ahead(number), "-o", "ahead", **on_ranks(3))
                check_equal(place, "in_line", "ahead")
            behind = place.summary("ahead")["seconds"]["snapshots_behind"]
            expect((behind > 0) == (not options), f"{options}: threads worked {behind} s")


def test_quantities(program):
    for quantity in ("E", "H", "material"):
        with Place(program) as place:
            place.good(*RUN, "-q", "--set", f'output.fields.quantities={{"{quantity}"}}')
            with opened(place.path("case"), "fields_000004.silo") as snapshot:
                found = snapshot.variables
            expect(found == {"E": ["Ex", "Ey", "Ez"], "H": ["Hx", "Hy", "Hz"],
                             "material": ["epsilon_r", "mu_r", "sigma"]}[quantity], f"{found}")


def meshes_of(place, folder="case"):
    blocks = place.path(folder, "blocks")
    return sorted(name for name in os.listdir(blocks) if name.startswith("mesh_")) if os.path.isdir(blocks) else []


def test_mesh_once_or_each(program):
    """The same content, in one process and in several, wherever the mesh is."""
    for ranks in (1, 3):
        several = on_ranks(ranks) if ranks > 1 else {}
        with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
            place.good(*RUN, "-q", *EVERYTHING, "-o", "once", **several)
            place.good(*RUN, "-q", *EVERYTHING, "--set", "output.fields.mesh=each", "-o", "each", **several)
            check_equal(place, "once", "each")
            expect(len(meshes_of(place, "once")) == ranks and not meshes_of(place, "each"), "files of meshes")
            expect(os.path.isdir(place.path("each/blocks")) == (ranks > 1), "blocks of one process")
            os.rename(place.path("once"), place.path("moved"))
            check_equal(place, "moved", "each")


def test_mesh_of_a_restart(program):
    """With other parts it has another mesh, and the snapshots of before keep theirs; what has gone comes again."""
    often = ("-q", "--set", "checkpoint.every=20", "--set", "output.fields.every=10")
    with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
        place.good(*RUN, *often, "-o", "whole")
        place.good(*RUN, *often, "--set", "time.steps=40", "-o", "split")
        place.good(*RUN, *often, "-o", "split", "--restart")
        expect(meshes_of(place, "split") == meshes_of(place, "whole"), f"{meshes_of(place, 'split')}")
        check_equal(place, "whole", "split")
        place.good(*RUN, *often, "--set", "time.steps=40", "-o", "parts")
        place.good(*RUN, *often, "-o", "parts", "--restart", **on_ranks(2))
        expect(len(meshes_of(place, "parts")) == 3, f"{meshes_of(place, 'parts')}")
        for name in snapshots(place, "whole"):
            with opened(place.path("whole"), name) as a, opened(place.path("parts"), name) as b:
                expect(len(a.zones) == len(b.zones) and a.cycle == b.cycle, name)
                if a.cycle < 40:
                    check_content(name, a, b, ("Ex", "Hz"))
        place.good(*RUN, *often, "--set", "time.steps=40", "-o", "lost")
        os.remove(place.path("lost/blocks", meshes_of(place, "lost")[0]))
        place.good(*RUN, *often, "-o", "lost", "--restart")
        check_equal(place, "whole", "lost")


def test_mesh_taken_away(program):
    """While the run goes on: the next snapshot writes it again, and the ones before can be read again."""
    with Place(program, script=SMALL) as place:
        process = place.start(*RUN, "-q", *ENDLESS, "--set", "output.fields.every=1000")
        wait_for(place, lambda: os.path.isdir(place.path("case")) and snapshots(place), "no start", process)
        before = meshes_of(place)
        os.remove(place.path("case/blocks", before[0]))
        wait_for(place, lambda: meshes_of(place) == before, "no mesh", process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        found = snapshots(place)
        with opened(place.path("case"), found[0]) as first, opened(place.path("case"), found[-1]) as last:
            expect(len(found) > 1 and np.array_equal(first.points, last.points), f"{found}")


def test_precision(program):
    """Rounded to the nearest, in half the bytes; what a run in single precision writes is what it has."""
    with Place(program, script=SMALL) as place:
        for name, options in (("double", ()), ("rounded", ("--set", "output.fields.precision=single")),
                              ("single", ("--set", "precision=single")),
                              ("wide", ("--set", "precision=single", "--set", "output.fields.precision=double"))):
            place.good(*RUN, "-q", *EVERYTHING, *options, "-o", name)
        size = {name: os.path.getsize(place.path(name, "blocks/fields_000012_0000.silo"))
                for name in ("double", "rounded", "single", "wide")}
        expect(size["double"] == size["wide"] > size["rounded"] == size["single"], f"{size}")
        for step in names(STEPS):
            for one, other in (("double", "rounded"), ("wide", "single")):
                with opened(place.path(one), step) as a, opened(place.path(other), step) as b:
                    expect(np.array_equal(a.points, b.points), f"{step}: points")
                    for variable in a.variables:
                        expect(np.array_equal(a.field(variable).values.astype(np.float32), b.field(variable).values),
                               f"{step}: {variable} of {one} and {other}")


def test_wrong_values(program):
    with Place(program) as place:
        for value in ("-1", "1.5", "'many'", "true", "1001"):
            code, _, err, _ = place.run(*RUN, "--set", f"output.fields.ahead={value}")
            check_message(err, re.compile(r".*output\.fields\.ahead must be an integer from 0 to 1000, not .*"))
            expect(code == 2, f"exit code {code}")


def test_before_a_blow_up(program):
    """All that were taken before are there, and readable."""
    with Place(program) as place:
        code, _, err, _ = place.run(*RUN, "-q", *EULER, "--set", "time.steps=100000", "--set", "output.fields.every=10")
        expect(code == 4, f"exit code {code}: {err}")
        found = snapshots(place)
        expect(len(found) > 3 and found == names(range(0, 10 * len(found), 10)), f"{found}")
        expect(10 * len(found) > place.summary()["steps"] - 10, f"{found[-1]} is the last")
        for name in found:
            with opened(place.path("case"), name) as snapshot:
                expect(len(snapshot.field("Ex").values) > 0, name)


# ---- a slow disk

DISK = os.environ.get("CURLEW_TEST_SLOW_DISK", "")


def slow(seconds, **more):
    return {"environment": {"LD_PRELOAD": DISK, "SLOW_DISK_SECONDS": str(seconds), **more}}


def slow_on_ranks(ranks, seconds, **more):
    options = on_ranks(ranks)
    options["environment"] = {**options["environment"], **slow(seconds, **more)["environment"]}
    return options


def test_slow_disk(program):
    """The loop goes on without waiting as long as there are few, and says so when it has waited."""
    with Place(program) as place:
        for number in (10, 1, 0):
            out = place.good(*RUN, *EVERYTHING, *ahead(number), "-o", f"ahead_{number}", **slow(0.2))
            seconds = place.summary(f"ahead_{number}")["seconds"]
            expect(snapshots(place, f"ahead_{number}") == names(STEPS), f"{snapshots(place, f'ahead_{number}')}")
            expect(1.3 < seconds["snapshots"] <= seconds["output"] < 10, f"{seconds}")  # at the end, if not before
            expect(("snapshots the loop waited " in out) == (number == 1), f"says {out}")
        check_equal(place, "ahead_0", "ahead_10")


def test_ahead_of_the_disk(program):
    """Steps are taken while a snapshot is written; the loop stops when it is too far ahead."""
    with Place(program) as place:
        process = place.start(*RUN, "-q", "--set", "time.steps=1000", "--set", "output.fields.every=100", *ahead(2),
                              **slow(1.5))
        energy = place.path("case/energy.csv")
        wait_for(place, lambda: os.path.exists(energy) and os.path.getsize(energy) > 10000, "no steps", process)
        expect(snapshots(place) == [], f"{snapshots(place)} are there before the disk has written them")
        wait_for(place, lambda: snapshots(place) == names((0,)), "no snapshot", process)
        with open(energy, encoding="ascii") as file:
            steps = file.read().count("\n") - 1
        expect(steps <= 301, f"{steps} steps with the third snapshot waiting for the first")
        process.kill()
        process.communicate()


def test_end_of_the_run(program):
    """Interrupted or not, the run ends when its snapshots are on disk."""
    with Place(program, script=SMALL) as place:
        for number, stop in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "interrupted")):
            process = place.start(*RUN, "-q", *ENDLESS, "--set", "output.fields.every=1000", *ahead(20), "-o",
                                  f"stopped_{number}", **slow(0.3))
            folder = f"stopped_{number}"
            wait_for(place, lambda: os.path.isdir(place.path(folder)) and snapshots(place, folder), "no start", process)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            expect(process.returncode == 130, f"exit code {process.returncode}: {err}")
            summary = place.summary(folder)
            last = summary["steps"] - 1 if summary["steps"] % 1000 == 0 else summary["steps"]
            expect(summary["status"] == stop and snapshots(place, folder) == names(range(0, last + 1, 1000)),
                   f"{summary['steps']} steps: {snapshots(place, folder)}")


def test_walltime(program):
    """What the disk still has to write belongs to the time that is left."""
    def run():
        with Place(program) as place:
            code, _, err, seconds = place.run(*RUN, "-q", *ENDLESS, "--set", "output.fields.every=1000", "--set",
                                              "time.walltime=10", *ahead(12), **slow(0.3))
            expect(code == 130 and place.summary()["stop_reason"] == "walltime", f"exit code {code}: {err}")
            expect(seconds > 6, f"took {seconds:.1f} s")
            return seconds
    in_time(10, run)


def test_checkpoint_waits(program):
    """A checkpoint is there when the snapshots before it are; a run killed behind it goes on to the same end."""
    for ranks in (1, 3):
        several = on_ranks(ranks) if ranks > 1 else {}
        slowly = slow_on_ranks(ranks, 0.3) if ranks > 1 else slow(0.3)
        options = ("-q", "--set", "time.steps=60", "--set", "output.fields.every=5", *ahead(3))
        often = ("--set", "checkpoint.every=20")
        with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
            place.good(*RUN, *options, *often, "-o", "whole", **several)
            process = place.start(*RUN, *options, *often, "-o", "split", **slowly)
            wait_for(place, lambda: os.path.isdir(place.path("split/checkpoint")) and
                     [name for name in finished(place, "split") if name.count("_") == 1], "no checkpoint", process)
            found = snapshots(place, "split")
            expect(set(names((0, 5, 10, 15))) <= set(found), f"on {ranks}: {found} at the checkpoint of step 20")
            time.sleep(0.5)
            process.kill()  # in the middle of a snapshot
            process.communicate()
            wait_for_no_writer(place)
            place.good(*RUN, *options, *often, "-o", "split", "--restart", **several)
            check_same(place, "whole", "split", f"killed on {ranks}")
            check_equal(place, "whole", "split")
            expect(checkpoints(place, "whole") == checkpoints(place, "split"), "checkpoints")


def wait_for_no_writer(place):
    """The launcher was killed; its ranks end on their own."""
    deadline = time.monotonic() + 30
    while any(place.root in command(number) for number in os.listdir("/proc") if number.isdigit()):
        expect(time.monotonic() < deadline, "ranks are left")
        time.sleep(0.1)


def command(number):
    try:
        return os.readlink(f"/proc/{number}/cwd")
    except OSError:
        return ""


def test_full_disk(program):
    """The message is that of the snapshot; those before it are there, and none behind it, nor an unfinished one."""
    for ranks in (1, 3):
        for number in (0, 1, 4):
            with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}) as place:
                options = slow_on_ranks(ranks, 0.05, SLOW_DISK_FULL="6") if ranks > 1 else slow(0.05, SLOW_DISK_FULL="6")
                code, out, err, _ = place.run(*RUN, "-q", *EVERYTHING, *ahead(number), **options)
                said = [line for line in (out + err).splitlines() if line.startswith("curlew: ")]
                name = r"fields_000006\.silo" if ranks == 1 else r"blocks/fields_000006_000\d\.silo"
                expect(len(said) == 1 and re.fullmatch(rf"curlew: cannot write 'case/{name}': No space left on device "
                                                       r"\(renaming the complete file\)", said[0]), f"says {said}")
                expect(code == 3, f"exit code {code}")
                expect(snapshots(place) == names((0, 2, 4)), f"{snapshots(place)}")
                left = [name for _, _, files in os.walk(place.path("case")) for name in files if name.endswith(".part")]
                expect(not left, f"{left} are left behind")
                expect(place.summary()["status"] == "failed", "status")


if not DISK:
    for _test in (test_slow_disk, test_ahead_of_the_disk, test_end_of_the_run, test_walltime, test_checkpoint_waits,
                  test_full_disk):
        print(f"left out: {_test.__name__}: there is no library that makes the disk slow")
        del globals()[_test.__name__]

if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
