"""A plane wave meets slabs of dispersive media: reflection and transmission. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0, ETA0

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Slabs of dispersive media"
MARKS = {"leapfrog": "C0o", "lsrk": "C1x", "rk4": "C2+"}


def drude(s, omega_p, gamma):
    return omega_p ** 2 / (s * (s + gamma))


def lorentz(s, delta, omega_0, gamma):
    return delta * omega_0 ** 2 / (omega_0 ** 2 + gamma * s + s ** 2)


# The permittivity at s = j omega and the permeability, the unit of lengths, and the frequencies that are compared: the same as in case.lua.
MEDIA = {
    "plasma": (lambda s: 1 + drude(s, 2 * np.pi * 28.7e9, 2e10), lambda s: 1, 1e-3, np.array([10e9, 28.7e9, 40e9, 60e9])),
    "lorentz": (lambda s: 1 + lorentz(s, 1.25, 4e16, 5.6e15), lambda s: 1, 50e-9 / 15, np.array([1e15, 3e15, 4e15])),
    "magnetic": (lambda s: 2 + drude(s, 5e10, 2e10), lambda s: 1 + lorentz(s, 1.25, 2.5e11, 4e10) + drude(s, 8e10, 3e10),
                 1e-3, np.array([10e9, 20e9, 30e9])),
    "mixture": (lambda s: 2 + 0.2 / (EPSILON0 * s) + drude(s, 1e11, 4e10) + 1 / (1 + 5e-12 * s) + 2 / (1 + 2e-11 * s) +
                lorentz(s, 0.5, 2.5e11, 5e10), lambda s: 1, 1e-3, np.array([10e9, 30e9, 60e9])),
}


def exact(epsilon, mu, thickness, hertz):
    """R at the front face and T through the slab, complex."""
    omega = 2 * np.pi * hertz
    electric, magnetic = epsilon(1j * omega) + 0j, mu(1j * omega) + 0j
    n = np.sqrt(electric) * np.sqrt(magnetic)  # e^{jwt}: both have an imaginary part below zero, and so has n
    n = np.where(n.imag > 0, -n, n)
    z = magnetic / n
    r = (z - 1) / (z + 1)
    delay = np.exp(-1j * omega * n * thickness / C0)
    below = 1 - r ** 2 * delay ** 2
    return r * (1 - delay ** 2) / below, (1 - r ** 2) * delay / below


def measured(run, unit, hertz):
    """|R| and |T|: E = f + b and -eta0 Hy = f - b of the waves that come and go at a point."""
    waves = []
    for name in ("front", "behind"):
        record = run.probe(name)
        kernel = np.exp(-2j * np.pi * hertz[:, None] * record["time"][None, :])
        waves.append([kernel @ (record["Ez"] - sign * ETA0 * record["Hy"]) for sign in (1, -1)])
    (coming, going), (through, _) = waves
    return np.abs(going / coming), np.abs(through / coming)


def run(context, table):
    def one(case):
        medium, integrator = case
        _, _, unit, hertz = MEDIA[medium]
        run = context.run(SCRIPT, f"{medium}_{integrator}", medium=medium, integrator=integrator, order=4)
        energy = run.energy()["total"]
        shown = np.linspace(0.15, 1.1, 40) * hertz[-1]
        return measured(run, unit, hertz), measured(run, unit, shown), np.diff(energy[energy.argmax():]).max() / energy.max()

    cases = [(medium, integrator) for medium in MEDIA for integrator in list(MARKS)[:3 if context.full else 1]]
    panels = {}
    for (medium, integrator), (values, drawn, rise) in zip(cases, context.each(one, cases)):
        epsilon, mu, unit, hertz = MEDIA[medium]
        shown = np.linspace(0.15, 1.1, 40) * hertz[-1]
        truth = [np.abs(x) for x in exact(epsilon, mu, 15 * unit, hertz)]
        for name, value, true in zip("RT", values, truth):
            for k, frequency in enumerate(hertz):
                table.near(f"{medium}, {integrator}: |{name}| at {frequency:g} Hz", value[k], true[k], 2e-3, "", 6)
        table.at_most(f"{medium}, {integrator}: largest rise of the energy behind its maximum", rise, 0)
        curves = panels.setdefault(medium, [
            (f"|{name}| exact", shown / 1e9, np.abs(x), style)
            for name, x, style in zip("RT", exact(epsilon, mu, 15 * unit, shown), ("k-", "k--"))])
        curves += [(f"|{name}| {integrator}", shown / 1e9, x, MARKS[integrator]) for name, x in zip("RT", drawn)]
    picture = plots.lines(context.path("dispersive.png"),
                          [(f"slab: {medium}", "frequency, GHz", "", "linear", curves)
                           for medium, curves in panels.items()], "A plane wave on slabs of dispersive media")
    return {"pictures": [picture], "text": "From E and H at one point in front of the slab and one behind it."}
