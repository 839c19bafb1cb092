"""A Hertzian dipole in free space against its closed form. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Hertzian dipole"
SOURCE = np.array([0.011, -0.007, 0.005])
PROBES = {"side": (0.3, 0, 0), "slant": (0.15, 0.2, 0.15), "above": (0.05, -0.1, 0.28)}
TAU = 1 / (np.sqrt(2) * np.pi * 0.9e9)  # waveform.differentiated_gaussian { f_peak = 0.9e9 }
T0, RADIUS = 5 * TAU, 0.6
PEAK = np.sqrt(2 * np.e)  # makes the largest value of the differentiated Gaussian 1


def moment(t):
    """Dipole moment p (C m) along z, and its first and second derivative: p' is the current element."""
    u = (t - T0) / TAU
    gauss = np.exp(-u * u)
    return 0.5 * PEAK * TAU * gauss, -PEAK * u * gauss, -PEAK * (1 - 2 * u * u) * gauss / TAU


def closed_form(at, time):
    """E and H of a point dipole along z at all times; source: J. D. Jackson, Classical Electrodynamics, 3rd ed.,
    section 9.2, with the retarded moment in place of exp(-i omega t)."""
    offset = np.array(at) - SOURCE
    r = np.linalg.norm(offset)
    n = offset / r
    z = np.array([0, 0, 1.0])
    p, dp, ddp = moment(time - r / C0)
    near, far = p / r**3 + dp / (C0 * r**2), ddp / (C0**2 * r)
    E = (np.outer(near, 3 * n * n[2] - z) + np.outer(far, n * n[2] - z)) / (4 * np.pi * EPSILON0)
    H = np.outer(dp / r**2 + ddp / (C0 * r), np.cross(z, n)) / (4 * np.pi)
    return E, H


def echo(at, size):
    """When the first wave that has touched the wall, facets with edges up to `size`, can be back."""
    wall = RADIUS - size**2 / (2 * RADIUS)  # a chord of a triangle's circle; the sagitta is at most this
    return (2 * wall - np.linalg.norm(SOURCE) - np.linalg.norm(at)) / C0


def run(context, table):
    panels = []
    for integrator in ("leapfrog", "lsrk"):
        order, size, outer, bound = (4, 0.065, 0.14, 0.01) if context.full else (3, 0.075, 0.15, 0.025)
        result = context.run(SCRIPT, integrator, order=order, size=size, outer=outer, integrator=integrator)
        for name, at in PROBES.items():
            record = result.probe(name)
            time = record["time"]
            E, H = closed_form(at, time)
            measured_E = np.stack([record[c] for c in ("Ex", "Ey", "Ez")], axis=1)
            measured_H = np.stack([record[c] for c in ("Hx", "Hy", "Hz")], axis=1)
            before = time < echo(at, outer)  # the waveform has no start, its first values count as nothing
            for field, got, exact in (("E", measured_E, E), ("H", measured_H, H)):
                error = np.abs(got - exact)[before].max() / np.abs(exact).max()
                table.at_most(f"{integrator}, probe '{name}': largest error of {field} over its peak", error, bound)
            if integrator == "leapfrog":
                c = int(np.argmax(np.abs(E).max(axis=0)))
                panels.append((f"probe '{name}'", "time, ns", f"E{'xyz'[c]}, V/m", "linear",
                               [("closed form", time * 1e9, E[:, c], "k-"),
                                ("curlew", time[::18] * 1e9, measured_E[::18, c], "C0o"),
                                ("echo of the wall", [echo(at, outer) * 1e9] * 2, [E[:, c].min(), E[:, c].max()],
                                 "C3--")]))
    picture = plots.lines(context.path("dipole.png"), panels, "Hertzian dipole of 1 A m, leapfrog")
    return {"pictures": [picture], "text": "Pulse of a point dipole in a ball of 0.6 m radius; errors until the echo "
                                           "of its surface can arrive."}
