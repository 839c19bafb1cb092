"""A small Drude sphere in a plane wave against Mie's series. README.md says what and why."""
import os
import sys

import numpy as np

from lib import plots
from lib.runner import C0

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "mie"))
import reference  # noqa: E402

SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Extinction of a small metal sphere"
RADIUS = 50  # nm


def exact(hertz):
    """Q_sca and Q_ext of the sphere in case.lua."""
    omega = 2 * np.pi * hertz
    index = np.sqrt(1 - 1.39e16 ** 2 / (omega ** 2 - 1j * omega * 3.23e13) + 0j)
    return reference.efficiencies(omega * RADIUS * 1e-9 / C0, index if index.imag < 0 else -index)[:2]


def run(context, table):
    given = {"radius": RADIUS, "from": 900e12, "to": 1050e12, "points": 7, "stop": 25e-15}
    powers = context.run(SCRIPT, "sphere", **given).table("far_field", "far_powers")
    hertz, area = powers["frequency"], np.pi * (RADIUS * 1e-9) ** 2
    extinction, scattering = powers["extinction"] / area, powers["scattering"] / area
    truth = np.array([exact(f) for f in hertz])
    table.near("Q_ext at 1000 THz", extinction[np.abs(hertz - 1e15).argmin()], exact(1e15)[1], 1e-2, "", 5)
    table.at_most("Q_ext, 900 to 1050 THz, largest relative error", np.abs(extinction / truth[:, 1] - 1).max(), 0.01)
    table.at_most("Q_sca, 900 to 1050 THz, largest error over Q_ext",
                  np.abs((scattering - truth[:, 0]) / truth[:, 1]).max(), 0.01)
    shown = np.linspace(hertz[0], hertz[-1], 200)
    picture = plots.lines(context.path("plasmon.png"),
                          [(f"Drude sphere, {RADIUS} nm", "frequency, THz", "Q_ext", "linear",
                            [("Mie", shown / 1e12, np.array([exact(f)[1] for f in shown]), "k-"),
                             ("curlew", hertz / 1e12, extinction, "C0o")])], TITLE)
    return {"pictures": [picture], "text": "A quarter of the room with two planes of images; poles in curved elements."}
