#!/usr/bin/python3
"""Whose the output folder is, and which of its files: two runs in one folder, files of others, links and FIFOs, tables
that somebody changes: folder_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all."""
import os
import re
import shutil
import signal
import socket
import sys
import time

from checkpoint_contract import SMALL, content, small_with_checkpoints, started
from harness import SCRIPT, Place, check_message, edited, expect, fingerprint, on_ranks
from run_contract import ENDLESS, RUN, files, main

WHO = rf"\({re.escape(socket.gethostname())}, process (\d+), since 2\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d\)"
IN_USE = (rf"the output folder 'case' is in use by another run {WHO}; wait for its end or name another one \(name = or "
          r"--output\)")


def says(place, expected, *options, code=2, changes=()):
    """A run that is refused with this line and changes nothing in the folder but `changes`."""
    before = fingerprint(place.path("case"))
    result, out, err, _ = place.run(*RUN, *options)
    check_message(err, expected)
    expect(result == code, f"exit code {result}, not {code}: {err}")
    after = fingerprint(place.path("case"))
    differ = {name for name in set(before) | set(after) if before.get(name) != after.get(name)}
    expect(differ <= set(changes), f"changed: {sorted(differ - set(changes))}")
    return out


# ---- two runs

def test_a_second_run_is_refused(program):
    """At once, before it makes its mesh, with the holder's name; the first one goes on as if nothing had been."""
    with Place(program, script=SMALL) as place:
        process = started(place, "-q")
        for options in ((), ("--restart",), ("--set", "output=nil")):
            code, out, err, _ = place.run(*RUN, *options)
            check_message(err, re.compile(IN_USE))
            expect(int(re.search(WHO, err).group(1)) == process.pid, f"another process than {process.pid}: {err}")
            expect(code == 3 and "mesh " not in out, f"exit code {code}, said {out!r}")
        place.good("check", "input/case.lua")  # only looks
        place.good(*RUN, "-q", "-o", "other")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        expect(process.returncode == 130, f"exit code {process.returncode}")
        rows = place.rows("case/energy.csv")[1]
        expect([row[0] for row in rows] == list(range(len(rows))), "rows of energy.csv")
        place.good(*RUN, "-q")


def test_a_killed_run_leaves_no_lock(program):
    with Place(program) as place:
        process = started(place, "-q")
        process.kill()
        process.communicate(timeout=60)
        place.good(*RUN, "-q")
        expect(place.summary()["status"] == "done", "status")


def test_a_second_run_of_ranks_is_refused(program):
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS, "-q", **on_ranks(2))
        deadline = time.monotonic() + 60
        while not os.path.exists(place.path("case/fields_000000.silo")):
            expect(time.monotonic() < deadline and process.poll() is None, "the run does not start")
            time.sleep(0.05)
        for more in ({}, on_ranks(2)):
            code, _, err, _ = place.run(*RUN, **more)
            expect(code == 3 and re.search("curlew: " + IN_USE, err), f"exit code {code}: {err}")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        place.good(*RUN, "-q", **on_ranks(2))
        ledgers = sorted(os.listdir(place.path("case/.curlew")))
        expect(ledgers == ["files_0000", "files_0001", "lock"], f"{ledgers}")
        place.good(*RUN, "-q")
        expect("blocks/fields_000004_0001.silo" not in files(place), f"{sorted(files(place))}")


# ---- files of others

def test_files_of_others_survive(program):
    """Whatever their names look like, a rerun and a restart leave them as they are."""
    mine = ("old.s2p", "fields_mine.silo", "probes/reference.csv", "planes/cut.csv", "checkpoint/notes.h5",
            "blocks/mine.silo", "mine.csv.part", "energy.csv.txt", "a folder/energy.csv", "sparameters.csv")
    with small_with_checkpoints(program) as place:
        for name in mine:
            place.write("case/" + name, "mine")
        for options in (("--restart", "--set", "time.steps=80"), (), ("--set", "output=nil")):
            place.good(*RUN, "-q", *options)
            for name in mine:
                expect(content(place, "case", name) == b"mine", f"{options}: {name}")
        expect(files(place) == set(mine) | {"configuration.json", "log.txt", "summary.json", "mesh/whole.mesh"}, f"{sorted(files(place))}")


def test_files_of_others_are_not_written_over(program):
    with Place(program) as place:
        place.good(*RUN, "-q", "--set", "output=nil")
        for name in ("energy.csv", "probes/inside.csv", "fields_000002.silo", "blocks/fields_000002_0000.silo",
                     "energy.csv.part", "fields_000004.silo.room", "checkpoint/step_000000000004.h5"):
            place.write("case/" + name, "mine")
            says(place, f"'case/{name}' is in the way and was not written by curlew: move it or name another output folder",
                 changes=[".curlew/lock"])
            os.remove(place.path("case", name))
        place.good(*RUN, "-q")


def test_folders_without_a_ledger_are_not_ours(program):
    with Place(program) as place:
        place.good(*RUN, "-q")
        shutil.rmtree(place.path("case/.curlew"))
        old = ("the output folder 'case' has no list of the files that curlew made (case/.curlew), as an older version "
               "leaves it; empty it or name another one (name = or --output)")
        says(place, old)
        os.remove(place.path("case/summary.json"))
        says(place, re.compile(r"the output folder 'case' holds '[\w.]+' and was not made by curlew; name another one "
                               r"\(name = or --output\)"))


def test_what_killed_runs_leave_is_no_obstacle(program):
    """At any file that they make: a fresh run removes it, and none is left over."""
    with Place(program, script=SMALL) as place:
        options = ("-q", "--set", "checkpoint.every=10", "--set", "output.fields.every=4")
        place.good(*RUN, *options)
        wanted = set(files(place))
        for name in sorted(wanted):  # as if each were half written, and nothing behind it there
            place.write("case/" + name + ".part", "half")
        place.good(*RUN, *options)
        expect(set(files(place)) == wanted, f"{sorted(set(files(place)) ^ wanted)}")


# ---- links and FIFOs

def test_links_and_fifos_are_refused(program):
    """At once, and what they lead to is untouched."""
    with Place(program, {"victim": "precious"}) as place:
        place.good(*RUN, "-q")
        for name in ("summary.json", "summary.json.part", "energy.csv", "log.txt", "probes/inside.csv",
                     "fields_000002.silo", "fields_000002.silo.part", "blocks/fields_000002_0000.silo"):
            path = place.path("case", name)
            for make, word in ((lambda path: os.symlink(place.path("victim"), path), "a symbolic link"),
                               (lambda path: os.symlink(place.path("nowhere"), path), "a symbolic link"),
                               (os.mkfifo, "a FIFO")):
                kept = os.path.exists(path) and content(place, "case", name)
                if kept:
                    os.remove(path)
                make(path)
                message = f"'case/{name}' is {word}, which curlew did not make: remove it or name another output folder"
                says(place, message, changes=[".curlew/lock"]) if word == "a symbolic link" else refused_at_once(place, message)
                os.remove(path)
                if kept:
                    place.write("case/" + name, kept)
        expect(content(place, "victim") == b"precious" and not os.path.exists(place.path("nowhere")), "the victim")
        shutil.move(place.path("case/probes"), place.path("elsewhere"))
        os.symlink(place.path("elsewhere"), place.path("case/probes"))
        says(place, "'case/probes' is a symbolic link, which curlew does not follow: make it a folder",
             changes=[".curlew/lock"])
        os.rename(place.path("case"), place.path("real"))  # the folder itself may be one
        os.remove(place.path("real/probes"))
        os.symlink(place.path("real"), place.path("case"))
        place.good(*RUN, "-q")


def refused_at_once(place, message):
    code, _, err, seconds = place.run(*RUN)
    check_message(err, message)
    expect(code == 2 and seconds < 30, f"exit code {code} after {seconds} s")


def test_links_and_fifos_at_a_restart(program):
    with small_with_checkpoints(program) as place:
        for name in ("energy.csv", "checkpoint/step_000000000060_0000.h5"):
            kept = content(place, "case", name)
            os.remove(place.path("case", name))
            os.mkfifo(place.path("case", name))
            code, _, err, seconds = place.run(*RUN, "-q", "--restart")
            expect(code == 2 and seconds < 30 and f"'case/{name}' is a FIFO" in err, f"{name}: exit code {code}: {err}")
            os.remove(place.path("case", name))
            place.write("case/" + name, kept)
        place.good(*RUN, "-q", "--restart", "--set", "time.steps=70")


# ---- tables that somebody changes

def test_changed_tables_are_noticed(program):
    """Any byte up to where the checkpoint was written, by the table's and the rows' names; what is behind is written
    again anyway."""
    with small_with_checkpoints(program) as place:
        shutil.copytree(place.path("case"), place.path("whole"))
        for name in ("energy.csv", "probes/inside.csv"):
            whole = content(place, "case", name)
            rows = whole.splitlines(keepends=True)
            there = sum(map(len, rows[:61]))  # with the rows of steps 0 to 59
            for at in sorted({0, 1, 7, there // 3, 4095, 4096, 4097, there // 2, there - 2, there - 1}):
                expect(at < there, f"{name} is too short for this test")
                place.write("case/" + name, whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
                row = next(k for k in range(len(rows)) if at < sum(map(len, rows[:k + 1])))
                code, _, err, _ = place.run(*RUN, "-q", "--restart", "--set", "time.steps=80")
                found = re.fullmatch(rf"curlew: 'case/{re.escape(name)}' is not what the run wrote: (its header(?: or rows "
                                     r"1 to (\d+))?|rows? (\d+)(?: to (\d+))?) \(bytes (\d+) to (\d+)\) changed since; put "
                                     r"the table back, or begin anew without --restart\n", err)
                expect(code == 3 and found, f"{name}, byte {at}: exit code {code}: {err}")
                expect(int(found.group(5)) <= at <= int(found.group(6)), f"{name}, byte {at}: {err}")
                low, high = (0, int(found.group(2) or 0)) if found.group(1).startswith("its header") else (
                    int(found.group(3)), int(found.group(4) or found.group(3)))
                expect(low <= row <= high and high - low < 100, f"{name}, byte {at} in row {row}: {err}")
            place.write("case/" + name, whole)
        place.good(*RUN, "-q", "--restart", "--set", "time.steps=80")


def test_rows_behind_the_checkpoint_are_written_again(program):
    with small_with_checkpoints(program) as place:
        whole = content(place, "case/energy.csv")
        place.write("case/energy.csv", whole + b"\0" * 100 + b"rubbish\n")
        place.good(*RUN, "-q", "--restart")
        expect(content(place, "case/energy.csv") == whole, "energy.csv")


def test_long_tables_go_on_from_any_place(program):
    """Digests of many blocks, which go on over several restarts."""
    script = edited(SCRIPT, ("steps = 4", "steps = 3000"), ("fields = { every = 2 },", ""))
    with Place(program, script=script) as place:
        place.good(*RUN, "-q", "-o", "whole")
        for steps in (1, 70, 71, 1000, 3000):
            options = ("--restart",) if steps > 1 else ()
            place.good(*RUN, "-q", *options, "--set", f"time.steps={steps}", "--set", f"checkpoint.every={steps}")
        for name in ("energy.csv", "probes/inside.csv"):
            expect(content(place, "whole", name) == content(place, "case", name), name)
        path = place.path("case/energy.csv")
        with open(path, "r+b") as file:
            file.seek(100000)
            file.write(b"?")
        code, _, err, _ = place.run(*RUN, "-q", "--restart", "--set", "time.steps=3001")
        expect(code == 3 and re.search(r"rows 1\d\d\d to 1\d\d\d \(bytes 98304 to 102399\)", err), f"{code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
