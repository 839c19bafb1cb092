"""Simulations in this process, by libcurlew.so.

    check_inprocess.py [CURLEW]                                        CURLEW_TEST_RUNS=100: so many that must not leak
Exits 77 (skipped) where NumPy is missing. Takes seconds: every simulation is a box of a few elements.
"""
import ctypes
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import curlew  # noqa: E402

GEOMETRY = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("inside") = {1};
Physical Surface("walls") = {1, 2, 3, 4, 5, 6};
"""
SCRIPT = """\
simulation {
  name = "box",
  mesh = { file = "box.geo", size = 0.8 },
  order = 2,
  time = { steps = args.steps or 40 },
  materials = { inside = { epsilon_r = function(x, y, z) return 1 + x * (1 - y) end } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, x * (1 - x) * y * (1 - y) end },
  sources = { { region = "inside", current = function(x, y, z, t) return x * t, 2 * y, z * z * t end } },
  output = {
    probes = { { name = "centre", at = { 0.4, 0.5, 0.3 } } },
    lines = { { name = "axis", from = { 0.1, 0.5, 0.5 }, to = { 0.9, 0.5, 0.5 }, points = 5, every = 10 } },
    voltages = { { name = "gap", from = { 0.5, 0.5, 0.1 }, to = { 0.5, 0.5, 0.9 }, every = 3 } },
    energy = { every = 5 },
  },
}
"""


def scene(**changes):
    """The same as the script, with functions of Python that round as Lua's do."""
    table = {
        "name": "box",
        "mesh": {"file": "box.geo", "size": 0.8},
        "order": 2,
        "time": {"steps": 40},
        "materials": {"inside": {"epsilon_r": lambda x, y, z: 1 + x * (1 - y)}},
        "boundaries": {"walls": {"kind": "pec"}},
        "initial": {"E": lambda x, y, z: (0, 0, x * (1 - x) * y * (1 - y))},
        "sources": [{"region": "inside", "current": lambda x, y, z, t: (x * t, 2 * y, z * z * t)}],
        "output": {
            "probes": [{"name": "centre", "at": np.array([0.4, 0.5, 0.3])}],
            "lines": [{"name": "axis", "from": [0.1, 0.5, 0.5], "to": [0.9, 0.5, 0.5], "points": 5, "every": 10}],
            "voltages": [{"name": "gap", "from": (0.5, 0.5, 0.1), "to": (0.5, 0.5, 0.9), "every": 3}],
            "energy": {"every": 5},
        },
    }
    table.update(changes)
    return {name: value for name, value in table.items() if value is not None}


WAVEGUIDE = os.path.join(HERE, "..", "..", "..", "examples", "03_waveguide", "waveguide.lua")
PORTS = {"order": 1, "output.s_parameters": None, "output.fields": None, "time": {"steps": 1000},
         "output.probes": [{"name": "p", "at": [5e-3, 4e-3, 0]}]}


def backends():
    """Those that run here."""
    said = subprocess.run([curlew.find_program(), "info"], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in said.split("backends:")[1].splitlines() if "not " not in line]
    return [words[0] for words in lines if words]


TABLES = ("probes/centre", "lines/axis", "voltages/gap")


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="curlew-inprocess-")
        self.addCleanup(place.cleanup)
        self.folder = place.name
        for name, text in (("box.lua", SCRIPT), ("box.geo", GEOMETRY)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def simulation(self, what=None, **options):
        simulation = curlew.Simulation(scene() if what is None else what, folder=self.folder, **options)
        self.addCleanup(simulation.close)
        return simulation

    def shell(self, out, *words):
        subprocess.run([curlew.find_program(), "run", self.path("box.lua"), "-q", "--output", self.path(out), *words],
                       check=True)

    def same_files(self, one, other, names=("energy",) + TABLES):
        for name in names:
            with open(self.path(one, name + ".csv"), "rb") as a, open(self.path(other, name + ".csv"), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)


class Same(Case):
    """The same numbers, bit for bit, however a simulation is carried out."""

    def test_runs(self):
        for backend in backends():
            for integrator in ("leapfrog", "lsrk"):
                keys = {"time.integrator": integrator, "backend": backend}
                self.shell("shell", *(word for key, value in keys.items() for word in ("--set", f"{key}={value}")))
                with curlew.Simulation(self.path("box.lua"), set=keys) as simulation:
                    simulation.run(self.path("script"))
                with self.simulation(set=keys) as simulation:
                    simulation.run(self.path("dict"))
                self.same_files("shell", "script")
                self.same_files("shell", "dict")

    def test_steps(self):
        self.shell("shell")
        shell = curlew.open(self.path("shell"))
        for part in (40, 7, 1):
            with self.simulation() as simulation:
                while simulation.steps_done < 40:
                    simulation.advance(min(part, 40 - simulation.steps_done))
                    if part == 7:  # whoever looks changes nothing
                        simulation.energy(), simulation.fields(), simulation.sample([[0.5, 0.5, 0.5]])
                records = simulation.records
                energy = simulation.energy()
            self.assertEqual(set(records), set(TABLES))
            for name in TABLES:
                kind, own = name.split("/")
                np.testing.assert_array_equal(records[name].to_array(), getattr(shell, kind)[own].to_array())
            self.assertEqual(energy, (shell.energy["electric"][-1], shell.energy["magnetic"][-1]))

    def test_functions_by_set(self):
        self.shell("shell")
        replaced = {"initial.E": scene()["initial"]["E"], "sources.1.current": scene()["sources"][0]["current"],
                    "materials.inside.epsilon_r": scene()["materials"]["inside"]["epsilon_r"]}
        with curlew.Simulation(self.path("box.lua"), set=replaced) as simulation:
            simulation.run(self.path("set"))
        self.same_files("shell", "set")

    def test_single_precision(self):
        self.shell("shell", "--set", "precision=single")
        with self.simulation(set={"precision": "single"}) as simulation:
            simulation.run(self.path("dict"))
        self.same_files("shell", "dict")

    def test_time_functions(self):
        drive = {"region": "inside", "profile": lambda x, y, z: (0, x, 0), "waveform": lambda t: t * t}
        lua = {"region": "inside", "profile": curlew.Lua("function(x, y, z) return 0, x, 0 end"),
               "waveform": curlew.Lua("function(t) return t * t end")}
        found = []
        for source in (drive, lua):
            with self.simulation(scene(sources=[source])) as simulation:
                found.append(simulation.advance(40).records["probes/centre"].to_array())
        np.testing.assert_array_equal(*found)
        self.assertGreater(np.abs(found[0]["Ey"]).max(), 0)

    def test_ports(self):
        with curlew.Simulation(WAVEGUIDE, set=PORTS) as simulation:
            for _ in range(20):
                simulation.advance(50).energy()
            record = simulation.records["probes/p"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mesh is too coarse for this wave
            result = curlew.run(WAVEGUIDE, set=PORTS, out=self.path("out"))
        np.testing.assert_array_equal(record.to_array(), result.probes["p"].to_array())
        self.assertGreater(np.abs(record["Ey"]).max(), 1)

    def test_finish(self):
        table = scene(time={"steps": 40, "finish": lambda t, n, energy: n >= 10}, watchdog={"every": 5})
        with self.simulation(table) as simulation:
            result = simulation.run(self.path("out"))
        self.assertEqual((result.summary["steps"], result.summary["stop_reason"]), (10, "function"))


class Fields(Case):
    def test_nodes(self):
        with self.simulation(scene(time={"steps": 40, "integrator": "lsrk"})) as simulation:
            x = simulation.points()
            E, H = simulation.fields()
        self.assertEqual(E.shape, (simulation.elements, 3, simulation.nodes))
        np.testing.assert_allclose(E[:, 2], x[:, 0] * (1 - x[:, 0]) * x[:, 1] * (1 - x[:, 1]), atol=1e-15)
        self.assertFalse(H.any())

    def test_no_copy(self):
        with self.simulation() as simulation:
            mine = np.empty(simulation.shape), np.empty(simulation.shape)
            E, H = simulation.advance(5).fields(*mine)
            self.assertTrue(E is mine[0] and H is mine[1] and np.abs(H).max() > 0)

    def test_sample(self):
        with self.simulation() as simulation:
            simulation.advance(9)
            value = simulation.sample([[0.4, 0.5, 0.3], [0.5, 0.5, 2]])
            probe = simulation.records["probes/centre"]
        self.assertEqual(value[0].tolist(), [probe[name][-1] for name in ("Ex", "Ey", "Ez", "Hx", "Hy", "Hz")])
        self.assertTrue(np.isnan(value[1]).all())

    def test_set_fields(self):
        """Fields of one simulation in another go on as they would have."""
        table = scene(sources=None, time={"steps": 40, "integrator": "lsrk"})
        with self.simulation(table) as one, self.simulation(table) as other:
            other.set_fields(*one.advance(15).fields())
            E, H = one.advance(20).fields()
            again = other.advance(20).fields()
        np.testing.assert_allclose(again[0], E, atol=1e-13 * np.abs(E).max())
        np.testing.assert_allclose(again[1], H, atol=1e-13 * np.abs(H).max())

    def test_energy_of_set_fields(self):
        with self.simulation(scene(materials={"inside": {}}, initial=None, sources=None)) as simulation:
            E = np.zeros(simulation.shape)
            E[:, 0] = 3
            simulation.set_fields(E)
            self.assertAlmostEqual(simulation.energy()[0], 0.5 * 8.8541878128e-12 * 9, delta=1e-19)
            simulation.set_fields(None, E)
            self.assertAlmostEqual(simulation.fields()[1][0, 0, 0], 3, delta=1e-9)


class Errors(Case):
    def refuse(self, kind, text, what, **options):
        with self.assertRaises(kind) as caught:
            self.simulation(what, **options)
        self.assertIn(text, str(caught.exception))
        return caught.exception

    def test_scenes(self):
        error = self.refuse(curlew.InputError, "unknown key 'ordre'", scene(ordre=2))
        self.assertEqual(error.code, 2)
        self.assertTrue(error.file.endswith("dict") and error.line > 0)
        self.refuse(curlew.InputError, "order", scene(order=9))
        self.refuse(curlew.InputError, "'mesh' is missing", scene(mesh=None))
        self.refuse(curlew.InputError, "box2.geo", scene(mesh={"file": "box2.geo", "size": 1}))
        self.refuse(curlew.InputError, "is a complex", scene(order=2j))
        self.refuse(curlew.InputError, "a key in", scene(materials={None: 1}))
        self.refuse(curlew.InputError, "order must be", None, set={"order": lambda x: x})
        self.refuse(curlew.InputError, "is a number, not a table", None, set={"order.deep": lambda x: x})
        self.refuse(curlew.InputError, "on.done must be a function of the script", scene(on={"done": lambda sim: None}))
        self.refuse(curlew.InputError, "unknown key 'stps'", None, set={"time.stps": 1})
        self.refuse(curlew.InputError, "quantum", None, backend="quantum")
        with self.assertRaisesRegex(curlew.InputError, "cannot open the script"):
            curlew.Simulation(self.path("none.lua"))

    def test_functions(self):
        def fail(x, y, z):
            raise ZeroDivisionError("no medium here")
        error = self.refuse(curlew.InputError, "no medium here", scene(materials={"inside": {"epsilon_r": fail}}))
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        self.assertIn("check_inprocess.py:", error.message)
        self.refuse(curlew.InputError, "returned nan", scene(materials={"inside": {"epsilon_r": lambda x, y, z: x * np.nan}}))
        self.refuse(curlew.InputError, "broadcast", scene(materials={"inside": {"epsilon_r": lambda x, y, z: np.zeros(12345)}}))
        self.refuse(curlew.InputError, "read-only", scene(materials={"inside": {"epsilon_r": lambda x, y, z: x.__iadd__(1)}}))
        calls = []

        def count(x, y, z):
            calls.append(1)
            return len(calls)
        self.refuse(curlew.InputError, "does not give the same", scene(materials={"inside": {"epsilon_r": count}}))

    def test_functions_while_steps_are_made(self):
        def late(x, y, z, t):
            if t > 0 and simulation.steps_done > 4:
                raise RuntimeError("too late")
            return 0, 0, x
        simulation = self.simulation(scene(sources=[{"region": "inside", "current": late}]))
        with self.assertRaisesRegex(curlew.InputError, "too late.*in step"):
            simulation.advance(20)
        with self.assertRaisesRegex(curlew.InputError, "a step of this simulation has failed"):
            simulation.advance(1)
        for given, text in ((lambda x, y, z: (0, x), "2 components, not 3"), (lambda x, y, z: np.zeros((2, 2)), "an array"),
                            (lambda x: x, "positional argument")):
            with self.assertRaisesRegex(curlew.InputError, text):
                self.simulation(scene(initial={"E": given})).advance(1)

    def test_order_of_calls(self):
        simulation = self.simulation()
        with self.assertRaisesRegex(curlew.InputError, "41 more steps behind step 0: the simulation has 40"):
            simulation.advance(41)
        with self.assertRaisesRegex(curlew.InputError, "must be at least 0"):
            simulation.advance(-1)
        with self.assertRaisesRegex(curlew.InputError, "must be an integer"):
            simulation.advance(1.5)
        with self.assertRaisesRegex(curlew.InputError, "has been stepped"):
            simulation.run(self.path("out"))
        simulation.close()
        simulation.close()
        with self.assertRaisesRegex(curlew.InputError, "is closed"):
            simulation.advance()
        simulation = self.simulation()
        simulation.run(self.path("out"))
        with self.assertRaisesRegex(curlew.InputError, "has been run"):
            simulation.energy()
        with self.assertRaisesRegex(curlew.InputError, "has been run"):
            simulation.run(self.path("out"))

    def test_arrays(self):
        simulation = self.simulation()
        for bad in (np.zeros(3), np.zeros(simulation.shape, dtype=np.float32), np.zeros(simulation.shape[::-1]).T):
            with self.assertRaisesRegex(curlew.InputError, "contiguous, writable array"):
                simulation.fields(bad)
        with self.assertRaisesRegex(curlew.InputError, "has the shape"):
            simulation.set_fields(np.zeros(3))
        with self.assertRaisesRegex(curlew.InputError, "finite"):
            simulation.sample([[np.nan, 0, 0]])

    def test_blow_up(self):
        table = scene(time={"steps": 100000, "integrator": "euler", "step": 1e-10}, watchdog={"every": 10})
        with self.assertRaises(curlew.BlewUp) as caught:
            self.simulation(table).advance(100000)
        self.assertEqual(caught.exception.code, 4)

    def test_what_steps_do_not_have(self):
        with self.assertRaisesRegex(curlew.InputError, "waveguide.lua:.*S-parameters take a run for every port"):
            curlew.Simulation(WAVEGUIDE, set={"order": 1}).advance(1)
        with curlew.Simulation(WAVEGUIDE, set=PORTS) as simulation:
            with self.assertRaisesRegex(curlew.InputError, "cannot be set in a simulation with ports"):
                simulation.set_fields()


class Endings(Case):
    def test_ctrl_c_and_restart(self):
        steps = {"time.steps": 20000}
        table = scene(sources=None)
        with self.assertRaises(curlew.Interrupted) as caught:
            self.simulation(table, set=steps).run(
                self.path("out"), lambda n, steps, t: os.kill(os.getpid(), signal.SIGINT) if n > 0 else None)
        self.assertIn("--restart goes on from there", caught.exception.message)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        result = self.simulation(table, set=steps).run(self.path("out"), restart=True)
        self.assertEqual(result.summary["checkpoints"]["restarts"], 1)
        self.simulation(table, set=steps).run(self.path("whole"))
        self.same_files("out", "whole")

    def test_progress_ends_a_run(self):
        with self.assertRaises(curlew.Interrupted):
            self.simulation(set={"time.steps": 200000}).run(self.path("out"), lambda n, steps, t: False)
        with self.assertRaisesRegex(RuntimeError, "enough"):
            def fail(n, steps, t):
                raise RuntimeError("enough")
            self.simulation(set={"time.steps": 200000}).run(self.path("out"), fail)

    def test_another_function_is_another_simulation(self):
        with self.assertRaises(curlew.Interrupted):
            self.simulation(set={"time.steps": 200000}).run(self.path("out"), lambda n, steps, t: False)
        other = scene(sources=[{"region": "inside", "current": lambda x, y, z, t: (x * t, 3 * y, z * z * t)}])
        with self.assertRaisesRegex(curlew.InputError, "sources.1.current"):
            self.simulation(other, set={"time.steps": 200000}).run(self.path("out"), restart=True)

    def test_ctrl_c_between_steps(self):
        simulation = self.simulation(scene(sources=None), set={"time.steps": 10000000})
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            simulation.advance(10000000)
        self.assertGreater(simulation.steps_done, 0)
        simulation.advance(1)  # and it goes on

    def test_two_at_a_time(self):
        with self.simulation() as one, self.simulation() as other:
            for _ in range(20):
                one.advance(2), other.advance(2)
            np.testing.assert_array_equal(one.records["probes/centre"].to_array(), other.records["probes/centre"].to_array())


TWO_PORTS = {"order": 1, "output.s_parameters.points": 11, "output.fields": {"every": 1000}, "time": {"steps": 400},
             "output.balance": {"every": 10, "tolerance": 1}, "output.energy": {"every": 7}}


def tree(folder):
    """The contents of a run's folder but what differs between two runs: times of day and seconds."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return {name: data for name, data in found.items()
            if not name.endswith((".silo", "log.txt", "summary.json")) and "checkpoint" not in name}


class Begun(Case):
    """A run with all of its output, in steps."""

    def both_driven(self):
        with open(WAVEGUIDE, encoding="utf-8") as file:
            text = file.read()
        driven = text.replace("number = 2 }", "number = 2, waveform = waveform.gaussian { f0 = 10e9, bandwidth = 4.5e9 } }")
        self.assertNotEqual(driven, text)
        with open(self.path("both.lua"), "w", encoding="utf-8") as file:
            file.write(driven)
        shutil.copy(WAVEGUIDE.replace(".lua", ".geo"), self.folder)
        return self.path("both.lua")

    def two_ports(self, out, *, restart=False, **keys):
        simulation = curlew.Simulation(self.both_driven(), set={**TWO_PORTS, **keys})
        self.addCleanup(simulation.close)
        return simulation.begin(self.path(out), restart=restart)

    def whole(self):
        with curlew.Simulation(self.both_driven(), set=TWO_PORTS) as simulation:
            simulation.run(self.path("whole"))
        return tree(self.path("whole"))

    def same_trees(self, folder, whole, but=()):
        found = tree(self.path(folder))
        self.assertEqual(sorted(found), sorted(whole))
        self.assertEqual([name for name in found if found[name] != whole[name] and name not in but], [])

    def test_is_the_run(self):
        for backend in backends():
            for integrator in ("leapfrog", "lsrk"):
                keys = {"time.integrator": integrator, "backend": backend}
                self.shell("shell", *(word for key, value in keys.items() for word in ("--set", f"{key}={value}")))
                with curlew.Simulation(self.path("box.lua"), set=keys) as simulation:
                    simulation.begin(self.path("begun"))
                    for part in (0, 3, 1, 9):
                        simulation.advance(part).energy()
                    self.assertEqual((simulation.steps_done, simulation.over, simulation.port), (13, False, None))
                    simulation.advance(1000)
                    self.assertEqual((simulation.steps_done, simulation.over), (40, False))
                    E = simulation.fields()[0]
                    self.assertEqual(simulation.finish().summary["steps"], 40)
                    self.assertTrue(simulation.over)
                self.same_files("shell", "begun")
                with curlew.Simulation(self.path("box.lua"), set=keys) as simulation:
                    np.testing.assert_array_equal(simulation.advance(40).fields()[0], E)

    def test_s_parameters(self):
        whole = self.whole()
        simulation, ports = self.two_ports("begun"), []
        while not simulation.over:
            before = simulation.total_steps
            simulation.advance(90)
            if simulation.total_steps == before:
                break
            simulation.energy()
            ports.append((simulation.port, simulation.steps_done, simulation.total_steps))
        names = list(dict.fromkeys(port for port, _, _ in ports))
        self.assertEqual((len(names), ports[0][1:], ports[-1][1:]), (2, (90, 90), (400, 800)))
        self.assertEqual(simulation.sample([[0, 0, 1]]).shape, (1, 6))
        result = simulation.finish()
        self.same_trees("begun", whole)
        self.assertEqual(result.s_parameters.S.shape, (11, 2, 2))
        self.assertTrue(np.isfinite(result.s_parameters.S).all())

    def test_stop_and_restart(self):
        """In each of the runs for S-parameters; the step after a look is the checkpoint's."""
        whole = self.whole()
        for steps, looks in ((150, False), (150, True), (520, False)):
            simulation = self.two_ports("begun")
            simulation.advance(steps)
            if looks:
                simulation.energy()
            simulation.stop()
            self.assertTrue(simulation.over)
            self.assertEqual(simulation.results.status, "interrupted")
            simulation = self.two_ports("begun", restart=True)
            self.assertEqual((simulation.total_steps, simulation.steps_done), (steps + looks, (steps + looks) % 400))
            simulation.advance(1).checkpoint()
            simulation.finish()
            # A restart counts the balance anew, and files have other names in the list of a folder's files.
            self.same_trees("begun", whole, ("balance.csv", ".curlew/files_0000"))

    def test_snapshots(self):
        simulation = self.two_ports("begun")
        self.assertEqual((simulation.snapshot().step, simulation.snapshot().step), (0, 0))
        snapshot = simulation.advance(123).snapshot()
        self.assertEqual((snapshot.step, simulation.snapshot().step), (123, 123))
        self.assertEqual([one.step for one in simulation.results.snapshots], [0, 123])
        simulation.advance(300)
        with self.assertRaisesRegex(curlew.InputError, "of the first of the runs for S-parameters"):
            simulation.snapshot()
        self.assertEqual(len(simulation.finish().snapshots), 2)
        with self.simulation().begin(self.path("none")) as simulation:
            with self.assertRaisesRegex(curlew.InputError, "need output.fields"):
                simulation.snapshot()
        series = self.path("begun", "fields.hdf.series")
        simulation = self.two_ports("begun", **{"output.fields.format": "vtkhdf"})
        simulation.advance(17).snapshot()
        simulation.checkpoint()
        simulation.stop()
        simulation = self.two_ports("begun", restart=True, **{"output.fields.format": "vtkhdf"})
        simulation.advance(2).snapshot()
        with open(series, encoding="ascii") as file:
            text = file.read()
        self.assertTrue(all(name in text for name in ("fields_000000", "fields_000017", "fields_000020")), text)
        simulation.close()

    def test_results_so_far(self):
        simulation = self.simulation().begin(self.path("out"))
        for steps in (7, 14):
            rows = simulation.advance(7).results.probes["centre"]["time"]
            self.assertEqual(len(rows), steps + 1)
        with self.assertRaisesRegex(curlew.InputError, "records of a run with output are in its folder"):
            simulation.records  # pylint: disable=pointless-statement
        with self.assertRaisesRegex(curlew.InputError, "cannot be set"):
            simulation.set_fields()
        for again in (simulation.run, simulation.begin):
            with self.assertRaisesRegex(curlew.InputError, "has been run"):
                again(self.path("other"))
        with self.assertRaisesRegex(curlew.InputError, "curlew_begin has not been called"):
            self.simulation().checkpoint()

    def test_rules_end_it(self):
        table = scene(time={"steps": 40, "finish": lambda t, n, energy: n >= 10}, watchdog={"every": 5})
        simulation = self.simulation(table).begin(self.path("out"))
        simulation.advance(30)
        self.assertTrue(simulation.over)
        self.assertEqual(simulation.finish().summary["stop_reason"], "function")
        for what in (simulation.advance, simulation.energy, simulation.checkpoint):
            with self.assertRaisesRegex(curlew.InputError, "is over"):
                what()

    def test_errors(self):
        table = scene(time={"steps": 100000, "integrator": "euler", "step": 1e-10}, watchdog={"every": 10})
        simulation = self.simulation(table).begin(self.path("out"))
        with self.assertRaises(curlew.BlewUp):
            simulation.advance(100000)
        with self.assertRaises(curlew.BlewUp):
            simulation.finish()

        def fails(x, y, z, t):
            if t > 1e-9:
                raise ZeroDivisionError("late")
            return x, y, z
        simulation = self.simulation(scene(sources=[{"region": "inside", "current": fails}]), set={"time.steps": 4000})
        with self.assertRaisesRegex(curlew.InputError, "late"):
            simulation.begin(self.path("out")).advance(4000)
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        with self.assertRaises(curlew.CurlewError):
            self.simulation().begin(self.path("file"))

    def test_ctrl_c(self):
        """Within advance the run ends with a checkpoint; between two calls it is Python's, and the run goes on."""
        steps = {"time.steps": 20000}
        simulation = self.simulation(scene(sources=None), set=steps).begin(self.path("out"))
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            simulation.advance(0)
        simulation.advance(5)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(curlew.Interrupted):
            while True:
                simulation.advance(1000)
                if simulation.steps_done == 20000:
                    self.fail("the run was too short for the signal")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        with self.simulation(scene(sources=None), set=steps).begin(self.path("out"), restart=True) as simulation:
            self.assertGreater(simulation.steps_done, 5)
            simulation.finish()
        self.simulation(scene(sources=None), set=steps).run(self.path("whole"))
        self.same_files("out", "whole")
        with self.assertRaises(KeyboardInterrupt):
            with self.simulation(scene(sources=None), set=steps).begin(self.path("left")) as simulation:
                simulation.advance(3)
                raise KeyboardInterrupt
        with self.simulation(scene(sources=None), set=steps).begin(self.path("left"), restart=True) as simulation:
            self.assertEqual(simulation.steps_done, 3)

    def test_two_at_a_time(self):
        with self.simulation().begin(self.path("one")) as one, self.simulation().begin(self.path("two")) as two:
            for _ in range(10):
                one.advance(4), two.advance(4)
            one.finish(), two.finish()
        self.same_files("one", "two")


# The numbers of a locale with a decimal comma, as glibc's localedef writes them: magic number, offsets, strings.
COMMA = (b"\x14\x11\x03\x20" + bytes((6, 0, 0, 0)) + b"".join(bytes((offset, 0, 0, 0)) for offset in (32, 34, 36, 40, 44, 48)) +
         b",\0.\0\3\3\0\0,\0\0\0.\0\0\0ANSI_X3.4-1968\0")
HOST = """\
import ctypes, locale, sys
sys.path.insert(0, sys.argv[1])
import curlew
said = []
def host(x, y, z):
    text = ctypes.create_string_buffer(40)
    ctypes.CDLL(None).snprintf(text, 40, b"%g", ctypes.c_double(1.5))
    said.append(text.value)
    return 0 * x, y, z
if len(sys.argv) > 2:
    locale.setlocale(locale.LC_NUMERIC, "comma")
    assert locale.localeconv()["decimal_point"] == ","
for name in ("run", "begun"):
    with curlew.Simulation("box.lua", args={"steps": 40}, set={"time.cfl": 0.85, "initial.H": host, "output.fields": {
            "every": 20, "format": "vtkhdf"}, "checkpoint": {"minutes": 1.5}, "output.voltages.1.frequencies": [1.5e7]}) as one:
        one.run(name) if name == "run" else one.begin(name).advance(7).finish()
assert set(said) == {b"1,5" if len(sys.argv) > 2 else b"1.5"}, said
try:
    curlew.Simulation("box.lua", set={"time.cfl": 1.75, "order": 2.5})
except curlew.InputError as error:
    print(error)
"""


class Locale(Case):
    def test_decimal_comma(self):
        """A host with a decimal comma: the same bytes, and its own functions keep its comma."""
        os.makedirs(self.path("locales", "comma"))
        with open(self.path("locales", "comma", "LC_NUMERIC"), "wb") as file:
            file.write(COMMA)
        said = []
        for words in ((), ("comma",)):
            os.makedirs(self.path("host", *words))
            for name in ("box.lua", "box.geo"):
                shutil.copy(self.path(name), self.path("host", *words))
            done = subprocess.run([sys.executable, "-c", HOST, os.path.dirname(HERE), *words], cwd=self.path("host", *words),
                                  env={**os.environ, "LOCPATH": self.path("locales")}, capture_output=True, text=True, check=False)
            if "unsupported locale" in done.stderr:
                self.skipTest("the C library reads no locale of glibc's format")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            said.append(done.stdout)
        self.assertEqual(said[0], said[1])
        for run in ("run", "begun"):
            for name in TABLES + ("energy", "voltages/gap_spectrum"):
                with open(self.path("host", run, name + ".csv"), "rb") as a:
                    with open(self.path("host", "comma", run, name + ".csv"), "rb") as b:
                        self.assertEqual(a.read(), b.read(), name)
            for name in ("summary.json", "fields.hdf.series"):
                with open(self.path("host", "comma", run, name), encoding="utf-8") as file:
                    json.load(file)


def resident():
    """Bytes of this process in memory, and its open files and threads."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


class Leaks(Case):
    def test_many(self):
        """Simulations that are stepped, run, and refused: memory, files and threads stay what they were."""
        def once(i):
            with curlew.Simulation(scene(), folder=self.folder) as simulation:
                if i % 4 == 0:
                    simulation.run(self.path("out"))
                elif i % 4 == 1:
                    simulation.begin(self.path("begun")).advance(20).energy()
                    if i % 8 == 1:
                        simulation.finish()
                else:
                    simulation.advance(40).fields()
            with self.assertRaises(curlew.InputError):
                curlew.Simulation(scene(ordre=2), folder=self.folder)
        runs = int(os.environ.get("CURLEW_TEST_RUNS", "24"))
        for i in range(8):
            once(i)
        bytes_, files, threads = resident()
        for i in range(runs):
            once(i)
        more = resident()
        self.assertEqual(more[1:], (files, threads))
        print(f"{runs} simulations: {(more[0] - bytes_) / runs:.0f} bytes each")
        # The fields of one of them take 48 kB, its mesh and tables some 100 kB.
        self.assertLess(more[0] - bytes_, 8000 * runs, "bytes that simulations leave behind")


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        os.environ["CURLEW"] = os.path.abspath(sys.argv.pop(1))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main(verbosity=1)
