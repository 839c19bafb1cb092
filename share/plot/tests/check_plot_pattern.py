"""Draws patterns of far fields: what is read, what is drawn, messages, exit codes.

    check_plot_pattern.py
Exits 77 (skipped) when python3-matplotlib is not installed.
"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "plot_pattern.py")
sys.path.insert(0, os.path.join(HERE, ".."))
import plot_pattern  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def refuses(what, *arguments):
    code, message = run(*arguments)
    check(code == 2 and message.count("\n") == 1 and what in message, f"{arguments}: {code}, {message!r}")


def pattern(path):
    """10 dBi up, 10 - theta/10 elsewhere, less by 1 at phi >= 180; two frequencies, the second 5 dB lower."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("frequency,theta,phi,directivity,gain,rcs\n")
        for hertz, lower in ((1e9, 0), (2e9, 5)):
            for theta in range(0, 181, 15):
                for phi in range(0, 360, 30):
                    file.write(f"{hertz},{theta},{phi},{10 - theta / 10 - (phi >= 180) - lower},nan,{theta + 1}\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        good, picture = os.path.join(folder, "good.csv"), os.path.join(folder, "p.png")
        pattern(good)
        arguments = argparse.Namespace(file=good, quantity="directivity", frequency=1.9e9, phi=[30], theta=None, space=False,
                                       floor=30, title="")
        axes = plot_pattern.draw(arguments).axes[0]
        angle, values = axes.lines[0].get_data()
        check(len(angle) == 26 and abs(np.degrees(angle)[[0, 12, 13, 25]] - [0, 180, 180, 360]).max() < 1e-9, f"{angle}")
        check(abs(values[[0, 12, 13, 25]] - [5, -13, -14, 4]).max() < 1e-9, f"both sides of a cut: {values}")
        check(axes.get_ylim() == (-25, 5) and "2 GHz" in axes.get_title(), f"{axes.get_ylim()}, {axes.get_title()}")
        arguments.quantity, arguments.phi, arguments.theta = "rcs", None, [90]
        values = plot_pattern.draw(arguments).axes[0].lines[0].get_data()[1]
        check(abs(values - 10 * np.log10(91)).max() < 1e-9, f"a cone: {values}")
        for options in (("--phi", "0", "90"), ("--3d",)):
            code, message = run(good, *options, "-o", picture)
            check(code == 0 and message == "" and os.path.getsize(picture) > 5000, f"{options}: {code}, {message!r}")
        refuses("has no gain (all are nan)", good, "--quantity", "gain", "-o", picture)
        refuses("has no phi = 45 (it has 0, 30", good, "--phi", "45", "-o", picture)
        refuses("has no column 'axial_ratio'", good, "--quantity", "axial_ratio", "-o", picture)
        refuses("does not end in", good, "-o", os.path.join(folder, "p.gif"))
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
