"""The plasmons of a small Drude sphere in a plane wave against Mie's series. README.md says what and why."""
import os
import sys

import numpy as np

from lib import plots
from lib.runner import C0

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "mie"))
import reference  # noqa: E402

SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Plasmons of a small sphere"
PEAKS = ((1060e12, 1260e12), (1340e12, 1390e12))  # where the two peaks of a sphere of 20 nm are looked for


def exact(hertz, radius):
    """Q_sca and Q_ext of the sphere in case.lua."""
    omega = 2 * np.pi * hertz
    index = np.sqrt(1 - 1.39e16 ** 2 / (omega ** 2 - 1j * omega * 3.23e13) + 0j)
    return reference.efficiencies(omega * radius / C0, index if index.imag < 0 else -index)[:2]


def peak(hertz, extinction, low, high):
    """Place and height: 1/Q of a resonance is a parabola."""
    inside = (hertz > low) & (hertz < high)
    hertz, inverse = hertz[inside], 1 / extinction[inside]
    k = inverse.argmin()
    origin, scale = hertz[k], hertz[k + 1] - hertz[k]
    curve = np.polyfit((hertz[k - 1:k + 2] - origin) / scale, inverse[k - 1:k + 2], 2)
    at = -curve[1] / (2 * curve[0])
    return origin + at * scale, 1 / np.polyval(curve, at)


def run(context, table):
    radius = 20 if context.full else 50
    given = {"radius": radius, "order": 3, "C": 0.5, "S": 1.4, "R": 2.8, "H": 1.6}
    if context.full:
        given.update(precision="single", stop=320e-15)
    else:
        given.update({"from": 900e12, "to": 1050e12, "points": 7, "stop": 25e-15})
    done = context.run(SCRIPT, f"sphere_{radius}", **given)
    powers = done.table("far_field", "far_powers")
    hertz, area = powers["frequency"], np.pi * (radius * 1e-9) ** 2
    extinction, scattering = powers["extinction"] / area, powers["scattering"] / area
    truth = np.array([exact(f, radius * 1e-9) for f in hertz])
    if context.full:
        fine = np.arange(hertz[0], hertz[-1], 0.1e12)
        curve = np.array([exact(f, radius * 1e-9)[1] for f in fine])
        for name, (low, high) in zip(("dipole", "quadrupole"), PEAKS):
            at, height = peak(hertz, extinction, low, high)
            inside = (fine > low) & (fine < high)
            true = curve[inside].max()
            table.near(f"{name}: frequency of the peak of Q_ext, THz", at / 1e12, fine[inside][curve[inside].argmax()] / 1e12,
                       3e-3, "", 2)
            table.near(f"{name}: height of the peak of Q_ext", height, true, 1e-2, "", 4)
    else:
        table.at_most("50 nm, 900 to 1050 THz: Q_ext, largest relative error", np.abs(extinction / truth[:, 1] - 1).max(), 0.01)
    table.at_most(f"{radius} nm: Q_sca, largest error over Q_ext", np.abs((scattering - truth[:, 0]) / truth[:, 1]).max(),
                  0.05 if context.full else 0.01)
    shown = np.linspace(hertz[0], hertz[-1], 600)
    picture = plots.lines(context.path("plasmon.png"),
                          [(f"Drude sphere, {radius} nm", "frequency, THz", "Q_ext", "linear",
                            [("Mie", shown / 1e12, np.array([exact(f, radius * 1e-9)[1] for f in shown]), "k-"),
                             ("curlew", hertz / 1e12, extinction, "C0o")])], "Extinction of a small metal sphere")
    return {"pictures": [picture], "text": "A quarter of the room with two planes of images; curved elements."}
