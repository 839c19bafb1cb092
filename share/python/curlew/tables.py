"""Tables of a run as labelled NumPy arrays."""
import csv
import io
import os

import numpy as np

from .errors import CurlewError

UNITS = {"time": "s", "frequency": "Hz", "theta": "deg", "phi": "deg", "x": "m", "y": "m", "z": "m", "Ex": "V/m",
         "Ey": "V/m", "Ez": "V/m", "Hx": "A/m", "Hy": "A/m", "Hz": "A/m", "power": "W", "voltage": "V", "current": "A",
         "incident": "V", "reflected": "V", "electric": "J", "magnetic": "J", "total": "J", "energy": "J",
         "sources": "J", "losses": "J", "radiated": "J", "dissipated": "J", "difference": "J", "decay": "1/s",
         "phase": "rad", "Px": "C/m^2", "Py": "C/m^2", "Pz": "C/m^2", "Jx": "A/m^2", "Jy": "A/m^2", "Jz": "A/m^2"}
PATTERN_UNITS = {"Etheta": "V", "Ephi": "V", "directivity": "dBi", "gain": "dBi", "realised_gain": "dBi",
                 "axial_ratio": "dB", "rcs": "m^2"}
POWER_UNITS = {"radiated": "W", "integral": "W", "accepted": "W", "incident": "W", "directivity": "dBi",
               "scattering": "m^2", "absorption": "m^2", "extinction": "m^2", "forward": "m^2"}


def need(module, what, package=None):
    """Imports a module that only some functions need. ImportError says how to get it."""
    try:
        return __import__(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != module:
            raise
        raise ImportError(f"{what} needs {module}, which is not installed: pip install {package or module}") from None


class Table:
    """Columns of the same length: table["time"], table.columns, table.units["time"]. Pairs of columns X_re and X_im of
    the file are one complex column X. The first column is the one that the others belong to."""

    def __init__(self, columns, units=None, path=None):
        self.data = dict(columns)
        self.columns = list(self.data)
        self.units = {name: (units or {}).get(name, UNITS.get(name, "")) for name in self.columns}
        self.path = path

    def __getitem__(self, name):
        try:
            return self.data[name]
        except KeyError:
            raise KeyError(f"{self.path or 'the table'} has no column '{name}'; it has {', '.join(self.columns)}") from None

    def __contains__(self, name):
        return name in self.data

    def keys(self):
        return self.data.keys()

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        """Rows."""
        return len(self.data[self.columns[0]]) if self.columns else 0

    def __repr__(self):
        named = ", ".join(f"{name} ({self.units[name]})" if self.units[name] else name for name in self.columns)
        return f"<{type(self).__name__} of {len(self)} rows: {named}>"

    def to_array(self):
        """A structured array [rows] with a field for each column."""
        kinds = [(name, column.dtype) for name, column in self.data.items()]
        array = np.empty(len(self), dtype=kinds)
        for name, column in self.data.items():
            array[name] = column
        return array

    def to_csv(self, path):
        """Writes the table; complex columns become X_re and X_im, numbers have all of their digits."""
        names, columns = [], []
        for name, column in self.data.items():
            if np.iscomplexobj(column):
                names += [f"{name}_re", f"{name}_im"]
                columns += [column.real, column.imag]
            else:
                names.append(name)
                columns.append(column)
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(names)
            for row in zip(*(column.tolist() for column in columns)):
                out.writerow([repr(item) if isinstance(item, float) else item for item in row])

    def to_xarray(self):
        """An xarray.Dataset over the first column, with units as attributes."""
        xarray = need("xarray", "to_xarray()")
        first = self.columns[0]
        variables = {name: (first, self.data[name], {"units": self.units[name]}) for name in self.columns[1:]}
        return xarray.Dataset(variables, coords={first: (first, self.data[first], {"units": self.units[first]})})


class PointsTable(Table):
    """A line or plane: a row for each point and time (or frequency), the points of a time one after the other."""

    @property
    def points(self):
        """[points][3], m."""
        rows = self._rows()
        return np.stack([self[name][:rows] for name in "xyz"], axis=1)

    @property
    def times(self):
        """[times] s, or Hz of a spectrum."""
        return self[self.columns[0]][::self._rows()]

    def field(self, name):
        """[times][points] values of a column."""
        rows = self._rows()
        return self[name][:len(self) // rows * rows].reshape(-1, rows)

    def _rows(self):
        first = self[self.columns[0]]
        later = np.flatnonzero(first != first[0]) if len(first) else []
        return int(later[0]) if len(later) else max(len(first), 1)


def join_complex(names, columns):
    """{name: column}, with X_re and X_im as one complex X."""
    raw = dict(zip(names, columns))
    joined = {}
    for name, column in raw.items():
        stem = name[:-3]
        if name.endswith("_re") and f"{stem}_im" in raw:
            joined[stem] = column + 1j * raw[f"{stem}_im"]
        elif not (name.endswith("_im") and f"{stem}_re" in raw):
            joined[name] = column
    return joined


def read_table(path, units=None, kind=Table):
    """Reads a CSV file of a run. The last line of a run that was killed may be incomplete and is then left out."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except OSError as error:
        raise CurlewError(f"cannot read '{path}': {error.strerror}") from None
    if not text.endswith("\n"):
        text = text[:text.rfind("\n") + 1]
    head, _, rows = text.partition("\n")
    names = head.rstrip("\r").split(",")
    if head == "":
        raise CurlewError(f"'{path}' is empty")
    if not rows:
        return kind(join_complex(names, [np.empty(0)] * len(names)), units, path)
    try:
        columns = np.loadtxt(io.StringIO(rows), delimiter=",", ndmin=2, unpack=True)
    except ValueError:
        columns = text_columns(path, names, rows)
    if len(columns) != len(names):
        raise CurlewError(f"'{path}' has {len(names)} names and {len(columns)} columns")
    return kind(join_complex(names, [np.ascontiguousarray(column) for column in columns]), units, path)


def text_columns(path, names, rows):
    """Columns of a table in which some are words."""
    lines = list(csv.reader(io.StringIO(rows)))
    if any(len(line) != len(names) for line in lines):
        raise CurlewError(f"'{path}' has a row that does not fit its {len(names)} names")
    columns = []
    for column in zip(*lines):
        try:
            columns.append(np.array([float(item) for item in column]))
        except ValueError:
            columns.append(np.array(column, dtype=str))
    return columns


class Folder:
    """The tables of a folder by name, each read when it is asked for."""

    def __init__(self, path, read, suffix=".csv", without=()):
        self.path, self.suffix, self.without, self._read, self._have = path, suffix, without, read, {}

    def keys(self):
        try:
            files = sorted(os.listdir(self.path))
        except OSError:
            return []
        return [name[:-len(self.suffix)] for name in files
                if name.endswith(self.suffix) and not name.endswith(tuple(self.without))]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def items(self):
        return [(name, self[name]) for name in self.keys()]

    def values(self):
        return [self[name] for name in self.keys()]

    def __getitem__(self, name):
        if name not in self._have:
            if name not in self.keys():
                raise KeyError(f"'{self.path}' has no '{name}'; it has {', '.join(self.keys()) or 'nothing'}")
            self._have[name] = self._read(os.path.join(self.path, name + self.suffix))
        return self._have[name]

    def __repr__(self):
        return f"<{os.path.basename(self.path)}: {', '.join(self.keys()) or 'none'}>"
