#!/usr/bin/python3
"""Snapshots as VTKHDF files: vtkhdf_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
What is in the files is tested by test_vtkhdf; here: which files there are, their list, restarts, and what goes wrong.
CURLEW_TEST_SLOW_DISK is the library that fills the disk (slow_disk.c); without it that test is left out."""
import filecmp
import json
import os
import re
import sys

import meshes
from checkpoint_contract import SMALL
from harness import Place, expect, on_ranks
from run_contract import RUN, main

SERIES = "fields.hdf.series"
EVERYTHING = ("--set", 'output.fields={every=2, quantities={"E", "H", "material"}, format="vtkhdf"}',
              "--set", "time.steps=12")
DISK = os.environ.get("CURLEW_TEST_SLOW_DISK", "")


def snapshots(place, folder, ending=".hdf"):
    return sorted(name for name in os.listdir(place.path(folder)) if name.endswith(ending))


def names(steps, ending=".hdf"):
    return [f"fields_{step:06}{ending}" for step in steps]


def listed(place, folder):
    with open(place.path(folder, SERIES), encoding="ascii") as file:
        series = json.load(file)
    expect(series["file-series-version"] == "1.0", f"{series}")
    return series["files"]


def check_list(place, folder, steps):
    expect(snapshots(place, folder) == names(steps), f"{snapshots(place, folder)}")
    files = listed(place, folder)
    expect([entry["name"] for entry in files] == names(steps), f"lists {files}")
    with open(place.path(folder, "energy.csv"), encoding="ascii") as file:
        time_of = {int(row.split(",")[0]): float(row.split(",")[1]) for row in file.read().splitlines()[1:]}
    for entry, number in zip(files, steps):
        expect(number not in time_of or entry["time"] == time_of[number], f"{entry} at {time_of.get(number)} s")


def check_equal(place, one, other):
    """The same bytes: nothing in the files is of the moment."""
    for folder in ("", "blocks"):
        found = [sorted(name for name in os.listdir(place.path(run, folder)) if name.endswith((".hdf", ".h5")))
                 for run in (one, other)]
        expect(found[0] == found[1], f"{found}")
        for name in found[0]:
            expect(filecmp.cmp(place.path(one, folder, name), place.path(other, folder, name), shallow=False), name)


def test_formats(program):
    """Each alone and both; the one knows nothing of the other."""
    for ranks in (1, 3):
        several = on_ranks(ranks) if ranks > 1 else {}
        with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
            place.good(*RUN, "-q", *EVERYTHING, "-o", "one", **several)
            check_list(place, "one", range(0, 13, 2))
            expect(not snapshots(place, "one", ".silo"), "Silo files")
            place.good(*RUN, "-q", *EVERYTHING, "--set", 'output.fields.format={"silo", "vtkhdf"}', "-o", "both", **several)
            check_list(place, "both", range(0, 13, 2))
            expect(snapshots(place, "both", ".silo") == names(range(0, 13, 2), ".silo"), "Silo files")
            check_equal(place, "one", "both")
            place.good(*RUN, "-q", *EVERYTHING, "--set", "output.fields.format=silo", "-o", "both", **several)
            expect(not snapshots(place, "both") and not os.path.exists(place.path("both", SERIES)), "files of before")


def test_threads(program):
    """The same files, whoever writes them, also with averages and with the mesh in each."""
    for ranks in (1, 3):
        several = on_ranks(ranks) if ranks > 1 else {}
        for options in ((), ("--set", "output.fields.average=true"), ("--set", "output.fields.mesh=each"),
                        ("--set", "precision=single")):
            with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, SMALL) as place:
                for ahead in (0, 3):
                    place.good(*RUN, "-q", *EVERYTHING, *options, "--set", f"output.fields.ahead={ahead}", "-o",
                               f"ahead_{ahead}", **several)
                if os.path.isdir(place.path("ahead_0/blocks")):
                    check_equal(place, "ahead_0", "ahead_3")
                check_list(place, "ahead_3", range(0, 13, 2))


def test_restart(program):
    """The list goes on; snapshots are those of a run in one go."""
    often = ("-q", "--set", "checkpoint.every=20", "--set", "output.fields.every=10", "--set",
             "output.fields.format=vtkhdf")
    with Place(program, script=SMALL) as place:
        place.good(*RUN, *often, "-o", "whole")
        place.good(*RUN, *often, "--set", "time.steps=40", "-o", "split")
        check_list(place, "split", range(0, 41, 10))
        place.good(*RUN, *often, "-o", "split", "--restart")
        check_equal(place, "whole", "split")
        expect(listed(place, "whole") == listed(place, "split"), f"{listed(place, 'split')}")
        place.good(*RUN, *often, "-o", "parts", "--set", "time.steps=40")
        place.good(*RUN, *often, "-o", "parts", "--restart", **on_ranks(2))
        expect(listed(place, "whole") == listed(place, "parts"), f"{listed(place, 'parts')}")


def test_check_says_the_size(program):
    with Place(program, script=SMALL) as place:
        out = place.good("check", RUN[1], *EVERYTHING)
        expect(re.search(r"output +7 snapshots of about [0-9.]+ MB, and their mesh of [0-9.]+ MB", out), out)


def test_somebody_elses_file(program):
    """A list that the run did not make is not replaced."""
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERYTHING, "--set", "output.fields.format=silo", "-o", "case")
        with open(place.path("case", SERIES), "w", encoding="ascii") as file:
            file.write("mine")
        code, _, err, _ = place.run(*RUN, "-q", *EVERYTHING, "-o", "case")
        expect(code != 0 and SERIES in err and err.count("\n") == 1, f"{code}: {err}")


def test_full_disk(program):
    """The message is that of the snapshot; those before it are there and listed, and nothing unfinished is."""
    for ranks in (1, 3):
        for ahead in (0, 4):
            with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}) as place:
                options = on_ranks(ranks) if ranks > 1 else {"environment": {}}
                options["environment"] = {**options["environment"], "LD_PRELOAD": DISK, "SLOW_DISK_SECONDS": "0.05",
                                          "SLOW_DISK_FULL": "6"}
                code, out, err, _ = place.run(*RUN, "-q", *EVERYTHING, "--set", f"output.fields.ahead={ahead}", **options)
                said = [line for line in (out + err).splitlines() if line.startswith("curlew: ")]
                name = r"fields_000006\.hdf" if ranks == 1 else r"blocks/fields_000006_000\d\.h5"
                expect(len(said) == 1 and re.fullmatch(rf"curlew: cannot write 'case/{name}': No space left on device "
                                                       r"\(renaming the complete file\)", said[0]), f"says {said}")
                expect(code == 3, f"exit code {code}")
                check_list(place, "case", (0, 2, 4))
                left = [name for _, _, files in os.walk(place.path("case")) for name in files if name.endswith(".part")]
                expect(not left, f"{left} are left behind")


if not DISK:
    print("left out: test_full_disk: there is no library that makes the disk slow")
    del globals()["test_full_disk"]

if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
