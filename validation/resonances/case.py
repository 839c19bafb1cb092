"""What output.resonances says of a box without losses and of a can, at several orders and fluxes. README.md says why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, ETA0, MU0

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Resonances and their doubts"
SIGMA = 9.5e5
RADIUS = HEIGHT = 0.03
THERE, Q_OFF = 5e-3, 0.1  # how far a line without doubt may be off: of the frequency, of Q


def box_modes():
    """[(name, Hz, Q)] of the box: nothing is lost."""
    edges, modes = np.array((0.05, 0.04, 0.03)), []
    for m in np.ndindex(4, 4, 4):
        if sum(i == 0 for i in m) <= 1:
            modes.append(("%d%d%d" % m, C0 / 2 * np.linalg.norm(np.array(m) / edges), np.inf))
    return modes


def can_modes():
    """Those of the can, of which Q is that of its walls (D. M. Pozar, Microwave Engineering, 4th ed., section 6.4)."""
    modes = []
    for name, n, root, l in (("TM010", 0, 2.404826, 0), ("TM110", 1, 3.831706, 0), ("TM011", 0, 2.404826, 1),
                             ("TE111", 1, 1.841184, 1), ("TE211", 2, 3.054237, 1)):
        beta = l * np.pi / HEIGHT
        k = np.hypot(root / RADIUS, beta)
        depth = np.sqrt(2 / (k * C0 * MU0 * SIGMA))
        if name.startswith("TM"):
            q = RADIUS / depth / (1 + (2 if l else 1) * RADIUS / HEIGHT)
        else:
            share = 1 - (n / root) ** 2
            q = (k * RADIUS) ** 3 * ETA0 * RADIUS * HEIGHT / (4 * root ** 2) * SIGMA * depth * share / (
                RADIUS * HEIGHT / 2 * (1 + (beta * RADIUS * n / root ** 2) ** 2) + (beta * RADIUS ** 2 / root) ** 2 * share)
        modes.append((name, k * C0 / (2 * np.pi) * (1 - 0.5 / q), q))
    return modes


def judge(table, run, what, modes):
    """Lines without doubt that are not there, or whose Q is wrong; and the names of the modes that a third of the records
    and more have. A mode that does not change along an axis is in three of six components."""
    sure = [line for line in run.summary["resonances"] if line["doubt"] is None]
    wrong = 0
    for line in sure:
        name, hertz, q = min(modes, key=lambda mode: abs(mode[1] - line["frequency"]))
        wrong += not (abs(line["frequency"] / hertz - 1) < THERE and abs(line["Q"] / q - 1) < Q_OFF)
    table.equal(f"{what}: lines without doubt that are not there, or whose Q is off by 10 %", wrong, 0)
    return sure, {name for name, hertz, _ in modes for line in run.summary["resonances"]
                  if 3 * line["seen"] > line["records"] and abs(line["frequency"] / hertz - 1) < THERE}


def run(context, table):
    panels = []
    for can, modes in ((0, box_modes()), (1, can_modes())):
        scene = "can" if can else "box"
        if context.full:
            cases = [(order, flux) for order in (2, 3, 4) for flux in (1, 0.5, 0.3, 0.1, 0)]
        else:
            cases = [(4, 0.3), (4, 0)] if can else [(2, 0.3), (3, 1), (3, 0)]

        def one(case, can=can, scene=scene):
            order, flux = case
            return context.run(SCRIPT, f"{scene}_{order}_{flux:g}", can=can, order=order, flux=flux, sigma=SIGMA,
                               stop=20e-9 if context.full else 8e-9)

        for (order, flux), result in zip(cases, context.each(one, cases)):
            what = f"{scene}, order {order}, flux {flux:g}"
            sure, found = judge(table, result, what, modes)
            table.note(f"{what}: lines, and those without doubt", f"{len(result.summary['resonances'])}, {len(sure)}")
            if flux >= 0.3 and order >= 3:  # or the test could pass with an empty list
                wanted = {"TM010", "TE111"} if can else {"110", "101", "011", "111", "210", "201", "120"}
                table.equal(f"{what}: modes in more than a third of the records", len(wanted & found), len(wanted))
            if can and flux >= 0.3 and order >= 4:
                q = [line["Q"] for line in sure if abs(line["frequency"] / modes[0][1] - 1) < THERE]
                table.near(f"{what}: Q of TM010, without doubt", q[0] if q else 0, modes[0][2], Q_OFF, "", 4)
            lines = result.summary["resonances"]
            panels.append((what, np.array([line["frequency"] for line in lines]) / 1e9,
                           np.array([line["doubt"] is None for line in lines])))
    curves = [(what, hertz, np.where(sure, 1.0, 0.5), "o") for what, hertz, sure in panels]
    picture = plots.lines(context.path("resonances.png"), [("lines", "frequency, GHz", "without doubt: 1", "linear", curves)], TITLE)
    return {"pictures": [picture], "text": "Every line is nearest to an exact mode or doubtful."}
