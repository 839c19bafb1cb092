"""S-parameters as RF engineers use them: curlew.Network and `curlew s`, against closed forms, scikit-rf and a guide.

    check_network.py [CURLEW]
Exits 77 (skipped) where NumPy is missing; what is compared with scikit-rf is skipped where that is missing. Takes seconds.
"""
import csv
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
try:
    import skrf
except ImportError:
    skrf = None
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import curlew  # noqa: E402
from curlew.network import C0, line_of  # noqa: E402

F = np.linspace(1e9, 3e9, 201)
W = 2 * math.pi * F


def line(z, length, z0=50.0):
    """S of a line without losses, in waves of z0, from its chain matrix."""
    k = W / C0
    A, B, C = np.cos(k * length), 1j * z * np.sin(k * length), 1j * np.sin(k * length) / z
    below = 2 * A + B / z0 + C * z0
    S = np.empty((len(F), 2, 2), dtype=complex)
    S[:, 0, 0] = S[:, 1, 1] = (B / z0 - C * z0) / below
    S[:, 0, 1] = S[:, 1, 0] = 2 / below
    return S


def series(impedance, z0=50.0):
    """S of an impedance between two ports."""
    S = np.empty((len(F), 2, 2), dtype=complex)
    S[:, 0, 0] = S[:, 1, 1] = impedance / (impedance + 2 * z0)
    S[:, 0, 1] = S[:, 1, 0] = 2 * z0 / (impedance + 2 * z0)
    return S


def random_network(ports, seed=1, z0=None):
    dice = np.random.default_rng(seed)
    S = dice.normal(size=(len(F), ports, ports)) + 1j * dice.normal(size=(len(F), ports, ports))
    S *= 0.9 / np.linalg.norm(S, 2, axis=(1, 2))[:, None, None]
    return curlew.Network(F, S, z0=50.0 if z0 is None else z0)


class Forms(unittest.TestCase):
    """Against closed forms."""

    def near(self, a, b, tolerance=1e-12):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)

    def test_phase_and_delay_of_a_line(self):
        network = curlew.Network(F, line(50, 0.4))
        self.near(network.phase()[:, 1, 0] - network.phase()[0, 1, 0], -np.degrees((W - W[0]) * 0.4 / C0), 1e-9)
        self.near(network.group_delay()[:, 1, 0], np.full(len(F), 0.4 / C0), 1e-9)
        self.near(network.decibel()[:, 1, 0], 0 * F)

    def test_phase_passes_over_what_is_unknown(self):
        S = line(50, 0.4)
        S[50:53] = np.nan
        phase = curlew.Network(F, S).phase()[:, 1, 0]
        self.assertTrue(np.isnan(phase[50:53]).all())
        self.near(phase[60] - phase[0], -np.degrees((W[60] - W[0]) * 0.4 / C0), 1e-9)

    def test_matrices(self):
        """A T of three impedances has Z11 = Za + Zc, Z12 = Zc; a series impedance has Y11 = 1/Z, and no Z."""
        Za, Zb, Zc = 10 + 1j * W * 1e-9, 30 + 0 * F, 1 / (1j * W * 1e-12)
        Z = np.moveaxis(np.array([[Za + Zc, Zc], [Zc, Zb + Zc]]), 2, 0)
        one = np.eye(2)
        S = np.linalg.solve(Z + 50 * one, Z - 50 * one)
        network = curlew.Network(F, S)
        self.near(network.z(), Z, 1e-9)
        self.near(network.y(), np.linalg.inv(Z), 1e-9)
        short = curlew.Network(F, series(Za))
        self.near(short.y()[:, 0, 1], -1 / Za, 1e-9)

    def test_vswr(self):
        self.near(curlew.Network(F, series(0 * F + 25, 50)).vswr()[:, 0], (1 + 0.2) / (1 - 0.2) + 0 * F)
        returned = curlew.Network(F, np.full((len(F), 1, 1), -1.0))
        self.assertTrue(np.isinf(returned.vswr()).all())
        self.near(returned.input_impedance(), np.zeros((len(F), 1)))

    def test_other_impedances(self):
        """A line of 75 ohm in waves of 75 ohm is matched; and all the way round, also where there is no Z matrix."""
        network = curlew.Network(F, line(75, 0.31)).renormalised(75)
        self.near(network.S[:, 0, 0], 0 * F)
        self.near(network.S[:, 1, 0], np.exp(-1j * W * 0.31 / C0))
        self.near(network.z0, np.full((len(F), 2), 75))
        uneven = curlew.Network(F, line(60, 0.1)).renormalised([20, 90 + 30j])
        self.near(uneven.renormalised(50).S, line(60, 0.1))
        self.near(curlew.Network(F, series(40 + 1j * W * 2e-9)).renormalised(75).S, series(40 + 1j * W * 2e-9, 75))
        with self.assertRaisesRegex(curlew.CurlewError, "real part > 0"):
            network.renormalised(0)

    def test_other_planes(self):
        """A line of waves exp(-gamma x) on either side is taken away; a negative length puts it there."""
        dut, gamma = series(30 + 1j * W * 1e-9), 3 + 1j * W / C0
        lengths = (0.12, 0.07)
        off = [np.exp(-gamma * length) for length in lengths]
        S = dut * np.array([[off[0] ** 2, off[0] * off[1]], [off[0] * off[1], off[1] ** 2]]).transpose(2, 0, 1)
        network = curlew.Network(F, S, gamma=np.stack([gamma, gamma], axis=1))
        self.near(network.shifted({1: 0.12, 2: 0.07}).S, dut)
        self.near(curlew.Network(F, dut, gamma=gamma[:, None]).shifted({1: -0.12, 2: -0.07}).S, S)
        with self.assertRaisesRegex(curlew.CurlewError, "belongs to no line"):
            curlew.Network(F, S).shifted({1: 0.1})
        with self.assertRaisesRegex(curlew.CurlewError, "no port 3"):
            network.shifted({3: 0.1})

    def test_line_of_a_port(self):
        """Impedance and propagation of TE, TM and TEM modes, above and below the cut-off."""
        f, fc = np.array([1e9, 4e9]), 2e9
        for family, below, above in (("TE", 377j / math.sqrt(3), 377 / math.sqrt(0.75)),
                                     ("TM", -377j * math.sqrt(3), 377 * math.sqrt(0.75))):
            z0, gamma = line_of({"family": family, "impedance": 377.0, "cutoff": fc, "speed": C0}, f)
            self.near(z0, [below, above], 1e-9)
            self.near(gamma, 2 * math.pi / C0 * 1e9 * np.array([math.sqrt(3), 1j * math.sqrt(12)]), 1e-9)
        z0, gamma = line_of({"family": "TEM", "impedance": 50.0, "cutoff": 0, "speed": C0 / 1.5}, f)
        self.near(z0, [50, 50])
        self.near(gamma, 2j * math.pi * f * 1.5 / C0, 1e-9)
        self.assertTrue(np.isnan(line_of({"family": "TEM", "impedance": 50.0, "cutoff": 0, "speed": None}, f)[1]).all())

    def test_line_with_losses(self):
        """gamma of the telegrapher's equations: of one medium it is sqrt(s mu (sigma + s eps)); walls of copper, smooth and rough."""
        f, mu, eps, sigma = np.array([1e6, 1e9]), 4e-7 * math.pi, 2.25 / (4e-7 * math.pi * C0**2), 0.01
        s, Z0 = 2j * math.pi * f, 50.0
        port = {"family": "TEM", "impedance": Z0, "cutoff": 0, "speed": C0 / 1.5,
                "losses": {"conductance": sigma / eps * 1.5 / (C0 * Z0), "resistance": 0, "walls": []}}
        self.near(line_of(port, f)[1], np.sqrt(s * mu) * np.sqrt(sigma + s * eps), 1e-9)
        for roughness, more in ((0, 1), (2e-6, 1 + 2 / math.pi * np.arctan(1.4 * (2e-6)**2 * math.pi * f * mu * 5.8e7))):
            wall = {"shape": 400.0, "conductivity": 5.8e7, "mu_r": 1, "roughness": roughness}
            port["losses"] = {"conductance": 0, "resistance": 0, "walls": [wall]}
            z0, gamma = line_of(port, f)
            self.near((gamma**2 / (s / (Z0 * C0 / 1.5))).real / 400, more * np.sqrt(math.pi * f * mu / 5.8e7), 1e-9)
            self.near(z0, [Z0, Z0])
        port["losses"]["walls"] = [{"shape": 400.0, "impedance": 0.25}]
        self.near((line_of(port, f)[1]**2 / (s / (Z0 * C0 / 1.5))).real, [100, 100], 1e-9)

    def test_impedances_that_are_nearly_one(self):
        """98.2212 and 98.2214 ohm become 98.2213 in a file, exactly; other impedances are refused."""
        network = curlew.Network(F, line(60, 0.1)).renormalised([98.2212, 98.2214])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "twin.s2p")
            network.write_touchstone(path)
            again = curlew.read_touchstone(path)
            self.near(again.z0, np.full((len(F), 2), 98.2213), 1e-12)
            self.near(again.S, line(60, 0.1, 98.2213), 1e-12)
            with self.assertRaisesRegex(curlew.CurlewError, "renormalise first"):
                network.renormalised([98.2, 98.4]).write_touchstone(path)

    def test_files_that_say_something_else(self):
        """What an option line, a comment on impedances or a file of another kind says is read or refused, never guessed."""
        row = "1 .1 0 .8 0 .7 0 .2 0"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.s2p")

            def read(text):
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                return curlew.read_touchstone(path)

            self.near(read(f"# MHz S RI R 75\n{row}\n").z0, [[75, 75]])
            self.near(read(f"#\n{row}\n").frequency, [1e9])
            self.near(read(f"# Hz S RI R 50 75\n{row}\n").z0, [[50, 75]])
            network = read(f"# Hz S RI R 50\n! Port Impedance 600 0 610 -2\n{row}\n2 {row[2:]}\n! Port Impedance 500 0\n! 510 1\n")
            self.near(network.z0, [[600, 610 - 2j], [500, 510 + 1j]])
            self.near(network.of(2, 1), [0.8, 0.8])
            noise = "".join(f"{f} 1 2 3 4\n" for f in range(1, 10))  # 45 numbers, as five rows of S
            self.assertEqual(len(read(f"# GHz S RI R 50\n{row}\n{noise}")), 1)
            for text, says in (
                    (f"# THz S RI R 50\n{row}\n", "the option line has 'thz', which is no option"),
                    (f"# GHz S RX R 50\n{row}\n", "has 'rx'"),
                    (f"# GHz S RI R\n{row}\n", "has 'r'"),
                    (f"# GHz S RI R -50\n{row}\n", "one resistance > 0"),
                    (f"# GHz S RI R 50 60 70\n{row}\n", "one resistance > 0, or one for each port"),
                    (f"# GHz Z RI R 50\n{row}\n", "has no S-parameters"),
                    (f"{row}\n", "no option line"),
                    (f"# GHz S RI R 50\n# GHz S RI R 75\n{row}\n", "two option lines"),
                    (f"[Version] 2.0\n# GHz S RI R 50\n[Reference] 50 75\n{row}\n", "Touchstone 2"),
                    (f"# GHz S RI R 50\n{row}\n{row}\n", "do not ascend"),
                    (f"# GHz S RI R 50\n{row}\n! Port Impedance 50 0\n", "are not 4 numbers at each frequency")):
                with self.assertRaisesRegex(curlew.CurlewError, says):
                    read(text)

    def test_resonances(self):
        """Reflection of a series RLC in 50 ohm, and transmission through it from 50 to 50 ohm."""
        L, C, R = 100e-9, 0.0632e-12, 12.0
        f0 = 1 / (2 * math.pi * math.sqrt(L * C))
        impedance = R + 1j * W * L + 1 / (1j * W * C)
        w0L = 2 * math.pi * f0 * L
        one = curlew.Network(F, ((impedance - 50) / (impedance + 50))[:, None, None])
        found = curlew.resonances(one)
        self.assertEqual(len(found), 1, found)
        self.near([found[0].frequency, found[0].loaded, found[0].unloaded], [f0, w0L / (R + 50), w0L / R], 5e-3)
        self.near(found[0].coupling, 50 / R, 5e-3)
        through = [one for one in curlew.resonances(curlew.Network(F, series(impedance))) if one.of == (2, 1)]
        self.assertEqual(len(through), 1, through)
        self.near([through[0].frequency, through[0].loaded, through[0].unloaded],
                  [f0, w0L / (R + 100), w0L / R], 5e-3)
        self.assertEqual(curlew.resonances(curlew.Network(F, line(50, 0.2))), [])


class Friends(unittest.TestCase):
    """Against scikit-rf, from one to four ports."""

    def setUp(self):
        if skrf is None:
            self.skipTest("scikit-rf is not installed")

    def test_numbers(self):
        dice = np.random.default_rng(3)
        for ports in (1, 2, 3, 4):
            z0 = dice.uniform(20, 90, size=ports) + 1j * dice.uniform(-30, 30, size=ports)
            for network in (random_network(ports, ports), random_network(ports, ports, z0)):
                other = network.to_skrf()
                np.testing.assert_allclose(network.z(), other.z, rtol=1e-8)
                np.testing.assert_allclose(network.y(), other.y, rtol=1e-8)
                np.testing.assert_allclose(network.decibel(), other.s_db, rtol=1e-9, atol=1e-9)
                np.testing.assert_allclose(network.vswr(), np.abs(np.einsum("fii->fi", other.s_vswr)), rtol=1e-9)
                new = dice.uniform(30, 100, size=ports)
                expected = other.copy()
                expected.renormalize(new, s_def="traveling")
                np.testing.assert_allclose(network.renormalised(new).S, expected.s, rtol=1e-9, atol=1e-9)

    def test_phase_and_delay(self):
        network = curlew.Network(F, line(70, 0.4))
        other = network.to_skrf()
        turns = (network.phase()[:, 1, 0] - other.s_deg_unwrap[:, 1, 0]) / 360
        np.testing.assert_allclose(turns, turns[0], atol=1e-9)
        np.testing.assert_allclose(network.group_delay()[1:-1], other.group_delay[1:-1], rtol=1e-9)

    def test_planes(self):
        network = curlew.Network(F, series(30 + 1j * W * 1e-9), gamma=(1j * W / C0)[:, None])
        media = skrf.media.DefinedGammaZ0(skrf.Frequency.from_f(F, unit="hz"), z0=50, gamma=1j * W / C0)
        left, right = media.line(0.12, "m"), media.line(0.07, "m")
        expected = left.inv ** network.to_skrf() ** right.inv
        np.testing.assert_allclose(network.shifted({1: 0.12, 2: 0.07}).S, expected.s, rtol=1e-9, atol=1e-9)

    def test_impedances_of_a_file(self):
        """scikit-rf reads the impedances of ports as we do."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "guide.s2p")
            with open(path, "w", encoding="ascii") as file:
                file.write("# Hz S RI R 50\n1e9 .1 0 .8 .1 .8 .1 .2 0\n! Port Impedance 600 0 610 0\n"
                           "2e9 .1 .1 .8 .2 .8 .2 .2 0\n! Port Impedance 500 0 510 0\n")
            ours, theirs = curlew.read_touchstone(path), skrf.Network(path)
            np.testing.assert_allclose(ours.z0, theirs.z0)
            np.testing.assert_allclose(ours.z(), theirs.z, rtol=1e-12)

    def test_touchstone(self):
        with tempfile.TemporaryDirectory() as folder:
            for ports in (1, 2, 3, 4):
                network, path = random_network(ports, ports), os.path.join(folder, f"case.s{ports}p")
                network.write_touchstone(path)
                np.testing.assert_allclose(skrf.Network(path).s, network.S, rtol=1e-11, atol=1e-11)
                np.testing.assert_allclose(curlew.read_touchstone(path).S, network.S, rtol=1e-11, atol=1e-11)
                for form in ("ma", "db"):
                    skrf.Network(path).write_touchstone(os.path.join(folder, "other"), form=form)
                    other = curlew.read_touchstone(os.path.join(folder, f"other.s{ports}p"))
                    np.testing.assert_allclose(other.S, network.S, rtol=1e-9, atol=1e-9)


GEOMETRY = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 22.86e-3, 10.16e-3, LENGTH};
Physical Volume("air") = {1};
Physical Surface("walls") = {1, 2, 3, 4};
Physical Surface("left") = {5};
Physical Surface("right") = {6};
"""
SCRIPT = """\
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 4e9 }
simulation {
  mesh = { file = "guide.geo", size = 9e-3 }, order = 4, time = { stop = 2.5e-9, integrator = "lsrk" },
  materials = { air = {} },
  boundaries = { walls = { kind = "pec" }, left = { kind = "waveguide_port", waveform = pulse },
                 right = { kind = "waveguide_port", waveform = args.one ~= 1 and pulse or nil } },
  output = { s_parameters = { from = 8.5e9, to = 12e9, points = 36 } },
}
"""
LENGTH = 24e-3


class Command(unittest.TestCase):
    """`curlew s` behind a run of an empty guide."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="curlew-s-")
        cls.folder = cls.place.name
        for name, text in (("guide.geo", GEOMETRY.replace("LENGTH", repr(LENGTH))), ("guide.lua", SCRIPT)):
            with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name, words in (("guide", ()), ("one", ("-D", "one=1"))):
            subprocess.run([curlew.find_program(), "run", "guide.lua", "-q", "-o", name, *words], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_s(self, *words, code=0):
        done = subprocess.run([curlew.find_program(), "s", *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={**os.environ, "CURLEW_PYTHON": sys.executable})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def table(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return {key: np.array([float(row[i]) for row in rows[1:]]) for i, key in enumerate(rows[0])}

    def test_guide_taken_away(self):
        """What is left between the planes of a guide that was taken away is nothing: S21 = 1."""
        out = self.run_s("guide", "--show", "db,ri,delay", "--csv", "raw.csv")
        self.assertEqual(len(out.splitlines()), 37)
        raw = self.table("raw.csv")
        f = raw["frequency"]
        beta = 2 * math.pi / C0 * np.sqrt(f ** 2 - (C0 / 2 / 22.86e-3) ** 2)
        S21 = raw["S21_re"] + 1j * raw["S21_im"]
        self.assertLess(np.abs(S21 - np.exp(-1j * beta * LENGTH)).max(), 2e-3)
        delay = LENGTH * (2 * math.pi / C0) ** 2 * f / (2 * math.pi * beta)
        self.assertLess(np.abs(raw["delay21"][1:-1] / delay[1:-1] - 1).max(), 2e-3)
        self.run_s("guide", "--show", "ri,phase", "--shift", f"1={LENGTH / 3},2={LENGTH * 2 / 3}", "--csv", "off.csv", "-q")
        off = self.table("off.csv")
        self.assertLess(np.abs(off["S21_re"] + 1j * off["S21_im"] - 1).max(), 2e-3)
        self.assertLess(np.abs(off["S21_deg"]).max(), 0.1)

    def test_other_impedance(self):
        """In waves of 50 ohm a guide is a line of its own impedance."""
        self.run_s("guide", "--z0", "50", "--touchstone", "fifty.s2p", "-q")
        network = curlew.read_touchstone(os.path.join(self.folder, "fifty.s2p"))
        f = network.frequency
        root = np.sqrt(1 - (C0 / 2 / 22.86e-3 / f) ** 2)
        Z, angle = 376.730313 / root, 2 * math.pi / C0 * f * root * LENGTH
        A, B, C = np.cos(angle), 1j * Z * np.sin(angle), 1j * np.sin(angle) / Z
        below = 2 * A + B / 50 + C * 50
        self.assertLess(np.abs(network.of(2, 1) - 2 / below).max(), 6e-3)
        self.assertLess(np.abs(network.of(1, 1) - (B / 50 - C * 50) / below).max(), 6e-3)
        back = self.run_s("fifty.s2p", "--only", "S21,S11", "--show", "db,zin").splitlines()
        self.assertEqual(back[0].split(), ["frequency", "S21_dB", "S11_dB", "Zin1_re", "Zin1_im"])

    def test_python(self):
        network = curlew.open(os.path.join(self.folder, "guide")).network()
        self.assertEqual(network.ports, [1, 2])
        self.assertTrue((network.gamma.imag > 0).all())
        self.assertLess(np.abs(network.shifted({1: LENGTH}).of(2, 1) - 1).max(), 2e-3)

    def test_one_column(self):
        out = self.run_s("one", "--show", "db,vswr")
        self.assertEqual(out.splitlines()[0].split(), ["frequency", "S11_dB", "S21_dB", "VSWR1"])
        self.assertIn("every port needs a waveform", self.run_s("one", "--z0", "50", code=2))
        self.assertIn("every port needs a waveform", self.run_s("one", "--touchstone", "one.s2p", "-q", code=2))

    def test_bad_input(self):
        for words, message in (
                (("none",), "'none' has no name of a Touchstone file"),
                ((), "the following arguments are required: DIR"),
                (("guide", "--show", "dB"), "--show knows db, phase, ri, delay, vswr, zin, z, y, not 'dB'"),
                (("guide", "--only", "S31"), "there is no port 3; there are 1, 2"),
                (("guide", "--only", "21"), "--only is a list such as S11,S21"),
                (("guide", "--shift", "5e-3"), "--shift is PORT=METRES"),
                (("guide", "--shift", "1=x"), "--shift: 'x' is no number"),
                (("guide", "--shift", "1=1,1=2"), "--shift names port 1 twice"),
                (("guide", "--shift", "7=1"), "there is no port 7"),
                (("guide", "--z0", "50,50,50"), "--z0 is one number or one for each of the 2 ports, not 3"),
                (("guide", "--z0", "-5"), "impedances must have a real part > 0"),
                (("guide", "--band", "1:2"), "there is no frequency left"),
                (("guide", "--touchstone", "x.s1p", "--z0", "50"), "ends with .s2p"),
                (("guide", "--touchstone", "x.s2p"), "renormalise first")):
            error = self.run_s(*words, code=2)
            self.assertIn(message, error)
            self.assertEqual(error.count("\n"), 1, error)
        self.assertIn("cannot write", self.run_s("guide", "--csv", "no/where.csv", "-q", code=3))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        os.environ["CURLEW"] = sys.argv.pop(1)
    unittest.main()
