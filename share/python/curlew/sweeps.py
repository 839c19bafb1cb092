"""Sweeps: one script, many arguments, several runs at a time; what has run is not run again."""
import contextlib
import csv
import hashlib
import io
import itertools
import json
import os
import re
import subprocess
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import numpy as np

from . import inputs, lua, program
from .errors import CurlewError, EnvironmentFailure, InputError
from .results import Results
from .run import run

KEPT = ".sweep.json"


def combinations(arguments):
    """Every combination of {"a": [1, 2], "b": 3} as dicts; a list of dicts stays what it is."""
    if isinstance(arguments, (list, tuple)):
        return [dict(one) for one in arguments]
    lists = []
    for name, values in arguments.items():
        values = lua.plain(values)
        values = list(values) if isinstance(values, (list, tuple, range)) else [values]
        if not values:
            raise InputError(f"the sweep has no value for '{name}'")
        lists.append([(name, lua.plain(value)) for value in values])
    return [dict(one) for one in itertools.product(*lists)]


def program_version(path):
    """The version of the program, with what tells one build from another."""
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    info = os.stat(path)
    return [said, info.st_size, int(info.st_mtime)]


def identity(script, args, overrides, ranks, backend, also=()):
    """The digest of all that a run depends on: script, geometry, arguments, program."""
    files = inputs.input_files(os.path.abspath(script))
    if not files:
        raise InputError(f"cannot read the script '{os.path.abspath(script)}'")
    text = json.dumps([files, sorted(args.items()), lua.value(overrides or {}), ranks, backend,
                       program_version(program.find_program()), [[path, digest(path)] for path in also]])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest(path):
    content = inputs.read_bytes(path)
    if content is None:
        raise InputError(f"cannot read '{path}', which the sweep depends on")
    return hashlib.sha256(content).hexdigest()


def unchanged(folder):
    """The files that the run in a folder has read, with digests. None: one is not there, or was changed after the run began."""
    found, newer = inputs.files_read(folder)
    return None if newer or found is None else {os.path.abspath(name): content for name, content in found.items()}


@contextlib.contextmanager
def folder_of(out):
    """Makes the folder and keeps other sweeps out of it, also the program's."""
    os.makedirs(os.path.join(out, ".sweep"), exist_ok=True)
    try:
        with inputs.lock(os.path.join(out, ".sweep", "lock")):
            yield
    except inputs.Busy as holder:
        raise EnvironmentFailure(f"another sweep is at work in '{out}'{holder}; wait for its end, or name another folder",
                                 3) from None


class Point:
    """One run of a sweep. `error` is a CurlewError or None; `results` are those of its folder, or None."""

    def __init__(self, number, args, folder):
        self.number, self.args, self.folder = number, args, folder
        self.results = self.error = None
        self.cached = False
        self.values = {}

    def __repr__(self):
        state = f"error: {self.error}" if self.error else "cached" if self.cached else "done" if self.results else "-"
        return f"<point {self.args}: {state}>"


class Sweep:
    """What a sweep has found: points in the order of its combinations, and a table of them."""

    def __init__(self, points):
        self.points = points

    def __len__(self):
        return len(self.points)

    def __iter__(self):
        return iter(self.points)

    def __getitem__(self, index):
        return self.points[index]

    @property
    def table(self):
        """A dict for each point: its arguments, what `measure` gave, status, error."""
        return [{**point.args, **point.values, "status": point.results.status if point.results else "failed",
                 "error": str(point.error) if point.error else ""} for point in self.points]

    def columns(self):
        names = []
        for row in self.table:
            names += [name for name in row if name not in names]
        return names

    def to_array(self):
        """A structured array with a field for each column; numbers that are missing are nan, words are empty."""
        table, kinds, columns = self.table, [], []
        for name in self.columns():
            items = [row.get(name) for row in table]
            numbers = all(item is None or isinstance(item, (int, float, complex, np.number)) for item in items)
            column = np.array([np.nan if item is None else item for item in items]) if numbers else \
                np.array(["" if item is None else str(item) for item in items])
            kinds.append((name, column.dtype))
            columns.append(column)
        array = np.empty(len(table), dtype=kinds)
        for (name, _), column in zip(kinds, columns):
            array[name] = column
        return array

    def to_csv(self, path):
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, self.columns(), restval="", lineterminator="\n")
            out.writeheader()
            out.writerows(self.table)


class Worker:
    """Runs one point at a time in a thread; the run itself is a process."""

    def __init__(self, script, options, measure, stop):
        self.script, self.options, self.measure, self.stop = script, options, measure, stop

    def find(self, point, key):
        """The results of an earlier sweep, if all that they depend on is the same."""
        content = inputs.read_bytes(os.path.join(point.folder, KEPT))
        try:
            note = json.loads(content) if content is not None else {}
            if note.get("key") != key or note.get("files") is None or note["files"] != unchanged(point.folder):
                return False
            results = Results(point.folder)
            if results.status != "done":
                return False
        except (ValueError, CurlewError):
            return False
        point.results, point.cached = results, True
        return True

    def __call__(self, point, key):
        if self.stop.is_set():
            return point
        try:
            if not self.find(point, key):
                self.run(point, key)
            if point.results is not None:
                values = self.measure(point.results) if self.measure is not None else point.results.derived
                point.values = dict(values) if isinstance(values, dict) else {"value": values}
        except CurlewError as error:
            point.error = error
        return point

    def run(self, point, key):
        try:  # no key stays in a folder that this run changes
            os.remove(os.path.join(point.folder, KEPT))
        except OSError:
            pass
        def look(progress):
            if self.stop.is_set():
                raise KeyboardInterrupt
        point.results = run(self.script, point.args, out=point.folder, progress=look, **self.options)
        partial = os.path.join(point.folder, KEPT + ".part")
        with open(partial, "w", encoding="utf-8") as file:
            json.dump({"key": key, "args": point.args, "files": unchanged(point.folder)}, file)
        os.replace(partial, os.path.join(point.folder, KEPT))


def folder_name(args):
    """A folder for each combination: "L=0.5,n=3", or a digest where that would be long or odd."""
    name = ",".join(f"{key}={value}" for key, value in args.items())
    if len(name) <= 80 and re.fullmatch(r"[\w.+=,-]+", name) and not name.startswith("."):
        return name
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def sweep(script, arguments, out, *, set=None, measure=None, jobs=1, ranks=1, threads=None, backend=None,
          progress=None, depends=(), launcher=None, trust=False):
    """Runs a script for every combination of arguments and returns a Sweep.

    arguments  {"a": [1, 2, 3], "b": [0.1, 0.2]}: all combinations; or a list of dicts, one a run
    out        folder; every run has one below it, named by its arguments
    measure    function of Results that gives a number or a dict of numbers, for the table; without it the table has what
               hooks of the script have derived
    jobs       runs at a time; threads: of each (None: the processors divided by jobs)
    progress   function of (number of runs that are done, number of all, the Point that has just ended)
    depends    more files on whose content the runs depend

    A run whose script, geometry, arguments, keys and program are those of a finished run in its folder is not run
    again: a sweep that was stopped goes on. One sweep at a time works in a folder. An error of one run stands in its point and does not stop the others. Ctrl-C ends
    the runs under way and raises KeyboardInterrupt.
    """
    points = [Point(i, args, os.path.join(os.fspath(out), folder_name(args)))
              for i, args in enumerate(combinations(arguments))]
    folders = {point.folder for point in points}
    if len(folders) < len(points):
        raise InputError("the sweep has the same arguments twice")
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"jobs must be an integer >= 1, not {jobs!r}")
    if threads is None and jobs > 1:
        threads = max(1, len(os.sched_getaffinity(0)) // (jobs * ranks))
    options = dict(set=set, ranks=ranks, threads=threads, backend=backend, launcher=launcher, trust=trust)
    stop = threading.Event()
    worker = Worker(script, options, measure, stop)
    keys = [identity(script, point.args, set, ranks, backend, depends) for point in points]
    with folder_of(os.fspath(out)), ThreadPoolExecutor(jobs) as pool:
        under_way = {pool.submit(worker, point, key) for point, key in zip(points, keys)}
        try:
            done = 0
            while under_way:
                ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for one in ended:
                    point = one.result()
                    done += 1
                    if progress is not None:
                        progress(done, len(points), point)
        except BaseException:
            stop.set()
            for one in under_way:
                one.cancel()
            raise
    return Sweep(points)


LAST = ["steps", "time", "energy", "seconds", "exit_code", "status", "error"]  # columns of sweep.csv behind derived values


def cell(text):
    """A cell as a number, True or False where it is one; None where it is empty."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "": None}.get(text, text)


def open_sweep(folder):
    """The Sweep that `curlew sweep` has left in its folder. The values of a point are the derived values of the script's hooks,
    steps, time, energy, seconds and exit_code."""
    folder = os.fspath(folder)
    path = os.path.join(folder, "sweep.csv")
    content = inputs.read_bytes(path)
    if content is None:
        raise InputError(f"cannot read '{path}'")
    rows = list(csv.reader(io.StringIO(content.decode(errors="replace"), newline="")))
    if not rows or [name.replace("run.", "", 1) for name in rows[0][-len(LAST):]] != LAST or "folder" not in rows[0]:
        raise InputError(f"'{path}' is no table of curlew sweep")
    columns, points = rows[0], []
    first = columns.index("folder")
    for i, row in enumerate(rows[1:]):
        args, own, values = row[:first], row[first], row[first + 1:-2]
        point = Point(i, dict(zip(columns, map(cell, args))), os.path.join(folder, own))
        point.values = dict(zip(columns[first + 1:-2], map(cell, values)))
        status, error = row[-2:]
        if error:
            point.error = CurlewError(error, cell(row[-3]))
        if status and os.path.isfile(os.path.join(point.folder, "summary.json")):
            point.results = Results(point.folder)
        points.append(point)
    return Sweep(points)
