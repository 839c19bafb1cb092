"""VTKHDF snapshots, read lazily with h5py, or with VTK where that is installed and h5py is not.

A snapshot fields_000100.hdf has Lagrange tetrahedra of the run's order (libdg/io/vtkhdf in the repository). Whoever wants
linear ones gets p^3 of them for each, between its nodes, as a Silo file has them.
"""
import importlib.util
import os

import numpy as np

from .errors import CurlewError, EnvironmentFailure

MODULES = "h5py (apt install python3-h5py) or vtk (pip install vtk)"
# Sources: as libdg/io/vtkhdf/vtkhdf_cell.c, which follows vtkHigherOrderTetra::BarycentricIndex.
VERTEX = (3, 0, 1, 2)
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
FACES, LEAST = ((0, 2, 3), (2, 0, 1), (2, 1, 3), (1, 0, 3)), (1, 3, 0, 2)


def available():
    return any(importlib.util.find_spec(name) is not None for name in ("h5py", "vtk"))


def triangle_lattice(order, n):
    """The numbers of node n of VTK's triangle of an order."""
    number, least, most = (2, 0, 1), 0, order
    while n > 0 and n >= 3 * order:
        n -= 3 * order
        most, least, order = most - 2, least + 1, order - 3
    bary = [least] * 3
    if n < 3:
        bary[number[n]] = most
        return bary
    edge, step = divmod(n - 3, order - 1)
    bary[number[(edge + 1) % 3]] = least + 1 + step
    bary[number[edge]] = most - 1 - step
    return bary


def lattice(order, n):
    """The four barycentric numbers of node n of VTK's tetrahedron of an order; their sum is the order."""
    least, most = 0, order
    while order > 3 and n >= 2 * (order * order + 1):
        n -= 2 * (order * order + 1)
        most, least, order = most - 3, least + 1, order - 4
    bary = [least] * 4
    if n < 4:
        bary[VERTEX[n]] = most
        return bary
    n -= 4
    on_edge, on_face = order - 1, (order - 1) * (order - 2) // 2
    if n < 6 * on_edge:
        (a, b), step = EDGES[n // on_edge], n % on_edge
        bary[VERTEX[a]], bary[VERTEX[b]] = most - 1 - step, least + 1 + step
        return bary
    face, rest = divmod(n - 6 * on_edge, on_face)
    inside = triangle_lattice(order - 3, rest) if order > 3 else (0, 0, 0)
    for k, number in enumerate(FACES[face]):
        bary[number] = least + 1 + inside[k]
    bary[LEAST[face]] = least
    return bary


def pieces(order):
    """[order^3][4]: the nodes of the linear tetrahedra into which VTK's element is cut."""
    nodes = (order + 1) * (order + 2) * (order + 3) // 6
    number = {tuple(lattice(order, n)[:3]): n for n in range(nodes)}
    cube = [(i, j, k) for i in range(order) for j in range(order) for k in range(order)]
    found = []
    for i, j, k in cube:
        def at(*step, base=(i, j, k)):
            return number[tuple(b + s for b, s in zip(base, step))]

        left = order - i - j - k
        if left >= 1:
            found.append((at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)))
        if left >= 2:  # an octahedron, cut along a diagonal
            a, b = at(1, 0, 0), at(0, 1, 1)
            ring = at(0, 1, 0), at(1, 1, 0), at(1, 0, 1), at(0, 0, 1)
            found += [(a, b, ring[m], ring[(m + 1) % 4]) for m in range(4)]
        if left >= 3:
            found.append((at(1, 1, 1), at(0, 1, 1), at(1, 0, 1), at(1, 1, 0)))
    return np.array(found)


def order_of(nodes):
    return next(p for p in range(1, 100) if (p + 1) * (p + 2) * (p + 3) // 6 == nodes)


class VtkhdfSnapshot:
    """A snapshot. step and time (s) come from its own small file; points [N][3] (m), elements [K][Np] (numbers of points, in
    VTK's order), cells [K p^3][4] and field(name) when they are asked for: values of points, or of elements repeated for
    their cells."""

    def __init__(self, path):
        self.path = path
        self._source = None
        self._cells = None

    def _read(self):
        if self._source is None:
            if importlib.util.find_spec("h5py") is not None:
                self._source = _ByH5py(self.path)
            elif importlib.util.find_spec("vtk") is not None:
                self._source = _ByVtk(self.path)
            else:
                raise EnvironmentFailure(f"'{self.path}': reading VTKHDF snapshots needs {MODULES}")
        return self._source

    @property
    def step(self):
        return int(os.path.splitext(self.path)[0].rpartition("_")[2])

    @property
    def time(self):
        return self._read().time

    @property
    def names(self):
        """What field() takes: vectors, their components, and scalars."""
        parts = [name + c for name in self._read().vectors for c in "xyz"]
        return sorted(self._read().vectors) + sorted(parts + list(self._read().scalars))

    @property
    def points(self):
        return self._read().points

    @property
    def elements(self):
        return self._read().elements

    @property
    def order(self):
        return order_of(self.elements.shape[1])

    @property
    def cells(self):
        if self._cells is None:
            self._cells = self.elements[:, pieces(self.order)].reshape(-1, 4)
        return self._cells

    def _find(self, name):
        if name in self._read().vectors or name in self._read().scalars:
            return name, None
        if name[:-1] in self._read().vectors and name[-1] in "xyz":
            return name[:-1], "xyz".index(name[-1])
        raise KeyError(f"'{self.path}' has no field '{name}'; it has {', '.join(self.names) or 'none'}")

    def of_cells(self, name):
        """Does the field have one value for each cell?"""
        return self._read().of_cells(self._find(name)[0])

    def field(self, name):
        """Values of a scalar or component, [points] or [cells], or of a vector, [..][3]."""
        whole, part = self._find(name)
        values = self._read().values(whole)
        if part is not None:
            values = values[:, part]
        return np.repeat(values, self.order ** 3, axis=0) if self._read().of_cells(whole) else values

    def unit(self, name):
        return self._read().unit(self._find(name)[0])

    def close(self):
        """Forgets what has been read."""
        if self._source is not None:
            self._source.close()
        self._source = self._cells = None

    def to_pyvista(self):
        """A pyvista.UnstructuredGrid of VTK's own elements, as its reader gives it."""
        from .tables import need

        return need("pyvista", "to_pyvista()").read(self.path)

    def __repr__(self):
        return f"<snapshot '{self.path}'>"


class _ByH5py:
    def __init__(self, path):
        import h5py

        self.path = path
        try:
            self.file = h5py.File(path, "r")
            self.group = self.file["VTKHDF"]
            self.time = float(self.group["FieldData/TimeValue"][0])
        except (OSError, KeyError) as error:
            raise CurlewError(f"cannot read '{path}' as a VTKHDF snapshot: {error}") from None
        self.arrays = {name: f"{where}/{name}" for where in ("PointData", "CellData") for name in self.group.get(where, ())}
        self.vectors = [name for name, at in self.arrays.items() if self.group[at].ndim == 2]
        self.scalars = [name for name in self.arrays if name not in self.vectors]

    def get(self, name):
        try:
            return self.group[name][()]
        except (OSError, KeyError) as error:  # a link to a file that is not there, too
            raise CurlewError(f"'{self.path}': {error}") from None

    @property
    def points(self):
        return self.get("Points").astype(float)

    @property
    def elements(self):
        cells, points = self.get("NumberOfCells"), self.get("NumberOfPoints")
        connected = self.get("Connectivity")
        first = np.repeat(np.cumsum(points) - points, cells)  # every part counts its points from 0
        return connected.reshape(int(cells.sum()), -1).astype(np.int64) + first[:, None]

    def of_cells(self, name):
        return self.arrays[name].startswith("CellData")

    def values(self, name):
        return self.get(self.arrays[name]).astype(float)

    def unit(self, name):
        unit = self.group[self.arrays[name]].attrs.get("unit", b"")
        return unit.decode() if isinstance(unit, bytes) else str(unit)

    def close(self):
        self.file.close()


UNITS = {"E": "V/m", "H": "A/m", "sigma": "S/m", "sigma_m": "ohm/m", "epsilon_r": "1", "mu_r": "1"}


class _ByVtk:
    def __init__(self, path):
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy

        reader = vtk.vtkHDFReader()
        if not os.path.isfile(path) or not reader.CanReadFile(path):
            raise CurlewError(f"cannot read '{path}' as a VTKHDF snapshot")
        reader.SetFileName(path)
        reader.Update()
        data = reader.GetOutputDataObject(0)
        parts = [data.GetPartition(i) for i in range(data.GetNumberOfPartitions())] if data.IsA("vtkPartitionedDataSet") else [data]
        parts = [part for part in parts if part is not None and part.GetNumberOfCells() > 0]
        if not parts:
            raise CurlewError(f"cannot read '{path}' as a VTKHDF snapshot")
        numbers, first = [], 0
        for part in parts:
            connected = vtk_to_numpy(part.GetCells().GetConnectivityArray())
            numbers.append(connected.reshape(part.GetNumberOfCells(), -1).astype(np.int64) + first)
            first += part.GetNumberOfPoints()
        self.elements = np.concatenate(numbers)
        self.points = np.concatenate([vtk_to_numpy(part.GetPoints().GetData()).astype(float) for part in parts])
        time = parts[0].GetFieldData().GetArray("TimeValue")
        self.time = float(time.GetValue(0)) if time is not None else 0.0
        self.arrays, self.cell_arrays = {}, set()
        for kind in ("GetPointData", "GetCellData"):
            first_part = getattr(parts[0], kind)()
            for i in range(first_part.GetNumberOfArrays()):
                name = first_part.GetArrayName(i)
                self.arrays[name] = np.concatenate([vtk_to_numpy(getattr(part, kind)().GetArray(name)) for part in parts])
                if kind == "GetCellData":
                    self.cell_arrays.add(name)
        self.vectors = [name for name, values in self.arrays.items() if values.ndim == 2]
        self.scalars = [name for name in self.arrays if name not in self.vectors]

    def of_cells(self, name):
        return name in self.cell_arrays

    def values(self, name):
        return self.arrays[name].astype(float)

    def unit(self, name):
        return UNITS.get(name, "")  # VTK does not keep the file's

    def close(self):
        self.arrays = {}
