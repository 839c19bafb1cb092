#!/usr/bin/python3
"""Resonances of a run, output.resonances, and the rule time.decay beside them: resonance_contract.py PROGRAM [NAME...]
runs the tests whose names contain a NAME, or all. share/doc/manual.md has the contract."""
import math
import re
import shutil
import sys

from harness import Place, expect, on_ranks
from run_contract import RUN, main, near

C0 = 299792458.0
EPSILON0 = 1 / (1.25663706212e-6 * C0 * C0)
# The box of the harness is 2 by 1 by 1 m. Ez of its modes (1,1,0) and (2,1,0), between perfect conductors.
F11, F21 = (0.5 * C0 * math.hypot(m / 2, 1) for m in (1, 2))
SCRIPT = """simulation {
  mesh = { file = "box.msh" }, order = 6, time = { integrator = "lsrk", stop = 80e-9 },
  materials = { default = { sigma = SIGMA } }, boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z)
    return 0, 0, (math.sin(math.pi * x / 2) + 0.3 * math.sin(math.pi * x)) * math.sin(math.pi * y) end },
  output = {
    probes = { { name = "a", at = { 0.4, 0.3, 0.2 } }, { name = "b", at = { 1.5, 0.6, 0.7 } } },
    voltages = { { name = "a", from = { 0.7, 0.4, 0.1 }, to = { 0.7, 0.4, 0.9 } }, { name = "v", from = { 0.7, 0.4, 0.1 },
                 to = { 0.7, 0.4, 0.9 } } },
    fluxes = { { name = "out", surface = "walls", every = 1000 } },
    lines = { { name = "l", from = { 0.1, 0.5, 0.5 }, to = { 1.9, 0.5, 0.5 }, every = 1000 } },
    resonances = { { name = "modes", probe = { "probes/a", "b", "v" }, from = 120e6, to = 280e6 } },
  },
}
"""
# A pulse of current that is over behind 60 ns, in a box with losses.
DRIVEN = """simulation {
  mesh = { file = "box.msh" }, order = 4, time = { stop = 400e-9, decay = DECAY },
  materials = { default = { sigma = 2e-4 } }, boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.31, 0.33, 0.37 }, moment = { 0, 0, 1 }, delay = DELAY,
                waveform = waveform.gaussian { f0 = 200e6, bandwidth = 150e6 } } },
  output = {
    probes = { { name = "a", at = { 1.4, 0.6, 0.7 } } }, energy = { every = 10 },
    resonances = { { name = "modes", probe = "a", component = { "Ez", "Hx" }, from = 120e6, to = 280e6 } },
  },
}
"""


def found(place, folder="case"):
    return place.summary(folder)["resonances"]


def test_modes_of_a_box(program):
    """Frequencies are those of the box. With losses the decay is sigma/(2 epsilon), hence Q = w epsilon/sigma."""
    for sigma in (0.0, 2e-4):
        with Place(program, script=SCRIPT.replace("SIGMA", repr(sigma))) as place:
            out = place.good(*RUN)
            expect({mode["name"] for mode in found(place)} == {"modes"}, f"{found(place)}")
            # (2,1,0), (2,0,1) and (0,1,1) have one frequency, which the mesh splits: ones that few records have
            modes = [mode for mode in found(place) if mode["seen"] > 5]
            expect(len(modes) == 2, f"{modes}")
            decay = 0.5 * sigma / EPSILON0
            for mode, exact in zip(modes, (F11, F21)):
                w = math.sqrt((2 * math.pi * exact) ** 2 - decay ** 2)
                near(mode["frequency"], w / (2 * math.pi), 2e-4, "frequency")
                expect(mode["records"] > 9, f"{mode}")
                if sigma == 0:
                    expect(mode["Q"] > 5e3, f"{mode}")
                    continue
                near(mode["Q"], w / (2 * decay), 3e-3, "Q")
                expect(mode["doubt"] is None and mode["error"] < 1e-5, f"{mode}")
            lines = [line for line in out.split("\n") if line.startswith("resonance modes: ")]
            expect(len(lines) == len(found(place)) and "Q " in lines[0] and "records" in lines[0], f"{lines}")
            with open(place.path("case/resonances.csv"), encoding="utf-8") as file:
                rows = file.read().split("\n")
            expect(rows[0] == "name,frequency,decay,Q,amplitude,phase,error,record,seen,records,doubt", rows[0])
            expect([float(row.split(",")[1]) for row in rows[1:-1]] == [mode["frequency"] for mode in found(place)], f"{rows}")


def test_loss_tangent(program):
    """A box of a medium with a loss tangent at the frequency of its mode has Q = sqrt(1/tan^2 - 1/4) there, whatever
    its permittivity, also where a function gives that; at twice the frequency the tangent is half of it."""
    tangent, epsilon = 0.02, 2.25
    losses = f"loss_tangent = {tangent}, at = {F11 / math.sqrt(epsilon)!r}"
    for given in (f"{epsilon}", f"function() return {epsilon} end"):
        script = SCRIPT.replace("sigma = SIGMA", f"epsilon_r = {given}, {losses}")
        with Place(program, script=script.replace("from = 120e6, to = 280e6", "from = 80e6, to = 190e6")) as place:
            place.good(*RUN)
            modes = [mode for mode in found(place) if mode["seen"] > 5]
            expect(len(modes) == 2, f"{modes}")
            for mode, exact in zip(modes, (F11, F21)):
                here = tangent * F11 / exact
                near(mode["Q"], math.sqrt(1 / here ** 2 - 0.25), 3e-3, "Q")
                near(mode["frequency"], exact / math.sqrt(epsilon) * math.sqrt(1 - here ** 2 / 4), 2e-4, "frequency")


def test_amplitude_and_phase(program):
    """Those of the field that was set ringing: Ez(t) = A cos(w t) at the probe."""
    with Place(program, script=SCRIPT.replace("SIGMA", "0")) as place:
        place.good(*RUN, "--set", "output.resonances.1.probe=b", "--set", "output.resonances.1.component=Ez")
        mode = found(place)[0]
        expect(mode["record"] == "b.Ez" and mode["records"] == 1, f"{mode}")
        near(mode["amplitude"], math.sin(0.75 * math.pi) * math.sin(0.6 * math.pi), 1e-3, "amplitude")
        expect(abs(mode["phase"]) < 5e-3, f"{mode}")


BAD = [
    ("probe={'a'}", r"several measures have the name 'a'; write the list, too, as in \"probes/a\""),
    ("probe='bb'", r"no probe, voltage or current has the name 'bb' \(nearest: 'b'\)"),
    ("probe='out'", r"'out' is one of output.fluxes, whose values are squares of fields"),
    ("probe='l'", r"'l' is one of output.lines, which has many points"),
    ("probe={}", r"probe is empty"),
    ("probe={'b','b'}", r'"b" is given twice'),
    ("component='Ew'", r'no record has a component "Ew"'),
    ("to=120e6", r"'from' = 1.2e\+08 Hz is not below 'to' = 1.2e\+08 Hz"),
    ("from=0", r"from must be a number > 0 \(Hz\)"),
    ("to=1e12", r"cannot tell 1e\+12 Hz: a sample of a.Ex every .* s reaches to [0-9.e+]* Hz"),
    ("after=79e-9", r"the record from 7.9e-08 s to 8e-08 s is too short: [0-9.]* periods of 'to'"),
    ("after=90e-9", r"records begin at 9e-08 s, and the run ends at 8e-08 s"),
    ("error=0.5", r"error must be a number in \(0, 0.1\]"),
    ("band=1", r"unknown key 'band'"),
]


def test_bad_input(program):
    with Place(program, script=SCRIPT.replace("SIGMA", "0")) as place:
        for setting, message in BAD:
            code, _, err, _ = place.run("check", "input/case.lua", "--set", "output.resonances.1." + setting)
            expect(code == 2 and re.search(message, err) and err.count("\n") == 1, f"{setting}: exit code {code}: {err}")
        code, _, err, _ = place.run("check", "input/case.lua", "--set", "output.resonances.1.from=1e6")
        expect(code == 0 and "has only 0.0" in err and "periods of 'from'" in err, f"low: {code}: {err}")
        _, _, err, _ = place.run(*RUN, "--set", "output.resonances.1.from=230e6", "--set", "output.resonances.1.to=231e6")
        expect("found nothing that rings between 2.3e+08 Hz and 2.31e+08 Hz" in err, err)


def test_sources(program):
    """Records begin behind the sources: a source that never ends is an error, one that is still on a warning."""
    script = DRIVEN.replace("DECAY", "nil").replace("DELAY", "0")
    late = script.replace("DELAY", "0")
    sine = re.sub(r"waveform\.gaussian.*?}", "waveform.sine { f0 = 200e6 }", script)
    general = re.sub(r"{ at = [^}]*}, moment = [^}]*}, delay.*?} } },",
                     '{ region = "left", current = function(x, y, z, t) return 0, 0, math.sin(1e9 * t) end } },', script, 1,
                     re.DOTALL)
    expect(len({late, sine, general}) == 3, "the test is wrong: its scripts are the same")
    for one in (sine, general):
        with Place(program, script=one) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            expect(code == 2 and "ever ends" in err and "give 'after'" in err, f"{code}: {err}")
            code, _, err, _ = place.run("check", "input/case.lua", "--set", "output.resonances.1.after=50e-9")
            expect(code == 0 and "what it drives is taken for resonances" in err, f"{code}: {err}")
    with Place(program, script=late) as place:
        code, _, err, _ = place.run("check", "input/case.lua", "--set", "output.resonances.1.after=5e-9")
        expect(code == 0 and "records begin at 5e-09 s" in err and "lasts until" in err, f"{code}: {err}")
        code, _, err, _ = place.run("check", "input/case.lua", "--set", "sources.1.delay=1e-6")
        expect(code == 2 and "behind sources[1]" in err and "give time.stop more" in err, f"{code}: {err}")


def test_decay_waits(program):
    """time.decay counts from the peak behind the source and waits for a record, on one rank as on two, and behind a
    checkpoint; resonances are the same bits there."""
    script = DRIVEN.replace("DECAY", "30").replace("DELAY", "40e-9")
    often = ("--set", "checkpoint.every=40", "--set", "watchdog.every=10", "-q")
    with Place(program, script=script) as place:
        place.good(*RUN, *often, "-o", "one")
        summary = place.summary("one")
        expect(summary["stop_reason"] == "decay" and summary["status"] == "done", f"{summary}")
        energy = [(row[1], row[4]) for row in place.rows("one/energy.csv")[1]]
        end, most = summary["simulated_time"], max(energy, key=lambda row: row[1])
        naive = min(t for t, e in energy if t > most[0] and e < 10 ** -3.0 * most[1])
        behind = max(e for t, e in energy if t > 104.5e-9)  # the pulse is below 1e-6 at 96 ns, a wave crosses in 8
        expect(naive + 10e-9 < end < 399e-9 and end > 104e-9 + 10 / 120e6, f"it ends at {end}, not at {naive}")
        expect(energy[-1][1] < 10 ** -3.0 * behind * 1.03 and energy[-1][1] > 10 ** -3.1 * behind,
               f"{energy[-1]}, {behind}")
        expect(len(found(place, "one")) > 0, f"{summary}")
        place.good(*RUN, *often, "-o", "two", **on_ranks(2))
        expect(place.summary("two")["steps"] == summary["steps"], "the ranks end at another step")
        for a, b in zip(found(place, "one"), found(place, "two")):
            near(a["frequency"], b["frequency"], 1e-9, "frequency")
        shutil.copytree(place.path("one"), place.path("again"))
        place.good(*RUN, *often, "-o", "again", "--restart")
        expect(place.summary("again")["checkpoints"]["restarts"] == 1, "no restart")
        for name in ("resonances.csv", "energy.csv", "probes/a.csv"):
            with open(place.path("one", name), "rb") as a, open(place.path("again", name), "rb") as b:
                expect(a.read() == b.read(), f"{name} differs behind a restart")


def test_decay_waits_for_sources(program):
    """Without resonances, too: between two pulses the energy decays, and the rule must not end the run there."""
    script = DRIVEN.replace("DECAY", "20").replace("DELAY", "0").replace("sigma = 2e-4", "sigma = 2e-3")
    second = script.replace("sources = { {", "sources = { { at = { 1.31, 0.33, 0.37 }, moment = { 0, 0, 1 }, "
                            "delay = 150e-9, waveform = waveform.gaussian { f0 = 200e6, bandwidth = 150e6 } }, {")
    for one, least in ((script, 0), (second, 150e-9)):
        with Place(program, script=one) as place:
            place.good(*RUN, "-q", "--set", "watchdog.every=10", "--set", "output.resonances=nil")
            summary = place.summary()
            expect(summary["stop_reason"] == "decay" and summary["simulated_time"] > least, f"{summary}")
            expect(least > 0 or summary["simulated_time"] < 150e-9, f"{summary}: the test is wrong, nothing decays")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
