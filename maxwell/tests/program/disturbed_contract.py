#!/usr/bin/python3
"""What others do while a run is at work: its files are removed or moved: disturbed_contract.py PROGRAM [NAME...] runs the
tests whose names contain a NAME, or all. CURLEW_TEST_LOST_FOLDER is the library that removes the folder at a chosen moment
(lost_folder.c); without it that test is left out, as the summary says."""
import os
import re
import shutil
import signal
import sys
import time

from checkpoint_contract import checkpoints, newest, started, wait_for
from harness import Place, check_message, expect
from run_contract import ENDLESS, RUN, main


def fails(process, says, code=3):
    _, err = process.communicate(timeout=60)
    check_message(err.decode(), says)
    expect(process.returncode == code, f"exit code {process.returncode}: {err}")


# ---- the output goes away: the next write says so, and no run is done whose output is not there

# A snapshot says what it was about to do if its file could be begun or had been written.
NO_SNAPSHOT = (r"cannot write 'case/fields_\d+\.silo': No such file or directory"
               r"(?: \((?:creating the file|renaming the complete file)\))?")


def test_folder_removed_before_a_snapshot(program):
    with Place(program) as place:
        process = started(place, "-q", "--set", "output.fields.every=3000")
        place.vanish("case")
        # whichever comes first, the snapshot or the look at the tables that is taken once a second
        fails(process, re.compile(NO_SNAPSHOT + "|'case/energy\\.csv' was removed while the run was writing it"))
        expect(not os.path.exists(place.path("case")), "the folder was made again")


def test_folder_removed_with_tables_alone(program):
    """The system goes on to take what is written to files that nobody can see."""
    with Place(program) as place:
        process = started(place, "-q")
        place.vanish("case")
        start = time.monotonic()
        fails(process, "'case/energy.csv' was removed while the run was writing it")
        expect(time.monotonic() - start < 10, "it took long to see that")


def test_table_removed(program):
    for name in ("energy.csv", "probes/inside.csv"):
        with Place(program) as place:
            process = started(place, "-q")
            os.remove(place.path("case", name))
            fails(process, f"'case/{name}' was removed while the run was writing it")
            expect(place.summary()["status"] == "failed" and name in place.summary()["error"], f"{place.summary()}")


def test_table_removed_shortly_before_the_end(program):
    """Closing is the last chance to see it."""
    with Place(program) as place:
        process = place.start(*RUN, "-q", "--set", "time.steps=20000", "--set", "output.fields=nil", "--set",
                              "output.probes=nil")
        wait_for(place, lambda: os.path.exists(place.path("case/energy.csv")), "the run does not start", process)
        os.remove(place.path("case/energy.csv"))
        fails(process, "'case/energy.csv' was removed while the run was writing it")
        expect(place.summary()["status"] == "failed", f"{place.summary()}")


def test_folder_removed_without_tables(program):
    """Only the summary is left to be written."""
    with Place(program) as place:
        process = place.start(*RUN, "-q", "--set", "output=nil", "--set", "time.steps=100000")
        wait_for(place, lambda: os.path.exists(place.path("case/mesh/whole.mesh")), "the run does not start", process)
        place.vanish("case")
        fails(process, "cannot write 'case/summary.json': No such file or directory")


def test_folder_moved(program):
    """The tables go with it; a run that cannot write its summary is not done."""
    with Place(program) as place:
        process = place.start(*RUN, "-q", "--set", "output.fields=nil", "--set", "time.steps=100000")
        wait_for(place, lambda: os.path.exists(place.path("case/energy.csv")), "the run does not start", process)
        shutil.move(place.path("case"), place.path("elsewhere"))
        fails(process, "cannot write 'case/summary.json': No such file or directory")
        summary = place.summary("elsewhere")  # the file that the run had open
        expect(summary["status"] == "failed" and "summary.json" in summary["error"], f"{summary}")


def test_folder_replaced(program):
    """By a new one of that name: what is in it is not a run's output."""
    with Place(program) as place:
        process = started(place, "-q")
        place.vanish("case")
        os.mkdir(place.path("case"))
        fails(process, "'case/energy.csv' was removed while the run was writing it")
        expect(place.summary()["status"] == "failed", f"{place.summary()}")


def test_checkpoints_removed(program):
    """The folder of checkpoints is made again."""
    with Place(program) as place:
        process = started(place, "-q")
        for _ in range(2):
            process.send_signal(signal.SIGUSR1)
            wait_for(place, lambda: os.path.isdir(place.path("case/checkpoint")) and
                     any(re.fullmatch(r"step_\d+\.h5", name) for name in checkpoints(place)), "no checkpoint", process)
            place.vanish("case/checkpoint")
        process.send_signal(signal.SIGTERM)
        fails(process, re.compile(r"interrupted at step \d+ of 100000000; --restart goes on from there"), 130)
        expect(newest(place) == place.summary()["steps"], f"{checkpoints(place)}")
        place.good(*RUN, "-q", "--restart", "--set", "output.fields={every=1000000}", "--set",
                   f"time.steps={newest(place) + 10}")


def test_folder_of_probes_removed(program):
    with Place(program) as place:
        process = started(place, "-q")
        place.vanish("case/probes")
        fails(process, "'case/probes/inside.csv' was removed while the run was writing it")


def test_script_and_mesh_removed(program):
    """They have been read."""
    with Place(program) as place:
        process = place.start(*RUN, "-q", "--set", "time.steps=20000", "--set", "output.fields=nil")
        wait_for(place, lambda: os.path.exists(place.path("case/energy.csv")), "the run does not start", process)
        place.vanish("input")
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 0 and place.summary()["status"] == "done", f"{process.returncode}: {err}")


LOST = os.environ.get("CURLEW_TEST_LOST_FOLDER", "")


def test_folder_lost_at_any_moment(program):
    """Before every use of a path in it that a run of two snapshots makes."""
    missing = ": No such file or directory"
    says = re.compile(rf"curlew: (?:{NO_SNAPSHOT}|cannot write 'case/(?:summary\.json|configuration\.json|log\.txt|energy\.csv|"
                      rf"probes/inside\.csv|\.curlew/(?:lock|files_0000))'{missing}|"
                      rf"cannot (?:read|make) the output folder 'case(?:/probes|/mesh|/\.curlew)?'{missing})\n")
    said, at, lost = set(), 2, False
    while lost or not said:  # before the first uses there is no folder
        with Place(program) as place:
            environment = {"LD_PRELOAD": LOST, "LOST_FOLDER": "case", "LOST_AT": str(at)}
            code, _, err, _ = place.run(*RUN, "-q", "--set", "output.fields.every=4", "--set", "mesh.keep=false",
                                        environment=environment)  # a mesh that is not kept is a warning besides
            lost = os.path.exists(place.path("case.gone"))
            if lost:
                expect(code == 3 and says.fullmatch(err), f"moment {at}: exit code {code}: {err}")
                expect(not os.path.exists(place.path("case")), f"moment {at}: the folder was made again")
                said.add(re.sub(r"\d+", "N", err))
            else:
                expect(code == 0 and place.summary()["status"] == "done", f"moment {at}: exit code {code}: {err}")
        at += 1
    expect(at > 100 and len(said) == 13, f"{at} moments, {len(said)}: {said}")


for _name in [name for name in globals() if name.startswith("test_folder_lost") and not LOST]:
    print(f"left out: {_name}: there is no library that removes the folder")
    del globals()[_name]

if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
