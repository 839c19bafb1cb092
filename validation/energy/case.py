"""Energy: conserved, never made, and lost at the right rate. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Energy"
W0 = C0 * np.pi * np.sqrt(2)  # mode (1,1,0)
GAMMA = 0.05 * W0  # sigma / epsilon of the lossy box: the energy falls to 1/e in about three periods


def conserved(context, table):
    """Leapfrog with the centered flux keeps its discrete energy, whatever the fields."""
    order, size = (3, 0.35) if context.full else (2, 0.4)
    curves = []
    for field in ("mode", "noise"):
        run = context.run(SCRIPT, f"conserved_{field}", field=field, order=order, size=size, flux=0, steps=20000)
        energy = run.energy()
        drift = np.abs(energy["total"] / energy["total"][0] - 1)
        table.equal(f"leapfrog, centered, {field}: last step", int(energy["step"][-1]), 20000)
        table.at_most(f"leapfrog, centered, {field}: largest relative change of energy", drift.max(), 1e-11)
        # the magnetic part must come and go, or nothing moved
        exchange = np.ptp(energy["magnetic"]) / energy["total"][0]
        table.at_least(f"leapfrog, centered, {field}: exchange between E and H", exchange,
                       0.9 if field == "mode" else 1e-3)
        curves.append((field, energy["step"], drift + 1e-17, "-"))
    return ("leapfrog, centered: relative change of energy", "step", "", "log", curves)


def never_made(context, table):
    """With the upwind flux no step may add energy."""
    steps = 20000 if context.full else 3000
    curves = []
    for integrator in ("leapfrog", "rk4", "lsrk"):
        for field in ("mode", "noise"):
            run = context.run(SCRIPT, f"upwind_{integrator}_{field}", field=field, order=2, size=0.4, flux=1,
                              integrator=integrator, steps=steps if integrator == "leapfrog" else steps // 5, every=1)
            energy = run.energy()
            total = energy["total"] / energy["total"][0]
            table.at_most(f"{integrator}, upwind, {field}: largest gain in a step", np.diff(total).max(), 1e-14)
            table.at_most(f"{integrator}, upwind, {field}: energy kept at the end", total[-1], 1 - 1e-9)
            curves.append((f"{integrator}, {field}", energy["step"] + 1, total, "-" if field == "noise" else "--"))
    return ("upwind: energy over the initial one", "step", "", "log", curves)


def lossy_energy(time):
    """Energy of mode (1,1,0) over the initial one when H = 0 at t = 0. With E = a(t) e and eta0 H = b(t) h,
        a' = w0 b - g a,   b' = -w0 a,   g = sigma / epsilon,   hence   a'' + g a' + w0^2 a = 0,
    a(0) = 1, b(0) = 0, and the energy is proportional to a^2 + b^2."""
    w = np.sqrt(W0**2 - GAMMA**2 / 4)
    decay = np.exp(-GAMMA * time / 2)
    a = decay * (np.cos(w * time) - GAMMA / (2 * w) * np.sin(w * time))
    b = -decay * W0 / w * np.sin(w * time)
    return a * a + b * b


def period_means(time, energy, first, period):
    """Means of energy exp(g t) over [first, first + period], by Simpson's rule on a cubic through the samples."""
    fine = np.linspace(first, first + period, 401)
    at = np.clip(np.searchsorted(time, fine), 2, len(time) - 2)
    value = np.zeros_like(fine)
    for i in range(-2, 2):  # Lagrange's cubic through the four samples around
        factor = np.ones_like(fine)
        for j in range(-2, 2):
            if i != j:
                factor *= (fine - time[at + j]) / (time[at + i] - time[at + j])
        value += factor * energy[at + i]
    weight = np.ones_like(fine)
    weight[1:-1:2], weight[2:-1:2] = 4, 2
    return (value * weight).sum() / weight.sum()


def lossy(context, table):
    """E and H exchange energy with period pi / w, and energy * exp(g t) has exactly that period; so means over one such
    period fall exactly as exp(-g t)."""
    order, size = (4, 0.35) if context.full else (3, 0.35)
    period = np.pi / np.sqrt(W0**2 - GAMMA**2 / 4)
    curves = []
    for integrator in ("leapfrog", "lsrk"):
        for flux in (1, 0):
            run = context.run(SCRIPT, f"lossy_{integrator}_{flux}", field="mode", order=order, size=size, flux=flux,
                              integrator=integrator, sigma=GAMMA * EPSILON0, stop=20.5 * period, every=1)
            energy = run.energy()
            time, total = energy["time"], energy["total"] / energy["total"][0]
            early, late = (period_means(time, total, n * period, period) for n in (0.2, 19.2))
            rate = np.log(early / late) / (19 * period)
            name = f"lossy, {integrator}, {'upwind' if flux else 'centered'}"
            table.near(f"{name}: decay rate of energy, 1/us", rate / 1e6, GAMMA / 1e6, 1e-3, "", 4)
            deviation = np.abs(total / lossy_energy(time) - 1).max()
            table.at_most(f"{name}: energy against the closed form, any time", deviation, 0.002)
            curves.append((name, time * 1e9, total, "-"))
    curves.append(("closed form", time * 1e9, lossy_energy(time), "k:"))
    return ("lossy box: energy over the initial one", "time, ns", "", "log", curves)


def run(context, table):
    parts = context.each(lambda part: part(context, table), (lossy, never_made, conserved))
    picture = plots.lines(context.path("energy.png"), parts[::-1], "Energy of fields in the unit cube")
    return {"pictures": [picture],
            "text": "Noise is another random number at every node: fields that no mesh resolves. "
                    "The lossy box has sigma / (epsilon w0) = 0.05."}
