#!/usr/bin/env python3
"""Reads VTKHDF snapshots with VTK's own reader and compares them with the Silo snapshots of the same run:

    check.py FOLDER [--volume V] [--tolerance T] [--picture PNG --field E --step N]

FOLDER is that of a run with output.fields.format = { "silo", "vtkhdf" } and without averages. Needs vtk (PyPI, 9.2 or
newer) and Debian's python3-silo and numpy in one Python, such as

    python3 -m venv venv && venv/bin/pip install vtk "numpy<2"
    PYTHONPATH=/usr/lib/python3/dist-packages venv/bin/python check.py FOLDER

For every snapshot: VTK reads it; each cell is a Lagrange tetrahedron of the right order; VTK's shape functions, summed
with the file's points and values, give Silo's points and values at the solver's nodes; data of cells are those of the
element's zones. --volume: the cells' volumes, integrated with VTK's shape functions, add up to V (m^3) within 1e-3, and are
printed. Also: the .hdf.series lists all snapshots with Silo's times. Exit code 0, or 1 with the first difference.
"""
import argparse
import glob
import json
import os
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/plot"))
from silo_reader import Snapshot  # noqa: E402

LAGRANGE = 71


def fail(text):
    sys.exit(f"check.py: {text}")


def read(path):
    """VTK's grid of a file: all pieces as one."""
    reader = vtk.vtkHDFReader()
    if not reader.CanReadFile(path):
        fail(f"VTK cannot read '{path}'")
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    if data.IsA("vtkPartitionedDataSet"):
        join = vtk.vtkAppendFilter()
        for i in range(data.GetNumberOfPartitions()):
            join.AddInputData(data.GetPartition(i))
        join.Update()
        data = join.GetOutput()
    return data


class Shape:
    """VTK's own shape functions of order p."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.cell = vtk.vtkLagrangeTetra()
        self.cell.GetPointIds().SetNumberOfIds(nodes)
        self.cell.GetPoints().SetNumberOfPoints(nodes)
        self.cell.Initialize()

    def at(self, place):
        weights = [0.0] * self.nodes
        self.cell.InterpolateFunctions(list(place), weights)
        return np.array(weights)

    def slopes(self, place):
        slopes = [0.0] * (3 * self.nodes)
        self.cell.InterpolateDerivs(list(place), slopes)
        return np.array(slopes).reshape(3, self.nodes)

    def find(self, points, x):
        """The place whose image is x, by Newton's method."""
        place = np.array([0.25, 0.25, 0.25])
        for _ in range(50):
            step = np.linalg.solve((self.slopes(place) @ points).T, x - self.at(place) @ points)
            place += step
            if np.abs(step).max() < 1e-15:
                break
        return place


def volume(shape, points):
    """The volumes of cells, points[K][Np][3]: Gauss points of a cube folded onto the tetrahedron."""
    x, w = np.polynomial.legendre.leggauss(14)
    x, w = 0.5 * (x + 1), 0.5 * w
    total = 0
    for a, wa in zip(x, w):
        for b, wb in zip(x, w):
            for c, wc in zip(x, w):
                place = (a, b * (1 - a), c * (1 - a) * (1 - b))
                jacobian = np.einsum("an,knd->kad", shape.slopes(place), points)
                total += wa * wb * wc * (1 - a) ** 2 * (1 - b) * np.linalg.det(jacobian)
    return total


def compare(path, silo, tolerance, wanted):
    grid = read(path)
    K = grid.GetNumberOfCells()
    types = {grid.GetCellType(e) for e in range(K)}
    if types != {LAGRANGE}:
        fail(f"{path}: cells of types {types}")
    nodes = grid.GetNumberOfPoints() // K
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(K, nodes)
    points, shape = vtk_to_numpy(grid.GetPoints().GetData()).astype(float), Shape(nodes)
    if points.shape != silo.points.shape:
        fail(f"{path}: {points.shape} points, of Silo {silo.points.shape}")
    span = np.ptp(silo.points, axis=0).max()
    worst = {"points": 0.0}
    values = {}
    for i in range(grid.GetPointData().GetNumberOfArrays()):
        name = grid.GetPointData().GetArrayName(i)
        values[name] = vtk_to_numpy(grid.GetPointData().GetArray(i)), silo.field(name).values
    first = nodes * np.arange(K)[:, None]
    kinds = (cells[:, :4] - first)  # which of the solver's nodes are VTK's vertices
    if (np.sort(cells, axis=1) != first + np.arange(nodes)).any():
        fail(f"{path}: a cell has points of another one")
    for kind in np.unique(kinds, axis=0):
        some = np.flatnonzero((kinds == kind).all(axis=1))
        own, theirs = points[cells[some]], silo.points.reshape(K, nodes, 3)[some]
        # The least curved cell says where the solver's nodes are in VTK's parameters.
        bent = np.abs(shape.at([0.25] * 3) @ own - own[:, :4].mean(axis=1)).max(axis=1)
        model = bent.argmin()
        weights = np.array([shape.at(shape.find(own[model], x)) for x in theirs[model]])
        worst["points"] = max(worst["points"], np.abs(weights @ own - theirs).max() / span)
        for name, (u, v) in values.items():
            v = v.reshape(K, nodes, -1)[some]
            error = np.abs(weights @ u.reshape(len(points), -1)[cells[some]] - v).max()
            worst[name] = max(worst.get(name, 0), error / max(np.abs(values[name][1]).max(), 1e-300))
    for i in range(grid.GetCellData().GetNumberOfArrays()):
        name = grid.GetCellData().GetArrayName(i)
        zones = silo.field(name).values.reshape(K, -1)
        own = vtk_to_numpy(grid.GetCellData().GetArray(i))
        worst[name] = np.abs(zones - own[:, None]).max() / max(np.abs(zones).max(), 1e-300)
    said = ", ".join(f"{name} {error:.1e}" for name, error in worst.items())
    print(f"{os.path.basename(path)}: {K} cells of {nodes} nodes; relative differences: {said}")
    if not all(error < tolerance for error in worst.values()):
        fail(f"{path}: differences above {tolerance}")
    if wanted is not None:
        found = volume(shape, points[cells])
        print(f"  volume {found.sum():.12g} m^3, of {wanted:.12g}: {found.sum() / wanted - 1:.1e}; smallest cell {found.min():.3g}")
        if found.min() <= 0 or abs(found.sum() / wanted - 1) > 1e-3:
            fail(f"{path}: the volume is wrong")
    return grid


def picture(grid, field, name):
    """The surface with the field's magnitude, every cell cut 2^4 fold along its edges, and cells' edges."""
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.SetNonlinearSubdivisionLevel(4)
    surface.Update()
    output = surface.GetOutput()
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(output)
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray(field)
    table = vtk.vtkLookupTable()
    table.SetVectorModeToMagnitude()
    table.SetHueRange(0.66, 0)
    mapper.SetLookupTable(table)
    mapper.SetScalarRange(output.GetPointData().GetArray(field).GetRange(-1))
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    scene = vtk.vtkRenderer()
    scene.SetBackground(1, 1, 1)
    scene.AddActor(actor)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(900, 800)
    window.AddRenderer(scene)
    scene.ResetCamera()
    scene.GetActiveCamera().Azimuth(30)
    scene.GetActiveCamera().Elevation(25)
    scene.ResetCamera()
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(name)
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()


def main():
    parser = argparse.ArgumentParser(usage="check.py FOLDER [--volume V] [--tolerance T] [--picture PNG]")
    parser.add_argument("folder")
    parser.add_argument("--volume", type=float)
    parser.add_argument("--tolerance", type=float, default=1e-12)
    parser.add_argument("--picture")
    parser.add_argument("--field", default="E")
    arguments = parser.parse_args()
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    paths = sorted(glob.glob(os.path.join(arguments.folder, "fields_*.hdf")))
    if not paths:
        fail(f"'{arguments.folder}' has no VTKHDF snapshots")
    with open(os.path.join(arguments.folder, "fields.hdf.series"), encoding="utf-8") as file:
        listed = json.load(file)["files"]
    if [entry["name"] for entry in listed] != [os.path.basename(path) for path in paths]:
        fail(f"fields.hdf.series lists {[entry['name'] for entry in listed]}")
    for path, entry in zip(paths, listed):
        silo = Snapshot(path[: -len("hdf")] + "silo")
        if silo.time != entry["time"]:
            fail(f"{path}: time {entry['time']}, of Silo {silo.time}")
        grid = compare(path, silo, arguments.tolerance, arguments.volume)
        silo.close()
    if arguments.picture:
        picture(grid, arguments.field, arguments.picture)


if __name__ == "__main__":
    main()
