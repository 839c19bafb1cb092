"""Finds the permittivity at which a box of 1 m rings at 100 MHz: an optimiser around runs.

    python3 share/python/examples/optimise.py [FOLDER]

A box that is filled with one medium rings at c0 sqrt(2) / (2 L sqrt(epsilon_r)) in its first mode, so that the answer is
known: epsilon_r = (c0 sqrt(2) / (2 L 100e6))^2 = 4.494. The optimiser is SciPy's where that is installed, else a golden
section. Runs are kept in the folder: a second start takes them from there.
"""
import math
import os
import sys

import curlew

HERE = os.path.dirname(os.path.abspath(__file__))
CAVITY = os.path.join(HERE, "..", "..", "..", "examples", "01_cavity", "cavity.lua")
WANTED = 100e6  # Hz


def frequency(epsilon, folder):
    """The strongest resonance of a run, Hz."""
    keys = {"materials.inside.epsilon_r": epsilon, "order": 2, "output.fields": None,
            "output.resonances.1.from": 60e6, "output.resonances.1.to": 180e6}
    point = curlew.sweep(CAVITY, [{"L": 1.0}], os.path.join(folder, f"{epsilon:.6f}"), set=keys)[0]
    if point.error is not None:
        raise point.error
    found = point.results.resonances
    return found["frequency"][found["amplitude"].argmax()]


def golden_section(f, low, high, tolerance):
    """The place of the smallest value of f between low and high."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    while high - low > tolerance:
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return (low + high) / 2


def minimise(f, low, high, tolerance):
    try:
        from scipy.optimize import minimize_scalar
    except ImportError:
        return golden_section(f, low, high, tolerance)
    return minimize_scalar(f, bounds=(low, high), method="bounded", options={"xatol": tolerance}).x


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "optimise"

    def miss(epsilon):
        f = frequency(round(float(epsilon), 6), folder)
        print(f"epsilon_r {epsilon:.6f}: {1e-6 * f:.4f} MHz")
        return abs(f - WANTED)
    best = minimise(miss, 3.0, 7.0, 1e-3)
    exact = (299792458 * math.sqrt(2) / 2 / WANTED) ** 2
    print(f"epsilon_r = {best:.4f}, exact {exact:.4f}")
    if abs(best - exact) > 0.01 * exact:
        sys.exit("the optimum is not where it should be")


if __name__ == "__main__":
    main()
