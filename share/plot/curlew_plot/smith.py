"""The Smith chart: reflections in the plane of S, with circles of constant resistance and reactance over the port's own."""

import numpy as np
from matplotlib.patches import Circle

from .style import figure, handy

LINES = (0.2, 0.5, 1, 2, 5)
GRID = {"color": "0.82", "linewidth": 0.8, "zorder": 0}


def impedance(reflection):
    with np.errstate(divide="ignore", invalid="ignore"):
        return (1 + reflection) / (1 - reflection)


def _arc(z):
    s = (z - 1) / (z + 1)
    return s.real, s.imag


def draw_grid(axes):
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.add_patch(Circle((0, 0), 1, fill=False, color="0.35", linewidth=1.0))
    axes.plot([-1, 1], [0, 0], **GRID)
    reach = np.concatenate([np.linspace(0, 1, 200), np.geomspace(1, 1e4, 200)])
    for value in LINES:
        axes.plot(*_arc(value + 1j * np.concatenate([-reach[::-1], reach])), **GRID)
        for sign in (1, -1):
            axes.plot(*_arc(reach + 1j * sign * value), **GRID)
            x, y = _arc(np.array(1j * sign * value))
            axes.text(
                1.08 * x,
                1.08 * y,
                f"{'+' if sign > 0 else '−'}j{value:g}",
                ha="center",
                va="center",
                fontsize=8,
                color="0.45",
            )
        x, y = _arc(np.array(value + 0j))
        axes.text(x + 0.01, y + 0.015, f"{value:g}", ha="left", va="bottom", fontsize=7.5, color="0.45")
    axes.text(-1.06, 0, "0", ha="center", va="center", fontsize=8, color="0.45")
    axes.text(1.06, 0, "∞", ha="center", va="center", fontsize=10, color="0.45")
    axes.set_xlim(-1.16, 1.16)
    axes.set_ylim(-1.16, 1.16)


def draw(frequency, entries):
    drawn = figure(7.0, 5.4)
    axes = drawn.subplots()
    draw_grid(axes)
    for name, values in entries.items():
        there = np.isfinite(values)
        if not there.any():
            continue
        f, s = frequency[there], values[there]
        best = int(np.argmin(np.abs(s)))
        z = impedance(s[best])
        text = f"{name}: least {20 * np.log10(max(abs(s[best]), 1e-20)):.1f} dB\nat {handy(f[best], 'Hz')}\nz = {z.real:.3g} {z.imag:+.3g}j"
        (line,) = axes.plot(s.real, s.imag, label=text, linewidth=1.7)
        colour = line.get_color()
        axes.plot(s.real[0], s.imag[0], "o", color=colour, markersize=5)
        axes.plot(s.real[-1], s.imag[-1], "x", color=colour, markersize=7, markeredgewidth=1.8)
        axes.plot(s.real[best], s.imag[best], "o", markerfacecolor="white", markeredgecolor=colour, markersize=6)
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0, handlelength=1.4, labelspacing=1.0)
    return drawn
