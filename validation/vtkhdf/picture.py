#!/usr/bin/env python3
"""Draws VTKHDF snapshots with VTK, as ParaView does, and looks at the pictures: picture.py PROGRAM [FOLDER]

PROGRAM runs ball.lua beside this file: a ball of a few large, curved elements at orders 2 and 3 with E = (0, 0, x). VTK's own
reader reads the snapshot, and VTK draws it without a screen (EGL or OSMesa), seen along z in parallel projection. Then

- the values at the points are those of the field;
- the readers of share/python/curlew/vtkhdf.py, which `curlew plot` uses, find the same points and values, by h5py and by VTK, and
  linear cells that fill the ball;
- the pixels that are drawn are the disc of radius 1: flat elements would be a polygon, which misses 1144 of these pixels;
- the colour of every pixel of the disc is that of Ez = x there.

Needs vtk (9.1 or newer), h5py and NumPy: requirements.txt has the versions of CI. FOLDER keeps the pictures. Exit code 0, or 1 with
what is wrong.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../share/python"))
from curlew import vtkhdf  # noqa: E402
SIZE, HALF = 400, 1.1  # pixels, and half of what they show, m
LEVEL = 4  # every edge is cut 2^4 fold: a chord is less than 1e-3 from the sphere


def check(good, text):
    if not good:
        sys.exit(f"picture.py: {text}")


def read(path):
    reader = vtk.vtkHDFReader()
    check(reader.CanReadFile(path), f"VTK cannot read '{path}'")
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    return data.GetPartition(0) if data.IsA("vtkPartitionedDataSet") else data


def look_at_values(grid, order):
    nodes = (order + 1) * (order + 2) * (order + 3) // 6
    kinds = {grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}
    check(kinds == {vtk.VTK_LAGRANGE_TETRAHEDRON}, f"cells of types {kinds}")
    check(grid.GetCell(0).GetNumberOfPoints() == nodes, f"cells of {grid.GetCell(0).GetNumberOfPoints()} points")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    E = vtk_to_numpy(grid.GetPointData().GetArray("E"))
    error = np.abs(E - np.column_stack([0 * points[:, 0], 0 * points[:, 0], points[:, 0]])).max()
    check(error < 1e-12, f"values are wrong by {error:.1e}")
    return error


def look_at_readers(path, grid):
    points = vtk_to_numpy(grid.GetPoints().GetData())
    for source in (vtkhdf._ByH5py, vtkhdf._ByVtk):  # pylint: disable=protected-access
        snapshot = vtkhdf.VtkhdfSnapshot(path)
        snapshot._source = source(path)  # pylint: disable=protected-access
        check((snapshot.points == points).all(), f"{source.__name__} reads other points")
        check(np.abs(snapshot.field("Ez") - points[:, 0]).max() < 1e-12, f"{source.__name__} reads other values")
        check(snapshot.names == ["E", "Ex", "Ey", "Ez"] and snapshot.unit("Ez") == "V/m", f"{source.__name__}: {snapshot.names}")
        corner = snapshot.points[snapshot.cells]
        volume = np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1])).sum() / 6 / (4 / 3 * np.pi)
        check(0.98 < volume < 1, f"{source.__name__}: linear cells fill {volume:.4f} of the ball")
        snapshot.close()


def colours():
    """From blue at -1 to red at 1; no colour of these is the background's."""
    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        table.SetTableValue(i, i / 255, 0, 1 - i / 255)
    table.SetVectorModeToComponent()
    table.SetVectorComponent(2)
    table.SetTableRange(-1, 1)
    return table


def draw(grid):
    """Pixels [SIZE][SIZE][3], from the bottom."""
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.SetNonlinearSubdivisionLevel(LEVEL)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(surface.GetOutputPort())
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("E")
    mapper.SetLookupTable(colours())
    mapper.SetUseLookupTableScalarRange(True)
    mapper.InterpolateScalarsBeforeMappingOn()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetLighting(False)
    scene, window = vtk.vtkRenderer(), vtk.vtkRenderWindow()
    scene.SetBackground(1, 1, 1)
    scene.AddActor(actor)
    camera = scene.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetParallelScale(HALF)
    camera.SetFocalPoint(0, 0, 0)
    camera.SetPosition(0, 0, 5)
    camera.SetViewUp(0, 1, 0)
    scene.ResetCameraClippingRange()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(SIZE, SIZE)
    window.AddRenderer(scene)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    image.Update()
    shape = image.GetOutput().GetDimensions()
    check(shape[:2] == (SIZE, SIZE), f"a picture of {shape}")
    return image.GetOutput(), vtk_to_numpy(image.GetOutput().GetPointData().GetScalars()).reshape(SIZE, SIZE, -1)[..., :3]


def look_at_picture(pixels):
    centre = (np.arange(SIZE) + 0.5) / SIZE * 2 * HALF - HALF
    x, y = np.meshgrid(centre, centre)
    radius, drawn = np.hypot(x, y), (pixels != 255).any(axis=2)
    pixel = 2 * HALF / SIZE
    check(drawn.any(), "the picture is blank")
    missing, beyond = (~drawn & (radius < 1 - pixel)).sum(), (drawn & (radius > 1 + pixel)).sum()
    check(missing + beyond == 0, f"the disc misses {missing} pixels and has {beyond} too many")
    disc = radius < 1 - pixel
    seen = pixels[..., 0] / 255.0 * 2 - 1
    error = np.abs(seen - x)[disc].max()
    check(error < 0.02, f"a pixel has the colour of a value that is wrong by {error:.3f}")
    green = pixels[..., 1][disc].max()
    check(green < 3, f"a pixel has a colour that no value has ({green} of green)")
    return error


def main():
    program = os.path.abspath(sys.argv[1])
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    with tempfile.TemporaryDirectory() as scratch:
        kept = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else scratch
        os.makedirs(kept, exist_ok=True)
        for order in (2, 3):
            folder = os.path.join(scratch, f"order_{order}")
            subprocess.run([program, "run", os.path.join(HERE, "ball.lua"), "-D", f"order={order}", "--quiet", "-o", folder],
                           check=True)
            grid = read(os.path.join(folder, "fields_000000.hdf"))
            value = look_at_values(grid, order)
            look_at_readers(os.path.join(folder, "fields_000000.hdf"), grid)
            image, pixels = draw(grid)
            writer = vtk.vtkPNGWriter()
            writer.SetInputData(image)
            writer.SetFileName(os.path.join(kept, f"ball_{order}.png"))
            writer.Write()
            colour = look_at_picture(pixels.astype(float))
            print(f"order {order}: {grid.GetNumberOfCells()} cells, values within {value:.1e}, colours within {colour:.3f}")


if __name__ == "__main__":
    main()
