"""A plane wave meets water, a Debye medium: the reflection factor. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Plane wave on a Debye half space"
HERTZ = np.array([1e9, 10e9, 40e9])
SHOWN = np.linspace(1e9, 50e9, 50)
MARKS = {"leapfrog": "C0o", "lsrk": "C1x", "rk4": "C2+"}


def exact(hertz):
    """|R| = |(1 - sqrt(epsilon))/(1 + sqrt(epsilon))|."""
    root = np.sqrt(1.8 + 79.2 / (1 + 2j * np.pi * hertz * 9.4e-12))
    return np.abs((1 - root) / (1 + root))


def measured(run, hertz):
    """E = f + b and -eta0 Hy = f - b of the waves that come and go at one point."""
    record = run.probe("front")
    kernel = np.exp(-2j * np.pi * hertz[:, None] * record["time"][None, :])
    coming, going = (kernel @ (record["Ez"] - sign * ETA0 * record["Hy"]) for sign in (1, -1))
    return np.abs(going / coming)


def run(context, table):
    def one(integrator):
        run = context.run(SCRIPT, integrator, integrator=integrator, order=4 if context.full else 2)
        energy = run.energy()["total"]
        return measured(run, HERTZ), measured(run, SHOWN), np.diff(energy[energy.argmax():]).max() / energy.max()

    integrators = list(MARKS)[:3 if context.full else 2]
    curves = [("exact", SHOWN / 1e9, exact(SHOWN), "k-")]
    for integrator, (three, shown, rise) in zip(integrators, context.each(one, integrators)):
        for hertz, value, true in zip(HERTZ, three, exact(HERTZ)):
            table.near(f"{integrator}: |R| at {hertz / 1e9:g} GHz", value, true, 2e-3, "", 6)
        table.at_most(f"{integrator}: largest rise of the energy behind its maximum", rise, 0)
        curves.append((integrator, SHOWN / 1e9, shown, MARKS[integrator]))
    picture = plots.lines(context.path("debye.png"), [("|R| of water", "frequency, GHz", "", "linear", curves)],
                          "A plane wave on a half space of water")
    return {"pictures": [picture], "text": "From E and H at one point in front of the water, 2.1 mm away."}
