"""A coaxial line: impedance, and reflectometry of its loads. README.md says what and why."""
import os

import numpy as np
from math import gamma

from lib import plots
from lib.runner import C0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Coaxial line and time-domain reflectometry"
INNER, OUTER, LENGTH, POSITION, RISE = 1.00e-3, 2.30e-3, 20e-3, 8e-3, 40e-12
IMPEDANCE = ETA0 / (2 * np.pi) * np.log(OUTER / INNER)  # 49.940 ohm
LOADS = (("open", 1.0), ("short", -1.0), ("resistor", (25 - IMPEDANCE) / (25 + IMPEDANCE)))
BOUND = 1e-2


def polygonal(corners):
    """Impedance between regular polygons whose corners lie on the circles: their radii count as the outer and the
    inner conformal radius (G. Polya, G. Szego, Isoperimetric Inequalities in Mathematical Physics); the corners
    of one act on the other as (INNER/OUTER)^corners, that is not at all."""
    n = corners
    side = 2 * np.sin(np.pi / n)
    inner = gamma(1 / n) * side / (2 ** (1 + 2 / n) * np.sqrt(np.pi) * gamma(0.5 + 1 / n))
    outer = n * gamma(1 - 1 / n) / (gamma(1 / n) * gamma(1 - 2 / n))
    return ETA0 / (2 * np.pi) * np.log(OUTER * outer / (INNER * inner))


def crossing(time, values, level):
    """When `values` first pass `level`, between samples by a straight line."""
    above = values > level if level > 0 else values < level
    i = int(np.argmax(above))
    return time[i - 1] + (level - values[i - 1]) / (values[i] - values[i - 1]) * (time[i] - time[i - 1])


def mean(time, values, begin, end):
    return values[(time > begin) & (time < end)].mean()


def run(context, table):
    corners, order, across, along = (24, 3, 3, 12) if context.full else (16, 2, 2, 10)
    jobs = [(load, integrator) for load in LOADS for integrator in ("leapfrog", "lsrk")]

    def one(job):
        (load, _), integrator = job
        return context.run(SCRIPT, f"{integrator}_{load}", load=load, integrator=integrator, corners=corners,
                           order=order, across=across, along=along)

    # at the cross section where V and I are measured: the step has come, its echo has come
    there, echo = POSITION / C0, (2 * LENGTH - POSITION) / C0
    panels = {}
    for ((load, reflection), integrator), result in zip(jobs, context.each(one, jobs)):
        head = f"{load}, {integrator}"
        V, I = result.table("voltages", "corner"), result.table("currents", "inner")["current"]
        time, V, side = V["time"], V["voltage"], result.table("voltages", "side")["voltage"]
        before, after = (there + RISE, echo), (echo + 1.1 * RISE, time[-1] + 1)
        Z = mean(time, V, *before) / mean(time, I, *before)
        table.near(f"{head}: impedance V/I", Z, IMPEDANCE, 5e-3, "ohm", 3)
        table.near(f"{head}: V/I, of the polygonal line", Z, polygonal(corners), 1e-3, "ohm", 3)
        table.near(f"{head}: voltage of the step", mean(time, V, *before), 1, 2e-3, "V", 5)
        table.at_most(f"{head}: voltages along two paths, largest difference, V", np.abs(V - side).max(), BOUND)
        forward, back = (V + IMPEDANCE * I) / 2, (V - IMPEDANCE * I) / 2
        got = mean(time, back, *after) / mean(time, forward, *after)
        table.near(f"{head}: reflection coefficient", got, reflection, BOUND, "", 4)
        delay = crossing(time, back, reflection / 2) - crossing(time, forward, 0.5)
        table.near(f"{head}: delay there and back, {2e3 * (LENGTH - POSITION):.0f} mm", 1e12 * delay,
                   2e12 * (LENGTH - POSITION) / C0, BOUND, "ps", 3)
        port = result.table("ports", "near")
        delay = (crossing(port["time"], port["reflected"], reflection / 2) -
                 crossing(port["time"], port["incident"], 0.5))
        table.near(f"{head}: delay at the port, 2L/c", 1e12 * delay, 2e12 * LENGTH / C0, BOUND, "ps", 3)
        level = port["reflected"][-1] / port["incident"][-1]
        table.near(f"{head}: reflected over incident at the port", level, reflection, BOUND, "", 4)
        if integrator == "leapfrog":
            step = lambda t: np.where(t < 0, 0, np.where(t > RISE, 1, (1 - np.cos(np.pi * t / RISE)) / 2))  # noqa: E731
            exact = step(time - there) + reflection * step(time - echo)
            skip = slice(None, None, max(1, len(time) // 60))
            panels[load] = (f"{load}, reflection {reflection:.4f}", "time, ps", "V", "linear",
                            [("exact", time * 1e12, exact, "k-"),
                             ("V at z = 8 mm", time[skip] * 1e12, V[skip], "C0o"),
                             ("49.94 ohm times I", time[skip] * 1e12, IMPEDANCE * I[skip], "C1s"),
                             ("reflected, at the port", port["time"] * 1e12, port["reflected"], "C2-")])
    result = context.run(SCRIPT, "round", load="open", corners=corners, order=order, across=across, along=along, round=1)
    V, I = result.table("voltages", "corner"), result.table("currents", "inner")["current"]
    time, V = V["time"], V["voltage"]
    Z = mean(time, V, there + RISE, echo) / mean(time, I, there + RISE, echo)
    table.near("round conductors, curved elements: impedance V/I", Z, IMPEDANCE, 5e-4, "ohm", 3)
    picture = plots.lines(context.path("coax.png"), list(panels.values()),
                          "Reflectometry of a coaxial line 1.00/2.30 mm, 20 mm long, leapfrog")
    return {"pictures": [picture],
            "text": f"Conductors with {corners} corners. V is the integral of E from conductor to conductor, I that of "
                    "H around the inner one, both 8 mm behind the port."}
