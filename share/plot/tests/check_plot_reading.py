"""What `curlew plot` reads and what it computes from it, beside known answers: check_plot_reading.py

Exits 77 (skipped) when python3-matplotlib is not installed.
"""

import argparse
import os
import sys
import tempfile

from plot_fixture import check, finish, refuses, result, table, write  # first: it finds the package

import numpy as np
from curlew_plot import energy, far_field, lines, mesh, planes, records, smith, sparameters, style
from curlew_plot.results import Run, read_rows, read_table

NO_OPTIONS = argparse.Namespace(frequency=None, field=None, plane=None, step=None)


def check_reading(folder):
    good = "time,Ex\n0,1\n1e-9,nan\n"
    found = read_table(write(folder, "r/a.csv", good))
    check(
        found.note is None and list(found.columns) == ["time", "Ex"] and found["time"][1] == 1e-9 and len(found) == 2,
        "a table",
    )
    for end in ("2e-9", "2e-9,", "2e-9,0.5"):
        found = read_table(write(folder, "r/b.csv", good + end))
        check(len(found) == 2 and "middle of a line" in (found.note or ""), f"a line that ends in '{end}' is left out")
    check(len(read_table(write(folder, "r/c.csv", "time,Ex\n"))) == 0, "no rows")
    refuses("line 3: 1 values under 2 columns", read_table, write(folder, "r/d.csv", "time,Ex\n0,1\n1\n2,3\n"))
    refuses("line 2: 'one' is no number", read_table, write(folder, "r/e.csv", "time,Ex\n0,one\n"))
    refuses("'", read_table, write(folder, "r/f.csv", "")), refuses(
        "column names", read_table, write(folder, "r/g.csv", "0,1\n2,3\n")
    )
    refuses("is empty", read_table, write(folder, "r/f.csv", "time,Ex"))
    refuses("cannot read", read_table, os.path.join(folder, "r/none.csv"))
    refuses("no column 'Ey' (it has time, Ex)", found.__getitem__, "Ey")
    with open(os.path.join(folder, "r/h.csv"), "wb") as file:
        file.write(b"time,E\xff\n")
    refuses("no text", read_table, os.path.join(folder, "r/h.csv"))
    refuses("differ in their number", read_rows, write(folder, "r/i.csv", "a,b\n1,2\n3\n"))
    for name, text in (("there is no folder", "none"), ("holds no results", "empty"), ("is no folder", "r/a.csv")):
        os.makedirs(os.path.join(folder, "empty"), exist_ok=True)
        refuses(name, Run, os.path.join(folder, text))
    write(folder, "broken/summary.json", '{"status": "run')
    write(folder, "broken/probes/x_spectrum.csv", good)
    run = Run(os.path.join(folder, "broken"))
    check(run.summary == {} and "no whole JSON" in run.errors[0], f"half a summary: {run.errors}")
    check(
        len(run.tables("probes")) == 1 and not run.spectra("probes"), "a probe whose name ends in _spectrum is a record"
    )


def check_touchstone(folder):
    s = {"S11": 0.1, "S21": 0.8j, "S12": -0.7, "S22": 0.2 + 0.1j}
    order = [s[name] for name in ("S11", "S21", "S12", "S22")]  # as the format has it for two ports
    forms = {
        "RI": lambda z: (z.real, z.imag),
        "MA": lambda z: (abs(z), np.degrees(np.angle(z))),
        "DB": lambda z: (20 * np.log10(abs(z)), np.degrees(np.angle(z))),
    }
    for form, both in forms.items():
        words = " ".join(f"{value:.12g}" for z in order for value in both(complex(z)))
        path = write(folder, f"t/{form}.s2p", f"! comment\n# GHz S {form} R 50\n1.5 {words} ! end\n")
        frequency, entries = sparameters.read_touchstone(path)
        check(frequency[0] == 1.5e9 and all(abs(entries[name][0] - s[name]) < 1e-9 for name in s), f"{form}: {entries}")
    refuses(
        "no Touchstone file of 2 ports",
        sparameters.read_touchstone,
        write(folder, "t/x.s2p", "# GHz S RI R 50\n1 2 3\n"),
    )
    check(sparameters.reflections(["S11", "S21", "S1_10", "S10_10"]) == ["S11", "S10_10"], "what returns")
    run = Run(os.path.dirname(write(folder, "u/log.txt", "x\n")))
    write(folder, "u/d.s1p", "# Hz S RI R 50\n1e9 0.5 0\n2e9 0 0.5\n")
    check(
        [picture.name for picture in sparameters.pictures(run, NO_OPTIONS)] == ["sparameters", "smith"],
        "a Touchstone file alone",
    )


def check_numbers(run):
    """What is drawn is what it says."""
    t = np.arange(2000) * 1e-11
    f, size, cut = records.spectrum(t, np.exp(-(((t - 5e-9) / 1e-9) ** 2)))
    exact = np.sqrt(np.pi) * 1e-9 * np.exp(-((np.pi * f * 1e-9) ** 2))
    check(not cut and np.abs(size - exact).max() < 1e-6 * exact.max(), "the spectrum of a pulse")
    f, size, cut = records.spectrum(t, np.cos(2 * np.pi * 3e9 * t))
    check(cut and abs(f[size.argmax()] - 3e9) < 2e7, "what rings has a window, and its line")
    check(records.spectrum(t[:8], t[:8]) is None and records.spectrum(t**2, t) is None, "no spectrum")
    check(abs(smith.impedance(np.array(0.5)) - 3) < 1e-12 and np.allclose(smith._arc(1 + 0j), (0, 0)), "impedances")
    check(
        [style.handy(2.45e9, "Hz"), style.handy(1.6e-11, "s"), style.handy(0, "J")] == ["2.45 GHz", "16 ps", "0 J"],
        "handy units",
    )
    factor, unit = style.scale([0.99, -0.2], "V")
    check((factor, unit) == (1, "V"), "0.99 V stays")
    x, low = style.thin(np.arange(100001.0), np.where(np.arange(100001) == 77777, -5.0, 0.0))
    check(len(x) == len(low) <= 6100 and low.min() == -5, "a long record keeps its peaks")
    pattern = far_field.Pattern(run.table(run.path("far_field/a.csv")))
    angle, value = pattern.cut(1, 30)
    check(pattern.quantity == "directivity" and pattern.above_ground(), "a pattern over ground")
    check(
        np.degrees(angle[[0, 12, 13]]).round(6).tolist() == [-180, 0, 0]
        and value[[11, 12, 13, 14]].tolist() == [7.5, 9, 10, 8.5],
        f"both sides of a cut: {value}",
    )
    check(
        np.abs(pattern.theta[value[13:].argmax()]) == 0 and pattern.find(390) == 1 and pattern.find(45) is None,
        "angles",
    )
    for picture in energy.pictures(run, NO_OPTIONS):
        upper, lower = picture.figure.axes
        check(upper.get_ylabel() == "energy (J)" and lower.get_xlabel() == "time (ns)", f"{upper.get_ylabel()}")
        level = lower.lines[0].get_ydata()
        check(
            abs(level.max()) < 1e-9 and abs(level[110] + 10 / np.log(10)) < 1e-6, f"10 log10 of energies: {level[110]}"
        )
    line = next(lines.pictures(run, NO_OPTIONS))
    check(line.figure.axes[0].get_ylabel() == "time (ns)" and "Ez" in line.title, f"{line.title}")
    drawn, caption = records.draw("probes", run.table(run.path("probes/p.csv")))
    labels = [
        text.get_text() for axes in drawn.axes for text in (axes.get_legend().get_texts() if axes.get_legend() else [])
    ]
    check(
        labels == ["Ex", "Hz"] and "Ey" in caption and "Hx" in caption,
        f"what is zero is not drawn: {labels}, {caption}",
    )


def check_planes(folder):
    """A grid is told by its points, and a spectrum along a line has the sizes of complex numbers."""
    u, v = np.arange(4) * 0.5, np.arange(3) * 2.0
    place = np.array([[b, 7.0, a] for b in v for a in u])
    found = planes.sides(place)
    check(found is not None and np.allclose(found[0], u) and np.allclose(found[1], v), f"the sides of a grid: {found}")
    check(planes.sides(place[:-1]) is None and planes.sides(place[:4]) is None, "no grid")
    drawn = planes.draw(place, np.arange(12.0), "Ez", "V/m", True)
    values = drawn.axes[0].collections[0].get_array().ravel()
    check(np.allclose(values, np.arange(12)) and drawn.axes[0].get_xlabel() == "along u (m)", f"{values}")
    names = ["frequency", "x", "y", "z"] + [f"{name}_{part}" for name in lines.COMPONENTS for part in ("re", "im")]
    rows = [[f, x, 0, 0, 0, 0, 3 * x, 4 * x] + [0] * 8 for f in (1e9, 2e9) for x in (0, 1, 2)]
    write(folder, "v/lines/l.csv", "time,x,y,z,Ex,Ey,Ez,Hx,Hy,Hz\n0,0,0,0,0,0,0,0,0,0\n")
    write(folder, "v/lines/l_spectrum.csv", table(names, *zip(*rows)))
    made = list(lines.pictures(Run(os.path.join(folder, "v")), NO_OPTIONS))
    check(
        [picture.name for picture in made] == ["lines_l_spectrum"] and "Ey" in made[0].title, "a spectrum along a line"
    )
    curves = made[0].figure.axes[0].lines
    check(len(curves) == 2 and np.allclose(curves[1].get_ydata(), [0, 5, 10]), "sizes of complex numbers")
    names = ["frequency", "x", "y", "z"] + [f"{name}_{part}" for name in lines.COMPONENTS[:3] for part in ("re", "im")]
    rows = [[f, x, y, 0, 0, 0, 3 * x, 4 * x, 0, 0] for f in (1e9, 2e9) for y in (0, 1) for x in (0, 1, 2)]
    write(folder, "v/spectra/cut.csv", table(names, *zip(*rows)))
    entry = '{"simulation": {"output": {"spectra": [{"name": "cut", "normalise": "none"}]}}}'
    write(folder, "v/configuration.json", entry)
    made = list(planes.pictures(Run(os.path.join(folder, "v")), NO_OPTIONS))
    check([picture.name for picture in made] == ["spectra_cut_000001", "spectra_cut_000002"], "spectra of the fields")
    check("Ey on plane cut at 2 GHz" in made[1].title, made[1].title)
    axes = made[1].figure.axes
    values = axes[0].collections[0].get_array().ravel()
    name = axes[1].get_ylabel()
    check(np.allclose(values, [0, 5, 10] * 2) and name == "size of Ey (V/m s)", f"{values} {name}")


class Snap:
    """Two elements of order 2, eight tetrahedra each, with nodes of their own."""

    def __init__(self):
        corner = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
        edges = [(a, b) for a in range(4) for b in range(a + 1, 4)]
        nodes = np.concatenate([corner, [(corner[a] + corner[b]) / 2 for a, b in edges]])
        m = {edge: 4 + i for i, edge in enumerate(edges)}
        pieces = [
            [0, m[0, 1], m[0, 2], m[0, 3]],
            [m[0, 1], 1, m[1, 2], m[1, 3]],
            [m[0, 2], m[1, 2], 2, m[2, 3]],
            [m[0, 3], m[1, 3], m[2, 3], 3],
            [m[0, 1], m[0, 2], m[0, 3], m[1, 3]],
            [m[0, 1], m[0, 2], m[1, 2], m[1, 3]],
            [m[0, 2], m[0, 3], m[1, 3], m[2, 3]],
            [m[0, 2], m[1, 2], m[1, 3], m[2, 3]],
        ]
        self.points = np.concatenate([nodes, 2 * nodes])
        self.zones = np.concatenate([pieces, np.array(pieces) + 10])


def check_mesh():
    snap = Snap()
    x = mesh.corners(snap, 2)
    check(x is not None and sorted(x[1].sum(axis=1).tolist()) == [0, 2, 4, 6], "corners of elements")
    height, longest = mesh.heights_and_edges(x)
    check(np.allclose(longest, [13**0.5, 2 * 13**0.5]) and np.allclose(height, [6 / 7, 12 / 7]), f"heights: {height}")
    snap.zones = np.minimum(snap.zones, 9)  # as averaged values share their points
    check(mesh.corners(snap, 3) is None, "another order")


def main():
    with tempfile.TemporaryDirectory() as folder:
        result(os.path.join(folder, "good"))
        check_reading(folder)
        check_touchstone(folder)
        check_numbers(Run(os.path.join(folder, "good")))
        check_mesh()
        check_planes(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
