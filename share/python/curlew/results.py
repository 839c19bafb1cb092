"""The results of a run: its folder as objects, each file read when it is asked for."""
import json
import os
import re
from functools import cached_property

import numpy as np

from .errors import CurlewError
from .network import Network, line_of
from .snapshots import Phasor, Snapshot
from .tables import PATTERN_UNITS, POWER_UNITS, Folder, PointsTable, Table, need, read_table
from .vtkhdf import VtkhdfSnapshot

COLUMN = re.compile(r"S(?:(\d)(\d)|(\d+)_(\d+))\Z")


class SParameters(Table):
    """sparameters.csv. frequency [F] Hz; ports [N] are their numbers; S [F][N][N] complex: S[:, i, j] is what leaves
    through ports[i] while ports[j] is driven, nan where that is not known; error [F] is the estimate of the manual."""

    def __init__(self, columns, units=None, path=None):
        super().__init__(columns, units, path)
        places = {}
        for name in self.columns:
            found = COLUMN.match(name)
            if found:
                numbers = [int(part) for part in found.groups() if part]
                places[name] = tuple(numbers)
        self.ports = sorted({number for place in places.values() for number in place})
        index = {number: i for i, number in enumerate(self.ports)}
        self.frequency = self["frequency"]
        self.z0 = None  # [F][N] ohm, or None: that of the Touchstone file
        self.error = self["error"] if "error" in self else np.full(len(self), np.nan)
        self.S = np.full((len(self), len(self.ports), len(self.ports)), np.nan + 0j)
        for name, (row, column) in places.items():
            self.S[:, index[row], index[column]] = self[name]

    def of(self, row, column):
        """[F] S of two ports by their numbers."""
        return self.S[:, self.ports.index(row), self.ports.index(column)]

    def decibel(self):
        """[F][N][N] 20 log10 |S|."""
        with np.errstate(divide="ignore"):
            return 20 * np.log10(np.abs(self.S))

    def network(self, gamma=np.nan, name=""):
        """The S-parameters as a Network."""
        z0 = self.z0
        if z0 is None:  # a table by itself, or a run of an older version
            z0 = touchstone_impedance(os.path.dirname(self.path or ""), len(self.ports)) or 50.0
        return Network(self.frequency, self.S, self.ports, z0, gamma, name)

    def to_skrf(self, z0=None):
        """A skrf.Network of the frequencies at which all of S is known, in waves of each port's own impedance; z0: in
        waves of these impedances, ohm (a number, or one for each port). CurlewError: a port was not driven."""
        need("skrf", "to_skrf()", "scikit-rf")
        known = self.network().known()
        if not len(known):
            raise CurlewError(f"'{self.path}' has no frequency at which all of S is known: drive every port "
                              "(a waveform each)")
        return (known if z0 is None else known.renormalised(z0)).to_skrf()


def touchstone_impedance(folder, ports):
    """R of the option line of the run's Touchstone file, or None."""
    for name in sorted(os.listdir(folder or ".")):
        if name.endswith(f".s{ports}p"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for line in file:
                    words = line.split()
                    if words[:1] == ["#"] and "R" in words:
                        return float(words[words.index("R") + 1])
    return None


class FarField(Table):
    """A pattern: far_field/NAME.csv. frequency [F], theta [T], phi [P] (degrees) are the axes of grid(); `powers` is
    the table NAME_powers.csv."""

    def __init__(self, columns, units=None, path=None):
        super().__init__(columns, {**PATTERN_UNITS, **(units or {})}, path)
        self.frequency, self.theta, self.phi = (np.unique(self[name]) for name in ("frequency", "theta", "phi"))

    @cached_property
    def powers(self):
        return read_table(self.path[:-len(".csv")] + "_powers.csv", POWER_UNITS)

    def grid(self, name):
        """[F][T][P] values of a column; nan where a direction was not asked for."""
        values = self[name]
        out = np.full((len(self.frequency), len(self.theta), len(self.phi)), np.nan, dtype=values.dtype)
        where = tuple(np.searchsorted(axis, self[key]) for axis, key in
                      ((self.frequency, "frequency"), (self.theta, "theta"), (self.phi, "phi")))
        out[where] = values
        return out

    def to_xarray(self):
        """An xarray.Dataset over frequency, theta and phi."""
        xarray = need("xarray", "to_xarray()")
        axes = ("frequency", "theta", "phi")
        variables = {name: (axes, self.grid(name), {"units": self.units[name]})
                     for name in self.columns if name not in axes}
        return xarray.Dataset(variables, coords={axis: (axis, getattr(self, axis), {"units": self.units[axis]})
                                                 for axis in axes})


class Resonances(Table):
    """resonances.csv; `doubt` is "" where nothing speaks against a resonance."""

    @property
    def sure(self):
        """The rows without doubt."""
        rows = np.array([not text for text in self["doubt"]], dtype=bool)
        return Resonances({name: column[rows] for name, column in self.data.items()}, self.units, self.path)


# The kinds of programs whose summary.json does not name them.
BEFORE = {"probes": False, "lines": True, "planes": True, "fluxes": False, "voltages": False, "currents": False,
          "losses": False, "polarisations": False}


class Spectra:
    """All transforms of a run by the name of their record: spectra["probes/corner"]; and planes of output.spectra:
    spectra["spectra/cut"]."""

    def __init__(self, path, kinds):
        self._folders = {kind: Folder(os.path.join(path, kind), reader(places, spectrum=True), "_spectrum.csv")
                         for kind, places in kinds.items()}
        self._folders["spectra"] = Folder(os.path.join(path, "spectra"), self._read_plane)
        self._path = path

    def _read_plane(self, path):
        """A plane of output.spectra, whose units depend on what it was divided by."""
        name, norms = os.path.basename(path)[:-len(".csv")], {}
        try:
            with open(os.path.join(self._path, "configuration.json"), encoding="utf-8") as file:
                norms = {entry["name"]: entry["normalise"] for entry in json.load(file)["simulation"]["output"]["spectra"]}
        except (OSError, ValueError, KeyError, TypeError):
            pass  # the numbers are there, their units are not known
        return (reader(True, spectrum=norms.get(name) == "none") if name in norms
                else lambda path: read_table(path, None, PointsTable))(path)

    def keys(self):
        return [f"{kind}/{name}" for kind, folder in self._folders.items() for name in folder]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def __getitem__(self, name):
        kind, _, own = name.partition("/")
        if name not in self.keys():
            raise KeyError(f"there is no spectrum '{name}'; there are {', '.join(self.keys()) or 'none'}")
        return self._folders[kind][own]

    def __repr__(self):
        return f"<spectra: {', '.join(self.keys()) or 'none'}>"


def reader(places, spectrum=False):
    """A function that reads a table whose rows may be of many places."""
    units = None
    if spectrum:
        units = {name: f"{unit} s" for name, unit in {"Ex": "V/m", "Ey": "V/m", "Ez": "V/m", "Hx": "A/m", "Hy": "A/m",
                                                      "Hz": "A/m", "power": "W", "voltage": "V", "current": "A"}.items()}
    shape = PointsTable if places else Table
    return lambda path: read_table(path, units, shape)


class Results:
    """A run's folder. Tables are read when they are asked for, and kept; reload() forgets them."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.warnings = []
        if not os.path.isfile(os.path.join(self.path, "summary.json")):
            raise CurlewError(f"'{self.path}' is no folder of a run: it has no summary.json")
        self.reload()

    def reload(self):
        """Forgets all that was read, for a run that has gone on."""
        for name in ("summary", "energy", "balance", "derived", "derived_tables", "resonances", "s_parameters"):
            self.__dict__.pop(name, None)
        kinds = self._kinds()
        for kind, places in kinds.items():
            setattr(self, kind, self._folder(kind, reader(places), ("_spectrum.csv",)))
        self.ports = self._folder("ports", read_table)
        self.far_fields = self._folder("far_field", lambda path: read_table(path, None, FarField), ("_powers.csv",))
        self.spectra = Spectra(self.path, kinds)

    def _kinds(self):
        """{kind: are rows of its tables of many places} of the measures that the run's program knows."""
        try:
            kinds = self.summary.get("measures", {})
        except CurlewError:
            return BEFORE
        del self.summary  # it is read anew when it is asked for: the run may go on
        return {kind: entry["places"] for kind, entry in kinds.items()} or BEFORE

    def _folder(self, name, read, without=()):
        return Folder(os.path.join(self.path, name), read, ".csv", without)

    @cached_property
    def summary(self):
        """summary.json as a dict."""
        with open(os.path.join(self.path, "summary.json"), encoding="utf-8") as file:
            try:
                return json.load(file)
            except ValueError as error:
                raise CurlewError(f"'{self.path}/summary.json' cannot be read: {error}") from None

    @property
    def status(self):
        """"done", "interrupted", "blew up", "failed" or "running"."""
        return self.summary["status"]

    @property
    def log(self):
        with open(os.path.join(self.path, "log.txt"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def _table(self, name, kind=Table, units=None):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            raise CurlewError(f"'{self.path}' has no {name}: the run did not write one")
        return read_table(path, units, kind)

    @cached_property
    def energy(self):
        return self._table("energy.csv")

    @cached_property
    def balance(self):
        return self._table("balance.csv")

    @cached_property
    def derived(self):
        """What hooks of the script have derived: a dict of numbers, words, True and False. The tables are derived_tables."""
        return self.summary.get("derived", {})

    @cached_property
    def derived_tables(self):
        """Tables by name that on.done has returned; "" is that of on.output."""
        names = sorted(name for name in os.listdir(self.path) if re.fullmatch(r"derived(_.+)?\.csv", name))
        return {name[len("derived_"):-len(".csv")]: self._table(name) for name in names}

    @cached_property
    def resonances(self):
        return self._table("resonances.csv", Resonances)

    @cached_property
    def s_parameters(self):
        s = self._table("sparameters.csv", SParameters)
        if os.path.exists(os.path.join(self.path, "summary.json")) and self.summary.get("ports"):  # older runs have none
            s.z0 = self._lines(s)[0]
        return s

    def _lines(self, s):
        """z0 and gamma [F][N] of the ports of S."""
        z0, gamma = np.full(s.S.shape[:2], 50.0 + 0j), np.full(s.S.shape[:2], np.nan + 0j)
        ports = {port["number"]: port for port in self.summary.get("ports", [])}
        for i, number in enumerate(s.ports):
            if number in ports:
                z0[:, i], gamma[:, i] = line_of(ports[number], s.frequency)
        return z0, gamma

    def network(self):
        """The S-parameters as a Network, which knows the impedance and the propagation constant of each port."""
        return self.s_parameters.network(self._lines(self.s_parameters)[1], self.summary.get("name", ""))

    @property
    def snapshots(self):
        """The snapshots fields_*.silo in order, or fields_*.hdf of steps that have no Silo file; nothing is read yet."""
        found = {}
        for name in sorted(os.listdir(self.path)):
            match = re.fullmatch(r"fields_(\d+)\.(silo|hdf)", name)
            if match:
                kind = Snapshot if match[2] == "silo" else VtkhdfSnapshot
                found[int(match[1])] = kind(os.path.join(self.path, name))  # .silo comes behind .hdf
        return [found[step] for step in sorted(found)]

    @property
    def phasors(self):
        """Fields in regions at frequencies (output.spectra, files in Silo): {name: [a Phasor for each frequency]}."""
        folder, found = os.path.join(self.path, "spectra"), {}
        for name in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
            match = re.fullmatch(r"(.+)_\d{6,}\.silo", name)
            if match and os.path.exists(os.path.join(folder, "blocks", f"{name[:-len('.silo')]}_0000.silo")):
                found.setdefault(match.group(1), []).append(Phasor(os.path.join(folder, name)))
        return found

    def to_skrf(self, z0=None):
        """s_parameters.to_skrf()"""
        return self.s_parameters.to_skrf(z0)

    def to_pyvista(self, index=-1):
        """snapshots[index].to_pyvista()"""
        snapshots = self.snapshots
        if not snapshots:
            raise CurlewError(f"'{self.path}' has no snapshots: the run has no output.fields")
        return snapshots[index].to_pyvista()

    def __repr__(self):
        return f"<results of a run in '{self.path}', {self.status}>"


def open_results(path):
    """The results in a run's folder."""
    return Results(path)
