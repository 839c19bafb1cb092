#!/usr/bin/python3
"""`curlew fit`: what it prints and writes, and what it refuses. fit_contract.py PROGRAM [NAME...] runs the tests whose names
contain a NAME, or all. test_fit looks at fits themselves."""
import glob
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys

from harness import SCRIPT, Place, check_message, edited, expect, line_of
from run_contract import main

EPS0 = 8.8541878128e-12
SILICON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fit", "tests", "tables", "silicon.csv")


def debye(frequency):
    """Water: eps_r for e^{jwt}."""
    return 5.2 + 73.2 / (1 + 2j * math.pi * frequency * 8.27e-12)


def drude(frequency):
    w = 2 * math.pi * frequency
    return 1 - 1.39e16**2 / (w * (w - 3.23e13j))


def table(formula, low, high, count=40, header="frequency,eps_re,eps_im"):
    lines = [header]
    for i in range(count):
        frequency = low * (high / low) ** (i / (count - 1))
        eps = formula(frequency)
        lines.append(f"{frequency:.17g},{eps.real:.17g},{-eps.imag:.17g}")
    return "\n".join(lines) + "\n"


def numbers(text, key):
    return [float(value) for value in re.findall(rf"\b{key} = ([-+.0-9e]+)", text)]


def test_a_debye_medium_is_found(program):
    with Place(program, {"my water.csv": table(debye, 1e8, 1e11)}) as place:
        out = place.good("fit", "my water.csv", "--tolerance", "1e-6")
        expect("my_water = {" in out and out.rstrip().endswith("},"), out)
        expect("1 state;" in out and "no gain at any frequency" in out, out)
        expect(abs(numbers(out, "epsilon_r")[0] - 5.2) < 1e-6, out)
        c, a = numbers(out, "c")[0], numbers(out, "a")[0]
        expect(abs(a * 8.27e-12 + 1) < 1e-6 and abs(c / (73.2 / 8.27e-12) - 1) < 1e-6, out)


def test_a_laminate_keeps_its_loss(program):
    """Loss tangents of 0.004 and 0.02 beside eps 4.4: they came out as 0 and 0.0279."""
    for tangent in (0.02, 0.004, 0.0009):
        text = "frequency_GHz,Dk,Df\n" + "".join(f"{f},4.4,{tangent}\n" for f in (1, 2, 3, 5, 7, 10))
        with Place(program, {"board.csv": text}) as place:
            place.good("fit", "board.csv", "-q", "--json", "fit.json")
            with open(place.path("fit.json"), encoding="utf-8") as file:
                fit = json.load(file)
            expect(fit["max_error"] <= 0.01 and fit["max_error"] == max(fit["real_error"], fit["loss_error"]), f"{fit}")
            for point in fit["points"]:
                re_, im = point["fit"]
                expect(abs(-im / re_ / tangent - 1) < 0.02 and abs(re_ / 4.4 - 1) < 0.011, f"{tangent}: {point}")


def test_a_drude_metal_is_told_as_one(program):
    with Place(program, {"metal.csv": table(drude, 1e14, 1e15)}) as place:
        out = place.good("fit", "metal.csv", "--tolerance", "1e-5")
        expect(abs(numbers(out, "omega_p")[0] / 1.39e16 - 1) < 1e-4, out)
        expect(abs(numbers(out, "gamma")[0] / 3.23e13 - 1) < 1e-4, out)
        expect("poles" not in out and "sigma" not in out, out)
        without = place.good("fit", "metal.csv", "--no-sigma", "--tolerance", "1e-4")
        expect("sigma" not in without and "drude" not in without, without)


def test_the_block_is_lua(program):
    lua = shutil.which("lua5.4")
    if lua is None:
        return
    with Place(program, {"metal.csv": table(drude, 1e14, 1e15), "water.csv": table(debye, 1e8, 1e11)}) as place:
        blocks = place.good("fit", "metal.csv") + place.good("fit", "water.csv")
        place.write("block.lua", f"local m = {{\n{blocks}}}\nprint(m.water.epsilon_r, m.metal.drude[1].gamma)\n")
        said = subprocess.run([lua, place.path("block.lua")], capture_output=True, text=True, check=False)
        expect(said.returncode == 0 and len(said.stdout.split()) == 2, said.stderr)


def test_files(program):
    with Place(program, {"water.csv": table(debye, 1e8, 1e11)}) as place:
        out = place.good("fit", "water.csv", "-q", "--csv=fit.csv", "--json", "fit.json", "--from", "1e9", "--to", "1e10")
        expect(out == "", out)
        header, rows = place.rows("fit.csv")
        expect(header == ["frequency", "eps_re", "eps_im", "fit_re", "fit_im", "error"], f"{header}")
        expect(0 < len(rows) < 40 and 1e9 <= rows[0][0] and rows[-1][0] <= 1e10, f"{rows}")
        for frequency, re_, im, fit_re, fit_im, error in rows:
            eps = debye(frequency)
            expect(abs(re_ - 1j * im - eps) < 1e-9 and abs(fit_re - 1j * fit_im - eps) <= 1.1 * error * abs(eps) + 1e-9, "csv")
        with open(place.path("fit.json"), encoding="utf-8") as file:
            fit = json.load(file)
        expect(fit["max_error"] <= fit["tolerance"] == 0.01 and len(fit["points"]) == len(rows), f"{fit}")
        for point in fit["points"]:
            s = 2j * math.pi * point["frequency"]
            eps = fit["epsilon_r"] + fit["sigma"] / (s * EPS0) + sum(complex(*p["c"]) / (s - complex(*p["a"]))
                                                                   for p in fit["poles"])
            expect(not fit["drude"] and abs(eps - complex(*point["fit"])) < 1e-6, f"{point}")


def test_nothing_is_written_over(program):
    """No output takes the place of the table, by another name either, of a link, or of what the program has not made. Its own
    files may be written again."""
    text = table(debye, 1e8, 1e11)
    draws = importlib.util.find_spec("matplotlib") is not None and not os.environ.get("LSAN_OPTIONS")
    with Place(program, {"t.csv": text, "mine.txt": "mine", "other.csv": text, "empty.json": ""}) as place:
        os.link(place.path("t.csv"), place.path("hard.json"))
        os.symlink("t.csv", place.path("soft.csv"))
        os.symlink("nowhere", place.path("loose.json"))
        for option in ("--csv", "--json") + (("--plot",) if draws else ()):
            for name, message in (("t.csv", "'t.csv' is the input 't.csv': give another name"), ("./t.csv", "is the input 't.csv'"),
                                  ("hard.json", "is the input 't.csv'"), ("soft.csv", "is a symbolic link, which is not followed"),
                                  ("loose.json", "is a symbolic link"), ("other.csv", "is there, and curlew has not made it"),
                                  ("mine.txt", "'mine.txt' is there, and curlew has not made it: remove it, or give another name")):
                code, out, err, _ = place.run("fit", "t.csv", option, name)
                expect(code == 2 and out == "" and f"{option}: " in err and message in err, f"{option} {name}: {code}: {err}")
                check_message(err, re.compile(".*"))
        code, _, err, _ = place.run("fit", "t.csv", "--csv", "a", "--json", "a")
        expect(code == 2 and "--csv and --json both write 'a'" in err, err)
        for name in ("t.csv", "other.csv"):
            with open(place.path(name), encoding="utf-8") as file:
                expect(file.read() == text, f"{name} has changed")
        expect(os.readlink(place.path("soft.csv")) == "t.csv" and not os.path.exists(place.path("nowhere")), "links")
        for _ in range(2):
            place.good("fit", "t.csv", "-q", "--csv", "fit.csv", "--json", "empty.json", *(("--plot", "fit.png") if draws else ()))


def test_a_missed_tolerance_is_a_warning(program):
    noisy = table(lambda f: debye(f) * (1 + 0.1 * math.sin(12345 * f)), 1e8, 1e11)
    with Place(program, {"noisy.csv": noisy}) as place:
        code, out, err, _ = place.run("fit", "noisy.csv", "--poles", "1")
        expect(code == 0 and "noisy = {" in out, err)
        check_message(err, re.compile(r"warning: the largest error is [0-9.]+, more than the tolerance 0.01, with the best \d "
                                      r"states: allow .* or a narrower band \(of the real part it is [0-9.]+, of the loss [0-9.]+\)"))
        code, out, err, _ = place.run("fit", "noisy.csv", "--poles", "1", "--tolerance", "0.2", "--weight", "relative")
        expect(code == 0 and err == "", err)


# n = 2, k = 1 at 100, 150 and 300 THz, then n = 3, k = 0.5: eps = (n - jk)^2.
POINTS = ((1e14, (2 - 1j) ** 2), (1.5e14, (3 - 0.5j) ** 2), (3e14, (1.5 - 2j) ** 2))
FORMS = [
    ("frequency,n,k\n1e14,2,1\n1.5e14,3,0.5\n3e14,1.5,2\n", ()),
    ("\ufeff# a remark\r\n\r\nFreq (THz);N;K\r\n100;2;1\r\n150;3;0.5\r\n300;1.5;2\r\n", ()),
    ("f_PHz\tn\tk\n0.3\t1.5\t2\n0.15\t3\t0.5\n0.1\t2\t1", ()),
    ("remark,wavelength_um,k,n\nx,2.99792458,1,2\ny,1.99861639,.5,3\nz,0.99930819,2,1.5\n", ()),
    ('"\u03bb (\u00b5m)",n,k\n0.99930819,1.5,2\n1.99861639,3,.5\n2.99792458,2,1\n', ()),
    ("wl,n\n0.99930819,1.5\n1.99861639,3\n2.99792458,2\n\nwl,k\n0.99930819,2\n1.99861639,.5\n2.99792458,1\n", ("--unit", "um")),
    ("  0.41356677 2 1\n 0.62035015  3 0.5\n 1.24070031 1.5 2\n", ("--unit", "eV", "--columns", "nk")),
    ("energy,eps',eps''\n0.41356677,3,4\n0.62035015,8.75,3\n1.24070031,-1.75,6\n", ()),
    ("freq_thz, eps_re, eps_im\n100, 3, 4\n150, 8.75, 3\n300, -1.75, 6\n", ()),
    ("freq_thz,Dk,tan_delta\n100,3,1.33333333333\n150,8.75,0.34285714\n300,-1.75,-3.428571429\n", ()),
    ("freq_thz,a,b\n100,3,4\n150,8.75,3\n300,-1.75,6\n", ("--columns", "eps")),
    ("f_thz,n,k,\n100,2,1,\n150,3,0.5\n300,1.5,2,,\n", ()),
    ("f_thz,n,k\n50,9,9\n100,2,1\n150,3,0.5\n300,1.5,2\n301,9,9\n", ("--from", "100", "--to", "300")),
    ("wavelength (angstrom),n,k\n9993.0819,1.5,2\n19986.1639,3,.5\n29979.2458,2,1\n", ()),
]
EV, WAVE = 1 / 4.135667696e-15, 29979245800
AXES = [("energy_meV", None, 1e-3 * EV), ("energy (meV)", None, 1e-3 * EV), ("photon energy (eV)", None, EV), ("energy", None, EV),
        ("frequency (eV)", None, EV), ("omega (rad/s)", None, 1 / math.tau), ("omega", None, 1 / math.tau),
        ("frequency_rad/s", None, 1 / math.tau), ("wavenumber (1/cm)", None, WAVE), ("wavenumber_cm^-1", None, WAVE),
        ("frequency (cm-1)", None, WAVE), ("f", "meV", 1e-3 * EV), ("nu", "1/cm", WAVE), ("Frequency [THz]", None, 1e12)]


def test_forms_and_units(program):
    """Every form of a table gives the same points."""
    forms = FORMS + [(f"{name},n,k\n{1e14 / unit:.17g},2,1\n{1.5e14 / unit:.17g},3,0.5\n{3e14 / unit:.17g},1.5,2\n",
                      ("--unit", given) if given else ()) for name, given, unit in AXES]
    with Place(program) as place:
        for text, words in forms:
            place.write("t.csv", text)
            code, _, err, _ = place.run("fit", "t.csv", "-q", "--poles", "1", "--tolerance", "9", "--json", "t.json", *words)
            expect(code == 0, f"{text}: {err}")
            with open(place.path("t.json"), encoding="utf-8") as file:
                points = json.load(file)["points"]
            expect(len(points) == 3, f"{text}: {points}")
            for point, (frequency, eps) in zip(points, POINTS):
                expect(abs(point["frequency"] / frequency - 1) < 1e-6 and abs(complex(*point["epsilon_r"]) / eps - 1) < 1e-6,
                       f"{text}: {point}")


BAD_TABLES = [
    ("", (), "has no line with numbers"), ("# only\n", (), "has no line with numbers"), ("1,2,3\n", (), ":1: no line of names"),
    ("a,b,c\n1,2,3\n", (), ":1: no column is a frequency"), ("f,b,c\n1,2,3\n", (), ":1: no columns n and k"),
    ("wavelength,n,k\n1,2,3\n", (), ":1: the wavelength has no unit"),
    ("f,n,k\n1,2,3\n2,2\n", (), ":3: 2 columns, and column 3 is needed"), ("f,n,k\n1,2,3\n2,2,x\n", (), ":3: 'x' is no number"),
    ("f,n,k\n1,2,3\n2,2,nan\n", (), ":3: 'nan' is no number"), ("f,n,k\n0,2,3\n", (), ":2: 0 must be > 0"),
    ("f,n,k\n1,2,3\n2,2,3\n2,2,3\n", (), ":4: 2 is given twice"),
    ("f,n,k\n1,2,3\n2,2,3\n1.5,2,3\n", (), ":4: 1.5 follows 2: the table is not sorted"),
    ("f,n,k\n3,2,3\n2,2,3\n2.5,2,3\n", (), ":4: 2.5 follows 2: the table is not sorted"),
    ("f,n,k\n1,2,3\nf,n,k\n", (), ":3: a second line of names"),
    ("f,n\n1,2\n2,2\n3,2\nf,n\n", (), ":5: the second block of a table has k"),
    ("f,n\n1,2\n2,2\n3,2\nf,k\n1,2\n2.5,2\n", (), ":7: 2.5 is not where the first block"),
    ("f,n\n1,2\n2,2\n3,2\nf,k\n1,2\n", (), "shorter than the first"),
    ("f,n,k\n1,2,3\n2,2,3\n", (), "has 2 points from 0 to inf Hz; a fit takes 3 at least"),
    ("f,n,k\n1,2,3\n2,2,3\n3,2,3\n", ("--from", "4", "--to", "5"), "has 0 points from 4 to 5 Hz"),
    ("f,n,k\n1,0,0\n2,2,3\n3,2,3\n", (), ":2: a permittivity of 0"),
    ("f,n,k\n1,1e200,0\n2,2,3\n3,2,3\n", (), ":2: a permittivity of 0 or beyond all numbers"),
    ("energy (furlong),n,k\n1,2,3\n", (), ":1: the unit of 'energy (furlong)' is not known"),
    ("f_rpm,n,k\n1,2,3\n", (), ":1: the unit of 'f_rpm' is not known"),
    ("wavelength_GHz,n,k\n1,2,3\n", (), ":1: GHz is no unit of the wavelength"),
    ("frequency_um,n,k\n1,2,3\n", (), ":1: um is no unit of the frequency"),
    ("omega (THz),n,k\n1,2,3\n", (), ":1: THz is no unit of the angular frequency"),
    ("f (GHz),n,k\n1,2,3\n", ("--unit", "THz"), ":1: the line of names says GHz, and --unit says THz"),
    ("f,n,k\n1,2,3\n", ("--columns", "eps"), ":1: the line of names has 'n' in column 2, and --columns eps"),
    ("f,dk,df (%)\n1,2,3\n", (), ":1: the column 'df (%)' is scaled"), ("f,dk,df (x1e-4)\n1,2,3\n", (), "is scaled"),
    ("f,n,k\n1,000,000,2,3\n", (), ":2: 5 cells where the first line has 3: '2' belongs to no column"),
    ("f;n;k\n1;2;3;4\n", (), ":2: 4 cells where the first line has 3"),
    ("f n k\n1 000 2 3\n", (), ":2: 4 cells where the first line has 3"),
    ("1,2,3\n2,2,3\n3,2,3,9\n", ("--unit", "THz", "--columns", "nk"), ":3: 4 cells"),
    ("f,n,k\n1,2,3\0\n", (), ":2: the line is too long, or not text"),
    ("f,n,k\n1,2,3" + " " * 5000 + "\n", (), ":2: the line is too long, or not text"),
    ("f,n,k" + ",x" * 62 + "\n", (), ":1: more than 64 columns"),
]


def test_bad_tables(program):
    """What is wrong is said with its line."""
    with Place(program) as place:
        for text, words, message in BAD_TABLES:
            place.write("t.csv", text)
            code, out, err, _ = place.run("fit", "t.csv", *words)
            expect(code == 2 and out == "" and message in err and err.count("\n") == 1, f"{text}: {code}: {out}{err}")


def test_gain(program):
    text = table(lambda f: 4 + 0.5 / (1 + 1j * f / 3e9) - (0.4j if f > 5e9 else -0.4j), 1e9, 1e10)
    flipped = table(lambda f: debye(f).conjugate(), 1e8, 1e11)
    with Place(program, {"gain.csv": text, "flipped.csv": flipped}) as place:
        code, _, err, _ = place.run("fit", "gain.csv")
        expect(code == 2, err)
        check_message(err, re.compile(r"gain\.csv:\d+: gain: the loss \(k, eps'' or tan delta\) is negative, eps'' = -.*only media "
                                      "that do not amplify are fitted: leave such points out by --from and --to"))
        code, _, err, _ = place.run("fit", "flipped.csv")
        expect(code == 2 and "change the sign of the column" in err, err)


WRONG = (
    ((), "curlew fit needs a table; see curlew --help"),
    (("t.csv", "u.csv"), "unexpected argument 'u.csv'; see curlew --help"),
    (("t.csv", "--form", "1"), "unknown option '--form' of fit (nearest: '--from'); see curlew --help"),
    (("t.csv", "--from"), "--from needs a value; see curlew --help"),
    (("t.csv", "--from", "-1"), "--from needs a number > 0, not '-1'"),
    (("t.csv", "--to", "x"), "--to needs a number > 0, not 'x'"),
    (("t.csv", "--from", "2", "--to", "1"), "--from 2 is not below --to 1"),
    (("t.csv", "--unit", "mile"), "--unit is Hz, kHz, MHz, GHz, THz, PHz, rad/s, m, cm, mm, um, nm, angstrom, meV, eV, keV, 1/cm or 1/m, not 'mile'"),
    (("t.csv", "--columns", "xyz"), "--columns is nk, eps or tan, not 'xyz'"),
    (("t.csv", "--poles", "0"), "--poles needs an integer from 1 to 16, not '0'"),
    (("t.csv", "--poles", "99"), "--poles needs an integer from 1 to 16, not '99'"),
    (("t.csv", "--tolerance", "0"), "--tolerance needs a number > 0, not '0'"),
    (("t.csv", "--weight", "none"), "--weight is relative or absolute, not 'none'"),
    (("t.csv", "--csv", ""), "--csv needs the name of a file"),
    (("t.csv", "--quiet=1"), "--quiet takes no value"),
    (("missing.csv",), "cannot open the table 'missing.csv': No such file or directory"),
    (("input",), "cannot read 'input': Is a directory"),
    (("t.csv", "--from", "1e12"), "'t.csv' has 0 points from 1e+12 to inf Hz; a fit takes 3 at least"),
)


def test_wrong_words(program):
    with Place(program, {"t.csv": table(debye, 1e8, 1e11)}) as place:
        for words, message in WRONG:
            code, out, err, _ = place.run("fit", *words)
            expect(code == 2 and out == "", f"{words}: exit code {code}: {out}{err}")
            check_message(err, message)


def test_wrong_lines_are_named(program):
    good = table(debye, 1e8, 1e11)
    row = good.splitlines()[7]
    with Place(program) as place:
        for text, message in ((good.replace(row, row + "\n" + row), "is given twice"),
                              (good.replace(row, "1e7,3,0"), "the table is not sorted"),
                              (good.replace(row, "1e9x,3,0"), "'1e9x' is no number")):
            place.write("t.csv", text)
            code, _, err, _ = place.run("fit", "t.csv")
            expect(code == 2 and re.search(message, err), err)
            expect(re.match(r"curlew: t\.csv:[89]: ", err), f"{line_of(good, row)}: {err}")


def test_a_full_disk(program):
    with Place(program, {"t.csv": table(debye, 1e8, 1e11)}) as place:
        code, _, err, _ = place.run("fit", "t.csv", "--csv", "nowhere/fit.csv")
        expect(code == 3 and "cannot write 'nowhere/fit.csv'" in err, err)


def files_about(name):
    """The files of pictures in /tmp that have the name in them."""
    found = []
    for path in glob.glob("/tmp/curlew-model-*"):
        try:
            with open(path, encoding="utf-8") as file:
                found += [path] if name in file.read() else []
        except OSError:
            pass
    return found


def test_picture(program):
    if importlib.util.find_spec("matplotlib") is None or os.environ.get("LSAN_OPTIONS"):
        return
    with Place(program, {"t.csv": table(debye, 1e8, 1e11), "metal.csv": table(drude, 1e14, 1e15)}) as place:
        place.good("fit", "metal.csv", "--plot", "metal.png", "--tolerance", "1e-5")  # a Drude term
        expect(os.path.getsize(place.path("metal.png")) > 10000, "metal.png")
        out = place.good("fit", "t.csv", "--plot", "t.png")
        expect("t = {" in out and os.path.getsize(place.path("t.png")) > 10000, out)
        place.good("fit", "t.csv", "--plot", "t.svg", "-q")
        expect(os.path.getsize(place.path("t.svg")) > 10000, "svg")
        own = f"t{os.getpid()}.csv"  # other programs may draw at the same time
        place.write(own, table(debye, 1e8, 1e11))
        place.good("fit", own, "--plot", "own.png", "-q")
        expect(not files_about(own), f"left in /tmp: {files_about(own)}")
        code, _, err, _ = place.run("fit", "t.csv", "--plot", "t.png", environment={"CURLEW_PYTHON": "/nowhere/python"})
        expect(code == 3 and "is no python3 with numpy and matplotlib" in err, err)


DRIVEN = ("  initial = {", "  sources = { { at = { 0.4, 0.3, 0.2 }, moment = { 0, 0, 1 }, waveform = waveform.ricker { f_peak = 1e9 } } },\n"
                          "  initial = {")


def test_a_material_has_a_range(program):
    material = "left = { epsilon_r = 1"
    inside = edited(SCRIPT, DRIVEN, (material, material + ", valid = { 1e7, 1e10 }, source = 'a book'"), ("steps = 4", "stop = 8e-9"))
    with Place(program, script=inside) as place:
        for valid, where in (("{1e7,1e10}", None), ("{0,1e10}", None), ("{0,5e8}", r"0 % .* below 0 Hz and \d+\.?\d* % above 5e\+08 Hz"),
                             ("{2e9,1e11}", r"\d+\.?\d* % .* below 2e\+09 Hz and \d.* % above 1e\+11 Hz")):
            code, _, err, _ = place.run("check", "input/case.lua", "--set", f"materials.left.valid={valid}")
            said = [line for line in err.splitlines() if "is not known" in line]
            expect(code == 0 and len(said) == (where is not None), f"{valid}: {err}")
            expect(where is None or re.search(where + r", where material 'left' is not known .* \(a book\)$", said[0]), f"{said}")
        for valid, message in (("{1}", "must be two frequencies (Hz), as in { 1e7, 2e10 }, not 1 values"), ("7", "must be two frequencies"),
                               ("{3,2}", "begins at 3 Hz, and ends at 2 Hz"), ("{-1,2}", "must be a number >= 0 (Hz), not -1")):
            code, _, err, _ = place.run("check", "input/case.lua", "--set", f"materials.left.valid={valid}")
            expect(code == 2 and message in err, f"{valid}: {err}")
        code, _, err, _ = place.run("check", "input/case.lua", "--set", "materials.left.source=7")
        expect(code == 2 and "must be a string" in err, err)


def test_a_material_of_the_library(program):
    script = "local library = require 'curlew.materials'\n" + edited(
        SCRIPT, ("left = { epsilon_r = 1 }", "left = { epsilon_r = library.water.epsilon_r, debye = { library.water.debye[1] } }"))
    with Place(program, script=script) as place:
        out = place.good("check", "input/case.lua")
        expect("left: 6 elements, refractive index 1.829 to 8.834" in out, out)


def test_the_library_is_accepted(program):
    with Place(program) as place:
        if '"materials.*.lorentz"' not in place.good("info", "--keys"):
            return  # a program without such terms
        for name in ("gold", "aluminium", "silicon", "silica", "fr4", "muscle"):
            unit = "1e-6" if name in ("gold", "aluminium", "silicon", "silica") else "1"
            place.write("input/case.lua", "local library = require 'curlew.materials'\n" + edited(
                SCRIPT, ("left = { epsilon_r = 1 }", f"left = library.{name}"), ('"box.msh"', f'"box.msh", unit = {unit}'),
                ("{ 0.4, 0.3, 0.2 }", f"{{ 0.4 * {unit}, 0.3 * {unit}, 0.2 * {unit} }}")))
            code, _, err, _ = place.run("run", "input/case.lua", "--set", "time.steps=100", "--set", "output.fields=nil", "-q",
                                        "-o", f"case_{name}")
            expect(code == 0 and err == "", f"{name}: {err}")
            energy = [row[-1] for row in place.rows(f"case_{name}/energy.csv")[1]]
            expect(0 < energy[-1] <= 1.0000001 * energy[0], f"{name}: {energy[0]} {energy[-1]}")


def test_a_fit_is_accepted(program):
    with Place(program, {"metal.csv": table(drude, 1e14, 1e15)}) as place:
        if '"materials.*.drude"' not in place.good("info", "--keys"):
            return
        for name, tolerance in (("metal", "1e-5"), ("silicon", "0.02")):
            block = place.good("fit", f"{name}.csv" if name == "metal" else SILICON, "--tolerance", tolerance)
            script = edited(SCRIPT, ("left = { epsilon_r = 1 }", f"left = fitted.{name}"), ('"box.msh"', '"box.msh", unit = 1e-6'),
                            ("{ 0.4, 0.3, 0.2 }", "{ 0.4e-6, 0.3e-6, 0.2e-6 }"))
            place.write("input/case.lua", f"local fitted = {{\n{block}}}\n{script}")
            code, _, err, _ = place.run("run", "input/case.lua", "--set", "time.steps=100", "--set", "output.fields=nil", "-q",
                                        "-o", f"case_{name}")
            expect(code == 0 and err == "", f"{name}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
