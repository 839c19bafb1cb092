"""Where the power of a wave goes that meets a lossy block. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Power lost in a lossy block"
WIDTH, THICKNESS = 0.06, 0.1
TAU = 1 / (np.pi * 0.6e9)  # waveform.ricker { f_peak = 0.6e9 }
BLOCKS = (("slab", 1.0, 4.0, 0.05), ("brick", 0.5, 4.0, 0.2))
BOUND = 5e-3


def ricker(time):
    u = ((time - 5 * TAU) / TAU) ** 2
    return (1 - 2 * u) * np.exp(-u)


def incident_energy():
    """J through the bar: the integral of w^2 is 3/4 sqrt(pi/2) tau for w = (1 - 2 u^2) exp(-u^2)."""
    return WIDTH**2 / ETA0 * 0.75 * np.sqrt(np.pi / 2) * TAU


def absorbed_fraction(epsilon, sigma):
    """Of the pulse's energy, what a slab keeps: 1 - |R|^2 - |T|^2 with Airy's formulas, weighted with the pulse's
    spectrum f^2 exp(-(pi tau f)^2)."""
    hertz = np.linspace(1e6, 5e9, 20000)
    index = np.sqrt(epsilon - 1j * sigma / (2 * np.pi * hertz * EPSILON0))
    r = (1 - index) / (1 + index)
    q = np.exp(-1j * index * 2 * np.pi * hertz / C0 * THICKNESS)
    R, T = r * (1 - q**2) / (1 - r**2 * q**2), (1 - r**2) * q / (1 - r**2 * q**2)
    weight = hertz**4 * np.exp(-2 * (np.pi * TAU * hertz) ** 2)
    return np.sum((1 - np.abs(R) ** 2 - np.abs(T) ** 2) * weight) / np.sum(weight)


def integral(time, values):
    """From the first time to each, by the trapezoidal rule."""
    return np.concatenate([[0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(time))])


def run(context, table):
    panels = []
    jobs = [(block, integrator) for block in BLOCKS for integrator in ("leapfrog", "lsrk")]

    def one(job):
        (name, fill, epsilon, sigma), integrator = job
        order, size = (4, 0.03) if context.full else (3, 0.04)
        return context.run(SCRIPT, f"{integrator}_{name}", fill=fill, epsilon=epsilon, sigma=sigma,
                           integrator=integrator, order=order, size=size)

    for ((name, _, epsilon, sigma), integrator), result in zip(jobs, context.each(one, jobs)):
        head = f"{name}, {integrator}"
        left, entering, leaving, right = (result.table("fluxes", surface) for surface in ("left", "in", "out", "right"))
        loss, energy, time = result.table("losses", "block"), result.energy(), left["time"]
        lost = integral(time, loss["power"])
        # over all time, between the two planes around the block: nothing stays there
        net = integral(time, entering["power"] - leaving["power"])
        table.near(f"{head}: energy lost over net energy that entered", lost[-1] / net[-1], 1, BOUND)
        table.note(f"{head}: of the incident energy, lost", lost[-1] / incident_energy())
        if name == "slab":
            table.near(f"{head}: energy lost, of the incident one", lost[-1] / incident_energy(),
                       absorbed_fraction(epsilon, sigma), BOUND)
        # at every time, in the whole bar: dW/dt + loss + what leaves = 0, and its integral
        power = left["power"] - right["power"] - loss["power"]
        scale = np.abs(left["power"]).max()
        growth = (energy["total"][2:] - energy["total"][:-2]) / (time[2:] - time[:-2])
        table.at_most(f"{head}: largest |dW/dt + loss + outflow|, of the peak power",
                      np.abs(growth - power[1:-1]).max() / scale, BOUND)
        table.at_most(f"{head}: largest |W + integral of loss and outflow|, of all energy",
                      np.abs(energy["total"] - energy["total"][0] - integral(time, power)).max() / incident_energy(),
                      BOUND)
        if integrator == "leapfrog":
            skip = slice(None, None, max(1, len(time) // 80))
            ns, scale = time * 1e9, 1e15
            panels.append((f"{name}: epsilon_r = {epsilon:g}, sigma = {sigma:g} S/m", "time, ns", "energy, fJ",
                           "linear",
                           [("incident, exact", ns, scale * WIDTH**2 / ETA0 * integral(time, ricker(time) ** 2), "k:"),
                            ("entered in front minus left behind", ns, scale * net, "k-"),
                            ("lost in the block", ns[skip], scale * lost[skip], "C0o"),
                            ("in the whole bar", ns, scale * energy["total"], "C2-")]))
    picture = plots.lines(context.path("power.png"), panels, "Energy of a pulse that meets a lossy block, leapfrog")
    return {"pictures": [picture],
            "text": "Poynting fluxes through the planes 0.05 m in front of and behind the block and through the ends "
                    "of the bar, Joule losses, and the energy of the fields."}
