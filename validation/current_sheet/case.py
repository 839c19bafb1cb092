"""A sheet of current between two media. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Sheet of current"
TAU = 0.3e-9  # waveform.gaussian of the script, whose t0 is 5 tau
X = (-0.12, -1e-6, 1e-6, 0.12)
MEDIA = ((1.0, 1.0), (1.0, 4.0))
MORE_MEDIA = ((9.0, 2.25), (1.0, 12.0))  # only in the full version
BOUND = 1e-3


def exact(epsilon, x, time):
    """Ez and Hy of a sheet K(t) along z at x = 0: E is continuous, H2y - H1y = K, and on each side a wave runs away."""
    Z = [ETA0 / np.sqrt(e) for e in epsilon]
    side = 1 if x > 0 else 0
    u = (time - abs(x) * np.sqrt(epsilon[side]) / C0 - 5 * TAU) / TAU
    E = -Z[0] * Z[1] / (Z[0] + Z[1]) * np.exp(-u * u)
    return E, (-1 if side else 1) * E / Z[side]


def run(context, table):
    every = MEDIA + MORE_MEDIA if context.full else MEDIA
    panels, jobs = [], [(media, integrator) for media in every for integrator in ("leapfrog", "lsrk")]

    def one(job):
        (left, right), integrator = job
        order, size = (5, 0.03) if context.full else (4, 0.04)
        return context.run(SCRIPT, f"{integrator}_{left:g}_{right:g}", left=left, right=right, integrator=integrator,
                           order=order, size=size, stop=5.2e-9 if context.full else 4.2e-9)

    for (media, integrator), result in zip(jobs, context.each(one, jobs)):
        head = f"epsilon_r {media[0]:g} | {media[1]:g}, {integrator}"
        records = [result.probe(f"at{i + 1}") for i in range(len(X))]
        time = records[0]["time"]
        fields = [exact(media, x, time) for x in X]
        for field, index in (("Ez", 0), ("Hy", 1)):
            error = [np.abs(record[field] - truth[index]).max() / np.abs(truth[index]).max()
                     for record, truth in zip(records, fields)]
            table.at_most(f"{head}: error of {field} 0.12 m away, over its peak", max(error[0], error[3]), BOUND)
            table.at_most(f"{head}: error of {field} beside the sheet", max(error[1], error[2]), BOUND)
        jump = records[2]["Hy"] - records[1]["Hy"]
        K = np.exp(-(((time - 5 * TAU) / TAU) ** 2))
        table.at_most(f"{head}: error of the jump of Hy, A/m of 1", np.abs(jump - K).max(), BOUND)
        if integrator == "leapfrog" and len(panels) < 3:
            curves = []
            for i, colour in ((0, "C0"), (1, "C1"), (3, "C2")):
                curves += [("exact" if i == 0 else "_", time * 1e9, fields[i][0], "k-"),
                           (f"x = {X[i]:g} m", time[::12] * 1e9, records[i]["Ez"][::12], colour + "o")]
            panels.append((f"epsilon_r = {media[0]:g} | {media[1]:g}", "time, ns", "Ez, V/m", "linear", curves))
    picture = plots.lines(context.path("current_sheet.png"), panels,
                          "Waves of a sheet of 1 A/m at x = 0, leapfrog")
    return {"pictures": [picture], "text": "Errors are the largest of the whole record, over the largest exact value."}
