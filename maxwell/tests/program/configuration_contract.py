"""configuration.json says what a run was asked for, defaults filled in: configuration_contract.py PROGRAM.

The proof that a default in the file is the program's: given in the script's place, it changes no byte of the results.
"""
import json
import math
import os
import re
import sys

from harness import BOX, SCRIPT, Place, edited, expect, line_of, on_ranks
from run_contract import main

# Keys of many kinds, none of them a function: what is left out has defaults.
PLENTY = """\
simulation {
  mesh = { file = "box.msh" },
  order = 1,
  time = { steps = 4 },
  materials = { left = {}, right = { sigma = 0.5 } },
  boundaries = { walls = { kind = "absorbing" } },
  sources = { { at = { 0.3, 0.2, 0.2 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 1e8, bandwidth = 1e8 } } },
  output = {
    probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } }, { name = "other", at = { 0.1, 0.3, 0.2 } } },
    energy = { every = 1 },
    balance = { every = 2 },
    fields = { every = 2 },
  },
}
"""


def configuration(place, folder="case"):
    def refuse(name):
        raise ValueError(f"{name} is no JSON")

    def once(pairs):
        names = [name for name, _ in pairs]
        expect(len(names) == len(set(names)), f"a key is there twice: {names}")
        return dict(pairs)

    with open(place.path(folder, "configuration.json"), encoding="utf-8") as file:
        text = file.read()
    expect(text.endswith("}\n"), "the file does not end with a line")
    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def content(place, name):
    with open(place.path(name), "rb") as file:
        return file.read()


def results(place, folder):
    """The tables of a run byte for byte, and the names of its snapshots."""
    found = {}
    for root, _, names in os.walk(place.path(folder)):
        for name in (os.path.join(root, name) for name in names):
            if name.endswith((".csv", ".silo", ".vtkhdf")) and "blocks" not in root:
                found[os.path.relpath(name, place.path(folder))] = content(place, name) if name.endswith(".csv") else b""
    return found


def lua(value):
    if isinstance(value, list):
        return "{" + ",".join(lua(item) for item in value) + "}"
    return json.dumps(value) if not isinstance(value, float) else repr(value)


def leaves(value, path=()):
    """(path, value) of what --set can give: numbers, words, and lists of these; no waveforms and functions."""
    if isinstance(value, dict):
        if "function" in value or path[-1:] == ("waveform",):
            return
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for i, inner in enumerate(value, 1):
            yield from leaves(inner, (*path, str(i)))
    elif value is not None:
        yield ".".join(path), value


def test_contents(program):
    script = "local a, text = args.a, args.text\n" + SCRIPT
    with Place(program, {"input/case.lua": script}) as place:
        place.good("run", "input/case.lua", "-q", "-D", "a=1", "-D", "text=say \"x\"\n", "--set", "time.cfl=0.5")
        got = configuration(place)
        expect(list(got) == ["schema", "version", "script", "args", "set", "files", "simulation"], f"keys: {list(got)}")
        expect(got["schema"] == 1 and got["script"] == "input/case.lua", f"head: {got}")
        expect(f"curlew {got['version']}\n" == place.good("--version"), f"version {got['version']}")
        expect(got["args"] == {"a": "1", "text": "say \"x\"\n"} and got["set"] == {"time.cfl": "0.5"}, f"{got['args']}")
        one = got["simulation"]
        expect(one["name"] == "case" and one["time"]["cfl"] == 0.5 and one["time"]["steps"] == 4, f"{one['time']}")
        expect(one["time"]["integrator"] == "leapfrog" and one["time"]["stop"] is None, f"{one['time']}")
        left = {key: value for key, value in one["materials"]["left"].items() if key not in ("source", "valid")}
        expect(one["materials"]["left"]["source"] is one["materials"]["left"]["valid"] is None, f"{one['materials']}")
        poles = dict.fromkeys(["debye", "drude", "lorentz", "critical_points", "poles", "magnetic", "gyrotropic", "ferrite", "with_temperature", "axes"])
        expect(left == {"epsilon_r": 1, "mu_r": 1, "sigma": 0, "sigma_m": 0, "loss_tangent": None, "at": None, "mass_density": 0, "heat_capacity": None, "thermal_conductivity": None, "perfusion": 0,
                         "density": 1, **poles},
               f"{one['materials']}")
        expect(one["initial"] == {"E": {"function": f"input/case.lua:{line_of(script, 'initial')}"}, "H": None, "statics": None},
               f"{one['initial']}")
        expect(one["output"]["probes"][0]["at"] == [0.4, 0.3, 0.2] and one["output"]["probes"][0]["every"] == 1,
               f"{one['output']['probes']}")
        expect(one["watchdog"]["growth"] == 1e3 and one["gpu"]["share"] is False, "sections that are not in the script")
        expect(one["sources"] is None and one["output"]["far_field"] is None, "lists that are not in the script")


def test_defaults_are_the_programs(program):
    """Everything in the file given again by --set: the same file but for `set`, and the same results byte for byte."""
    with Place(program, {"input/case.lua": PLENTY}) as place:
        place.good("run", "input/case.lua", "-q")
        first = configuration(place)
        words = []
        for path, value in leaves(first["simulation"]):
            words += ["--set", f"{path}={lua(value)}"]
        expect(len(words) > 2 * 45, f"only {len(words) // 2} keys")
        place.good("run", "input/case.lua", "-q", "-o", "again", *words)
        second = configuration(place, "again")
        expect(first["simulation"] == second["simulation"], "the configuration has changed")
        expect(results(place, "case") == results(place, "again") and results(place, "case"), "the results have changed")


def test_kinds(program):
    """Kinds have keys of their own; the defaults of others are not there."""
    layered = edited(PLENTY, ('kind = "absorbing"', 'kind = "open", reflection = -40'), ("balance = { every = 2 },", ""))
    with Place(program, {"input/case.lua": PLENTY}) as place:
        place.good("run", "input/case.lua", "-q")
        expect(configuration(place)["simulation"]["boundaries"]["walls"] == {"kind": "absorbing"}, "keys of other kinds")
    with Place(program, {"input/case.lua": layered}) as place:
        place.good("run", "input/case.lua", "-q")
        walls = configuration(place)["simulation"]["boundaries"]["walls"]
        expect(walls == {"kind": "open", "reflection": -40, "thickness": None, "elements": None, "absorber": False},
               f"{walls}")
        wave = configuration(place)["simulation"]["sources"][0]["waveform"]
        expect(wave["kind"] == "modulated_gaussian" and wave["f0"] == 1e8 and math.isfinite(wave["tau"]), f"{wave}")


def test_strange_words(program):
    """Names that JSON must escape, keys that are numbers, and names that are no UTF-8."""
    script = edited(SCRIPT, ("right = { epsilon_r = 2 }", '[2] = { epsilon_r = 2 }'),
                    ('file = "box.msh"', 'file = "b\\"\\\\x.msh"'))
    with Place(program, {"input/case.lua": script, 'input/b"\\x.msh': BOX}) as place:
        place.good("run", "input/case.lua", "-q")
        one = configuration(place)["simulation"]
        expect(one["mesh"]["file"] == 'b"\\x.msh' and list(one["materials"]) == ["2", "left"], f"{one['materials']}")


def test_restarts_and_ranks(program):
    """A restart and several ranks leave the same bytes; a refused run leaves those that are there."""
    with Place(program) as place:
        checkpoint = ("--set", "checkpoint.every=2")
        place.good("run", "input/case.lua", "-q", *checkpoint)
        before = content(place, "case/configuration.json")
        place.good("run", "input/case.lua", "-q", "--restart", *checkpoint)
        expect(content(place, "case/configuration.json") == before, "a restart has changed the file")
        place.good("run", "input/case.lua", "-q", "-o", "ranks", *checkpoint, **on_ranks(3))
        expect(content(place, "ranks/configuration.json") == before, "ranks have changed the file")
        code, _, _, _ = place.run("run", "input/case.lua", "-q", "--set", "order=9")
        expect(code == 2 and content(place, "case/configuration.json") == before, "a refused run has changed the file")
        place.good("check", "input/case.lua", "-q", "--set", "order=2")
        expect(content(place, "case/configuration.json") == before, "`check` has changed the file")
        expect(not [name for name in os.listdir(place.path("case")) if re.search(r"\.part$", name)], "a part is left")


def test_not_ours(program):
    """A file of that name that no run has made is not overwritten."""
    with Place(program, {"case/configuration.json": "{}"}) as place:
        code, _, err, _ = place.run("run", "input/case.lua", "-q")
        expect(code == 2 and "configuration.json" in err, f"{code}: {err}")
        expect(content(place, "case/configuration.json") == b"{}", "it was overwritten")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
