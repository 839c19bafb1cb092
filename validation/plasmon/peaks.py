#!/usr/bin/python3
"""The peaks of a run of case.lua with a sphere of 20 nm against Mie's series: peaks.py FOLDER. Ends with 1 if a frequency is off
by more than 0.3 % or a height by more than 1 %."""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "mie")]
import reference  # noqa: E402

RADIUS, C0 = 20e-9, 299792458.0
PEAKS = (("dipole", 1060e12, 1260e12), ("quadrupole", 1340e12, 1390e12))


def exact(hertz):
    """Q_ext of the sphere."""
    omega = 2 * np.pi * hertz
    index = np.sqrt(1 - 1.39e16 ** 2 / (omega ** 2 - 1j * omega * 3.23e13) + 0j)
    return reference.efficiencies(omega * RADIUS / C0, index if index.imag < 0 else -index)[1]


def peak(hertz, extinction):
    """Place and height: 1/Q of a resonance is a parabola."""
    k = extinction.argmax()
    step = hertz[k + 1] - hertz[k]
    curve = np.polyfit((hertz[k - 1:k + 2] - hertz[k]) / step, 1 / extinction[k - 1:k + 2], 2)
    at = -curve[1] / (2 * curve[0])
    return hertz[k] + at * step, 1 / np.polyval(curve, at)


def main(folder):
    powers = np.genfromtxt(os.path.join(folder, "far_field", "far_powers.csv"), delimiter=",", names=True)
    good = True
    for name, low, high in PEAKS:
        inside = (powers["frequency"] > low) & (powers["frequency"] < high)
        at, height = peak(powers["frequency"][inside], powers["extinction"][inside] / (np.pi * RADIUS ** 2))
        fine = np.arange(low, high, 0.1e12)
        true_at, true_height = peak(fine, np.array([exact(f) for f in fine]))
        off = at / true_at - 1, height / true_height - 1
        good = good and abs(off[0]) <= 3e-3 and abs(off[1]) <= 1e-2
        print(f"{name:10} {at / 1e12:9.2f} THz ({true_at / 1e12:.2f}, {100 * off[0]:+.3f} %), Q_ext {height:.3f} "
              f"({true_height:.3f}, {100 * off[1]:+.2f} %)")
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
