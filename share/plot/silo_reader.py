"""Reads the snapshots that curlew writes, with Debian's python3-silo (run it with /usr/bin/python3).

    snapshot = Snapshot("fields_000100.silo")
    snapshot.time, snapshot.cycle          # seconds, step
    snapshot.points, snapshot.zones        # [N][3] metres, [M][4] numbers of points
    snapshot.field("Ex")                   # Field: values, centring, unit; several blocks are joined
    snapshot.field("E").values             # [N][3], through the file's vector expression
"""
import contextlib
import os
import re
import sys
from dataclasses import dataclass

import numpy as np

try:
    import Silo
except ImportError:  # whoever opens a file is told
    Silo = None


class SnapshotError(Exception):
    """One line that names the file and what is wrong with it."""


class MissingModule(SnapshotError):
    """One line that names the module that is missing."""


@dataclass
class Field:
    name: str
    values: np.ndarray  # [count] or [count][3]
    centring: str  # "node" or "zone"
    unit: str


def need_silo(path):
    if Silo is None:
        raise MissingModule(f"'{path}': reading Silo files needs Debian's python3-silo and /usr/bin/python3")


@contextlib.contextmanager
def quiet():
    """The library prints pages on stderr about files that it cannot open."""
    sys.stderr.flush()
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def as_list(value):
    """Silo's module gives a single element of an array as the element itself."""
    return list(value) if isinstance(value, (tuple, list)) else [value]


class Snapshot:
    def __init__(self, path):
        need_silo(path)
        self.path = path
        self._files = {}
        root = self._open(path)
        toc = root.GetToc()
        if "mesh" not in toc.multimesh_names:
            raise SnapshotError(f"'{path}' has no multi-block mesh named 'mesh'")
        self.variables = list(toc.multivar_names)
        self.expressions = self._read_expressions(root, toc.defvars_names)
        self.multimesh = root.GetVarInfo("mesh", 1)
        self.cycle = self.multimesh.get("cycle", 0)  # Silo keeps no zeros
        self.time = self.multimesh.get("dtime", 0.0)
        self._read_mesh()

    def _open(self, path):
        if path not in self._files:
            try:
                with open(path, "rb") as file:
                    signature = file.read(8)
            except OSError as error:
                raise SnapshotError(f"cannot read '{path}': {error.strerror}") from None
            if signature != b"\x89HDF\r\n\x1a\n":
                raise SnapshotError(f"'{path}' is not a Silo file (it does not begin as an HDF5 file)")
            try:
                with quiet():
                    self._files[path] = Silo.Open(path)
            except (TypeError, Silo.SiloException):
                raise SnapshotError(f"'{path}' is not a Silo file, or is damaged") from None
        return self._files[path]

    def close(self):
        """The library has room for some 200 files."""
        for file in self._files.values():
            file.Close()
        self._files = {}

    @staticmethod
    def _read_expressions(root, objects):
        expressions = {}
        for name in objects:
            info = root.GetVarInfo(name, 1)
            expressions.update(zip(as_list(info["names"]), as_list(info["defns"])))
        return expressions

    def _block(self, name):
        """The file and the path inside it of an entry of a multi-block object ("file.silo:/path" or "path")."""
        file, _, inside = name.rpartition(":")
        path = os.path.join(os.path.dirname(self.path), file) if file else self.path
        return self._open(path), inside

    def _info(self, name):
        file, inside = self._block(name)
        try:
            with quiet():
                return file, inside, file.GetVarInfo(inside, 1)
        except Silo.SiloException:
            raise SnapshotError(f"'{self.path}' names the object '{name}', which is not there") from None

    def _read_mesh(self):
        points, zones, first = [], [], 0
        self.blocks = as_list(self.multimesh["meshnames"])
        for name in self.blocks:
            file, inside, info = self._info(name)
            coordinates = [np.array(as_list(info[f"coord{d}"]), dtype=float) for d in range(3)]
            zonelist = self._info(self._sibling(name, info["zonelist"]))[2]
            if set(as_list(zonelist["shapetype"])) != {Silo.DB_ZONETYPE_TET}:
                raise SnapshotError(f"'{self.path}': the mesh '{name}' has cells that are no tetrahedra")
            points.append(np.stack(coordinates, axis=1))
            zones.append(np.array(as_list(zonelist["nodelist"]), dtype=np.int64).reshape(-1, 4) + first)
            first += len(points[-1])
            self.axis_units = [info.get(f"units{d}", "") for d in range(3)]
            self.axis_labels = [info.get(f"label{d}", "") for d in range(3)]
        self.points = np.concatenate(points)
        self.zones = np.concatenate(zones)

    @staticmethod
    def _sibling(name, other):
        file, colon, inside = name.rpartition(":")
        return file + colon + os.path.join(os.path.dirname(inside), other)

    def names(self):
        """What field() takes."""
        return list(self.expressions) + self.variables

    def field(self, name):
        if name in self.expressions:
            match = re.fullmatch(r"\{(.*)\}", self.expressions[name])
            if not match:
                raise SnapshotError(f"'{self.path}': the expression {name} = {self.expressions[name]} is no vector")
            parts = [self.field(part.strip()) for part in match.group(1).split(",")]
            return Field(name, np.stack([part.values for part in parts], axis=1), parts[0].centring, parts[0].unit)
        if name not in self.variables:
            raise SnapshotError(f"'{self.path}' has no field '{name}'; it has {', '.join(self.names()) or 'none'}")
        root = self._files[self.path]
        values = []
        for block in as_list(root.GetVarInfo(name, 1)["varnames"]):
            info = self._info(block)[2]
            values.append(np.array(as_list(info["value0"]), dtype=float))
            centring = {Silo.DB_NODECENT: "node", Silo.DB_ZONECENT: "zone"}[info["centering"]]
            unit = info.get("units", "")
        return Field(name, np.concatenate(values), centring, unit)


def read_plane(path):
    """The variables of a plane that was measured (planes/NAME_000100.silo) by name, [N]; "points" [N][3] in metres, the first
    edge of the plane running fastest; "time" in seconds, of a spectrum the frequency in hertz."""
    need_silo(path)
    try:
        with open(path, "rb") as file:
            if file.read(8) != b"\x89HDF\r\n\x1a\n":
                raise SnapshotError(f"'{path}' is not a Silo file (it does not begin as an HDF5 file)")
        with quiet():
            file = Silo.Open(path)
            mesh = file.GetVarInfo("mesh", 1)
            found = {name: np.array(as_list(file.GetVarInfo(name, 1)["value0"])) for name in file.GetToc().ucdvar_names}
            file.Close()
    except OSError as error:
        raise SnapshotError(f"cannot read '{path}': {error.strerror}") from None
    except (TypeError, Silo.SiloException):
        raise SnapshotError(f"'{path}' is no plane of curlew, or is damaged") from None
    found["points"] = np.stack([np.array(as_list(mesh[f"coord{d}"]), dtype=float) for d in range(3)], axis=1)
    found["time"] = mesh.get("dtime", 0.0)
    return found
