"""Far fields: polar cuts, the pattern in space, and powers over the frequency."""

import math

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from .results import name_of
from .style import Picture, decibel, figure, frequency_axis, handy, legend_beside, space_figure

WORDS = {
    "rcs": ("radar cross-section", "dB of 1 m²"),
    "realised_gain": ("realised gain", "dBi"),
    "gain": ("gain", "dBi"),
    "directivity": ("directivity", "dBi"),
}
FLOOR = 40  # dB from the largest value to the centre


class Pattern:
    """One quantity of a table, [theta][phi] in dB at every frequency."""

    def __init__(self, table):
        self.frequencies = np.unique(table["frequency"])
        self.quantity = next((name for name in WORDS if name in table and np.isfinite(table[name]).any()), None)
        if self.quantity is None:
            return
        values = table[self.quantity]
        if self.quantity == "rcs":
            values = decibel(values, 10)
        self.theta, theta = np.unique(table["theta"], return_inverse=True)
        self.phi, phi = np.unique(table["phi"], return_inverse=True)
        self.grid = np.full((len(self.frequencies), len(self.theta), len(self.phi)), np.nan)
        self.grid[np.searchsorted(self.frequencies, table["frequency"]), theta, phi] = values

    def find(self, phi):
        """Index of the column of an angle, whole turns aside, or None."""
        off = np.abs((self.phi - phi + 180) % 360 - 180)
        return int(off.argmin()) if off.min() < 0.1 else None

    def cut(self, at, phi):
        """Angles from the z axis, clockwise, and values: one side, and the other one where it is there."""
        angle, value = self.theta, self.grid[at][:, self.find(phi)]
        back = self.find(phi + 180)
        if back is not None:
            angle = np.append(-self.theta[::-1], angle)
            value = np.append(self.grid[at][::-1, back], value)
        return np.radians(angle), value

    def above_ground(self):
        """Nothing is known, or nothing goes, below the plane z = 0."""
        below = self.grid[:, self.theta > 90.01]
        return below.size == 0 or not (below > np.nanmax(self.grid) - 2 * FLOOR).any()

    def planes(self):
        """The angles phi of the cuts to draw: those along x and y where they are there."""
        asked = [phi for phi in (0, 90) if self.find(phi) is not None]
        return asked or [self.phi[0]]

    def few(self, options):
        """Up to three frequencies: the ends and the middle; or the one that is asked for."""
        if options.frequency:
            return [int(np.abs(self.frequencies - options.frequency).argmin())]
        last = len(self.frequencies) - 1
        return sorted({0, last // 2 + last % 2, last})


def draw_cuts(pattern, chosen):
    half = pattern.above_ground()
    drawn = figure(3.9 * len(chosen) + 0.7, 4.4)
    grid = drawn.subplots(1, len(chosen), squeeze=False, subplot_kw={"projection": "polar"})[0]
    largest = np.nanmax(pattern.grid[chosen])
    top = 5 * math.ceil((largest + 0.01) / 5)
    for axes, at in zip(grid, chosen):
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
        for phi in pattern.planes():
            angle, value = pattern.cut(at, phi)
            axes.plot(
                angle, np.maximum(np.nan_to_num(value, nan=-1e3), top - FLOOR), label=f"φ = {phi:g}°", linewidth=1.7
            )
        axes.set_ylim(top - FLOOR, top)
        axes.set_yticks(np.arange(top - FLOOR + 10, top + 1, 10))
        axes.set_rlabel_position(45)
        axes.tick_params(axis="y", labelsize=8, labelcolor="0.35")
        if half:
            axes.set_thetamin(-90)
            axes.set_thetamax(90)
        angles = range(-90, 91, 30) if half else range(0, 360, 30)
        axes.set_thetagrids(angles, [f"{min(abs(a), 360 - a)}°" for a in angles], fontsize=8, color="0.35")
        axes.spines["polar"].set_color("0.6")
        axes.set_title(
            f"{handy(pattern.frequencies[at], 'Hz')}\nlargest {np.nanmax(pattern.grid[at]):.2f} dB"
            + ("i" if pattern.quantity != "rcs" else ""),
            fontsize=10,
        )
    word, unit = WORDS[pattern.quantity]
    grid[0].set_ylabel(f"{word} ({unit})", labelpad=28)
    handles, labels = grid[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="lower left", ncol=1)
    return drawn


def draw_space(pattern, at):
    """The pattern in space; None with too few directions."""
    phi, grid = pattern.phi, pattern.grid[at]
    if len(pattern.theta) < 3 or len(phi) < 3 or not np.isfinite(grid).any():
        return None
    if phi[-1] - phi[0] < 359.9 and 360 - (phi[-1] - phi[0]) < 2.1 * np.diff(phi).max():
        phi, grid = np.append(phi, phi[0] + 360), np.column_stack([grid, grid[:, 0]])  # close it
    top = np.nanmax(grid)
    radius = np.maximum(np.nan_to_num(grid, nan=-1e9) - (top - FLOOR), 0)
    t, p = np.radians(pattern.theta)[:, None], np.radians(phi)[None, :]
    x, y, z = radius * np.sin(t) * np.cos(p), radius * np.sin(t) * np.sin(p), radius * np.cos(t) * np.ones_like(p)
    drawn, axes, beside = space_figure(7.2, 5.4)
    shades = Normalize(top - FLOOR, top)
    paint = colormaps["viridis"](shades(radius + top - FLOOR))
    axes.plot_surface(
        x, y, z, facecolors=paint, rstride=1, cstride=1, linewidth=0.2, edgecolor=(0, 0, 0, 0.25), shade=False
    )
    reach = max(np.abs(part).max() for part in (x, y, z))
    low = [-reach if part.min() < -0.02 * reach else 0 for part in (x, y, z)]
    for set_limits, least in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), low):
        set_limits(least, reach)
    axes.set_box_aspect([reach - least for least in low])
    for axis, name in ((axes.xaxis, "x"), (axes.yaxis, "y"), (axes.zaxis, "z")):
        axis.set_ticklabels([])
        axis.set_label_text(name)
        axis.labelpad = -10
    word, unit = WORDS[pattern.quantity]
    bar = drawn.colorbar(ScalarMappable(shades, "viridis"), cax=beside, label=f"{word} ({unit})")
    bar.outline.set_visible(False)
    return drawn


def draw_powers(table):
    """(name, picture) of a table of powers over the frequency: gains and efficiencies, or cross-sections."""
    frequency = table["frequency"]
    style = {"marker": "o", "markersize": 3.5} if len(frequency) < 25 else {}
    sections = [
        name for name in ("scattering", "absorption", "extinction", "forward") if np.isfinite(table[name]).any()
    ]
    if sections:
        drawn = figure(8.4, 3.8)
        axes = drawn.subplots()
        factor = frequency_axis(axes, frequency)
        for name in sections:
            dashed = "--" if name == "forward" else "-"
            axes.plot(frequency * factor, table[name], label=name, linestyle=dashed, **style)
        axes.set_ylabel("cross-section (m²)")
        legend_beside(axes)
        return drawn
    efficiencies = [name for name in ("efficiency", "total_efficiency") if np.isfinite(table[name]).any()]
    drawn = figure(8.4, 4.6 if efficiencies else 3.4)
    grid = drawn.subplots(1 + bool(efficiencies), 1, sharex=True, squeeze=False)[:, 0]
    factor = frequency_axis(grid[-1], frequency)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = {
            "directivity": table["directivity"],
            "gain": table["directivity"] + 10 * np.log10(table["efficiency"]),
            "realised gain": table["directivity"] + 10 * np.log10(table["total_efficiency"]),
        }
    for name, values in gains.items():
        if np.isfinite(values).any():
            grid[0].plot(frequency * factor, values, label=name, **style)
    grid[0].set_ylabel("largest (dBi)")
    legend_beside(grid[0])
    for name in efficiencies:
        grid[1].plot(frequency * factor, table[name], label=name.replace("_", " "), **style)
    if efficiencies:
        grid[1].set_ylabel("efficiency")
        grid[1].set_ylim(0, max(1.05, 1.05 * max(np.nanmax(table[name]) for name in efficiencies)))
        legend_beside(grid[1])
    return drawn


def pictures(run, options):
    for path in run.tables("far_field"):
        table = run.table(path)
        pattern = Pattern(table) if table is not None else None
        if pattern is None or pattern.quantity is None:
            continue
        name, (word, _) = name_of(path), WORDS[pattern.quantity]
        chosen = [at for at in pattern.few(options) if np.isfinite(pattern.grid[at]).any()]
        if not chosen:
            continue
        yield Picture(
            f"far_field_{name}",
            f"Far field {name}: {word}",
            "Far field",
            draw_cuts(pattern, chosen),
            f"Angles are theta, from the z axis. The centre is {FLOOR} dB below the outer circle.",
        )
        at = chosen[len(chosen) // 2]
        space = draw_space(pattern, at)
        if space is not None:
            frequency = handy(pattern.frequencies[at], "Hz")
            yield Picture(f"far_field_{name}_3d", f"Far field {name} in space, {frequency}", "Far field", space)
    for path in run.powers():
        table = run.table(path)
        if table is not None and len(table) > 1:
            name = name_of(path)[: -len("_powers")]
            yield Picture(
                f"far_field_{name}_powers", f"Far field {name} over the frequency", "Far field", draw_powers(table)
            )
