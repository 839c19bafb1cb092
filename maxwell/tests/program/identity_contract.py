#!/usr/bin/python3
"""One identity of a run: what ranks, restarts and longer ends have in common: identity_contract.py PROGRAM [NAME...]
runs the tests whose names contain a NAME, or all."""
import os
import re
import shutil
import sys

from checkpoint_contract import EVERY, SMALL, check_same, content, forget, newest, refused
from harness import SCRIPT, Place, check_message, edited, expect, on_ranks
from ranks_scenes import scene
from run_contract import RUN, main

NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()


# ---- scripts on several ranks, and in several starts

def with_pairs(loop="pairs(where)"):
    """Probes in the order of a loop over names."""
    entries = ", ".join(f"{name} = {{ {0.1 + 0.08 * i:.2f}, 0.3, 0.2 }}" for i, name in enumerate(NAMES))
    return edited(SCRIPT, ("-- a script that works", f"local where, probes = {{ {entries} }}, {{}}\n"
                           f"for name, at in {loop} do probes[#probes + 1] = {{ name = name, at = at }} end"),
                  ('probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } }', "probes = probes"))


def test_pairs_has_one_order(program):
    """Lua's own order follows from a seed of addresses and time: another one in every process."""
    for loop in ("pairs(where)", "next, where", "next, where, nil"):
        with Place(program, script=with_pairs(loop)) as place:
            for start in range(3):
                place.good(*RUN, "-q", "-o", str(start))
                with open(place.path(str(start), "configuration.json"), encoding="utf-8") as file:
                    found = re.findall(r'"name": "(\w+)"', file.read())
                found = [name for name in found if name in NAMES]
                expect(found == sorted(NAMES), f"{loop}, start {start}: {found}")


def test_lists_of_pairs_on_ranks(program):
    """Each rank runs the script: a table has what its name says on any number of them."""
    with Place(program, script=with_pairs()) as place:
        place.good(*RUN, "-q", "-o", "one")
        place.good(*RUN, "-q", "-o", "many", **on_ranks(3))
        for name in NAMES:
            one, many = (place.rows(f"{folder}/probes/{name}.csv")[1] for folder in ("one", "many"))
            largest = max(abs(value) for row in one for value in row[1:4])
            off = max(abs(a - b) for p, q in zip(one, many) for a, b in zip(p[1:4], q[1:4]))
            expect(off <= 1e-12 * largest, f"{name}: {off / largest:.2g} of the largest value")


def test_restart_of_pairs(program):
    script = edited(with_pairs(), ("steps = 4", "steps = 60"))
    with Place(program, script=script) as place:
        place.good(*RUN, "-q", *EVERY, "-o", "whole")
        shutil.copytree(place.path("whole"), place.path("split"))
        forget(place, 60, "split")
        place.good(*RUN, "-q", *EVERY, "--restart", "-o", "split")
        check_same(place, "whole", "split", "probes by pairs")


LOOPS = """
local function walk(t, loop)
  local found = {}
  for key, value in loop(t) do found[#found + 1] = tostring(key) .. "=" .. tostring(value) end
  return table.concat(found, " ")
end
local function by_next(t) return next, t end
local function check(is, wanted) if is ~= wanted then error("is " .. is .. ", not " .. wanted, 2) end end
local mixed = { 10, 20, 30, [0] = 5, [-2] = 1, [1.5] = 2, [7] = 70, b = "B", a = "A", [""] = 0, aa = 1, [true] = "t", [false] = "f" }
local wanted = "-2=1 0=5 1=10 2=20 3=30 7=70 1.5=2 =0 a=A aa=1 b=B false=f true=t"
check(walk(mixed, pairs), wanted)
check(walk(mixed, by_next), wanted)
for key in pairs(mixed) do mixed[key] = nil end
check(walk(mixed, pairs), "")
check(tostring(next(mixed)), "nil")
for i = 1, 5 do mixed[i], mixed["k" .. i] = i, i end
for key in next, mixed do mixed[key] = nil end
check(tostring(next(mixed)), "nil")
mixed = { a = 1, b = 2, c = 3 }
for key, value in pairs(mixed) do mixed[key] = value + 1 mixed.c = nil end
check(walk(mixed, pairs), "a=2 b=3")
check(walk(setmetatable({}, { __pairs = function() return next, { 1, 2 } end }), pairs), "1=1 2=2")
local objects = { [{ "z" }] = 1, [{ "x" }] = 2, [function() return 1 end] = 3, [{ "y" }] = 4, w = 5 }
local sum = 0
for key, value in pairs(objects) do sum = sum + value end
for key, value in next, objects do sum = sum + value end
check(tostring(sum), "30")
local self = {} self[self] = self
for key, value in pairs(self) do check(tostring(key == self and value == self), "true") end
check(tostring(pcall(pairs)), "false")
check(tostring(pcall(pairs, 3)), "false")
check(tostring(pcall(next, nil)), "false")
check(walk(args, pairs), "b=2 c=1")
local order = {}
for key, value in pairs(objects) do order[#order + 1] = value end
local list = table.concat(order, ",")
if args.c ~= 1 then error("") end
print("order " .. list)
local big = {}
for i = 1, 200000 do big[i] = i end
local n = 0
for key in next, big do n = n + 1 end
check(tostring(n), "200000")
"""


def test_loops(program):
    """All that Lua promises of pairs and next; and keys that are tables and functions are in one order, too."""
    with Place(program, script=LOOPS + SCRIPT) as place:
        orders = {place.good("check", "input/case.lua", "-D", "c=1", "-D", "b=2").split("order ")[1].split("\n")[0]
                  for _ in range(4)}
        expect(len(orders) == 1, f"{orders}")
        place.good("check", "input/case.lua", "-D", "c=1", "-D", "b=2", "--trust", "-q")


def test_ranks_that_differ(program):
    """What each rank reads otherwise is found before the mesh is made; the message names the first key."""
    cases = (
        ("at = { 0.4, 0.3, 0.2 }", "at = { 0.4, 0.3 + 1e-9 * (tonumber(tostring({}):sub(8)) or 0) % 1, 0.2 }",
         r"'output\.probes\.1\.at\.2' as \S+ on rank 0 and as \S+ on rank 1"),
        ('name = "inside"', 'name = "p" .. tostring({}):gsub("[^%w]", "")', r"'output\.probes\.1\.name' as \"p\w+\" on rank 0 and as \"p\w+\" on rank 1"),
        ("return 0, 0, x + y", "return 0, 0, x + y + #address", r"'initial\.E' as another one on rank 0 and as another one on rank 1"),
    )
    for old, new, says in cases:
        script = edited(SCRIPT, ("-- a script that works", "local address = tostring({})"), (old, new))
        with Place(program, script=script) as place:
            os.remove(place.path("input/box.msh"))  # not even looked for
            code, _, err, _ = place.run(*RUN, "-q", **on_ranks(2))
            lines = [line for line in err.splitlines() if line.startswith("curlew: ")]
            expect(code == 2 and len(lines) == 1 and re.fullmatch(
                "curlew: the script gives " + says + ": every rank runs the script, which must not depend on the time, on "
                r"addresses \(tostring of a table or function\) or on files that differ", lines[0]), f"{code}: {err}")


# ---- functions: all that they read

READS = (  # (before the simulation, what initial.E returns, what changes, what is said of it)
    ("a = args.a or 1", "a * x", "a=2", True),  # a global
    ("a = args.a or 1\nfunction f(x) return a * x end", "f(x)", "a=2", True),  # a global function's global
    ("", "(args.a or 1) * x", "a=2", True),  # an argument
    ("local given = args", "(given.a or 1) * x", "a=2", True),
    ("local P = setmetatable({}, { __index = { k = args.a or 1 } })", "P.k * x", "a=2", True),  # behind a table
    ("local deep = { args.a or 1 }\nfor i = 1, 20 do deep = { deep } end", "deep[1] and x", "a=2", True),
    ("local f = args.a and math.sin or math.cos", "f(x)", "a=2", True),  # functions of Lua's own
    ("local t = { p = args.a or 1 }\nlocal k = setmetatable({}, { __index = function(_, n) return t[n] end })", "k.p * x", "a=2", True),
    ("function string.scale(s, x) return (args.a or 1) * x end", "('s'):scale(x)", "a=2", True),  # a method
    ("local m = require('module')", "m.k * x", None, True),
    ("m = require('module')", "m.k * x", None, True),
    ("", "require('module').k * x", None, True),
    ("", "dofile('module.lua').k * x", None, True),
    ("", "tonumber(os.getenv('CURLEW_TEST_A') or 1) * x", {"CURLEW_TEST_A": "2"}, True),
    ("", "#io.open('input/module.lua'):read('a') * x", None, True),
    ("local keys = { [{ args.a or 1 }] = true }", "next(keys)[1] * x", "a=2", True),  # in a key that is a table
    # what no function reads may change
    ("a = args.a or 1", "x", "a=2", False),
    ("local unused = args.a or 1\nother = { unused }", "math.sin(x)", "a=2", False),
    ("local seconds = os.time()", "x + math.min(1, 2)", None, False),
    ("", "(args.b or 1) * x", "a=2", False),
)
MODULE = "return { k = %d }\n"


def test_functions_and_all_that_they_read(program):
    for before, returns, change, differs in READS:
        script = edited(SMALL, ("-- a script that works", f"local _ = args.a, args.b\n{before}"),
                        ("return 0, 0, x + y", f"return 0, 0, y + ({returns})"), ("steps = 60", "steps = 20"))
        with Place(program, {"input/module.lua": MODULE % 1}, script) as place:
            trust = ("--trust",) if "io" in returns or "os." in returns else ()
            place.good(*RUN, "-q", *EVERY, *trust)
            if change is None and differs:
                place.write("input/module.lua", MODULE % 23)
            if isinstance(change, dict):
                os.environ.update(change)
                change = None
            options = (*trust, *(("-D", change) if change else ()))
            if differs:
                refused(place, "the checkpoint is of another run: it had another initial.E; run it without --restart, or as it was",
                        *options)
            else:
                place.good(*RUN, "-q", *EVERY, "--restart", *options)


# ---- a run with a later end

SUMS = """\
simulation {
  mesh = { file = "box.geo" }, order = 2, time = { steps = 60 },
  materials = { default = {} }, boundaries = { default = { kind = "absorbing" } },
  sources = { { at = { 0.5, 0.5, 0.45 }, moment = { 1e-3, 0, 1e-3 }, waveform = PULSE } },
  output = {
    energy = { every = 10 },
    probes = { { name = "a", at = { 0.41, 0.52, 0.33 }, frequencies = { 2e8 } } },
    spectra = { { name = "s", plane = { origin = { 0, 0, 0.3 }, u = { 1, 0, 0 }, v = { 0, 1, 0 }, points = { 3, 3 } },
                  frequencies = { 1e8, 2e8 } } },
    far_field = { { name = "f", region = "inside", frequencies = { 2e8 }, theta = { 40, 90 }, phi = { 0, 30 } } },
  },
}
"""
FUNCTION = "function(t) local u = (t - 1.6e-9) / 4e-10 return u * math.exp(-u * u) end"
PULSES = ("waveform.gaussian { bandwidth = 3e8 }", "waveform.sine { f0 = 2e8 }", FUNCTION)


def interval(place, folder):
    """The steps between samples of the spectrum."""
    with open(place.path(folder, "log.txt"), encoding="utf-8") as file:
        return int(re.findall(r"spectrum 's': .*a sample every (\d+) steps", file.read())[0])


def test_more_steps_and_sums(program):
    """Transforms take the same samples wherever the run ends: those of a script's function go on with the checkpoint's."""
    for pulse in PULSES:
        with Place(program, scene("box")[0], SUMS.replace("PULSE", pulse)) as place:
            often = ("-q", "--set", "checkpoint.every=60")
            place.good(*RUN, *often, "-o", "whole", "--set", "time.steps=600")
            place.good(*RUN, *often, "-o", "split")
            early = interval(place, "split")
            place.good(*RUN, *often, "-o", "split", "--restart", "--set", "time.steps=600")
            if pulse != FUNCTION:
                expect(early == interval(place, "whole"), f"{pulse}: {early} and {interval(place, 'whole')} steps")
                check_same(place, "whole", "split", pulse)
                continue
            expect(early != interval(place, "whole"), "the test is too weak")
            for name in ("far_field/f.csv", "spectra/s.csv"):
                check_near(place, name, 2e-3)


def check_near(place, name, tolerance):
    header, one = place.rows(f"whole/{name}")
    two = place.rows(f"split/{name}")[1]
    for column, title in enumerate(header):
        if title not in ("Etheta_re", "Etheta_im", "Ephi_re", "Ephi_im", "Ex_re", "Ez_im", "Hy_re"):
            continue
        largest = max(abs(row[column]) for row in one)
        off = max(abs(a[column] - b[column]) for a, b in zip(one, two))
        expect(off <= tolerance * largest, f"{name}: {title} differs by {off:.2g} of {largest:.3g}")


def test_more_steps_of_scenes(program):
    """Ports with their past: the bits of the run in one."""
    for name, short, long in (("guide", 50, 100), ("strip", 50, 100), ("line", 50, 100)):
        with Place(program, *scene(name)) as place:
            often = ("-q", "--set", "checkpoint.every=25", "--set", "output.s_parameters=nil")
            place.good(*RUN, *often, "-o", "whole", "--set", f"time.steps={long}")
            place.good(*RUN, *often, "-o", "split", "--set", f"time.steps={short}")
            place.good(*RUN, *often, "-o", "split", "--restart", "--set", f"time.steps={long}")
            check_same(place, "whole", "split", name)


def test_more_steps_of_s_parameters(program):
    """Only the last run for S-parameters could go on: the columns of the others would be of a shorter one."""
    with Place(program, *scene("strip")) as place:
        often = ("-q", "--set", "checkpoint.every=90")
        place.good(*RUN, *often, "--set", "time.steps=100")
        code, _, err, _ = place.run(*RUN, *often, "--restart", "--set", "time.steps=150")
        expect(code == 2 and err.splitlines()[-1] ==
               "curlew: --restart: S-parameters take a run for each port, and an earlier one ended at step 100: it is not made "
               "again, and now there are 150 steps; run it without --restart", f"{code}: {err}")
        place.good(*RUN, *often, "--restart", "--set", "time.steps=100")


def test_longer_stop(program):
    """An automatic step is shortened so that the run ends at time.stop: with a later end the checkpoint's stays."""
    with Place(program, script=edited(SMALL, ("steps = 60", "stop = 5e-9"))) as place:
        often = ("-q", "--set", "checkpoint.every=10")
        place.good(*RUN, *often, "-o", "split")
        first = place.summary("split")
        for stop in (7e-9, 7.77e-9, 20e-9):
            place.good(*RUN, *often, "-o", "split", "--restart", "--set", f"time.stop={stop}")
            summary = place.summary("split")
            expect(summary["time_step"] == first["time_step"], f"{summary['time_step']} after {first['time_step']}")
            expect(stop * (1 - 1e-12) <= summary["simulated_time"] < stop + first["time_step"], f"{stop}: {summary}")
        place.good(*RUN, *often, "-o", "whole", "--set", "time.stop=20e-9", "--set", f"time.step={first['time_step']!r}")
        check_same(place, "whole", "split", "a longer stop")
        code, _, err, _ = place.run(*RUN, *often, "-o", "split", "--restart", "--set", "time.stop=20e-9", "--set", "time.cfl=0.5")
        expect(code == 2 and "it had time step in s = " in err, f"exit code {code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
