"""A plane wave on a half space, a slab and a lossy slab. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Plane wave on a half space and on slabs"
THICKNESS = 0.1
BAND = (0.1e9, 0.9e9)
SLABS = (("slab", 4.0, 0.0), ("lossy slab", 4.0, 0.02))
HALF_SPACE = ("half space", 4.0, 0.0)


def exact(epsilon, sigma, hertz):
    """Amplitudes reflected and transmitted by a slab in vacuum, from one face to the other."""
    index = np.sqrt(epsilon - 1j * sigma / (2 * np.pi * hertz * EPSILON0))
    r = (1 - index) / (1 + index)
    q = np.exp(-1j * index * 2 * np.pi * hertz / C0 * THICKNESS)
    return r * (1 - q**2) / (1 - r**2 * q**2), (1 - r**2) * q / (1 - r**2 * q**2)


def records(context, integrator, medium, behind):
    name, epsilon, sigma = medium
    given = {"order": 4 if context.full else 3, "size": 0.06 if context.full else 0.08, "integrator": integrator}
    # the same steps for all, so that records can be subtracted: those of the empty bar, with room for the others
    steps = context.step_to(SCRIPT, f"{integrator}_empty", 20e-9, 0.85, **given)
    run = context.run(SCRIPT, f"{integrator}_{name.replace(' ', '_')}", epsilon=epsilon, sigma=sigma, behind=behind,
                      **given, **steps)
    return run.probe("front"), run.probe("back")


def transform(time, values, hertz):
    return np.exp(-2j * np.pi * hertz[:, None] * time[None, :]) @ values * (time[1] - time[0])


def energies(context, table, integrator, empty):
    front, back = records(context, integrator, HALF_SPACE, 4.0)
    step = front["time"][1]
    incident = np.sum(empty[0]["Ez"] ** 2) * step
    reflected = np.sum((front["Ez"] - empty[0]["Ez"]) ** 2) * step
    table.near(f"half space, {integrator}: R", reflected / incident, 1 / 9, 1e-3)
    table.near(f"half space, {integrator}: T", 2 * np.sum(back["Ez"] ** 2) * step / incident, 8 / 9, 1e-3)


def slab(context, table, integrator, medium, empty):
    front, back = records(context, integrator, medium, 1.0)
    hertz = np.linspace(*BAND, 161)
    time = front["time"]
    incident = transform(time, empty[0]["Ez"], hertz)
    reflected = np.abs(transform(time, front["Ez"] - empty[0]["Ez"], hertz) / incident)
    transmitted = np.abs(transform(time, back["Ez"], hertz) / incident)
    r, t = exact(*medium[1:], hertz)
    table.at_most(f"{medium[0]}, {integrator}: largest error of |R|^2(f)", np.abs(reflected**2 - np.abs(r) ** 2).max(),
                  2e-3)
    table.at_most(f"{medium[0]}, {integrator}: largest error of |T|^2(f)",
                  np.abs(transmitted**2 - np.abs(t) ** 2).max(), 2e-3)
    return hertz / 1e9, reflected**2, transmitted**2, np.abs(r) ** 2, np.abs(t) ** 2


def run(context, table):
    panels = []
    for integrator in ("leapfrog", "lsrk"):
        empty = records(context, integrator, ("empty", 1.0, 0.0), 1.0)
        energies(context, table, integrator, empty)
        for medium in SLABS:
            f, R, T, r, t = slab(context, table, integrator, medium, empty)
            if integrator == "leapfrog":
                panels.append((f"{medium[0]}, epsilon_r = {medium[1]:g}, sigma = {medium[2]:g} S/m", "frequency, GHz",
                               "power", "linear", [("R exact", f, r, "k-"), ("T exact", f, t, "k--"),
                                                   ("R", f[::8], R[::8], "C0o"), ("T", f[::8], T[::8], "C1s")]))
    picture = plots.lines(context.path("plane_wave.png"), panels, "Reflection and transmission of slabs of 0.1 m")
    return {"pictures": [picture], "text": "Pulses through a bar that carries a plane wave; the slab is 0.1 m thick."}
