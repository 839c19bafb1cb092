#!/usr/bin/python3
"""`curlew plot`: which Python and which files it takes, exit codes, and pictures of a run. plot_contract.py PROGRAM [NAME...]
runs the tests whose names contain a NAME, or all. share/plot/tests/check_plot_run.py looks at what is drawn."""
import importlib.util
import os
import shutil
import subprocess
import sys

from harness import SCRIPT, Place, check_message, edited, expect, on_ranks
from run_contract import ENDLESS, RUN, main

if importlib.util.find_spec("matplotlib") is None or importlib.util.find_spec("numpy") is None:
    print("skipped: there is no python3-matplotlib")
    sys.exit(77)
HAS_SILO = importlib.util.find_spec("Silo") is not None
FIELDS = {"fields_3d.png", "fields_planes.png", "fields_times.png", "mesh.png"} if HAS_SILO else set()
MADE = {"energy.png", "probes_inside.png", "run.png"} | FIELDS


def pictures(place):
    return {name for name in os.listdir(place.path("case/plots")) if not name.startswith(".")}


def test_a_run_is_drawn(program):
    with Place(program) as place:
        place.good(*RUN)
        before = place.summary()
        out = place.good("plot", "case", "--report")
        expect(pictures(place) == MADE, f"{pictures(place)}")
        expect(len(out.splitlines()) == len(MADE) + 1 and out.endswith("case/report.html\n"), out)
        expect(place.summary() == before and os.path.getsize(place.path("case/report.html")) > 50000, "the report")
        place.good(*RUN)  # which leaves what it has not made
        expect(pictures(place) == MADE, "a later run removes pictures")


def test_ranks_are_drawn(program):
    with Place(program) as place:
        place.good(*RUN, **on_ranks(2))
        place.good("plot", "case", "-q")
        expect(pictures(place) == MADE, f"{pictures(place)}")


def test_an_interrupted_run_is_drawn(program):
    with Place(program) as place:
        for seconds in (3, 10, 40):  # a machine that has much else to do may not come to the first step in three
            code, _, err, _ = place.run(*RUN, *ENDLESS, "--set", f"time.walltime={seconds}", "-q")
            expect(code == 130, err)
            with open(place.path("case/energy.csv"), encoding="utf-8") as file:
                if len(file.readlines()) > 2:
                    break
        place.good("plot", "case", "-q", "--only", "energy,records")
        expect(pictures(place) == {"energy.png", "probes_inside.png"}, f"{pictures(place)}")


def test_planes_and_steps(program):
    if not HAS_SILO:
        return
    with Place(program) as place:
        place.good(*RUN)
        place.good("plot", "case", "-q", "--only", "fields", "--step", "2", "--field", "Ez", "--plane", "z=0.3")
        expect(pictures(place) == {"fields_3d.png", "fields_planes.png"}, f"{pictures(place)}")
        for message, words in (("the plane z = 7 m misses the mesh, which reaches from 0 to 1 m", ("--plane", "z=7")),
                               ("'case' has no snapshot of step 3", ("--step", "3"))):
            code, _, err, _ = place.run("plot", "case", "-q", "--only", "fields", *words)
            expect(code == 2 and f"curlew: {message}\n" in err, f"{code}: {err}")


MEASURES = """\
    lines = { { name = "l", from = { 0.1, 0.2, 0.3 }, to = { 0.9, 0.2, 0.3 }, points = 9, frequencies = { 1e8 } } },
    planes = { { name = "a", origin = { 0, 0, 0.3 }, u = { 1, 0, 0 }, v = { 0, 1, 0 }, points = { 6, 5 }, frequencies = { 1e8 } },
               { name = "b", origin = { 0, 0, 0.3 }, u = { 1, 0, 0 }, v = { 0, 1, 0 }, points = { 6, 5 }, format = "csv" } },
"""


def test_lines_and_planes(program):
    """A plane in Silo files and the same plane as a table have one picture, pixel by pixel."""
    with Place(program, script=edited(SCRIPT, ("    energy = { every = 1 },\n", MEASURES))) as place:
        place.good(*RUN, "--set", "output.fields=nil")
        place.good("plot", "case", "-q", "--only", "lines,planes")
        silo = {"planes_a.png", "planes_a_spectrum_000001.png"} if HAS_SILO else set()
        expect(pictures(place) == {"lines_l.png", "lines_l_spectrum.png", "planes_b.png"} | silo, f"{pictures(place)}")
        if HAS_SILO:
            content = []
            for name in "ab":
                with open(place.path(f"case/plots/planes_{name}.png"), "rb") as file:
                    content.append(file.read())
            expect(content[0] == content[1], "the pictures differ")
            with open(place.path("case/planes/a_000002.silo"), "r+b") as file:
                file.truncate(100)
            code, _, err, _ = place.run("plot", "case", "-q", "--only", "planes")
            expect(code == 2 and "curlew: 'case/planes/a_000002.silo' is no plane of curlew, or is damaged\n" in err, err)


def test_what_is_not_there(program):
    with Place(program) as place:
        os.mkdir(place.path("empty"))
        for message, words in (
                ("there is no folder 'none'", ("none",)),
                ("'empty' holds no results: curlew run has not written there, or not yet", ("empty",)),
                ("plot: the following arguments are required: DIR; see curlew plot --help", ()),
                ("plot: unrecognized arguments: --faster; see curlew plot --help", ("empty", "--faster"))):
            code, out, err, _ = place.run("plot", *words)
            expect((code, out) == (2, ""), f"{code}: {out}")
            check_message(err, message)
        code, _, err, _ = place.run("-q", "plot", "none")
        expect(code == 2, f"{code}")
        check_message(err, "the options of plot follow it; see curlew --help")


def test_half_a_line(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "output.fields=nil")
        with open(place.path("case/energy.csv"), "ab") as file:
            file.truncate(os.path.getsize(file.name) - 5)
        code, out, err, _ = place.run("plot", "case")
        expect(code == 0 and "energy.png" in out, f"{code}: {err}")
        check_message(err, "warning: 'case/energy.csv' ends in the middle of a line, which is left out: the run goes on, or "
                           "was killed")


NO_SILO = """\
import importlib.machinery
import sys


class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == "Silo" else super().find_spec(name, path, target)


sys.meta_path = [Without if finder is importlib.machinery.PathFinder else finder for finder in sys.meta_path]
"""


def test_without_silo(program):
    """A Python that has no Silo, as one with modules of pip: everything but fields is drawn, and one line says so."""
    with Place(program) as place:
        place.good(*RUN)
        place.write("hidden/sitecustomize.py", NO_SILO)
        code, out, err, _ = place.run("plot", "case", environment={"PYTHONPATH": place.path("hidden")})
        expect(code == 0 and "energy.png" in out and "fields" not in out, f"{code}: {out}{err}")
        check_message(err, "warning: fields are not drawn: that needs python3-silo (apt install python3-silo)")


NO_VTKHDF = NO_SILO.replace('name == "Silo"', 'name in ("h5py", "vtk")')


def test_vtkhdf(program):
    """VTKHDF snapshots are drawn where h5py or vtk is; elsewhere one line says so, and a picture of one file is an error."""
    with Place(program) as place:
        place.good(*RUN, "--set", 'output.fields.format="vtkhdf"')
        place.write("hidden/sitecustomize.py", NO_VTKHDF)
        hidden = {"PYTHONPATH": place.path("hidden")}
        code, out, err, _ = place.run("plot", "case", environment=hidden)
        expect(code == 0 and "energy.png" in out and "fields" not in out, f"{code}: {out}{err}")
        check_message(err, "warning: fields are not drawn: that needs h5py (apt install python3-h5py) or vtk "
                      "(pip install vtk) for VTKHDF snapshots")
        one = ("plot", "case/fields_000000.hdf", "--field", "Ez", "--plane", "z=0.5", "-o", "a.png")
        code, _, err, _ = place.run(*one, environment=hidden)
        expect(code == 3 and "reading VTKHDF snapshots needs h5py" in err, f"{code}: {err}")
        code, _, err, _ = place.run("plot", "none.hdf", *one[2:])
        expect(code == 2 and "cannot read 'none.hdf'" in err, f"{code}: {err}")
        if not any(importlib.util.find_spec(name) for name in ("h5py", "vtk")):
            return
        this = {"CURLEW_PYTHON": sys.executable}
        expect(place.run(*one, environment=this)[0] == 0 and place.run("plot", "case", environment=this)[0] == 0, "no picture")
        expect({"fields_3d.png", "fields_planes.png", "mesh.png"} <= pictures(place), f"{pictures(place)}")


def test_pythons(program):
    """One that has no modules is passed over; where none has them there is one line."""
    with Place(program) as place:
        place.good(*RUN, "--set", "output.fields=nil")
        place.write("bin/python3", "#!/bin/sh\nexit 11\n")
        os.chmod(place.path("bin/python3"), 0o755)
        path = {"PATH": place.path("bin")}
        place.good("plot", "case", "-q", environment=path)
        code, out, err, _ = place.run("plot", "case", environment={"CURLEW_PYTHON": place.path("bin/python3")})
        expect((code, out) == (3, "") and err.count("\n") == 1, f"{code}: {out}")
        expect("is no python3 with numpy and matplotlib: install python3-numpy" in err, err)
        # That of a virtual environment is that of the environment: one is empty, the other has the system's modules.
        for folder, options, wanted in (("empty", (), 3), ("full", ("--system-site-packages",), 0)):
            subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", *options, place.path(folder)], check=True)
            code, _, err, _ = place.run("plot", "case", "-q",
                                        environment={"CURLEW_PYTHON": place.path(folder, "bin", "python3")})
            expect(code == wanted, f"the Python of a virtual environment, {folder}: {code}: {err}")
        code, _, err, _ = place.run("plot", "case", environment={"CURLEW_PYTHON": "none"})
        expect(code == 3 and "'none' (from CURLEW_PYTHON)" in err, f"{code}: {err}")
        code, _, err, _ = place.run("plot", "case", environment={"CURLEW_SHARE": place.path("bin")})
        expect(code == 3, f"{code}")
        check_message(err, f"plot/plot_run.py was not found in '{place.path('bin')}' (from CURLEW_SHARE)")


FOREIGN = """\
with open({mark!r}, "a", encoding="ascii") as file:
    file.write(__name__ + "\\n")
raise SystemExit(9)
"""
# Ours, those of others that we need, and those that Python's own need.
NAMES = ("numpy", "matplotlib", "Silo", "curlew", "curlew_plot", "sitecustomize", "usercustomize", "contextlib", "types",
         "warnings", "json", "csv", "argparse", "struct", "encodings")


def test_nothing_of_the_current_folder(program):
    """Modules and settings beside the data are nobody's who draws."""
    table = "".join(f"{f}e9,{2.5 - 0.01 * f},0.0{f}\n" for f in range(1, 8))
    with Place(program, files={"t.csv": "frequency (Hz),epsilon,loss\n" + table}) as place:
        place.good(*RUN, "--set", "output.fields=nil")
        place.write("two.s1p", "# GHz S RI R 50\n1 0.5 0\n2 0.4 0.1\n")
        words = (("plot", "case", "-q"), ("plot", "case/energy.csv", "--y", "total", "-o", "e.png"), ("s", "two.s1p"),
                 ("s", "two.s1p", "--plot", "s.png"), ("check", "input/case.lua", "-q", "--picture", "m.png"),
                 ("fit", "t.csv", "--plot", "f.png"))
        before = [place.run(*each, environment={"PYTHONPATH": "/nowhere"})[:3] for each in words]
        expect(all(code == 0 for code, _, _ in before), f"{before}")
        for name in NAMES:
            place.write(f"{name}.py", FOREIGN.format(mark=place.path("mark")))
        place.write("matplotlibrc", "no.such.setting: 1\nsavefig.facecolor: red\n")
        for path in (":/nowhere", "/nowhere:", ".", "", "./:/nowhere::", None):
            with_path = {} if path is None else {"PYTHONPATH": path, "PYTHONSTARTUP": place.path("numpy.py")}
            for each, good in zip(words if path in (":/nowhere", None) else words[:1], before):
                code, out, err, _ = place.run(*each, environment=with_path)
                expect(not os.path.exists(place.path("mark")), f"PYTHONPATH={path}: {each} runs a module of this folder")
                expect(code == 0 and "matplotlibrc" not in err and out.count("\n") == good[1].count("\n"),
                       f"PYTHONPATH={path}: {each}: {code}: {err}")
        # What somebody names is still found.
        place.write("named/sitecustomize.py", FOREIGN.format(mark=place.path("mark")))
        place.run(*words[0], environment={"PYTHONPATH": ":" + place.path("named")})
        expect(os.path.exists(place.path("mark")), "a folder of PYTHONPATH is lost")


def test_nothing_is_written_over(program):
    """Pictures, reports and tables of S take the place of no input, of no link, and of nothing that the program has not made."""
    touchstone = "# Hz S RI R 50\n" + "".join(f"{f}e9 0.1 0.2\n" for f in range(1, 8))
    with Place(program, {"mine.png": "mine", "mine.s1p": touchstone}) as place:
        place.good(*RUN)
        places = [("plot", "case", "--only", "energy", "-o", "drawn")]
        os.makedirs(place.path("drawn"))
        shutil.copy(place.path("mine.png"), place.path("drawn/energy.png"))
        for setting in ("copy", "link"):
            if setting == "link":
                os.unlink(place.path("drawn/energy.png"))
                os.symlink("../mine.png", place.path("drawn/energy.png"))
            code, _, err, _ = place.run(*places[0])
            expect(code == 2 and ("has not made it" if setting == "copy" else "is a symbolic link") in err, f"{code}: {err}")
        os.unlink(place.path("drawn/energy.png"))
        for _ in range(2):
            place.good(*places[0])
        place.write("case/report.html", "mine")
        cases = ((("plot", "case", "--report"), "case/report.html"), (("plot", "case/energy.csv", "--y", "total", "-o", "mine.png"), "mine.png"),
                 (("check", "input/case.lua", "--picture", "mine.png"), "mine.png"),
                 (("check", "input/case.lua", "--picture", "input/case.lua"), "input/case.lua"))
        cases += tuple((("s", "mine.s1p", option, name), name)
                       for option, name in (("--csv", "mine.png"), ("--touchstone", "mine.s1p"), ("--plot", "mine.s1p")))
        for words, name in cases:
            with open(place.path(name), "rb") as file:
                before = file.read()
            code, _, err, _ = place.run(*words)
            expect(code == 2 and ("has not made it" in err or "is the input" in err) and name in err, f"{words}: {code}: {err}")
            with open(place.path(name), "rb") as file:
                expect(file.read() == before, f"{words} writes over {name}")
        for _ in range(2):
            place.good("s", "mine.s1p", "-q", "--csv", "s.csv", "--touchstone", "s.s1p", "--plot", "s.png")


def test_a_full_disk(program):
    with Place(program) as place:
        place.good(*RUN, "--set", "output.fields=nil")
        with open("/dev/full", "wb") as full:
            code, _, err, _ = place.run("plot", "case", stdout=full)
        expect(code == 3, f"{code}: {err}")
        check_message(err, "cannot write to standard output: No space left on device")
        place.write("other", "a file")
        code, _, err, _ = place.run("plot", "case", "-o", "other")
        expect(code == 3 and err.startswith("curlew: cannot write 'other/"), f"{code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
