#!/usr/bin/env python3
"""One picture of an antenna: its metal with the mesh, the field on a plane of symmetry, and the pattern in front of it.

    plot_scene.py SNAPSHOT MODEL PATTERN -o PICTURE [--metal NAME]... [--plane y] [--frequency HZ] [--at X Y Z] [--size M]

SNAPSHOT   a VTKHDF snapshot (output.fields.format = "vtkhdf") of a run that has computed one half, beside a mirror
MODEL      surfaces, of the same script: curlew check SCRIPT --picture MODEL.json
PATTERN    a table of output.far_field
--metal    what the model's surfaces were given, or a part of that, such as horn
--plane    the axis across the mirror, which lies at 0
--at       m, where the pattern has its centre; --size its largest radius, m
--view     the camera's angles: around the plane's normal, and above the plane, in degrees
--reach    x0 x1 z0 z1: the part of the plane that is drawn, in m

The picture at the top of README.md is of the example of the horn:

    curlew run examples/11_horn/horn.lua -D size=9 -D length=60 --set mesh.parameters.V=36 \\
      --set 'output.fields.format="vtkhdf"' --set output.fields.every=4200
    curlew check examples/11_horn/horn.lua -D size=9 -D length=60 --set mesh.parameters.V=36 --quiet --picture model.json
    plot_scene.py horn/fields_004200.hdf model.json horn/far_field/pattern.csv --metal horn --metal block -o scene.png

Needs vtk (9.1 or newer) and matplotlib, with NumPy and Pillow, and no screen: VTK draws with EGL or OSMesa.
"""
import argparse
import json
import math
import sys

import numpy as np
import vtk
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy

PIXELS, DPI = (2080, 1100), 109
NIGHT = (0.030, 0.038, 0.068)
METAL, LINES = (0.86, 0.70, 0.47), (0.16, 0.12, 0.07)
GLOW = LinearSegmentedColormap.from_list("glow", [colormaps["inferno"](v) for v in np.linspace(0.08, 1.0, 64)])
GAIN = LinearSegmentedColormap.from_list("gain", [colormaps["viridis"](v) for v in np.linspace(0.12, 1.0, 64)])
FLOOR = 25  # dB from the largest gain to the pattern's centre
FINE = 3  # every edge is cut 2^3 fold


def poly(points, triangles):
    data, where, cells = vtk.vtkPolyData(), vtk.vtkPoints(), vtk.vtkCellArray()
    where.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=float), deep=True))
    rows = np.column_stack([np.full(len(triangles), 3), triangles]).astype(np.int64)
    cells.ImportLegacyFormat(numpy_to_vtkIdTypeArray(rows.ravel(), deep=True))
    data.SetPoints(where)
    data.SetPolys(cells)
    return data


def actor(data, colours=None, lines=False):
    """colours: [points][4], 0 to 1."""
    if colours is not None:
        bytes_ = numpy_to_vtk(np.ascontiguousarray(255 * np.clip(colours, 0, 1)).astype(np.uint8), deep=True)
        bytes_.SetName("colours")
        data.GetPointData().SetScalars(bytes_)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetScalarVisibility(colours is not None)
    made = vtk.vtkActor()
    made.SetMapper(mapper)
    if lines:
        made.GetProperty().SetRepresentationToWireframe()
        made.GetProperty().SetLighting(False)
    return made


def read(path):
    reader = vtk.vtkHDFReader()
    if not reader.CanReadFile(path):
        sys.exit(f"plot_scene.py: VTK cannot read '{path}'")
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    if data.IsA("vtkPartitionedDataSet"):
        data = data.GetPartition(0)
    return data


def on_mirror(grid, axis, level, reach):
    """The faces of elements on the mirror: points, triangles and |E|; cut 2^level fold along their edges."""
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.SetNonlinearSubdivisionLevel(level)
    surface.Update()
    data = surface.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
    E = np.linalg.norm(vtk_to_numpy(data.GetPointData().GetArray("E")), axis=1)
    triangles = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    flat = np.abs(points[triangles][:, :, axis]).max(axis=1) < 1e-9
    across = [i for i in range(3) if i != axis]
    for i, (low, high) in zip(across, (reach[:2], reach[2:])):
        flat &= (points[triangles][:, :, i].min(axis=1) >= low - 1e-9) & (points[triangles][:, :, i].max(axis=1) <= high + 1e-9)
    triangles = triangles[flat]
    used, numbers = np.unique(triangles, return_inverse=True)
    return points[used], numbers.reshape(-1, 3), E[used]


def faded(points, axis, reach):
    """1 in the middle of what is drawn, 0 at its edge."""
    fade = np.ones(len(points))
    for i, (low, high) in zip([i for i in range(3) if i != axis], (reach[:2], reach[2:])):
        edge = np.minimum(points[:, i] - low, high - points[:, i]) / (0.16 * (high - low))
        fade *= np.clip(edge, 0, 1) ** 1.5 * (3 - 2 * np.clip(edge, 0, 1) ** 1) * np.clip(edge, 0, 1) ** 0.5
    return np.clip(fade, 0, 1)


def field_actors(grid, axis, reach):
    points, triangles, E = on_mirror(grid, axis, FINE, reach)
    loud = np.percentile(E[E > 0.02 * E.max()], 97)
    shade = np.clip(E / loud, 0, 1)
    colours = GLOW(shade ** 0.75)
    colours[:, 3] = np.clip(1.15 * shade ** 0.5, 0, 0.97) * faded(points, axis, reach)
    light = actor(poly(points, triangles), colours)
    light.GetProperty().SetLighting(False)
    points, triangles, _ = on_mirror(grid, axis, 0, reach)
    edges = np.tile([0.62, 0.70, 0.86, 1.0], (len(points), 1))
    edges[:, 3] = 0.30 * faded(points, axis, reach)
    raised = points.copy()
    raised[:, axis] += 5e-5
    mesh = actor(poly(raised, triangles), edges, lines=True)
    mesh.GetProperty().SetLineWidth(1.4)
    return [light, mesh], loud


def metal_actors(path, names, axis):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    triangles = [entry["triangles"] for entry in model["surfaces"]
                 if entry["triangles"] and any(name in entry["given"] for name in names)]
    if not triangles:
        given = sorted({entry["given"] for entry in model["surfaces"]})
        sys.exit(f"plot_scene.py: no surface was given any of {', '.join(names)}; there are {', '.join(given)}")
    x = np.concatenate([np.asarray(part, dtype=float).reshape(-1, 3) for part in triangles])
    data = poly(x, np.arange(len(x)).reshape(-1, 3))
    skin = actor(data)
    look = skin.GetProperty()
    look.SetColor(*METAL)
    look.SetOpacity(0.42)
    look.SetAmbient(0.28)
    look.SetDiffuse(0.75)
    look.SetSpecular(0.55)
    look.SetSpecularPower(22)
    wires = actor(data, lines=True)
    wires.GetProperty().SetColor(0.98, 0.86, 0.66)
    wires.GetProperty().SetLineWidth(2.0)
    wires.GetProperty().SetOpacity(0.85)
    return [skin, wires]


def pattern_actors(path, frequency, centre, size):
    table = np.genfromtxt(path, delimiter=",", names=True)
    chosen = table["frequency"][np.abs(table["frequency"] - frequency).argmin()]
    table = table[table["frequency"] == chosen]
    theta, phi = np.unique(table["theta"]), np.unique(table["phi"])
    grid = np.full((len(theta), len(phi)), np.nan)
    grid[np.searchsorted(theta, table["theta"]), np.searchsorted(phi, table["phi"])] = table["gain"]
    grid = np.column_stack([grid, grid[:, 0]])
    phi = np.append(phi, phi[0] + 360)
    fine_t, fine_p = np.linspace(theta[0], theta[-1], 2 * len(theta) - 1), np.linspace(phi[0], phi[-1], 4 * len(phi) - 3)
    grid = np.array([np.interp(fine_p, phi, row) for row in grid])
    grid = np.array([np.interp(fine_t, theta, column) for column in grid.T]).T
    top = np.nanmax(grid)
    radius = size * np.clip((grid - (top - FLOOR)) / FLOOR, 0, None)
    t, p = np.radians(fine_t)[:, None], np.radians(fine_p)[None, :]
    x = np.stack([radius * np.sin(t) * np.cos(p), radius * np.sin(t) * np.sin(p), radius * np.cos(t) + 0 * p], axis=-1)
    x += centre
    n, m = grid.shape
    number = np.arange(n * m).reshape(n, m)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    colours = GAIN(np.clip((grid.ravel() - (top - FLOOR)) / FLOOR, 0, 1))
    smooth = vtk.vtkPolyDataNormals()
    smooth.SetInputData(poly(x.reshape(-1, 3), triangles))
    smooth.SplittingOff()
    smooth.Update()
    skin = actor(smooth.GetOutput(), colours)
    look = skin.GetProperty()
    look.SetOpacity(0.88)
    look.SetAmbient(0.35)
    look.SetDiffuse(0.7)
    look.SetSpecular(0.35)
    look.SetSpecularPower(30)
    rings = vtk.vtkAppendPolyData()
    for i in range(0, n, 10):
        rings.AddInputData(line(x[i]))
    for j in range(0, m - 1, 12):
        rings.AddInputData(line(x[:, j]))
    rings.Update()
    wires = actor(rings.GetOutput())
    wires.GetProperty().SetColor(1, 1, 1)
    wires.GetProperty().SetOpacity(0.28)
    wires.GetProperty().SetLineWidth(1.2)
    wires.GetProperty().SetLighting(False)
    return [skin, wires], chosen, top


def line(x):
    data, where, cells = vtk.vtkPolyData(), vtk.vtkPoints(), vtk.vtkCellArray()
    where.SetData(numpy_to_vtk(np.ascontiguousarray(x), deep=True))
    cells.InsertNextCell(len(x))
    for i in range(len(x)):
        cells.InsertCellPoint(i)
    data.SetPoints(where)
    data.SetLines(cells)
    return data


def render(actors, axis, focus, view, width):
    scene, window = vtk.vtkRenderer(), vtk.vtkRenderWindow()
    scene.SetBackground(*NIGHT)
    scene.SetUseDepthPeeling(True)
    scene.SetMaximumNumberOfPeels(14)
    scene.SetOcclusionRatio(0.0)
    for one in actors:
        scene.AddActor(one)
    around, above = map(math.radians, view)
    across = [i for i in range(3) if i != axis]
    direction = np.zeros(3)
    direction[across[1]], direction[across[0]] = math.cos(above) * math.cos(around), math.cos(above) * math.sin(around)
    direction[axis] = math.sin(above)
    camera = scene.GetActiveCamera()
    camera.SetFocalPoint(*focus)
    camera.SetPosition(*(np.asarray(focus) + direction))
    camera.SetViewUp(*np.eye(3)[axis])
    camera.SetViewAngle(24)
    camera.SetPosition(*(np.asarray(focus) + direction * width / (2 * math.tan(math.radians(12)))))
    scene.ResetCameraClippingRange()
    window.SetOffScreenRendering(1)
    window.SetAlphaBitPlanes(1)
    window.SetMultiSamples(0)
    window.SetSize(*PIXELS)
    window.AddRenderer(scene)
    lights = vtk.vtkLightKit()
    lights.SetKeyLightIntensity(0.95)
    lights.AddLightsToRenderer(scene)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    image.Update()
    data = image.GetOutput()
    size = data.GetDimensions()
    pixels = vtk_to_numpy(data.GetPointData().GetScalars()).reshape(size[1], size[0], -1)
    return pixels[::-1, :, :3]


def bar(figure, place, shade, label, ticks):
    axes = figure.add_axes(place)
    made = figure.colorbar(ScalarMappable(*shade), cax=axes, orientation="horizontal")
    made.outline.set_visible(False)
    made.set_ticks(ticks)
    axes.tick_params(colors="0.80", labelsize=11, length=0, pad=4)
    axes.set_title(label, color="0.92", fontsize=12, loc="left", pad=7)


def compose(pixels, loud, top, frequency, out):
    figure = Figure(figsize=(11, 11 * PIXELS[1] / PIXELS[0]), dpi=DPI, facecolor=NIGHT)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(pixels, aspect="auto", interpolation="lanczos")
    axes.set_axis_off()
    tick = 10.0 ** math.floor(math.log10(loud))
    step = next(tick * k for k in (0.1, 0.2, 0.5, 1, 2, 5) if loud / (tick * k) <= 5)
    curved = LinearSegmentedColormap.from_list("curved", [GLOW(v ** 0.75) for v in np.linspace(0, 1, 128)])
    bar(figure, (0.045, 0.085, 0.23, 0.017), (Normalize(0, loud), curved), "|E|  (V/m)", np.arange(0, loud, step))
    shade = Normalize(top - FLOOR, top)
    low = 5 * math.ceil((top - FLOOR) / 5)
    bar(figure, (0.725, 0.085, 0.23, 0.017), (shade, GAIN), f"gain at {frequency / 1e9:.4g} GHz  (dBi)", np.arange(low, top, 5))
    figure.savefig(out, dpi=DPI)


def shrink(out):
    """Seven bits of a colour: no eye sees the eighth, and it is a fifth of the file."""
    from PIL import Image

    with Image.open(out) as image:
        small = image.convert("RGB").point(lambda value: value & ~1)
    small.save(out, optimize=True)


def main():
    parser = argparse.ArgumentParser(usage="plot_scene.py SNAPSHOT MODEL PATTERN -o PICTURE [options]")
    for name in ("snapshot", "model", "pattern"):
        parser.add_argument(name)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--metal", action="append", required=True)
    parser.add_argument("--plane", choices="xyz", default="y")
    parser.add_argument("--frequency", type=float, default=10e9)
    parser.add_argument("--at", type=float, nargs=3, default=(0, 0.06, 0.09))
    parser.add_argument("--size", type=float, default=0.05)
    parser.add_argument("--view", type=float, nargs=2, default=(-60, 27))
    parser.add_argument("--focus", type=float, nargs=3, default=(0, 0.024, 0.050))
    parser.add_argument("--width", type=float, default=0.128)
    parser.add_argument("--reach", type=float, nargs=4, default=(-0.072, 0.072, -0.045, 0.103))
    arguments = parser.parse_args()
    axis = "xyz".index(arguments.plane)
    light, loud = field_actors(read(arguments.snapshot), axis, arguments.reach)
    metal = metal_actors(arguments.model, arguments.metal, axis)
    lobe, frequency, top = pattern_actors(arguments.pattern, arguments.frequency, np.array(arguments.at), arguments.size)
    pixels = render(light + metal + lobe, axis, arguments.focus, arguments.view, arguments.width)
    compose(pixels, loud, top, frequency, arguments.output)
    shrink(arguments.output)


if __name__ == "__main__":
    main()
