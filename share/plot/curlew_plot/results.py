"""Reads the folder that a run has written. Needs NumPy alone, and no module that draws.

    run = Run("cavity")
    run.summary["time_step"]             # {} where summary.json is not there
    run.log, run.warnings                # lines of log.txt
    for path in run.tables("probes"):    # the records of a kind, without spectra
        table = read_table(path)
        table["time"], table.names       # columns as arrays of float64, in their order

A run that was killed may leave a last line that is not whole: it is left out, and `table.note` says so.
"""

import csv
import glob
import json
import math
import os
import re

import numpy as np

from . import silo

OTHERS = ("ports", "far_field", "spectra", "heat", "mesh", "checkpoint")  # folders that no measure has
LARGEST = 1 << 30  # bytes of a table; a larger one is left to those who wrote it


class ResultError(Exception):
    """One line that names the file and what is wrong with it."""


class WriteError(Exception):
    """One line on a file that cannot be written."""


class Table:
    """The columns of a CSV file by name, all as long as each other."""

    def __init__(self, path, names, columns, note=None):
        self.path, self.names, self.columns, self.note = path, names, columns, note

    def __getitem__(self, name):
        if name not in self.columns:
            raise ResultError(f"'{self.path}' has no column '{name}' (it has {', '.join(self.names)})")
        return self.columns[name]

    def __contains__(self, name):
        return name in self.columns

    def __len__(self):
        return len(self.columns[self.names[0]])


def read_text(path):
    try:
        if os.path.getsize(path) > LARGEST:
            raise ResultError(f"'{path}' has more than {LARGEST >> 20} MB and is left out")
        with open(path, newline="", encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        raise ResultError(f"cannot read '{path}': it is no text") from None
    except OSError as error:
        raise ResultError(f"cannot read '{path}': {error.strerror}") from None


def whole_lines(path):
    """Header, the lines below it, and a note if the last one was half written and is left out."""
    text = read_text(path)
    note = None
    if text and not text.endswith("\n"):
        text = text[: text.rfind("\n") + 1]
        note = f"'{path}' ends in the middle of a line, which is left out: the run goes on, or was killed"
    lines = text.splitlines()
    if not lines:
        raise ResultError(f"'{path}' is empty")
    return lines[0], lines[1:], note


def read_table(path):
    """A table of numbers; ResultError for one that is none. It may have no rows."""
    header, lines, note = whole_lines(path)
    names = [name.strip() for name in header.split(",")]
    if len(set(names)) != len(names) or any(re.fullmatch(r"[-+.\deE]*", name) for name in names):
        raise ResultError(f"'{path}' does not begin with a line of column names")
    try:
        values = np.array([], dtype=float).reshape(0, len(names))
        if lines:
            values = np.loadtxt(lines, delimiter=",", ndmin=2, comments=None, dtype=float)
        if values.shape[1] != len(names):
            raise ValueError
    except ValueError:
        raise broken_line(path, names, lines) from None
    return Table(path, names, dict(zip(names, values.T)), note)


def broken_line(path, names, lines):
    """The error of the first line that is no row of numbers."""
    for number, line in enumerate(lines, 2):
        words = line.split(",")
        if len(words) != len(names):
            return ResultError(f"'{path}', line {number}: {len(words)} values under {len(names)} columns")
        for word in words:
            try:
                float(word)
            except ValueError:
                return ResultError(f"'{path}', line {number}: '{word}' is no number")
    return ResultError(f"'{path}' is no table of numbers")


def read_rows(path):
    """The rows of a table with words in it, such as resonances.csv: a list of dictionaries of strings."""
    header, lines, _ = whole_lines(path)
    names = next(csv.reader([header]))
    rows = list(csv.reader(lines))
    if any(len(row) != len(names) for row in rows):
        raise ResultError(f"'{path}': lines differ in their number of columns")
    return [dict(zip(names, row)) for row in rows]


def name_of(path):
    """probes/corner_spectrum.csv -> corner_spectrum"""
    return os.path.splitext(os.path.basename(path))[0]


class Run:
    """What is in a folder. ResultError if it is not there or no run has written it. Nothing but summary.json and log.txt
    is read before it is asked for. `notes` takes lines of what was left out, `errors` those of broken files."""

    def __init__(self, folder):
        self.folder = folder
        self.notes, self.errors = [], []
        if not os.path.isdir(folder):
            raise ResultError(
                f"there is no folder '{folder}'" if not os.path.exists(folder) else f"'{folder}' is no folder"
            )
        if not os.access(folder, os.R_OK | os.X_OK):
            raise ResultError(f"cannot read '{folder}': Permission denied")
        self.summary = self._read_summary()
        self.log = self._read_log()
        if not self.summary and not self.log and not self._has_tables():
            raise ResultError(f"'{folder}' holds no results: curlew run has not written there, or not yet")
        self.warnings = [line[len("warning: ") :] for line in self.log if line.startswith("warning: ")]

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def _read_summary(self):
        path = self.path("summary.json")
        if not os.path.exists(path):
            return {}
        try:
            summary = json.loads(read_text(path))
            if not isinstance(summary, dict):
                raise ValueError
        except ValueError:
            self.errors.append(f"'{path}' is no whole JSON object")
            return {}
        except ResultError as error:
            self.errors.append(str(error))
            return {}
        return summary

    def _read_log(self):
        path = self.path("log.txt")
        try:
            return read_text(path).splitlines() if os.path.exists(path) else []
        except ResultError as error:
            self.errors.append(str(error))
            return []

    def _has_tables(self):
        return bool(
            self.snapshots()
            or self.plane_files()
            or self.tables("spectra")
            or any(self.tables(kind) or self.spectra(kind) for kind in [*self.kinds(), *self.kinds(True), "ports", "far_field"])
            or any(self.has(name) for name in ("energy.csv", "balance.csv", "sparameters.csv", "resonances.csv"))
        )

    def _glob(self, *names):
        return sorted(glob.glob(os.path.join(glob.escape(self.folder), *names)))

    def has(self, name):
        return os.path.exists(self.path(name))

    def kinds(self, places=False):
        """The kinds of measures and what a picture calls one of them, as the program has them that wrote the folder; with
        `places` those whose rows are of many places. An older program has not named them: then the folders are asked."""
        kinds = self.summary.get("measures")
        if not isinstance(kinds, dict):
            folders = sorted({os.path.basename(os.path.dirname(path)) for path in self._glob("*", "*.csv")})
            kinds = {kind: {"title": kind.capitalize().removesuffix("s"), "places": kind in ("lines", "planes")}
                     for kind in folders if kind not in OTHERS}
        return {kind: entry["title"] for kind, entry in kinds.items() if entry["places"] == places}

    def tables(self, kind):
        """Paths of KIND/NAME.csv, less what belongs to another table of the same name."""
        return [path for path in self._glob(kind, "*.csv") if not self._belongs(path)]

    def spectra(self, kind):
        return [path for path in self._glob(kind, "*_spectrum.csv") if self._belongs(path)]

    def powers(self):
        return [path for path in self._glob("far_field", "*_powers.csv") if self._belongs(path)]

    @staticmethod
    def _belongs(path):
        match = re.fullmatch(r"(.*)_(?:spectrum|powers)\.csv", path)
        return match is not None and os.path.exists(match.group(1) + ".csv")

    def snapshots(self):
        paths = self._glob("fields_*.silo") + self._glob("fields_*.hdf")
        return silo.choose([path for path in paths if re.search(r"fields_\d+\.(silo|hdf)$", path)])

    def plane_files(self):
        """Silo files of planes that were measured, of times and of frequencies. Those of regions in output.spectra have
        their values in another file."""
        paths = self._glob("planes", "*.silo")
        for path in self._glob("spectra", "*.silo"):
            if not self.has(os.path.join("spectra", "blocks", name_of(path) + "_0000.silo")):
                paths.append(path)
        return [path for path in paths if re.search(r"_\d{6,}\.silo$", path)]

    def norm(self, name):
        """What a spectrum of the fields was divided by: "none", "source", "power"; "" where that is not known."""
        try:
            spectra = json.loads(read_text(self.path("configuration.json")))["simulation"]["output"]["spectra"]
            return next((entry["normalise"] for entry in spectra if entry["name"] == name), "")
        except (ResultError, ValueError, KeyError, TypeError):
            return ""

    def touchstone(self):
        return [path for path in self._glob("*.s*p") if re.search(r"\.s\d+p$", path)]

    def table(self, path):
        """The table of a path, or None with a line in `notes` or `errors` where there is none to draw."""
        try:
            table = read_table(path)
        except ResultError as error:
            self.errors.append(str(error))
            return None
        if table.note:
            self.notes.append(table.note)
        if len(table) == 0:
            self.notes.append(f"'{path}' has no rows yet")
            return None
        return table


def number(text):
    """A number of a table with words, nan where it is none."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan
