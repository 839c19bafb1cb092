#!/usr/bin/python3
"""Draws the patterns of far fields: polar cuts, or the pattern in space, from far_field/NAME.csv.

    plot_pattern.py patch/far_field/pattern.csv --phi 0 90 -o cuts.png
    plot_pattern.py patch/far_field/pattern.csv --quantity gain --frequency 2.45e9 --3d -o pattern.png
    plot_pattern.py sphere/far_field/rcs.csv --quantity rcs --phi 0 90 --floor 40 -o rcs.png

A cut at PHI goes from theta = 0 down one side, and up the other side at PHI + 180 degrees where the file has that; --theta
draws cones instead, over phi. Values are in dB: directivity, gain, realised_gain and axial_ratio as they stand, rcs in
dB of 1 m^2. --floor is how far the centre lies below the largest value (30 dB). Without --frequency the file's first one
is drawn. Needs Debian's python3-numpy and python3-matplotlib.
Exit codes: 0 done, 2 a wrong file, quantity or option, 3 a module is missing or the picture cannot be written.
"""
import argparse
import os
import sys

try:
    import numpy as np
    import curlew_plot  # noqa: F401  loads matplotlib without the settings of this folder
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    print(f"plot_pattern: {error}; it needs Debian's python3-numpy and python3-matplotlib, and /usr/bin/python3",
          file=sys.stderr)
    sys.exit(3)
import plot_csv
from plot_csv import UserError

UNITS = {"directivity": "dBi", "gain": "dBi", "realised_gain": "dBi", "axial_ratio": "dB", "rcs": "dB of 1 m$^2$"}


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        print(f"plot_pattern: {message} (--help shows examples)", file=sys.stderr)
        sys.exit(2)


def parse_arguments():
    parser = OneLineParser(prog="plot_pattern.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", metavar="FILE.csv")
    parser.add_argument("--quantity", default="directivity", choices=sorted(UNITS))
    parser.add_argument("--frequency", type=float, help="Hz; the nearest of the file is drawn")
    parser.add_argument("--phi", nargs="+", type=float, help="cuts over theta, degrees")
    parser.add_argument("--theta", nargs="+", type=float, help="cuts over phi, degrees")
    parser.add_argument("--3d", dest="space", action="store_true", help="the pattern in space")
    parser.add_argument("--floor", type=float, default=30, help="dB from the centre to the largest value")
    parser.add_argument("--title", default="")
    parser.add_argument("-o", "--output", required=True, help="the picture: .png, .pdf or .svg")
    return parser.parse_args()


def select(path, quantity, frequency):
    """theta, phi (ascending, degrees), values[theta][phi] in dB, and the frequency, Hz."""
    table = plot_csv.read(path)
    hertz = plot_csv.column(table, "frequency", path)
    wanted = hertz[0] if frequency is None else hertz[np.argmin(np.abs(hertz - frequency))]
    rows = hertz == wanted
    theta, phi = (plot_csv.column(table, name, path)[rows] for name in ("theta", "phi"))
    values = plot_csv.column(table, quantity, path)[rows]
    if np.isnan(values).all():
        raise UserError(f"'{path}' has no {quantity} (all are nan)")
    if quantity == "rcs":
        values = 10 * np.log10(np.maximum(values, 1e-300))
    thetas, phis = np.unique(theta), np.unique(phi)
    grid = np.full((len(thetas), len(phis)), np.nan)
    grid[np.searchsorted(thetas, theta), np.searchsorted(phis, phi)] = values
    return thetas, phis, grid, wanted


def nearest(angles, wanted, name, path):
    """Index of the angle, which must be there to a tenth of a degree, whole turns aside."""
    off = np.abs((angles - wanted + 180) % 360 - 180)
    if off.min() > 0.1:
        known = ", ".join(f"{angle:g}" for angle in angles[:20])
        raise UserError(f"'{path}' has no {name} = {wanted:g} (it has {known})")
    return int(np.argmin(off))


def cut_over_theta(thetas, phis, grid, phi, path):
    """Angles from the z axis, clockwise, and values: one side, and the other one where it is there."""
    angle, value = list(thetas), list(grid[:, nearest(phis, phi, "phi", path)])
    try:
        back = grid[:, nearest(phis, phi + 180, "phi", path)]
    except UserError:
        return np.array(angle), np.array(value)
    angle += list(360 - thetas[::-1])
    value += list(back[::-1])
    return np.array(angle), np.array(value)


def cuts(arguments, thetas, phis, grid):
    """(label, angles, values) to draw."""
    drawn = []
    for theta in arguments.theta or []:
        row = grid[nearest(thetas, theta, "theta", arguments.file)]
        drawn.append((f"theta = {theta:g}°", np.append(phis, phis[0] + 360), np.append(row, row[0])))
    wanted = arguments.phi if arguments.phi or arguments.theta else phis[:1]
    for phi in wanted or []:
        drawn.append((f"phi = {phi:g}°", *cut_over_theta(thetas, phis, grid, phi, arguments.file)))
    return drawn


def draw_cuts(arguments, thetas, phis, grid):
    drawn = cuts(arguments, thetas, phis, grid)
    largest = max(np.nanmax(values) for _, _, values in drawn)
    top = 5 * np.ceil(largest / 5)
    figure, axes = plt.subplots(figsize=(5.4, 5.0), subplot_kw={"projection": "polar"})
    if arguments.phi or not arguments.theta:
        axes.set_theta_zero_location("N")  # theta = 0 is up
        axes.set_theta_direction(-1)
    for label, angle, values in drawn:
        axes.plot(np.radians(angle), np.maximum(values, top - arguments.floor), label=label, linewidth=1.8)
    axes.set_ylim(top - arguments.floor, top)
    axes.set_rlabel_position(112)
    axes.grid(color="0.85")
    axes.set_thetagrids(range(0, 360, 30))
    if len(drawn) > 1:
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(-0.14, -0.1))
    return figure, axes


def draw_space(arguments, thetas, phis, grid):
    if len(thetas) < 3 or len(phis) < 3:
        raise UserError(f"'{arguments.file}' has {len(thetas)} theta and {len(phis)} phi: too few for a pattern in space")
    if phis[-1] - phis[0] < 359.9 and 360 - (phis[-1] - phis[0]) < 2.1 * np.diff(phis).max():
        phis, grid = np.append(phis, phis[0] + 360), np.column_stack([grid, grid[:, 0]])  # close it
    top = np.nanmax(grid)
    radius = np.maximum(np.nan_to_num(grid, nan=-np.inf) - (top - arguments.floor), 0)
    t, p = np.radians(thetas)[:, None], np.radians(phis)[None, :]
    x, y, z = radius * np.sin(t) * np.cos(p), radius * np.sin(t) * np.sin(p), radius * np.cos(t) * np.ones_like(p)
    figure = plt.figure(figsize=(6.0, 5.0))
    axes = figure.add_subplot(projection="3d")
    colours = plt.get_cmap("viridis")(radius / arguments.floor)
    axes.plot_surface(x, y, z, facecolors=colours, rstride=1, cstride=1, linewidth=0.1, edgecolor="0.35", shade=False)
    reach = 0.8 * arguments.floor
    axes.set_xlim(-reach, reach), axes.set_ylim(-reach, reach), axes.set_zlim(-reach, reach)
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlabel("x"), axes.set_ylabel("y"), axes.set_zlabel("z")
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_ticklabels([])
    scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(top - arguments.floor, top), "viridis")
    figure.colorbar(scale, ax=axes, shrink=0.7, label=f"{arguments.quantity.replace('_', ' ')} ({UNITS[arguments.quantity]})")
    return figure, axes


def draw(arguments):
    thetas, phis, grid, hertz = select(arguments.file, arguments.quantity, arguments.frequency)
    figure, axes = (draw_space if arguments.space else draw_cuts)(arguments, thetas, phis, grid)
    factor, unit = plot_csv.prefix(hertz, "frequency")
    title = arguments.title or f"{arguments.quantity.replace('_', ' ')} ({UNITS[arguments.quantity]}) at {hertz * factor:.4g} {unit}"
    axes.set_title(title, fontsize=11, pad=16)
    return figure


def main():
    arguments = parse_arguments()
    try:
        kind = os.path.splitext(arguments.output)[1].lstrip(".").lower()
        if kind not in plot_csv.FORMATS:
            raise UserError(f"'{arguments.output}' does not end in {', '.join('.' + name for name in plot_csv.FORMATS)}")
        figure = draw(arguments)
    except UserError as error:
        print(f"plot_pattern: {error}", file=sys.stderr)
        return 2
    return plot_csv.save(figure, arguments.output, kind, [arguments.file])


if __name__ == "__main__":
    sys.exit(main())
