"""Opens snapshots that are not too large: Silo files where Debian's python3-silo is installed, VTKHDF files where h5py or vtk
is."""

import importlib.util
import os

LARGEST = 400 << 20  # bytes of one snapshot: beyond it Python takes minutes

_MISSING = "fields are not drawn: that needs python3-silo (apt install python3-silo)"
_MISSING_VTKHDF = (
    "fields are not drawn: that needs h5py (apt install python3-h5py) or vtk (pip install vtk) for VTKHDF snapshots"
)


def available():
    return importlib.util.find_spec("Silo") is not None


def vtkhdf_available():
    return any(importlib.util.find_spec(name) is not None for name in ("h5py", "vtk"))


def can_open(path):
    return vtkhdf_available() if path.endswith(".hdf") else available()


def choose(paths):
    """One path for each snapshot, of those that can be opened if there are any: a run may write both formats."""
    chosen = {}
    for path in sorted(paths):
        stem = os.path.splitext(path)[0]
        if stem not in chosen or (can_open(path) and not can_open(chosen[stem])):
            chosen[stem] = path
    return list(chosen.values())


def size_of(path):
    """Bytes of the values that belong to a snapshot, in blocks beside it."""
    folder, name = os.path.split(path)
    blocks = os.path.join(folder, "blocks")
    stem = os.path.splitext(name)[0]
    total = os.path.getsize(path)
    if os.path.isdir(blocks):
        total += sum(entry.stat().st_size for entry in os.scandir(blocks) if entry.name.startswith(stem))
    return total


def open_snapshot(run, path):
    """The snapshot, or None with a line in run.notes or run.errors."""
    if not can_open(path):
        missing = _MISSING_VTKHDF if path.endswith(".hdf") else _MISSING
        if missing not in run.notes:
            run.notes.append(missing)
        return None
    from plot_slice import SnapshotError
    from plot_slice import open_snapshot as open_file

    try:
        if size_of(path) > LARGEST:
            run.notes.append(f"'{path}' has more than {LARGEST >> 20} MB and is not drawn: plot_slice.py, VisIt and ParaView can")
            return None
        return open_file(path)
    except (SnapshotError, OSError, KeyError) as error:
        line = str(error) if isinstance(error, SnapshotError) else f"'{path}' is damaged"
        if line not in run.errors:
            run.errors.append(line)
        return None


def open_plane(run, path):
    """The variables of a plane by name, with "points" [N][3] and "time"; None with a line in run.notes or run.errors."""
    if not available():
        if _MISSING not in run.notes:
            run.notes.append(_MISSING)
        return None
    from silo_reader import SnapshotError, read_plane

    try:
        return read_plane(path)
    except (SnapshotError, OSError, KeyError) as error:
        run.errors.append(str(error) if isinstance(error, SnapshotError) else f"'{path}' is damaged")
        return None
