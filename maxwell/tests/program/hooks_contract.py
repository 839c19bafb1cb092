#!/usr/bin/python3
"""Hooks, functions of the script that look at results (`on`): hooks_contract.py PROGRAM [NAME...] runs the tests whose
names contain a NAME, or all. share/doc/manual.md has the contract."""
import csv
import math
import re
import shutil
import sys

from checkpoint_contract import check_same, checkpoints, forget, newest
from harness import SCRIPT, Place, check_message, edited, expect, line_of, on_ranks
from ranks_scenes import scene
from run_contract import RUN, files, main

HOOKS = """  on = {
    every = 10,
    output = function(sim)
      OUTPUT
    end,
    done = function(sim)
      DONE
    end,
  },
}
"""
BASE = edited(SCRIPT, ("steps = 4", "steps = 60"), ("order = 1", "order = 2"), ("    fields = { every = 2 },\n", ""),
              ("at = { 0.4, 0.3, 0.2 } }", "at = { 0.4, 0.3, 0.2 }, frequencies = { 1e7, 3e7 } }"))


def undoubted(err):
    """What a run says beside the doubt about a record of 60 steps."""
    return "".join(line for line in err.splitlines(True) if "what 'inside' has still rings" not in line)


def script(output="", done="", base=BASE):
    expect(base.endswith("}\n"), "the test is wrong: where does the script end?")
    return base[:-2] + HOOKS.replace("OUTPUT", output).replace("DONE", done)


# Reads every kind of record, and what it has derived before.
OUTPUT = """local p, before = sim.probes.inside, sim.derived
      local most, at = p.Ez:peak()
      local sum = before and before.sum[#before.sum] or 0
      return { most = most, when = p.time[at], rows = #p.Ez, total = sim.energy.last.total, sum = sum + p.last.Ez,
               random = math.random(), spectrum = p.spectrum.Ez_re[2] }"""
DONE = """local s = sim.probes.inside.spectrum
      return { steps = sim.step, why = sim.stop_reason, over = sim.ended, lines = #s.frequency,
               spectrum = { frequency = s.frequency, real = s.Ez_re, twice = { 1, 2 } } }"""


def read(place, name):
    with open(place.path(name), encoding="ascii") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


def test_values_and_tables(program):
    """What hooks see is what the tables have, and what they return stands in derived.csv, derived_NAME.csv and
    summary.json."""
    with Place(program, script=script(OUTPUT, DONE)) as place:
        place.good(*RUN, "-q")
        _, probe = place.rows("case/probes/inside.csv")
        _, energy = place.rows("case/energy.csv")
        header, rows = read(place, "case/derived.csv")
        expect(header == ["step", "time", "most", "random", "rows", "spectrum", "sum", "total", "when"], f"{header}")
        expect([row[0] for row in rows] == [10, 20, 30, 40, 50, 60], f"{rows}")
        sums = 0
        for row in rows:
            n = int(row[0])
            sums += probe[n][3]
            most = max(range(n + 1), key=lambda i: abs(probe[i][3]))
            expect(row[1] == probe[n][0] and row[2] == abs(probe[most][3]) and row[8] == probe[most][0], f"{row}")
            expect(row[4] == n + 1 and row[6] == sums and row[7] == energy[n][4], f"{row}")
            values, step = [probe[i][3] for i in range(n + 1)], probe[1][0]
            values[0], values[-1] = 0.5 * values[0], 0.5 * values[-1]
            far = sum(value * math.cos(2 * math.pi * 3e7 * probe[i][0]) * step for i, value in enumerate(values))
            expect(math.isclose(row[5], far, rel_tol=1e-10, abs_tol=1e-20), f"the spectrum so far: {row[5]} {far}")
        expect(len({row[3] for row in rows}) == 6, "random numbers are the same in all calls")
        derived = place.summary()["derived"]
        expect(derived == {"steps": 60, "why": "steps", "over": True, "lines": 2,
                           **dict(zip(header[2:], rows[-1][2:]))}, f"{derived}")
        header, rows = read(place, "case/derived_spectrum.csv")
        _, spectrum = place.rows("case/probes/inside_spectrum.csv")
        expect(spectrum[1][5] == read(place, "case/derived.csv")[1][-1][5], "the spectrum at the last step")
        expect(header == ["frequency", "real", "twice"], f"{header}")
        expect(rows == [[1e7, spectrum[0][5], 1], [3e7, spectrum[1][5], 2]], f"{rows} {spectrum}")
        place.good(*RUN, "-q", "--set", "on=nil")  # the files of the run before go
        expect("derived" not in place.summary(), "derived values of another run")
        expect(not [name for name in files(place) if "derived" in name], f"{files(place)}")


def test_stop(program):
    """A rule on what is measured: the run ends there, and log and summary say why."""
    rule = 'if sim.energy.electric[#sim.energy.electric] < 1e-12 or sim.step == 30 then sim.stop("I have \\"seen\\" it") end'
    for ranks in (1, 3):
        with Place(program, script=script(rule, "return { at = sim.step, why = sim.stop_reason }")) as place:
            out = place.good(*RUN, **(on_ranks(ranks) if ranks > 1 else {}))
            expect('stop      step 30: on.output says: I have "seen" it' in out, out)
            summary = place.summary()
            expect(summary["stop_reason"] == "hook" and summary["stop_text"] == 'I have "seen" it', f"{summary}")
            expect(summary["status"] == "done" and summary["steps"] == 30, f"{summary}")
            expect(summary["derived"] == {"at": 30, "why": "hook"}, f"{summary['derived']}")
            expect(len(place.rows("case/probes/inside.csv")[1]) == 31, "rows behind the stop")
            expect("case/derived.csv" not in files(place), f"{files(place)}")


def test_interval(program):
    """on.interval in seconds is a whole number of steps, at least one."""
    for interval, steps in ((7.2, 7), (0.01, 1), (100, 0)):
        with Place(program, script=script("return { n = sim.step }")) as place:
            place.good("run", "input/case.lua", "-q")
            step = place.summary()["time_step"]
            place.good(*RUN, "-q", "--set", "on.every=nil", "--set", f"on.interval={interval * step!r}")
            rows = read(place, "case/derived.csv")[1] if steps > 0 else []
            expect([row[0] for row in rows] == (list(range(steps, 61, steps)) if steps else []), f"{interval}: {rows}")


def restarted(place, *options, ranks=1):
    """A run with checkpoints, and one that begins at the last but one of them."""
    several = on_ranks(ranks) if ranks > 1 else {}
    often = (*RUN, "-q", "--set", "checkpoint.every=17", *options)
    place.good(*often, "-o", "whole", **several)
    shutil.copytree(place.path("whole"), place.path("split"))
    expect(len(checkpoints(place, "split")) == 2 * (1 + ranks), f"{checkpoints(place, 'split')}")
    forget(place, newest(place, "split"), "split")
    place.good(*often, "-o", "split", "--restart", **several)


def test_restart(program):
    """A run in two parts derives the same, bit for bit, on 1 and 3 ranks, also where it stops."""
    for ranks, more in ((1, ""), (1, 'if sim.step == 50 then sim.stop("enough") end\n      '), (3, "")):
        with Place(program, script=script(more + OUTPUT, DONE)) as place:
            restarted(place, ranks=ranks)
            check_same(place, "whole", "split", f"{ranks} ranks")
            one, two = place.summary("whole"), place.summary("split")
            expect(two["checkpoints"]["restarts"] == 1, "no restart")
            for key in ("derived", "steps", "stop_reason"):
                expect(one[key] == two[key], f"{key}: {one[key]} and {two[key]}")


def test_restart_before_the_first_row(program):
    """The checkpoint is older than derived.csv, or than the first call."""
    for every in (20, 40):
        with Place(program, script=script(f"if sim.step >= {every} then return {{ n = #sim.probes.inside.Ez }} end")) as place:
            restarted(place)
            check_same(place, "whole", "split", f"{every}")


def has_card(place):
    """Has the build the backend `cuda`, and this machine a card?"""
    return re.search(r"^ +cuda +(?=\S)(?!not in this build)(?!.*not available)", place.good("info"), re.M) is not None


def test_ranks_and_backends(program):
    """Three ranks and the other backends derive what one rank does; a card also behind a restart."""
    with Place(program, script=script(OUTPUT, DONE)) as place:
        place.good(*RUN, "-q", "-o", "one")
        place.good(*RUN, "-q", "-o", "three", **on_ranks(3))
        place.good(*RUN, "-q", "-o", "reference", "--set", "backend=reference")
        _, one = read(place, "one/derived.csv")
        others = ["three", "reference"]
        if has_card(place):
            restarted(place, "--set", "backend=cuda")
            check_same(place, "whole", "split", "cuda")
            expect(place.summary("whole")["backend"] == "cuda", "the test is wrong: it ran on no card")
            others.append("whole")
        for other in others:
            _, rows = read(place, f"{other}/derived.csv")
            expect(len(rows) == len(one), f"{other}: {len(rows)} rows")
            for a, b in zip(one, rows):
                expect(all(math.isclose(x, y, rel_tol=1e-9) for x, y in zip(a, b)), f"{other}: {a} {b}")


def test_spectra_of_many_points(program):
    """Lines have places; the columns so far are those of the file at the end."""
    text = edited(BASE, ("    energy = {", '    lines = { { name = "cut", from = { 0.2, 0.5, 0.5 }, to = { 1.8, 0.5, 0.5 }, points = 3, '
                         'every = 2, frequencies = { 1e8, 3e8 } } },\n    energy = {'))
    see = """local s, n, sum = sim.lines.cut.spectrum, 0, 0
      for name, column in pairs(s) do
        for i = 1, #column do n, sum = n + 1, sum + i * column[i] end
      end
      return { n = n, sum = sum, x = s.x[2], Hy = s.Hy_im[6] }"""
    with Place(program, script=script(see, see.replace("n = n", "count = n").replace("sum = sum,", "all = sum,"), text)) as place:
        place.good(*RUN, "-q")
        header, rows = place.rows("case/lines/cut_spectrum.csv")
        derived = place.summary()["derived"]
        expect(derived["n"] == derived["count"] == 6 * 16 and derived["x"] == 1.0, f"{derived}")
        expect(derived["sum"] == derived["all"] and derived["Hy"] == rows[5][header.index("Hy_im")], f"{derived}")


# Counts and adds up all numbers of all records that are known.
WALK = """local cells, sum, tables = 0, 0, 0
      local function add(record)
        tables = tables + 1
        for name, column in pairs(record) do
          if name == "spectrum" or name == "powers" then add(column)
          else
            for i = 1, #column do
              local value = column[i]
              cells, sum = cells + 1, sum + (value == value and value or 0)
            end
          end
        end
      end
      for _, list in ipairs { "probes", "lines", "planes", "fluxes", "voltages", "currents", "losses", "polarisations" } do
        for _, record in pairs(sim[list]) do add(record) end
      end
      add(sim.energy)
      """


def test_every_kind_of_table(program):
    """At the end a hook sees every table of the run, whole; before, those that grow. Restarts and ranks change nothing."""
    meshes_, text = scene("box", steps=60)
    done = WALK + "for _, record in pairs(sim.far_field) do add(record) end\n return { count = cells, all = sum, files = tables }"
    for ranks in (1, 3):
        with Place(program, meshes_, script(WALK + "return { cells = cells, sum = sum, tables = tables }", done, text)) as place:
            restarted(place, ranks=ranks)
            check_same(place, "whole", "split", f"{ranks} ranks")
            cells = total = tables = 0
            for name in files(place, "whole"):
                if not name.endswith(".csv") or name.startswith("derived"):
                    continue
                _, rows = place.rows(f"whole/{name}")
                tables += 1
                cells += sum(len(row) for row in rows)
                total += math.fsum(value for row in rows for value in row if not math.isnan(value))
            derived = place.summary("whole")["derived"]
            expect(derived["files"] == tables and derived["count"] == cells, f"{derived}: {tables} tables, {cells} cells")
            expect(math.isclose(derived["all"], total, rel_tol=1e-9), f"{derived}: {total}")
            expect(derived == place.summary("split")["derived"], "the restart derives something else")


def test_ports_and_s_parameters(program):
    """Ports while the run goes on, S-parameters at its end; a stop would be one of the first run alone."""
    see = """local n = 0
      for name, port in pairs(sim.ports) do n = n + #port.voltage end
      return { rows = n }"""
    done = """local s = sim.s_parameters
      local best, at = 0
      for k = 1, #s.frequency do
        local size = math.sqrt(s.S21_re[k]^2 + s.S21_im[k]^2)
        if size > best then best, at = size, s.frequency[k] end
      end
      return { best = best, at = at }"""
    meshes_, text = scene("guide")
    with Place(program, meshes_, script(see, done, text)) as place:
        place.good(*RUN, "-q", "--set", "time.steps=40")
        header, rows = place.rows("case/sparameters.csv")
        re_, im = header.index("S21_re"), header.index("S21_im")
        sizes = {math.hypot(row[re_], row[im]): row[0] for row in rows if not math.isnan(row[re_])}
        derived = place.summary()["derived"]
        expect(math.isclose(derived["best"], max(sizes), rel_tol=1e-14) and derived["at"] == sizes[max(sizes)],
               f"{derived} {sizes}")
        rows = read(place, "case/derived.csv")[1]
        expect([row[2] for row in rows] == [2 * (n // 5 + 1) for n in (10, 20, 30, 40)], f"rows of ports: {rows}")
        place.write("input/case.lua", script("return sim.s_parameters", "", text))
        code, _, err, _ = place.run(*RUN, "-q", "--set", "time.steps=40")
        expect(code == 2 and "sim.s_parameters is known at the end of the run only: look at it in on.done" in err, f"{code} {err}")
        place.write("input/case.lua", script('sim.stop("now")', "", text))
        code, _, err, _ = place.run(*RUN, "-q", "--set", "time.steps=40")
        expect(code == 2 and "on.output cannot stop a run for S-parameters of several driven ports" in err, f"{code} {err}")


# ---- what is wrong

BAD_KEYS = [
    ("on=3", "on must be a table, as in on = { done = function(sim) return { ... } end }, not 3"),
    ("on.output=3", "on.output must be a function of sim, the results so far, not 3"),
    ("on.done='x'", "on.done must be a function of sim, the results of the run, not the string \"x\""),
    ("on.every=0", "on.every must be an integer >= 1 (steps), not 0"),
    ("on.interval=1e-9", "on takes 'every' (steps) or 'interval' (seconds), not both"),
    ("on.every=nil", "on.output needs 'every' (steps) or 'interval' (seconds), as in on = { every = 100, output = "
                     "function(sim) ... end }"),
    ("on.output=nil", "on.every is for on.output, which is not there"),
    ("on.outptu=1", "unknown key 'outptu' in on (nearest: 'output')"),
]

# What on.output does, and the message with LINE for the place.
BAD_OUTPUT = [
    ("return 3", "HOOK: on.output must return a table of derived values, as in { peak = 0.3 }, not a number"),
    ("return {}, 1", "HOOK: on.output must return one table of derived values, or nothing"),
    ("return { 3 }", "HOOK: on.output must return values with names, as in { peak = 0.3 }, but a key is a number"),
    ("return { a = 'x' }", "HOOK: on.output returned 'a', a string; before the end of the run derived values are numbers"),
    ("return { a = { b = { 1 } } }", "HOOK: on.output returned 'a', a table; before the end of the run derived values are "
                                     "numbers"),
    ("return { ['a/b'] = 1 }", "HOOK: on.output returned a value 'a/b', whose name must be one for a file (letters, digits, "
                               "'_', '-' and '.'; not starting with '.'; at most 100 characters)"),
    ("return { time = 1 }", "HOOK: on.output returned a value 'time', which derived.csv has already: choose another name"),
    ("return { ['n' .. sim.step] = 1 }", re.compile("HOOK: on.output at step 20 returned other names than before; .*")),
    ("return sim.prbes", "LINE: sim has no 'prbes' (nearest: 'probes'), in on.output at step 10"),
    ("return sim.probes.insid", "LINE: sim.probes has no 'insid' (nearest: 'inside'), in on.output at step 10"),
    ("return sim.probes.inside.E", re.compile(r"LINE: sim.probes.inside has no 'E' \(nearest: 'Ex'\), in on.output at step 10")),
    ("sim.time = 3", "LINE: results cannot be changed, in on.output at step 10"),
    ("sim.probes.inside.Ez[1] = 3", "LINE: results cannot be changed, in on.output at step 10"),
    ("sim.stop()", "LINE: sim.stop takes the reason, as in sim.stop(\"the probe has gone quiet\"), in on.output at step 10"),
    ("sim.stop('a\\nb')", "LINE: sim.stop takes the reason in one line of 1 to 199 characters, in on.output at step 10"),
    ("error('no')", "LINE: no, in on.output at step 10"),
    ("io.open('x')", re.compile(r"LINE: .*io.*, in on.output at step 10")),
    ("while true do end", re.compile(r"LINE: still running after 0.5 s, and stopped .*, in on.output at step 10")),
    ("local s = ('x'):rep(1500000000)", re.compile(r"input/case.lua: the script takes more than .* MB of memory; .*")),
    ("COUNT = 1", re.compile("HOOK: on.output changes a variable or a table outside of it, .*")),
    ("seen = seen + 1", re.compile("HOOK: on.output changes a variable or a table outside of it, .*")),
    ("list[1] = sim", re.compile("HOOK: on.output changes a variable or a table outside of it, .*")),
]


def place_of(text, what):
    return f"input/case.lua:{line_of(text, what)}"


def test_bad_keys(program):
    with Place(program, script=script()) as place:
        for setting, message in BAD_KEYS:
            code, _, err, _ = place.run("check", "input/case.lua", "--set", setting)
            expect(code == 2 and message in err and err.count("\n") == 1, f"{setting}: exit code {code}: {err}")


def test_bad_output(program):
    """Exit code 2, one line with file and line, and what was measured is there."""
    for body, message in BAD_OUTPUT:
        text = "local seen, list = 0, {}\n" + script(body)
        with Place(program, script=text) as place:
            code, _, err, _ = place.run(*RUN, "-q", "--lua-seconds", "0.5")
            expect(code == 2, f"{body}: exit code {code}: {err}")
            places = {"HOOK": place_of(text, "output = function(sim)"), "LINE": place_of(text, body)}
            if isinstance(message, str):
                for word, where in places.items():
                    message = message.replace(word, where)
            else:
                message = re.compile(message.pattern.replace("HOOK", re.escape(places["HOOK"]))
                                     .replace("LINE", re.escape(places["LINE"])))
            check_message(err, message)
            expect(place.summary()["status"] == "failed" and place.summary()["error"] in err, f"{place.summary()}")
            expect(len(place.rows("case/probes/inside.csv")[1]) >= 11, "the rows that were measured are gone")


BAD_DONE = [
    ("sim.stop('x')", "LINE: sim.stop: the run is over, in on.done at step 60"),
    ("return { f = print }", re.compile("HOOK: on.done returned 'f', a function; .*")),
    ("return { t = {} }", "HOOK: on.done returned a table 't' that has no columns"),
    ("return { t = { 1, 2 } }", "HOOK: on.done returned a table 't' without names of columns, as in t = { time = {..}, "
                                "value = {..} }"),
    ("return { t = { a = { 1 }, b = { 1, 2 } } }", re.compile("HOOK: on.done returned a table 't' whose column '[ab]' has "
                                                             "another length than the one before")),
    ("return { t = { a = 3 } }", "HOOK: on.done returned a table 't' whose column 'a' is neither a list of numbers nor a "
                                 "column of results"),
    ("return { t = { a = { 'x' } } }", "HOOK: on.done returned a table 't' whose column 'a' holds something that is no "
                                       "number"),
    ("return { ['a b'] = 1 }", re.compile("HOOK: on.done returned a value 'a b', whose name .*")),
]


def test_bad_done(program):
    """Fields that are measured are kept, spectra too; the run is a failed one."""
    for body, message in BAD_DONE:
        text = script("", body)
        for ranks in ((1, 3) if body == BAD_DONE[0][0] else (1,)):
            with Place(program, script=text) as place:
                code, _, err, _ = place.run(*RUN, "-q", **(on_ranks(ranks) if ranks > 1 else {}))
                err = "\n".join(line for line in undoubted(err).split("\n") if line.startswith("curlew: ") or line == "")
                expect(code == 2, f"{body}: exit code {code}: {err}")
                pattern = message if isinstance(message, str) else message.pattern
                for word, where in (("HOOK", place_of(text, "done = function(sim)")), ("LINE", place_of(text, body))):
                    pattern = pattern.replace(word, where if isinstance(message, str) else re.escape(where))
                check_message(err if ranks == 1 else err.rstrip("\n") + "\n",
                              pattern if isinstance(message, str) else re.compile(pattern))
                expect(place.summary()["status"] == "failed", f"{place.summary()}")
                expect({"probes/inside.csv", "probes/inside_spectrum.csv", "energy.csv"} <= files(place), f"{files(place)}")


def test_a_file_in_the_way(program):
    """A file of the user's with the name of a derived table stays."""
    with Place(program, script=script("", "return { mine = { a = { 1 } } }")) as place:
        place.good(*RUN, "-q", "--set", "on=nil")
        place.write("case/derived_mine.csv", "do not touch")
        code, _, err, _ = place.run(*RUN, "-q")
        err = undoubted(err)
        expect(code == 2 and "derived_mine.csv" in err and err.count("\n") == 1, f"{code} {err}")
        with open(place.path("case/derived_mine.csv"), encoding="ascii") as file:
            expect(file.read() == "do not touch", "the file was written over")


def test_another_hook_behind_a_restart(program):
    """on.done may be another one, since it remembers nothing; on.output may not."""
    for change, good in ((("return { n = 1 }", "return { n = 2 }"), False), (("return { m = 1 }", "return { m = 2 }"), True)):
        text = script("return { n = 1 }", "return { m = 1 }")
        with Place(program, script=text) as place:
            place.good(*RUN, "-q", "--set", "checkpoint.every=17")
            place.write("input/case.lua", edited(text, change))
            code, _, err, _ = place.run(*RUN, "-q", "--set", "checkpoint.every=17", "--restart")
            expect((code == 0) == good, f"{change}: exit code {code}: {err}")
            if good:
                expect(place.summary()["derived"] == {"m": 2, "n": 1}, f"{place.summary()['derived']}")
            else:
                expect(code == 2 and "it had another on.output" in err, err)


def test_check(program):
    with Place(program, script=script("return { n = 1 }")) as place:
        out = place.good("check", "input/case.lua")
        expect(re.search(r"^hooks +on.output every 10 steps \([0-9.e-]+ s\), on.done at the end$", out, re.M), out)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
