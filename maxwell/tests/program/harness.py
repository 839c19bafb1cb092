"""Runs the program in a folder of its own and looks at all that it says and leaves."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import meshes

SCRIPT = """\
-- a script that works
simulation {
  mesh = { file = "box.msh" },
  order = 1,
  time = { steps = 4 },
  materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, x + y end },
  output = {
    probes = { { name = "inside", at = { 0.4, 0.3, 0.2 } } },
    energy = { every = 1 },
    fields = { every = 2 },
  },
}
"""

BOX = meshes.box().text()
os.environ.setdefault("CURLEW_CHECK_SECONDS", "0.02")  # else `check` takes two seconds to measure what check_contract alone looks at
TIME_LIMIT = float(os.environ.get("CURLEW_TEST_SECONDS", "180"))


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def in_time(limit, run):
    """run() returns the seconds that it took: they are below the limit. What a run takes to end it can only estimate,
    and a machine that has much else to do may need longer for that than before: one of three tries has to be in time."""
    took = []
    while len(took) < 3 and (not took or took[-1] >= limit):
        took.append(run())
    expect(took[-1] < limit, f"took {took} s, not less than {limit} s")


def edited(script, *edits):
    for old, new in edits:
        expect(script.count(old) == 1, f"the test is wrong: {old!r} is not once in the script")
        script = script.replace(old, new)
    return script


def line_of(script, text):
    for number, line in enumerate(script.split("\n"), 1):
        if text in line:
            return number
    raise Failure(f"the test is wrong: {text!r} is not in the script")


def fingerprint(folder):
    """Every file below: name -> hash, kind and mode."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            info = os.lstat(path)
            content = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (info.st_mode, hashlib.sha256(content).hexdigest())
    return found


def on_ranks(ranks, *options):
    """What Place.run needs to run on several ranks, more than there are processors and also as root."""
    return {"wrapper": ("mpirun", "-n", str(ranks), *options),
            "environment": {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            # Open MPI leaks from plugins that are unloaded at the end, which no suppression can name.
                            "ASAN_OPTIONS": "detect_leaks=0"}}


class Place:
    """A temporary folder with input/case.lua and input/box.msh; the program runs in the folder above input."""

    def __init__(self, program, files=None, script=SCRIPT):
        self.program = program
        self._temporary = tempfile.TemporaryDirectory(prefix="curlew_test_")
        self.root = self._temporary.name
        self.write("input/case.lua", script)
        self.write("input/box.msh", BOX)
        for name, content in (files or {}).items():
            self.write(name, content)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._temporary.cleanup()

    def path(self, *names):
        return os.path.join(self.root, *names)

    def write(self, name, content):
        path = self.path(name)
        if content is None:  # take it away
            os.remove(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def vanish(self, name):
        """Takes a folder away all at once: file by file that would race with a program that works there."""
        gone = tempfile.mkdtemp(dir=self.root, prefix="gone_")
        os.rename(self.path(name), os.path.join(gone, "folder"))
        shutil.rmtree(gone, ignore_errors=True)

    def start(self, *arguments, wrapper=(), environment=None, cwd=None, stdout=subprocess.PIPE, before=None):
        return subprocess.Popen([*wrapper, self.program, *arguments], cwd=cwd or self.root, stdout=stdout,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=before,
                                env={**os.environ, **(environment or {})})

    def run(self, *arguments, **options):
        """(exit code, stdout, stderr, seconds)"""
        started = time.monotonic()
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"still running after {TIME_LIMIT:g} s") from None
        return (process.returncode, (out or b"").decode(errors="replace"), err.decode(errors="replace"),
                time.monotonic() - started)

    def good(self, *arguments, **options):
        """A run that must succeed; returns what it printed."""
        code, out, err, _ = self.run(*arguments, **options)
        expect(code == 0, f"{arguments}: exit code {code}: {err.strip()}")
        return out

    def summary(self, folder="case"):
        with open(self.path(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def rows(self, name):
        """Header and rows of numbers of a CSV file, all whole."""
        with open(self.path(name), encoding="ascii") as file:
            text = file.read()
        expect(text.endswith("\n"), f"{name} does not end with a whole line")
        lines = text.splitlines()
        header = lines[0].split(",")
        rows = [[float(value) for value in line.split(",")] for line in lines[1:]]
        expect(all(len(row) == len(header) for row in rows), f"{name} has a broken line")
        return header, rows


def check_message(stderr, expected):
    """stderr is one line, "curlew: " and the expected text or something that the expected pattern finds."""
    lines = stderr.splitlines()
    expect(len(lines) == 1 and stderr.endswith("\n"), f"{len(lines)} lines on stderr:\n{stderr}")
    expect(lines[0].startswith("curlew: "), f"stderr does not begin with the program's name: {lines[0]}")
    message = lines[0][len("curlew: "):]
    expect(not message.endswith("."), f"a full stop at the end of: {message}")
    if isinstance(expected, re.Pattern):
        expect(expected.fullmatch(message), f"expected /{expected.pattern}/\n     got  {message}")
    else:
        expect(message == expected, f"expected {expected}\n     got  {message}")


def check_snapshot(path):
    """The end of an HDF5 file, as its superblock (version 0) has it, is the end of the file."""
    with open(path, "rb") as file:
        head = file.read(96)
    expect(head[:8] == b"\x89HDF\r\n\x1a\n" and head[8] == 0, f"{path} does not begin as an HDF5 file")
    end = int.from_bytes(head[40:48], "little")
    expect(os.path.getsize(path) >= end, f"{path} is truncated: {os.path.getsize(path)} of {end} bytes")


def check_leftovers(folder):
    """The output folder of a run that failed: none, or one that says so and holds no broken file."""
    if not os.path.isdir(folder):
        return
    summary = os.path.join(folder, "summary.json")
    if os.path.exists(summary):
        with open(summary, encoding="utf-8") as file:
            status = json.load(file)["status"]
        expect(status != "done", "summary.json says that the run is done")
    else:
        expect(not [name for name in os.listdir(folder) if name.endswith((".silo", ".csv"))],
               "output without a summary.json")
    for name in os.listdir(folder):
        expect(not name.endswith(".part"), f"{name} was left behind")
        if name.endswith(".silo"):
            check_snapshot(os.path.join(folder, name))
