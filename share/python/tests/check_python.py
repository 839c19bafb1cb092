"""The Python package as its users meet it: runs, errors, interruption, results, sweeps.

    check_python.py [CURLEW]
Exits 77 (skipped) where NumPy is missing. Takes seconds: every run is a box of a few elements.
"""
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import curlew  # noqa: E402
from curlew import lua, program, sweeps, vtkhdf  # noqa: E402

GEOMETRY = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("inside") = {1};
Physical Surface("walls") = {1, 2, 3, 4, 5, 6};
"""
SCRIPT = """\
local a = args.a or 1
simulation {
  mesh = { file = "box.geo", size = 0.8 },
  order = 2,
  time = { steps = args.steps or 40 },
  materials = { inside = { epsilon_r = a } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = {
    probes = { { name = "centre", at = { 0.4, 0.5, 0.3 }, frequencies = { 1e8, 2e8 } } },
    lines = { { name = "axis", from = { 0.1, 0.5, 0.5 }, to = { 0.9, 0.5, 0.5 }, points = 5, every = 10 } },
    energy = { every = 5 },
    fields = { every = 20 },
  },
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="curlew-python-")
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.script = self.write("box.lua", SCRIPT)
        self.write("box.geo", GEOMETRY)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)


class Runs(Case):
    def test_equals_the_shell(self):
        result = curlew.run(self.script, {"a": 2.5}, {"output.energy.every": 4}, self.path("out"), threads=1)
        words = [curlew.find_program(), "run", self.script, "-D", "a=2.5", "--set", "output.energy.every=4", "-q",
                 "--output", self.path("shell")]
        subprocess.run(words, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        for name in ("probes/centre.csv", "energy.csv", "lines/axis.csv", "probes/centre_spectrum.csv"):
            with open(self.path("out", name), "rb") as one, open(self.path("shell", name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)
        self.assertEqual(result.status, "done")
        self.assertEqual(result.summary["order"], 2)

    def test_results(self):
        result = curlew.run(self.script, out=self.path("out"), threads=1)
        probe = result.probes["centre"]
        self.assertEqual(probe.columns, ["time", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"])
        self.assertEqual((probe.units["time"], probe.units["Ez"], probe.units["Hx"]), ("s", "V/m", "A/m"))
        self.assertEqual(len(probe), 41)
        spectrum = result.spectra["probes/centre"]
        self.assertEqual(spectrum.columns, ["frequency", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"])
        dt = result.summary["time_step"]
        weight = np.full(len(probe), dt)
        weight[[0, -1]] = dt / 2
        own = [np.sum(weight * probe["Ez"] * np.exp(-2j * np.pi * f * probe["time"])) for f in spectrum["frequency"]]
        np.testing.assert_allclose(spectrum["Ez"], own, rtol=1e-9)
        line = result.lines["axis"]
        self.assertEqual(line.field("Ez").shape, (5, 5))
        np.testing.assert_allclose(line.points[:, 0], np.linspace(0.1, 0.9, 5))
        np.testing.assert_allclose(line.times, np.arange(5) * 10 * dt)
        np.testing.assert_allclose(result.energy["electric"] + result.energy["magnetic"], result.energy["total"])
        self.assertEqual([one.step for one in result.snapshots], [0, 20, 40])
        self.assertEqual(list(result.probes), ["centre"])
        self.assertIn("done", curlew.open(self.path("out")).log)
        with self.assertRaisesRegex(KeyError, "no 'center'; it has centre"):
            result.probes["center"]
        with self.assertRaisesRegex(KeyError, "no column 'Eq'"):
            probe["Eq"]
        with self.assertRaisesRegex(curlew.CurlewError, "no sparameters.csv"):
            result.s_parameters  # pylint: disable=pointless-statement

    def test_progress(self):
        heard = []
        curlew.run(self.script, {"steps": 20000}, {"output": None}, self.path("out"), progress=heard.append,
                   progress_every=0.05)
        self.assertTrue(heard)
        self.assertEqual({one.steps for one in heard}, {20000})
        self.assertEqual([one.step for one in heard], sorted(one.step for one in heard))
        self.assertTrue(0 < heard[0].fraction <= 1 and heard[0].time > 0 and heard[0].rate > 0)

    def test_ranks(self):
        settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        with mock.patch.dict(os.environ, settings):
            one = curlew.run(self.script, out=self.path("one"), threads=1)
            two = curlew.run(self.script, out=self.path("two"), threads=1, ranks=2)
        self.assertEqual(two.summary["ranks"], 2)
        np.testing.assert_allclose(two.probes["centre"]["Ez"], one.probes["centre"]["Ez"], atol=1e-12)

    def test_check(self):
        said = curlew.check(self.script, {"steps": 17})
        self.assertEqual((said.steps, said.order), (17, 2))
        self.assertEqual(said.unknowns, 60 * said.elements)
        self.assertTrue(said["mesh"] and 0 < said.time_step < said.stability_limit)
        self.assertFalse(os.path.exists("box"))


class Errors(Case):
    def refuse(self, kind, code, text, **options):
        with self.assertRaises(kind) as caught:
            curlew.run(options.pop("script", self.script), out=self.path("out"), **options)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(text, caught.exception.message)
        return caught.exception

    def test_place(self):
        bad = self.write("bad.lua", SCRIPT.replace('kind = "pec"', 'kind = "pac"'))
        error = self.refuse(curlew.InputError, 2, "pac", script=bad)
        self.assertEqual((error.file, error.line), (bad, 7))

    def test_input(self):
        error = self.refuse(curlew.InputError, 2, "unknown key 'stps' in time", set={"time.stps": 3})
        self.assertIsNone(error.file)
        self.refuse(curlew.InputError, 2, "does not read args.b", args={"b": 1})
        self.refuse(curlew.InputError, 2, "cannot open the script", script=self.path("none.lua"))
        self.refuse(curlew.InputError, 2, "must be a number, a boolean or a string", args={"a": [1]})
        self.refuse(curlew.InputError, 2, "only simulations in process", set={"initial.E": lambda x, y, z: 0})
        self.refuse(curlew.InputError, 2, "threads must be an integer", threads=0)
        self.refuse(curlew.InputError, 2, "ranks must be an integer", ranks=1.5)
        self.refuse(curlew.InputError, 2, "quantum", backend="quantum")

    def test_environment(self):
        self.write("file", "")
        with self.assertRaises(curlew.EnvironmentFailure) as caught:
            curlew.run(self.script, out="/proc/nowhere")
        self.assertEqual(caught.exception.code, 3)
        with mock.patch.dict(os.environ, {"CURLEW": "/nowhere/curlew"}):
            with self.assertRaisesRegex(curlew.EnvironmentFailure, "CURLEW names"):
                curlew.run(self.script)

    def test_blow_up(self):
        text = SCRIPT.replace("steps = args.steps or 40", "steps = 100000, integrator = \"euler\", step = 1e-10")
        error = self.refuse(curlew.BlewUp, 4, "step", script=self.write("euler.lua", text))
        self.assertEqual(curlew.open(self.path("out")).status, "blew up", error)

    def test_warnings(self):
        text = SCRIPT.replace("initial", "-- initial")
        with self.assertWarnsRegex(curlew.CurlewWarning, "every field stays zero"):
            result = curlew.run(self.write("quiet.lua", text), out=self.path("out"))
        self.assertEqual(len(result.warnings), 1)

    def test_killed(self):
        with self.assertRaisesRegex(curlew.Killed, "SIGKILL"):
            curlew.run(self.script, {"steps": 10000000}, out=self.path("out"), progress_every=0.05, progress=lambda _: [
                os.kill(pid, signal.SIGKILL) for pid in program.processes_below(os.getpid(), "curlew")])

    def test_folder(self):
        with self.assertRaisesRegex(curlew.CurlewError, "no folder of a run"):
            curlew.open(self.folder)


class Interruption(Case):
    """Ctrl-C, and a callback that fails, leave a checkpoint from which the run goes on to the same result."""

    def interrupt(self, stop, kind, ranks=1):
        begun = threading.Event()

        def look(progress):
            if progress.step > 0 and not begun.is_set():
                begun.set()
                stop()
        steps = {"steps": 20000}
        with self.assertRaises(kind) as caught:
            curlew.run(self.script, steps, {"output.fields": None, "output.lines": None}, self.path("out"), ranks,
                       threads=1, progress=look, progress_every=0.05)
        self.assertEqual(curlew.open(self.path("out")).status, "interrupted")
        result = curlew.run(self.script, steps, {"output.fields": None, "output.lines": None}, self.path("out"), ranks,
                            threads=1, restart=True)
        whole = curlew.run(self.script, steps, {"output.fields": None, "output.lines": None}, self.path("whole"), ranks,
                           threads=1)
        self.assertEqual(result.summary["checkpoints"]["restarts"], 1)
        np.testing.assert_array_equal(result.probes["centre"].to_array(), whole.probes["centre"].to_array())
        return caught.exception

    def test_ctrl_c(self):
        error = self.interrupt(lambda: os.kill(os.getpid(), signal.SIGINT), curlew.Interrupted)
        self.assertEqual(error.code, 130)
        self.assertIn("--restart goes on from there", error.message)
        self.assertIsInstance(error, KeyboardInterrupt)

    def test_callback(self):
        def stop():
            raise RuntimeError("enough")
        self.interrupt(stop, RuntimeError)

    def test_ctrl_c_with_ranks(self):
        settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        with mock.patch.dict(os.environ, settings):
            error = self.interrupt(lambda: os.kill(os.getpid(), signal.SIGINT), curlew.Interrupted, ranks=2)
        self.assertIn("--restart goes on from there", error.message)


class Sweeps(Case):
    def sweep(self, values, **options):
        return curlew.sweep(self.script, {"a": values}, self.path("sweep"), threads=1,
                            measure=lambda result: {"energy": float(result.energy["total"][-1])}, **options)

    def test_table_and_cache(self):
        first = self.sweep([1, 2.5, 4], jobs=2)
        self.assertEqual([point.cached for point in first], [False] * 3)
        table = first.to_array()
        self.assertEqual(table["a"].tolist(), [1, 2.5, 4])
        # Energy of the start field grows as epsilon_r.
        np.testing.assert_allclose(table["energy"] / table["energy"][0], [1, 2.5, 4], rtol=1e-3)
        again = self.sweep([1, 2.5, 4, 9], jobs=2)
        self.assertEqual([point.cached for point in again], [True, True, True, False])
        self.assertEqual(again.table[:3], first.table)
        with open(self.path("box.geo"), "a", encoding="utf-8") as file:
            file.write("// the geometry counts\n")
        self.assertEqual([point.cached for point in self.sweep([1, 9])], [False, False])
        again.to_csv(self.path("table.csv"))
        with open(self.path("table.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["energy"]) for row in rows], [row["energy"] for row in again.table])

    def test_names_that_an_argument_makes(self):
        """A geometry that no file names in quotes: it is what the runs have read."""
        for a in (1, 2):
            shutil.copy(self.path("box.geo"), self.path(f"box_{a}.geo"))
        self.write("box.lua", SCRIPT.replace('"box.geo"', '"box_" .. args.a .. ".geo"'))
        cached = lambda: [point.cached for point in self.sweep([1, 2])]  # noqa: E731
        self.assertEqual([cached(), cached()], [[False, False], [True, True]])
        with open(self.path("box_2.geo"), "a", encoding="utf-8") as file:
            file.write("// a remark\n")
        self.assertEqual([cached(), cached()], [[True, False], [True, True]])

    def test_one_at_a_time(self):
        """Two sweeps in one folder, of this package and of the program."""
        words = [curlew.find_program(), "sweep", self.script, "-q", "-D", "a=1", "-o", self.path("sweep")]
        said = []
        def look(done, all_, point):
            with self.assertRaisesRegex(curlew.CurlewError, rf"another sweep is at work in .*process {os.getpid()}, since"):
                self.sweep([1])
            said.append(subprocess.run(words, check=False, capture_output=True, text=True))
        self.sweep([1], progress=look)
        self.assertEqual(said[0].returncode, 3)
        self.assertRegex(said[0].stderr, rf"another sweep is at work in '.*' \(.*, process {os.getpid()}, since .*\); wait for")
        self.assertEqual(self.sweep([1])[0].cached, True)

    def test_errors_stay_in_their_point(self):
        result = self.sweep([1, -1, 2])
        self.assertEqual([row["status"] for row in result.table], ["done", "failed", "done"])
        self.assertIsInstance(result[1].error, curlew.InputError)
        self.assertIn("epsilon_r", result.table[1]["error"])
        self.assertTrue(np.isnan(result.to_array()["energy"][1]))

    def test_stopped_and_resumed(self):
        with self.assertRaises(KeyboardInterrupt):
            self.sweep([1, 2, 3], progress=lambda done, all_, point: os.kill(os.getpid(), signal.SIGINT))
        self.assertTrue(self.sweep([1, 2, 3])[0].cached)

    def test_bad_input(self):
        with self.assertRaisesRegex(curlew.InputError, "same arguments twice"):
            self.sweep([1, 1])
        with self.assertRaisesRegex(curlew.InputError, "no value for 'a'"):
            self.sweep([])
        with self.assertRaisesRegex(curlew.InputError, "jobs must be"):
            self.sweep([1], jobs=0)
        with self.assertRaisesRegex(curlew.InputError, "cannot read"):
            self.sweep([1], depends=[self.path("none")])
        with self.assertRaisesRegex(curlew.InputError, "cannot read the script"):
            curlew.sweep(self.path("none.lua"), {"a": [1]}, self.path("sweep"))

    def test_sweep_of_the_shell(self):
        """What `curlew sweep` leaves is the same kind of Sweep."""
        hook = ("  on = { every = 10, output = function(sim) return { now = sim.energy.last.total } end, done = function(sim)\n"
                "    return { peak = sim.probes.centre.Ez:peak(), good = true, t = { x = { 1, 2 } } } end },\n}\n")
        self.write("box.lua", SCRIPT[:-2] + hook)
        words = [curlew.find_program(), "sweep", self.script, "-q", "-D", "a=1,-1,2.5", "-D", "steps=40", "-o", self.path("shell")]
        ended = subprocess.run(words, check=False, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("1 of 3 runs failed", ended.stderr)
        found = curlew.open_sweep(self.path("shell"))
        self.assertEqual([point.args for point in found], [{"a": a, "steps": 40} for a in (1, -1, 2.5)])
        self.assertEqual([row["status"] for row in found.table], ["done", "failed", "done"])
        self.assertIsInstance(found[1].error, curlew.CurlewError)
        self.assertEqual((found[1].error.code, found[1].results), (2, None))
        for point in (found[0], found[2]):
            self.assertEqual(point.values["peak"], abs(point.results.probes["centre"]["Ez"]).max())
            self.assertEqual(point.values["peak"], point.results.derived["peak"])
            self.assertIs(point.values["good"], True)
            self.assertEqual(list(point.results.derived_tables), ["", "t"])
            self.assertEqual(point.results.derived_tables[""]["now"][-1], point.values["now"])
        self.assertEqual(len(found.to_array()["peak"]), 3)
        again = curlew.sweep(self.script, {"a": [1, 2.5], "steps": 40}, self.path("own"), threads=1)
        for one, other in zip(again, (found[0], found[2])):
            self.assertEqual(one.values, {name: other.values[name] for name in ("good", "now", "peak")})
        for wrong in ("nothing", "shell/a=1,steps=40"):
            with self.assertRaises(curlew.InputError):
                curlew.open_sweep(self.path(wrong))

    def test_combinations(self):
        self.assertEqual(sweeps.combinations({"a": [1, 2], "b": np.array([3.0, 4.0])}),
                         [{"a": 1, "b": 3.0}, {"a": 1, "b": 4.0}, {"a": 2, "b": 3.0}, {"a": 2, "b": 4.0}])


class Files(Case):
    """Readers, on files that are made by hand."""

    def test_s_parameters(self):
        head = "frequency,S11_re,S11_im,S21_re,S21_im,S1_12_re,S1_12_im,error\n"
        with self.assertRaises(curlew.CurlewError):
            curlew.results.read_table(self.write("s.csv", head + "1,2\n"), None, curlew.SParameters)
        path = self.write("s.csv", "frequency,S11_re,S11_im,S21_re,S21_im,error\n1e9,0.5,0.5,nan,nan,0.01\n2e9,0,-1,0.25,0,0\n")
        s = curlew.results.read_table(path, None, curlew.SParameters)
        self.assertEqual(s.S.shape, (2, 2, 2))
        self.assertEqual((s.S[0, 0, 0], s.of(1, 1)[1], s.of(2, 1)[1]), (0.5 + 0.5j, -1j, 0.25))
        self.assertTrue(np.isnan(s.S[:, :, 1]).all())
        many = curlew.results.read_table(self.write("m.csv", "frequency,S1_12_re,S1_12_im,S12_12_re,S12_12_im,error\n"
                                                             "1,2,3,4,5,6\n"), None, curlew.SParameters)
        self.assertEqual((many.ports, many.of(1, 12)[0], many.of(12, 12)[0]), ([1, 12], 2 + 3j, 4 + 5j))

    def test_incomplete_last_line(self):
        table = curlew.results.read_table(self.write("t.csv", "time,Ex\n0,1\n1,2\n2,3.1"))
        self.assertEqual(table["Ex"].tolist(), [1, 2])
        self.assertEqual(len(curlew.results.read_table(self.write("e.csv", "time,Ex\n"))), 0)
        with self.assertRaisesRegex(curlew.CurlewError, "is empty"):
            curlew.results.read_table(self.write("n.csv", ""))

    def test_spectra_of_fields(self):
        """Planes and regions of output.spectra, against a transform of the probe's record."""
        spectra = """energy = { every = 5 },
    spectra = { { name = "cut", plane = { origin = { 0.4, 0.5, 0.3 }, u = { 0.2, 0, 0 }, v = { 0, 0.2, 0 }, points = { 3, 2 } },
                  frequencies = { 1e8, 2e8 }, every = 1 },
                { name = "all", frequencies = { 1e8, 2e8 }, every = 1 } },"""
        result = curlew.run(self.write("spectra.lua", SCRIPT.replace("energy = { every = 5 },", spectra)),
                            out=self.path("out"), threads=1)
        plane, record = result.spectra["spectra/cut"], result.probes["centre"]
        self.assertEqual((plane.times.tolist(), plane.units["Ez"], plane.field("Ez").shape), ([1e8, 2e8], "V/m s", (2, 6)))
        t, step = record["time"], result.summary["time_step"]
        weight = np.where(t == 0, 0.5, 1) * step
        for number, frequency in enumerate((1e8, 2e8)):
            found = (weight * record["Ez"] * np.exp(-2j * np.pi * frequency * t)).sum()
            np.testing.assert_allclose(plane.field("Ez")[number, 0], found, rtol=1e-12)
        self.assertEqual(list(result.phasors), ["all"])
        try:
            import h5py  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
        except ImportError:
            return
        whole = result.phasors["all"][1]
        self.assertEqual((whole.frequency, whole.unit("Ez"), whole.field("E").shape), (2e8, "V s/m", whole.points.shape))
        self.assertEqual(whole.names, ["E", "Ex", "Ey", "Ez", "H", "Hx", "Hy", "Hz"])
        size = np.abs(whole.field("Ez")).max()
        self.assertTrue(np.abs(plane.field("Ez")[1]).max() < 1.5 * size and size < 4 * np.abs(plane.field("Ez")[1]).max())

    def test_complex_columns_survive_a_file(self):
        table = curlew.Table({"frequency": np.array([1.0, 2]), "X": np.array([1 + 2j, 0.1 - 1e-300j])})
        table.to_csv(self.path("x.csv"))
        again = curlew.results.read_table(self.path("x.csv"))
        np.testing.assert_array_equal(again["X"], table["X"])

    def test_libraries_that_are_missing(self):
        table = curlew.Table({"time": np.zeros(2), "Ex": np.zeros(2)})
        s = curlew.SParameters({"frequency": np.array([1e9]), "S11": np.array([0.5j])}, None, self.path("sparameters.csv"))
        with mock.patch.dict(sys.modules, {"xarray": None, "skrf": None, "h5py": None, "pyvista": None}):
            with self.assertRaisesRegex(ImportError, "needs xarray, which is not installed: pip install xarray"):
                table.to_xarray()
            with self.assertRaisesRegex(ImportError, "pip install scikit-rf"):
                s.to_skrf()
            with self.assertRaisesRegex(ImportError, "needs h5py"):
                curlew.Snapshot(self.path("fields_000000.silo")).time  # pylint: disable=expression-not-assigned

    def test_values_for_lua(self):
        self.assertEqual(lua.value({"a": [1, 2.5, True, None], "end": 'x"\n'}),
                         '{ a = { 1, 2.5, true, nil }, ["end"] = "x\\"\\010" }')
        self.assertEqual(lua.value(np.float64(0.1)), "0.1")
        self.assertEqual(lua.value(np.array([[1, 2]])), "{ { 1, 2 } }")
        functions = {}
        self.assertEqual(lua.value({"a": [abs, {"b": abs}, 2]}, "", None, functions), "{ a = { nil, {}, 2 } }")
        self.assertEqual(functions, {"a.1": abs, "a.2.b": abs})
        with self.assertRaisesRegex(curlew.InputError, "'mesh.x' is a complex"):
            lua.value({"x": 1j}, "mesh")


class Vtkhdf(Case):
    """What needs no module of the readers of VTKHDF snapshots; validation/vtkhdf/picture.py has the rest."""

    def test_pieces(self):
        for order in range(1, 9):
            nodes = (order + 1) * (order + 2) * (order + 3) // 6
            lattice = np.array([vtkhdf.lattice(order, n) for n in range(nodes)])
            self.assertEqual(len(np.unique(lattice, axis=0)), nodes)
            self.assertTrue((lattice >= 0).all() and (lattice.sum(axis=1) == order).all())
            corner = lattice[:, :3][vtkhdf.pieces(order)].astype(float)
            self.assertEqual(corner.shape, (order**3, 4, 3))  # of the same volume: they fill the element
            np.testing.assert_allclose(np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1])), 1)

    def test_list(self):
        for name in ("fields_000010.hdf", "fields_000002.hdf", "fields_000002.silo", "fields_x.hdf", "summary.json"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("{}")
        found = curlew.open(self.path(".")).snapshots
        self.assertEqual([os.path.basename(one.path) for one in found], ["fields_000002.silo", "fields_000010.hdf"])
        self.assertEqual([one.step for one in found], [2, 10])
        with self.assertRaises(curlew.CurlewError):  # a file that is none, or modules that are missing
            found[1].time  # pylint: disable=pointless-statement


class Others(Case):
    """What other libraries make of results; skipped where they are not installed."""

    def test_h5py_pyvista(self):
        try:
            import h5py  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
        except ImportError as missing:
            self.skipTest(str(missing))
        snapshot = curlew.run(self.script, out=self.path("out"), threads=1).snapshots[0]
        E, x = snapshot.field("E"), snapshot.points
        np.testing.assert_allclose(E[:, 2], np.sin(np.pi * x[:, 0]) * np.sin(np.pi * x[:, 1]), atol=1e-12)
        corner = x[snapshot.cells]
        volume = np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1])).sum() / 6
        self.assertAlmostEqual(volume, 1)
        self.assertEqual((snapshot.unit("E"), snapshot.unit("Hx"), snapshot.time), ("V/m", "A/m", 0))

    def test_skrf(self):
        try:
            import skrf  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
        except ImportError as missing:
            self.skipTest(str(missing))
        s = curlew.SParameters({"frequency": np.array([1e9, 2e9]), "S11": np.array([0.5j, np.nan])}, None,
                               self.path("sparameters.csv"))
        network = s.to_skrf()
        self.assertEqual((network.f.tolist(), network.s[0, 0, 0]), ([1e9], 0.5j))


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        os.environ["CURLEW"] = os.path.abspath(sys.argv.pop(1))
    warnings.simplefilter("always")
    began = time.monotonic()
    unittest.main(verbosity=1)
