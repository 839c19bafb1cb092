"""Cuts and draws the snapshots of test_silo_writer and test_silo_ranks: areas, values of a linear field, messages, exit codes.

    check_plot_slice.py [FOLDER_OF_SNAPSHOTS]
Exits 77 (skipped) when python3-silo or python3-matplotlib is not installed.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import matplotlib  # noqa: F401
    import Silo  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "plot_slice.py")
sys.path.insert(0, os.path.join(HERE, ".."))
from plot_slice import cut, refine  # noqa: E402
from silo_reader import Snapshot  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def area(xy):
    u, v = xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0]
    return np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() / 2


def check_cuts(folder):
    """A plane through the unit cube has area 1, also in its faces and along faces of elements; at order 1 the
    sub-tetrahedra carry the linear field exactly."""
    for name in ("silo_nodal_1", "silo_nodal_3", "silo_averaged_2", "silo_ranks_4/ranks_nodal_3",
                 "silo_ranks_4/ranks_averaged_2"):
        snapshot = Snapshot(os.path.join(folder, name + ".silo"))
        field = snapshot.field("Ex")
        for axis in range(3):
            for value in (0, 0.1, 0.25, 0.5, 0.77, 1):
                xy, values, across = cut(snapshot, axis, value, field)
                check(abs(area(xy) - 1) < 1e-9, f"{name}: area {area(xy)} at {'xyz'[axis]} = {value}")
                check(abs(area(refine(xy)) - 1) < 1e-9, f"{name}: refined area")
                if name == "silo_nodal_1":
                    x = np.zeros(values.shape + (3,))
                    x[..., axis] = value
                    x[..., across] = xy
                    exact = 1 + 2 * x[..., 0] - x[..., 1] + 0.5 * x[..., 2]
                    check(np.abs(values - exact).max() < 1e-8, f"{name}: values at {'xyz'[axis]} = {value}")


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def check_pictures(folder, out):
    snapshot = os.path.join(folder, "silo_nodal_2.silo")
    for field in ("Ez", "E", "|Ez|", "epsilon_r", "barycentre"):
        path = os.path.join(out, "a.png")
        code, stdout, stderr = run(snapshot, "--field", field, "--plane", "y=0.4", "-o", path)
        check((code, stdout, stderr) == (0, "", ""), f"{field}: exit {code}, {stderr}")
        check(os.path.exists(path), f"{field}: no picture")
        if os.path.exists(path):
            pixels = matplotlib.image.imread(path)
            check(len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 100, f"{field}: an empty picture")
            os.remove(path)


def check_errors(folder, out):
    good = os.path.join(folder, "silo_nodal_2.silo")
    damaged = os.path.join(out, "damaged.silo")
    with open(good, "rb") as source, open(damaged, "wb") as copy:
        copy.write(source.read(20000))
    picture = os.path.join(out, "b.png")
    for code, message, arguments in (
        (2, "has no field 'Ew'; it has E, barycentre, Ex,", (good, "--field", "Ew", "--plane", "z=0", "-o", picture)),
        (2, "the plane z = 2 m misses the mesh", (good, "--field", "Ez", "--plane", "z=2", "-o", picture)),
        (2, "'w=1' is no plane", (good, "--field", "Ez", "--plane", "w=1", "-o", picture)),
        (2, "'z=inf' is no plane", (good, "--field", "Ez", "--plane", "z=inf", "-o", picture)),
        (2, "cannot read 'none.silo': No such file", ("none.silo", "--field", "Ez", "--plane", "z=0", "-o", picture)),
        (2, "is not a Silo file", (__file__, "--field", "Ez", "--plane", "z=0", "-o", picture)),
        (2, "or is damaged", (damaged, "--field", "Ez", "--plane", "z=0", "-o", picture)),
        (2, "'b.gif' does not end in .png", (good, "--field", "Ez", "--plane", "z=0", "-o", "b.gif")),
        (2, "required: --plane", (good, "--field", "Ez", "-o", picture)),
        (3, "No such file or directory", (good, "--field", "Ez", "--plane", "z=0", "-o", "no_such_folder/b.png")),
    ):
        got, stdout, stderr = run(*arguments)
        check(got == code and message in stderr and stderr.count("\n") == 1 and not stdout,
              f"exit {got} and '{stdout}{stderr}' instead of {code} and '{message}'")
        check(not os.path.exists(picture), "a picture in spite of an error")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    check_cuts(folder)
    with tempfile.TemporaryDirectory() as out:
        check_pictures(folder, out)
        check_errors(folder, out)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
