#!/usr/bin/python3
"""`curlew sweep`: sweep_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import csv
import os
import re
import signal
import sys
import time

from harness import SCRIPT, Place, check_message, edited, expect
from run_contract import main

BASE = edited(SCRIPT, ("-- a script that works\n", "local a, b, n = args.a or 1, args.b or 'x', args.n or 4\n"
                       "if a == 13 then error('thirteen') end\n"),
              ("epsilon_r = 2", "epsilon_r = a"), ("steps = 4", "steps = n"), ("    fields = { every = 2 },\n", ""))
SWEPT = BASE[:-2] + """  on = { done = function(sim)
    return { most = sim.probes.inside.Ez:peak(), name = 'b is "' .. b .. '"', steps = sim.step } end },
}
"""
SWEEP = ("sweep", "input/case.lua")
LAST = ["steps", "time", "energy", "seconds", "exit_code", "status", "error"]


def table(place, folder="case_sweep"):
    with open(place.path(folder, "sweep.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_product(program):
    """All combinations, the last argument fastest; a folder each; derived values as the runs have them."""
    with Place(program, script=SWEPT) as place:
        out = place.good(*SWEEP, "-D", "a=1..2:0.5", "-D", "b=x,left", "--set", "order=2")
        rows = table(place)
        expect(list(rows[0]) == ["a", "b", "folder", "most", "name", "derived.steps", *LAST], f"{list(rows[0])}")
        expect([(row["a"], row["b"]) for row in rows] == [(a, b) for a in ("1", "1.5", "2") for b in ("x", "left")], f"{rows}")
        for row in rows:
            summary = place.summary(f"case_sweep/a={row['a']},b={row['b']}")
            expect(row["folder"] == f"a={row['a']},b={row['b']}" and row["status"] == "done" and row["exit_code"] == "0", f"{row}")
            expect(float(row["most"]) == summary["derived"]["most"] and row["name"] == f'b is "{row["b"]}"', f"{row}")
            expect(float(row["energy"]) == summary["energy_last"] and float(row["seconds"]) > 0, f"{row}")
            expect(row["steps"] == "4" and row["derived.steps"] == "4" and summary["order"] == 2, f"{row} {summary['order']}")
        expect(len({row["most"] for row in rows}) == 3, f"a changes nothing: {rows}")
        expect(out.count("done (") == 6 and out.endswith("table     case_sweep/sweep.csv\n"), out)


def test_the_same_as_single_runs(program):
    """A run of a sweep writes what the same run by itself writes, also beside others."""
    with Place(program, script=SWEPT) as place:
        place.good(*SWEEP, "-D", "a=1,2,3", "-j", "3", "-o", "many", "-q")
        place.good("run", "input/case.lua", "-D", "a=2", "-o", "one", "-q")
        for name in ("probes/inside.csv", "energy.csv"):
            with open(place.path("many/a=2", name), "rb") as a, open(place.path("one", name), "rb") as b:
                expect(a.read() == b.read(), f"{name} differs")


def test_kept(program):
    """What is done stays, unless it depends on something else now, or --again says so."""
    with Place(program, script=SWEPT) as place:
        def swept(*more):
            out = place.good(*SWEEP, "-D", "a=1,2", *more)
            return out.count("done, kept"), out.count(": done (")
        expect(swept() == (0, 2), "the first sweep")
        expect(swept() == (2, 0), "the second sweep")
        expect(place.good(*SWEEP, "-D", "a=2,3", "--list") == "case_sweep/a=2  done\ncase_sweep/a=3\n", "--list")
        out = place.good(*SWEEP, "-D", "a=2,3")
        expect(out.count("kept") == 1 and [row["a"] for row in table(place)] == ["2", "3"], out)
        expect(swept("--again") == (0, 2), "--again")
        expect(swept("--set", "order=2") == (0, 2), "another key")
        expect(swept() == (0, 2), "the key as it was")
        with open(place.path("input/box.msh"), "ab") as file:
            file.write(b"\n")
        expect(swept() == (0, 2) and swept() == (2, 0), "another mesh")
        place.write("input/case.lua", SWEPT + "-- another script\n")
        expect(swept() == (0, 2), "another script")
        place.vanish("case_sweep/a=1")
        expect(swept() == (1, 1), "a folder that is gone")


def test_names_that_an_argument_makes(program):
    """A geometry, its includes, a table and a module whose names no file has in quotes: they are what the runs have read."""
    script = edited(SWEPT, ("local a, b", "local more = dofile('more_' .. (args.a or 1) .. '.lua')\nlocal a, b"),
                    ('"box.msh"', '"box_" .. a .. ".geo"'), ("order = 1", "order = more"),
                    ("materials = { left = { epsilon_r = 1 }, right = { epsilon_r = a } }", "materials = { default = { epsilon_r = a } }"),
                    ("walls = { kind", "default = { kind"))
    geo = 'SetFactory("OpenCASCADE");\nInclude "size.geo";\nBox(1) = { 0, 0, 0, 1, 1, 1 };\nMesh.MeshSizeMax = size;\n'
    files = {"input/box_1.geo": geo, "input/box_2.geo": geo, "input/size.geo": "size = 1;\n", "input/more_1.lua": "return 1",
             "input/more_2.lua": "return 1"}
    with Place(program, files, script) as place:
        def swept():
            out = place.good(*SWEEP, "-D", "a=1,2")
            return out.count("done, kept"), out.count(": done (")
        expect(swept() == (0, 2) and swept() == (2, 0), "nothing has changed")
        for name, content, wanted in (("box_2.geo", geo + "// a remark\n", (1, 1)), ("more_1.lua", "return 2", (1, 1)),
                                      ("size.geo", "size = 0.5;\n", (0, 2))):
            place.write("input/" + name, content)
            found = swept()
            expect(found == wanted and swept() == (2, 0), f"{name}: {found}")
        expect(place.summary("case_sweep/a=1")["order"] == 2, "the module")


def test_one_sweep_at_a_time(program):
    """A second sweep in the folder, also of Python's package, ends at once and touches nothing."""
    with Place(program, script=LONG) as place:
        words = (*SWEEP, "-D", "a=1,2", "-D", "n=30000")
        process = place.start(*words)
        wait_for(lambda: progressed(place, "case_sweep/a=1,n=30000"))
        code, out, err, _ = place.run(*words)
        expect(code == 3 and out == "", f"exit code {code}: {out}")
        check_message(err, re.compile(r"another sweep is at work in 'case_sweep' \(.*, process \d+, since .*\); wait for its "
                                      r"end, or name another folder \(--output\)"))
        expect(len(place.good(*words, "--list").splitlines()) == 2, "--list")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        place.good(*words, "-q")


def test_failures(program):
    """A run that fails does not stop the others; its code and message are in the table, the sweep's exit code is its."""
    with Place(program, script=SWEPT) as place:
        code, out, err, _ = place.run(*SWEEP, "-D", "a=1,13,2,-1", "-j", "2")
        expect(code == 2, f"exit code {code}")
        check_message(err, re.compile(r"2 of 4 runs failed, case_sweep/sweep.csv says why; the first is 'a=13': .*thirteen"))
        rows = table(place)
        expect([row["status"] for row in rows] == ["done", "failed", "done", "failed"], f"{rows}")
        expect([row["exit_code"] for row in rows] == ["0", "2", "0", "2"], f"{rows}")
        expect(rows[1]["error"] == "input/case.lua:2: thirteen" and rows[1]["steps"] == "" and rows[1]["most"] == "", f"{rows[1]}")
        expect("epsilon_r" in rows[3]["error"] and out.count("failed:") == 2, f"{rows[3]} {out}")
        code, out, _, _ = place.run(*SWEEP, "-D", "a=1,13,2,-1")
        expect(code == 2 and out.count("kept") == 2 and out.count("failed:") == 2, "failures are tried again")
        blown = edited(SWEPT, ("order = 1", "order = 1, flux = 'centered'"),
                       ("time = { ", "time = { integrator = 'euler', step = 3e-10, "))
        place.write("input/case.lua", blown)
        code, _, err, _ = place.run(*SWEEP, "-D", "n=4,4000", "-o", "blown")
        rows = table(place, "blown")
        expect(code == 4 and [row["status"] for row in rows] == ["done", "blew up"], f"{code} {err} {rows}")


def wait_for(what, seconds=60):
    start = time.monotonic()
    while not what():
        expect(time.monotonic() - start < seconds, "waited in vain")
        time.sleep(0.02)


def progressed(place, folder):
    """The run has written rows."""
    path = place.path(folder, "probes/inside.csv")
    return os.path.exists(path) and os.path.getsize(path) > 2000


LONG = edited(SWEPT, ("order = 1", "order = 4"))


def test_interrupted(program):
    """A signal ends the runs with checkpoints; the same command goes on there, and the bits are those of one run."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with Place(program, script=LONG) as place:
            words = (*SWEEP, "-D", "a=1,2,3", "-D", "n=30000", "-j", "2")
            process = place.start(*words)
            wait_for(lambda: progressed(place, "case_sweep/a=1,n=30000") and progressed(place, "case_sweep/a=2,n=30000"))
            process.send_signal(number)
            out, err = (text.decode() for text in process.communicate(timeout=60))
            expect(process.returncode == 130, f"exit code {process.returncode}: {err}")
            check_message(err, re.compile(r"interrupted after 0 of 3 runs; the same command goes on from there"))
            rows = table(place)
            expect([row["status"] for row in rows] == ["interrupted", "interrupted", ""], f"{rows}")
            expect("stopping" in out and "--restart goes on from there" in rows[0]["error"], f"{out} {rows[0]}")
            expect(place.good(*words, "--list").count("goes on from a checkpoint") == 2, "--list")
            place.good(*words)
            expect([row["status"] for row in table(place)] == ["done"] * 3, f"{table(place)}")
            for a, restarts in ((1, 1), (2, 1), (3, 0)):
                expect(place.summary(f"case_sweep/a={a},n=30000")["checkpoints"]["restarts"] == restarts, f"{a}: restarts")
            place.good("run", "input/case.lua", "-D", "a=2", "-D", "n=30000", "-o", "whole", "-q")
            for name in ("probes/inside.csv", "energy.csv"):
                with open(place.path("whole", name), "rb") as a, open(place.path("case_sweep/a=2,n=30000", name), "rb") as b:
                    expect(a.read() == b.read(), f"{name} differs behind the restart")


def test_killed(program):
    """Runs end when the sweep is killed; nothing half done counts as done."""
    with Place(program, script=LONG) as place:
        words = (*SWEEP, "-D", "a=1,2", "-D", "n=30000", "-j", "2")
        process = place.start(*words)
        wait_for(lambda: progressed(place, "case_sweep/a=1,n=30000") and progressed(place, "case_sweep/a=2,n=30000"))
        process.kill()
        process.communicate(timeout=60)
        wait_for(lambda: all(place.summary(f"case_sweep/a={a},n=30000")["status"] == "interrupted" for a in (1, 2)))
        out = place.good(*words)
        expect("kept" not in out and [row["status"] for row in table(place)] == ["done"] * 2, out)
        expect(place.summary("case_sweep/a=1,n=30000")["checkpoints"]["restarts"] == 1, "it did not go on")


def test_checkpoint_of_another_run(program):
    """A checkpoint that does not fit is not taken: the run begins anew."""
    with Place(program, script=LONG) as place:
        words = (*SWEEP, "-D", "a=1", "-D", "n=30000")
        process = place.start(*words)
        wait_for(lambda: progressed(place, "case_sweep/a=1,n=30000"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        for name in os.listdir(place.path("case_sweep/a=1,n=30000/checkpoint")):  # cut short, both of each
            os.truncate(place.path("case_sweep/a=1,n=30000/checkpoint", name), 700)
        place.good(*words)
        expect(place.summary("case_sweep/a=1,n=30000")["checkpoints"]["restarts"] == 0, "it went on from nothing")


def test_ranges(program):
    """What a range or list is, and the folders of long and odd values."""
    cases = (("1..3", ["1", "2", "3"]), ("0.1..0.4:0.1", ["0.1", "0.2", "0.3", "0.4"]), ("3..1", ["3", "2", "1"]),
             ("1..2:0.3", ["1", "1.3", "1.6", "1.9"]), ("-1..1:1", ["-1", "0", "1"]), ("1..3,10,x", ["1", "2", "3", "10", "x"]),
             ("1e-3..3e-3:1e-3", ["0.001", "0.002", "0.003"]), ("..", [".."]), ("1..x", ["1..x"]), ("5", ["5"]),
             ("2..1:-0.5", ["2", "1.5", "1"]), ("0..0.3:0.1", ["0", "0.1", "0.2", "0.3"]))
    with Place(program, script=SWEPT) as place:
        for text, values in cases:
            out = place.good(*SWEEP, "-D", f"a={text}", "--list")
            expect(out.splitlines() == [f"case_sweep/a={value}" for value in values], f"{text}: {out}")
        out = place.good(*SWEEP, "-Da=" + "7" * 90 + ",b c", "--list")
        expect(out.splitlines() == ["case_sweep/case_00001", "case_sweep/case_00002"], out)


BAD = [
    ((), "curlew sweep needs an argument to sweep over, as in -D a=1..5; see curlew --help"),
    (("-D", "a"), "-D needs NAME=VALUES, as in -D a=1..5, not 'a'"),
    (("-D", "a="), re.compile("-D a=: a value is empty; write a list as in .*")),
    (("-D", "a=1,,2"), re.compile("-D a=1,,2: a value is empty; .*")),
    (("-D", "a=1,2,1"), "-D a=1,2,1: the value 1 is given twice"),
    (("-D", "a=1..2:0"), "-D a=1..2:0: no steps of 0 lead from 1 to 2"),
    (("-D", "a=1..2:-1"), "-D a=1..2:-1: no steps of -1 lead from 1 to 2"),
    (("-D", "a=1..1e9"), "-D a=1..1e9: more than 10000 values"),
    (("-D", "a=1..200", "-D", "b=1..200"), "the sweep has 40000 runs; 10000 are the most"),
    (("-D", "a=1", "-D", "a=2"), "-D a is given twice; write the values as a list: -D a=1,2,5"),
    (("-D", "a b=1"), "-D a b=1: 'a b' is not a name (letters, digits and _)"),
    (("-D", "status=1"), "-D status=1: the table of a sweep has a column 'status' of its own; choose another name"),
    (("-D", "a=1", "--jobs", "0"), "--jobs needs an integer from 1 to 1024, not '0'"),
    (("-D", "a=1", "--jbs", "2"), "unknown option '--jbs' (nearest: '--jobs'); see curlew --help"),
    (("-D", "a=1", "--restart"), "--restart: a sweep goes on by itself with runs that have a checkpoint"),
    (("-D", "a=1", "--set"), "--set needs a value; see curlew --help"),
    (("-D", "a=1", "more"), "unexpected argument 'more'; see curlew --help"),
]


def test_bad_input(program):
    with Place(program, script=SWEPT) as place:
        for words, message in BAD:
            code, out, err, _ = place.run(*SWEEP, *words)
            expect(code == 2 and out == "", f"{words}: exit code {code}, {out}")
            check_message(err, message)
        code, _, err, _ = place.run("sweep", "input/nothing.lua", "-D", "a=1")
        expect(code == 2, f"exit code {code}")
        check_message(err, "cannot open the script 'input/nothing.lua': No such file or directory")
        code, _, err, _ = place.run("sweep", "-D", "a=1")
        expect(code == 2, f"exit code {code}")
        check_message(err, "curlew sweep needs a script; see curlew --help")
        for name, text in (("mine/sweep.csv", "a,b\n1,2\n"), ("taken.json", "{}")):
            os.makedirs(place.path("mine"), exist_ok=True)
            place.write(name, text)
            words = (*SWEEP, "-D", "a=1", "-o", "mine") if name.startswith("mine") else ("bench", "--json", name)
            code, _, err, _ = place.run(*words)
            option = words[-2].replace("-o", "--output") if words[0] == "sweep" else "--json"
            expect(code == 2 and f"{option}: '{name}' is there, and curlew has not made it" in err, f"{code}: {err}")
            with open(place.path(name), encoding="utf-8") as file:
                expect(file.read() == text, name)
            os.unlink(place.path(name))
        os.rmdir(place.path("mine"))
        place.write("taken", "a file")
        code, _, err, _ = place.run(*SWEEP, "-D", "a=1", "-o", "taken")
        expect(code == 3, f"exit code {code}")
        check_message(err, "cannot make the folder 'taken': File exists")
        expect(sorted(os.listdir(place.root)) == ["input", "taken"], f"{os.listdir(place.root)}")


def test_under_mpirun(program):
    with Place(program, script=SWEPT) as place:
        code, _, err, _ = place.run(*SWEEP, "-D", "a=1", environment={"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0",
                                                                      "PMIX_RANK": "0"})
        expect(code == 2 and "start it without mpirun" in err, f"{code} {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
