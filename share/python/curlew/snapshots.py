"""Snapshots (Silo files, which are HDF5), read lazily with h5py.

A snapshot fields_000100.silo names blocks of other files: "blocks/mesh_0123456789abcdef_0000.silo:/block_000000/mesh".
An object of Silo is a committed datatype whose attribute "silo" has its members; a member that is the name of a dataset
leads to its values.
"""
import os
import re

import numpy as np

from .errors import CurlewError
from .tables import need

NODE, ZONE = 110, 111  # Silo's numbers for values of nodes and of zones


class Snapshot:
    """A snapshot. step and time (s) come from its own small file; points [N][3] (m), cells [M][4] (numbers of points)
    and field(name) from the blocks, when they are asked for."""

    def __init__(self, path):
        self.path = path
        self._root = None
        self._mesh = None

    @property
    def step(self):
        return int(re.search(r"_(\d+)\.silo$", self.path).group(1))

    @property
    def time(self):
        return float(self._head()["mesh"].get("dtime", 0.0))

    @property
    def names(self):
        """What field() takes."""
        return sorted(self._head()["vectors"]) + sorted(self._head()["variables"])

    def _open(self, path):
        h5py = need("h5py", "reading snapshots")
        try:
            return h5py.File(path, "r")
        except OSError as error:
            raise CurlewError(f"cannot read '{path}': {error}") from None

    def _head(self):
        """Names of meshes, variables and vectors of the root file."""
        if self._root is None:
            with self._open(self.path) as file:
                head = {"variables": {}, "vectors": {}}
                for name, item in file.items():
                    if "silo_type" not in item.attrs:
                        continue
                    members = members_of(item)
                    if "meshnames" in members:
                        head["mesh"] = {"dtime": members.get("dtime", 0.0),
                                        "blocks": words(file, members["meshnames"])}
                    elif "varnames" in members:
                        head["variables"][name] = words(file, members["varnames"])
                    elif "defns" in members:
                        for vector, text in zip(words(file, members["names"]), words(file, members["defns"])):
                            head["vectors"][vector] = [part.strip() for part in text.strip("{}").split(",")]
            if "mesh" not in head:
                raise CurlewError(f"'{self.path}' has no mesh")
            self._root = head
        return self._root

    def _block(self, name):
        file, _, inside = name.rpartition(":")
        return os.path.join(os.path.dirname(self.path), file) if file else self.path, inside

    def _read_mesh(self):
        if self._mesh is None:
            points, cells, first = [], [], 0
            for name in self._head()["mesh"]["blocks"]:
                path, inside = self._block(name)
                with self._open(path) as file:
                    mesh = members_of(file[inside])
                    zones = members_of(file[os.path.join(os.path.dirname(inside), mesh["zonelist"])])
                    points.append(np.stack([file[mesh[f"coord{d}"]][()] for d in range(3)], axis=1))
                    cells.append(file[zones["nodelist"]][()].astype(np.int64).reshape(-1, 4) + first)
                    first += len(points[-1])
            self._mesh = np.concatenate(points), np.concatenate(cells)
        return self._mesh

    @property
    def points(self):
        return self._read_mesh()[0]

    @property
    def cells(self):
        return self._read_mesh()[1]

    def field(self, name):
        """Values of a variable, [points] or [cells], or of a vector, [..][3]."""
        head = self._head()
        if name in head["vectors"]:
            return np.stack([self.field(part) for part in head["vectors"][name]], axis=1)
        if name not in head["variables"]:
            raise KeyError(f"'{self.path}' has no field '{name}'; it has {', '.join(self.names) or 'none'}")
        return np.concatenate([self._values(block)[0] for block in head["variables"][name]])

    def _values(self, name):
        path, inside = self._block(name)
        with self._open(path) as file:
            members = members_of(file[inside])
            return file[members["value0"]][()], members["centering"], members.get("units", "")

    def unit(self, name):
        head = self._head()
        name = head["vectors"].get(name, [name])[0]
        return self._values(head["variables"][name][0])[2]

    def to_pyvista(self):
        """A pyvista.UnstructuredGrid with all fields: tetrahedra between the nodes of the elements."""
        pyvista = need("pyvista", "to_pyvista()")
        cells = np.column_stack([np.full(len(self.cells), 4), self.cells]).ravel()
        grid = pyvista.UnstructuredGrid(cells, np.full(len(self.cells), 10, dtype=np.uint8), self.points)
        for name in self.names:
            values = self.field(name)
            (grid.point_data if len(values) == len(self.points) else grid.cell_data)[name] = values
        return grid

    def __repr__(self):
        return f"<snapshot '{self.path}'>"


class Phasor(Snapshot):
    """The fields in a region at one frequency (Hz), output.spectra: field("E") and field("Ez") are complex. points and cells
    are those of the region."""

    @property
    def frequency(self):
        return self.time

    @property
    def names(self):
        return sorted({name[:-3] for name in super().names if name.endswith(("_re", "_im"))})

    def field(self, name):
        if name.endswith(("_re", "_im")):
            return super().field(name)
        if name not in self.names:
            raise KeyError(f"'{self.path}' has no field '{name}'; it has {', '.join(self.names) or 'none'}")
        if name in ("E", "H"):
            return np.stack([self.field(name + axis) for axis in "xyz"], axis=1)
        return super().field(name + "_re") + 1j * super().field(name + "_im")

    def unit(self, name):
        return super().unit(name + "_re")

    def to_pyvista(self):
        """A pyvista.UnstructuredGrid with the real and the imaginary part of each field."""
        plain = Snapshot(self.path)
        plain._root, plain._mesh = self._root, self._mesh  # pylint: disable=protected-access
        return plain.to_pyvista()

    def __repr__(self):
        return f"<phasors at {self.frequency:g} Hz '{self.path}'>"


def members_of(item):
    """The members of an object of Silo."""
    record = item.attrs["silo"]
    found = {}
    for name in record.dtype.names:
        member = record[name]
        found[name] = member.decode() if isinstance(member, bytes) else member
    return found


def words(file, name):
    """A list of names, which Silo joins by ";" and ends by a zero."""
    text = file[name][()].tobytes().split(b"\0")[0].decode()
    return [word for word in text.split(";") if word]
