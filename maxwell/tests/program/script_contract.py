#!/usr/bin/python3
"""What a script may do, and what a run leaves when one of its functions fails late or never ends:
script_contract.py PROGRAM [NAME...]"""
import os
import re
import signal
import sys
import time
import traceback

import meshes
from harness import SCRIPT, Failure, Place, check_leftovers, check_message, edited, expect, on_ranks

RUN = ("run", "input/case.lua", "--quiet")
STEPS = 10000
STEP = 1e-11  # s; leapfrog takes currents in the middle of a step


def with_source(body, *edits):
    """SCRIPT for many steps, with a current that `body` may disturb at (x, y, z, t)."""
    source = f"""\
  sources = {{ {{
    region = "right",
    current = function(x, y, z, t)
      {body}
      return 0, 0, 1
    end,
  }} }},
  output = {{"""
    return edited(SCRIPT, ("  output = {", source), ("fields = { every = 2 }", "fields = { every = 2500 }"),
                  ("time = { steps = 4 }", f"time = {{ steps = {2 * STEPS}, step = {STEP} }}"), *edits)


def check_end(place, result, code, says, ranks=1):
    status, out, err, _ = result
    said = re.findall(r"^curlew: (.*)$", err, re.M)
    expect(status == code, f"exit code {status}, not {code}:\n{out}{err}")
    expect(len(said) == 1 and re.fullmatch(says, said[0]), f"expected /{says}/, got {said}")
    if ranks == 1:
        check_message(err, said[0])
    check_leftovers(place.path("case"))
    summary = place.summary()
    expect(summary["error"] == said[0], f"summary.json: {summary['error']}")
    return summary


def check_rows(place, steps):
    """Every step before the one that failed is there, and nothing else."""
    for name in ("energy", "probes/inside"):
        _, rows = place.rows(f"case/{name}.csv")
        expect(len(rows) == steps, f"{name}.csv: {len(rows)} rows")
        first = 1 if name == "energy" else 0
        for n, row in enumerate(rows):
            expect(abs(row[first] - n * STEP) < 1e-6 * STEP, f"{name}.csv: row {n} is of t = {row[first]}")
    snapshots = sorted(name for name in os.listdir(place.path("case")) if name.endswith(".silo"))
    expect(snapshots == [f"fields_{n:06d}.silo" for n in range(0, steps, 2500)], f"snapshots {snapshots}")


def test_function_fails_at_step_10000(program):
    """And at step 1000 on three ranks."""
    for ranks, step, time_ in ((1, STEPS, r"1\.00005e-07"), (3, STEPS // 10, r"1\.0005e-08")):
        script = with_source(f"if t > {step + 0.25} * {STEP} then error('no more of this') end")
        says = (rf"input/case\.lua:12: no more of this, in sources\[1\] at \(x, y, z, t\) = \(.*, {time_}\), "
                rf"in step {step} of {2 * STEPS}")
        with Place(program, script=script) as place:
            options = on_ranks(ranks) if ranks > 1 else {}
            arguments = (*RUN, "--set", f"output.fields.every={step + 1}") if ranks > 1 else RUN
            summary = check_end(place, place.run(*arguments, **options), 2, says, ranks)
            expect(summary["status"] == "failed", f"status {summary['status']}")
            if ranks == 1:
                check_rows(place, step)
            else:
                rows = place.rows("case/energy.csv")[1]
                expect(len(rows) <= step, f"energy.csv: {len(rows)} rows")


def test_result_that_is_wrong_at_step_10000(program):
    script = with_source(f"if t > {STEPS + 0.25} * {STEP} then return 0, 0 / 0, 0 end")
    with Place(program, script=script) as place:
        check_end(place, place.run(*RUN), 2, r"input/case\.lua:11: sources\[1\] returned nan at .*, "
                  rf"in step {STEPS} of {2 * STEPS}")
        check_rows(place, STEPS)


def test_function_never_ends(program):
    """In the loop; and on one rank of three, whose elements alone have such points."""
    script = with_source(f"while x > 1.5 and t > {STEPS / 10 + 0.25} * {STEP} do end")
    says = (r"input/case\.lua:12: still running after 0\.5 s, and stopped \(--lua-seconds allows more\), "
            r"in sources\[1\] at .*, in step 1000 of 20000")
    for ranks in (1, 3):
        with Place(program, script=script) as place:
            options = on_ranks(ranks) if ranks > 1 else {}
            check_end(place, place.run(*RUN, "--lua-seconds=0.5", **options), 2, says, ranks)
            if ranks == 1:
                check_rows(place, STEPS // 10)


def test_function_of_set_up_never_ends(program):
    for script in (edited(SCRIPT, ("return 0, 0, x + y", "while true do end")),
                   edited(SCRIPT, ("{ epsilon_r = 2 }", "{ epsilon_r = function(x) while true do end end }")),
                   "while true do end\n" + SCRIPT):
        with Place(program, script=script) as place:
            status, _, err, seconds = place.run(*RUN, "--lua-seconds", "0.5")
            check_message(err, re.compile(r"input/case\.lua:\d+: still running after 0\.5 s, and stopped .*"))
            expect(status == 2 and seconds < 30, f"exit code {status} after {seconds:.1f} s")
            expect(not os.path.exists(place.path("case")), "there is output")


def test_lua_itself_never_ends(program):
    """Where no hook reaches: in a pattern, and in a finalizer."""
    for script, options in (("local x = ('a'):rep(40):find(('a-'):rep(40) .. 'b')\n", ()),
                            ("local s = ('').rep('', 1 << 62)\n", ()),
                            ("setmetatable({}, { __gc = function() while true do end end }) collectgarbage()\n",
                             ("--trust",))):
        with Place(program, script=script + SCRIPT) as place:
            status, _, err, seconds = place.run(*RUN, "--lua-seconds", "0.2", *options)
            check_message(err, "input/case.lua: a call of Lua's own library does not end, such as a pattern; the run "
                               "was ended")
            expect(status == 2 and seconds < 60, f"exit code {status} after {seconds:.1f} s")
            expect(not os.path.exists(place.path("case")), "there is output")


def test_interrupted_in_a_function(program):
    """Ctrl-C or the end of a batch job reaches a run that hangs in Lua. The set-up, which tries the function at times where
    it hangs, does not wait for the minute that a call may take."""
    script = with_source(f"while t > {STEPS / 10 + 0.25} * {STEP} do end")
    for number in (signal.SIGINT, signal.SIGTERM):
        with Place(program, script=script) as place:
            process = place.start(*RUN)
            deadline, rows, name = time.monotonic() + 50, 0, place.path("case/energy.csv")
            while rows < 900:  # those of step 1000 are written at most a second later
                expect(time.monotonic() < deadline and process.poll() is None, f"it comes to {rows} rows")
                time.sleep(0.5)
                if os.path.exists(name):
                    with open(name, encoding="ascii") as file:
                        rows = file.read().count("\n")
            time.sleep(0.5)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            check_end(place, (process.returncode, out.decode(), err.decode(), 0), 130,
                      r"input/case\.lua:12: interrupted, in sources\[1\] at .*, in step 1000 of 20000")
            expect(place.summary()["status"] == "interrupted", "status")
            check_rows(place, STEPS // 10)


def test_currents_are_asked_for_where_they_act(program):
    """At 24 nodes: in leapfrog once a step, in its middle; in lsrk in all five stages."""
    script = edited(SCRIPT, ("  output = {", """  sources = { { region = "right", current = function(x, y, z, t)
    print(("call %.2f"):format(t / 1e-11))
    return 0, 0, 1 end } },
  output = {"""), ("time = { steps = 4 }", "time = { steps = 4, step = 1e-11 }"))
    for integrator, times in (("leapfrog", [0.5, 1.5, 2.5, 3.5]), ("lsrk", None)):
        with Place(program, script=script) as place:
            out = place.good(*RUN, "--set", f"time.integrator={integrator}")
            found = [float(t) for t in re.findall(r"^call (.*)$", out, re.M)]
            expect(len(found) == (24 * 4 if times else 24 * 4 * 5), f"{integrator}: {len(found)} calls")
            expect(times is None or sorted(set(found)) == times, f"{integrator}: at {sorted(set(found))}")


# 480 elements of 35 nodes; "right" has four fifths of them.
MANY = """\
print("run")
local keep = 0
simulation {
  mesh = { file = "box.msh" },
  order = 4,
  time = { steps = 20, integrator = args.integrator or "leapfrog" },
  materials = { default = { epsilon_r = 1 } },
  sources = {
    { region = "right", current = function(x, y, z, t)
        BODY
        return math.sin(3e9 * t) * y + math.random(), x, z * math.cos(1e9 * t)
      end },
  },
  interfaces = { [4] = { kind = "surface_current", current = function(x, y, z, t) return 0, y * t * 1e9, z end } },
  initial = { E = function(x, y, z) return math.sin(x) * y, z, math.random() end },
  output = { probes = { { name = "inside", at = { 1.4, 0.3, 0.2 } } }, energy = { every = 1 } },
  checkpoint = { every = 11 },
}
"""
TABLES = ("energy.csv", "probes/inside.csv")


def many(program, body="", ranks=1):
    """Each rank has more nodes with a source than are left to one thread."""
    cells = (4, 3, 3) if ranks == 1 else (5, 4, 4)
    return Place(program, files={"input/box.msh": meshes.box(cells).text()}, script=MANY.replace("BODY", body))


def check_tables(place, one, other):
    for name in TABLES:
        expect(open(place.path(one, name), "rb").read() == open(place.path(other, name), "rb").read(),
               f"{name} of {one} and {other} differ")


def test_threads_of_lua(program):
    """The same bits from any number of threads, on any number of ranks, and behind a restart; the script prints once."""
    cases = (("leapfrog", 1, (1, 2, 5), 20), ("lsrk", 1, (1, 2, 5), 20), ("lsrk", 3, (1, 3), 12))
    if "LSAN_OPTIONS" in os.environ:  # the sanitizers see the threads in test_script_threads, too
        cases = (("lsrk", 1, (1, 5), 12),)
    for integrator, ranks, threads, steps in cases:
        with many(program, ranks=ranks) as place:
            options = on_ranks(ranks) if ranks > 1 else {}
            run = ("run", "input/case.lua", "-D", f"integrator={integrator}")
            whole = ("--set", f"time.steps={steps}")
            for some in threads:
                out = place.good(*run, *whole, "--lua-threads", str(some), "-o", f"t{some}", **options)
                expect(out.count("run\n") == 1, f"{ranks} ranks printed:\n{out}")
                expect((f"lua       {some} threads call functions" in out) == (some > 1), out)
                summary = place.summary(f"t{some}")
                expect(summary["lua_threads"] == some, f"{summary['lua_threads']} threads of {some}")
                check_tables(place, "t1", f"t{some}")
            place.good(*run, "-q", "--lua-threads", "3", "-o", "half", "--set", "time.steps=11", **options)
            place.good(*run, *whole, "-q", "--lua-threads", "2", "-o", "half", "--restart", **options)
            check_tables(place, "t1", "half")


def test_threads_of_lua_and_what_functions_keep(program):
    """A count of calls is what it is in one thread, and the log says so; a trusted script is not run twice."""
    with many(program, "keep = keep + 1 if keep % 2 == 0 then return keep, 0, 0 end") as place:
        place.good(*RUN, "--lua-threads", "1", "-o", "one")
        place.good(*RUN, "--lua-threads", "4", "-o", "more")
        check_tables(place, "one", "more")
        with open(place.path("more/log.txt"), encoding="utf-8") as file:
            log = file.read()
        expect("lua       one thread calls functions: sources[1] does not give the same whenever it is called with the "
               "same numbers" in log, log)
        out = place.good("run", "input/case.lua", "--lua-threads", "4", "--trust", "-o", "trusted")
        expect("lua       one thread calls functions: a trusted script" in out and out.count("run\n") == 1, out)
        check_tables(place, "one", "trusted")
    for threads in ("0", "x", "", "1.5", "99999"):
        with many(program) as place:
            status, _, err, _ = place.run("run", "input/case.lua", "--lua-threads", threads)
            expect(status == 2 and f"--lua-threads needs an integer from 1 to 1024, not '{threads}'" in err, err)


def test_failures_in_threads_of_lua(program):
    """The first node that fails, in the order of one thread; and an end of what does not end."""
    for body, options in (("if t > 1e-9 and x > 2.9 then error('no more') end", ()),
                          ("if t > 1e-9 and y > 2.9 then return 0 / 0, 1, 2 end if t > 1e-9 and x > 3 then keep.x = 1 end",
                           ()), ("while t > 1e-9 and z > 2.9 do end", ("--lua-seconds", "0.5"))):
        said = []
        for threads in ("1", "4"):
            with many(program, f"if t < 5e-9 then {body.replace('1e-9', '4e-9')} end") as place:
                status, _, err, seconds = place.run(*RUN, "--lua-threads", threads, "--set", "time.step=4e-11", "--set",
                                                    "time.steps=101", *options)
                expect(status == 2 and "case.lua:" in err and seconds < 60, f"exit code {status}: {err}")
                said.append(err)
        expect(said[0] == said[1], f"{said[0]} in one thread, {said[1]} in four")


def test_trust(program):
    script = "io.open('written.txt', 'w'):close()\n" + SCRIPT
    with Place(program, script=script) as place:
        for command in ("run", "check"):
            status, _, err, _ = place.run(command, "input/case.lua")
            check_message(err, "input/case.lua:1: io.open is not available to scripts: they could do harm with it; "
                               "start curlew with --trust if you trust this script")
            expect(status == 2 and not os.path.exists(place.path("written.txt")), f"exit code {status}")
        place.good("check", "input/case.lua", "--trust")
        expect(os.path.exists(place.path("written.txt")), "a trusted script could not write")
        place.good(*RUN, "--trust")


def test_modules_of_the_folder(program):
    script = edited("local half = require 'parts.half'\n" + SCRIPT, ("{ epsilon_r = 2 }", "{ epsilon_r = half(4) }"))
    with Place(program, script=script, files={"input/parts/half.lua": "return function(x) return x / 2 end\n"}) as place:
        place.good(*RUN)
        place.good("run", "case.lua", "--quiet", cwd=place.path("input"))


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or not (len(sys.argv) == 2 or any(part in name for part in sys.argv[2:])):
            continue
        started = time.monotonic()
        try:
            test(program)
            print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
        except Exception:  # a broken test is a failed one, and the others still run
            failed += 1
            print(f"FAILED  {name}: {traceback.format_exc()}", flush=True)
    sys.exit(failed > 0)


main()
