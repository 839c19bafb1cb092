"""Reads VTKHDF snapshots as silo_reader.py reads Silo ones, with h5py or vtk (share/python/curlew/vtkhdf.py)."""
import os
import sys

from silo_reader import Field, MissingModule, SnapshotError

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "python"))  # where no package is installed
from curlew import errors, vtkhdf  # noqa: E402  pylint: disable=wrong-import-position


class Snapshot:
    """points [N][3], zones [M][4]: the linear tetrahedra between the nodes of the elements, p^3 of each."""

    def __init__(self, path):
        self.path = path
        self._file = vtkhdf.VtkhdfSnapshot(path)
        self.points, self.zones, self.time, self.cycle = self._do(
            lambda file: (file.points, file.cells, file.time, file.step))
        self.axis_units, self.axis_labels = ["m"] * 3, list("xyz")
        self.expressions = {name: f"{{{name}x, {name}y, {name}z}}" for name in self.names() if name + "x" in self.names()}

    def _do(self, what):
        if not os.path.isfile(self.path):
            raise SnapshotError(f"cannot read '{self.path}': No such file or directory")
        try:
            return what(self._file)
        except errors.EnvironmentFailure as error:
            raise MissingModule(str(error)) from None
        except errors.CurlewError as error:
            raise SnapshotError(str(error)) from None
        except KeyError as error:
            raise SnapshotError(error.args[0]) from None
        except (OSError, ValueError, StopIteration):
            raise SnapshotError(f"'{self.path}' is damaged") from None

    def names(self):
        """What field() takes."""
        return self._do(lambda file: file.names)

    def field(self, name):
        values, of_cells, unit = self._do(lambda file: (file.field(name), file.of_cells(name), file.unit(name)))
        return Field(name, values, "zone" if of_cells else "node", unit)

    def close(self):
        self._file.close()
