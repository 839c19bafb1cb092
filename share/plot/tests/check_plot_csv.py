"""Draws CSV files: what is read, what is drawn, messages, exit codes.

    check_plot_csv.py
Exits 77 (skipped) when python3-matplotlib is not installed.
"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "plot_csv.py")
sys.path.insert(0, os.path.join(HERE, ".."))
import plot_csv  # noqa: E402

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


def main():
    with tempfile.TemporaryDirectory() as folder:
        good, ragged, empty, words = (os.path.join(folder, name + ".csv") for name in ("good", "ragged", "empty", "words"))
        for path, text in ((good, "time,Ex,Ex exact\n0,1,1\n1e-9,10,-10\n2e-9,0.1,0\n"), (ragged, "time,Ex\n0,1\n1\n"),
                           (empty, "time,Ex\n"), (words, "time,Ex\n0,one\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        picture = os.path.join(folder, "p.png")
        arguments = argparse.Namespace(
            files=[good], x=None, y=["Ex", "Ex exact"], label=None, db=True, xlim=None, ylim=None, xlabel=None, ylabel="",
            title="")
        axes = plot_csv.draw(arguments).axes[0]
        x, y = axes.lines[0].get_data()
        check(axes.get_xlabel() == "time (ns)" and abs(x - [0, 1, 2]).max() < 1e-12, f"time in ns: {axes.get_xlabel()}, {x}")
        check(abs(y - [0, 20, -20]).max() < 1e-12, f"decibels: {y}")
        check([line.get_linestyle() for line in axes.lines] == ["-", "--"], "the exact column is dashed")
        code, message = run(good, good, "--y", "Ex", "--label", "a", "b", "-o", picture)
        check(code == 0 and message == "" and os.path.getsize(picture) > 1000, f"a picture: {code}, {message!r}")
        refuses("no column 'Ey' (it has time, Ex, Ex exact)", good, "--y", "Ey", "-o", picture)
        refuses("cannot read", os.path.join(folder, "absent.csv"), "--y", "Ex", "-o", picture)
        refuses("differ in their number", ragged, "--y", "Ex", "-o", picture)
        refuses("no rows", empty, "--y", "Ex", "-o", picture)
        refuses("could not convert", words, "--y", "Ex", "-o", picture)
        refuses("does not end in", good, "--y", "Ex", "-o", picture + ".bmp")
        refuses("2 names for 1 curves", good, "--y", "Ex", "--label", "a", "b", "-o", picture)
        refuses("required", good, "-o", picture)
        code, message = run(good, "--y", "Ex", "-o", os.path.join(folder, "absent", "p.png"))
        check(code == 3 and "cannot write" in message, f"a folder that is not there: {code}, {message!r}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
