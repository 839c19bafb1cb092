"""Impedances and losses of TEM lines against conformal maps. README.md says what and why."""
import math
import os
import re

from lib.runner import RunFailed

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Impedance of lines"
ETA0 = 376.730313668


def integral(k):
    """The complete elliptic integral K of the modulus k, by the arithmetic-geometric mean."""
    a, b = 1, math.sqrt(1 - k * k)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def of_modulus(k):
    """A line whose quarter is K(k') over K(k)."""
    return ETA0 / 4 * integral(math.sqrt(1 - k * k)) / integral(k)


# The whole line, and what share of it the drawn quarter is.
LINES = {
    "square": ("square coax 2:1", ETA0 / 10.2341, 4),
    "strip": ("strip line, W = B", of_modulus(math.tanh(math.pi / 2)), 4),
    "coplanar": ("coplanar line between plates", of_modulus(math.tanh(math.pi / 4) / math.tanh(math.pi / 2)), 4),
    "wires": ("two wires, 2 S = 4 A", ETA0 / math.pi * math.acosh(2), 2),
}


def wire_shape(a=1e-3, S=2e-3):
    """R'/Rs, 1/m, of the quarter of two wires: H on the wire is as 1/(S - a cos t), t = 0 towards the other wire, and the arc
    ends at cos t = a/S, on the circle through the foci. The integral of H^2 over the square of that of H."""
    c, end = math.sqrt(S * S - a * a), math.acos(a / S)
    first = 2 / c * math.atan(math.sqrt((S + a) / (S - a)) * math.tan(end / 2))
    second = (S * first + a * math.sin(end) / (S - a * math.cos(end))) / c**2
    return second / (a * first**2)


def impedance(context, line, **defines):
    """What the port says of itself, and what it says of this mesh, and of its losses."""
    run = context.run(SCRIPT, line, line=line, **defines)
    with open(os.path.join(run.folder, "log.txt"), encoding="utf-8") as file:
        found = re.search(r"'near':.*?: ([0-9.]+) ohm.*\(on this mesh ([0-9.]+) ohm", file.read())
    if found is None:
        raise RunFailed(f"the log of '{line}' has no impedance")
    return float(found.group(1)), float(found.group(2)), run.summary["ports"][0]["losses"]


def run(context, table):
    for line, (name, exact, share) in LINES.items():
        own, coarse, _ = impedance(context, line)
        table.near(f"{name}, impedance", own / share, exact, 1e-4, "ohm", 6)
        table.near(f"{name}, impedance on the mesh of the run", coarse / share, exact, 2e-2, "ohm", 6)
        filled, _, losses = impedance(context, line, epsilon=4, sigma=0.01)
        table.near(f"{name}, in epsilon_r = 4", filled / share, exact / 2, 1e-4, "ohm", 6)
        table.near(f"{name}, with 0.01 S/m", losses["media_db_per_m"], 10 / math.log(10) * 0.01 * ETA0 / 2, 1e-6, "dB/m", 6)
    losses = impedance(context, "wires", metal="copper")[2]
    table.near("two wires, R'/Rs of the wire", losses["walls"][0]["shape"], wire_shape(), 1e-3, "1/m", 6)
    return {"pictures": [], "text": "The port's own potential, before the first step; singular edges are refined by it."}
