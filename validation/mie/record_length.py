#!/usr/bin/python3
"""How long the record of time_to_accuracy.py has to be: errors of the scattering efficiency if nothing else were wrong than
that Mie's coefficients, seen in time, are cut off. record_length.py [T ...], in radii over c0 behind the pulse."""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reference  # noqa: E402

PERIOD = 1600.0  # of the discrete transform: nothing rings so long
MOST = 40        # coefficients of each kind


def main():
    lengths = [float(text) for text in sys.argv[1:]] or [40, 60, 80, 100, 150, 200, 250, 300]
    step = 2 * np.pi / PERIOD
    x = np.arange(1, int(14 / step)) * step
    both = np.zeros((2 * MOST, 1 << 15), complex)
    pulse = np.exp(-((x - 4) / 3.6) ** 2 * 2.3)
    for i, value in enumerate(x):
        for kind, numbers in enumerate(reference.coefficients(value, 2)):
            both[kind * MOST:kind * MOST + len(numbers[:MOST]), i + 1] = numbers[:MOST] * pulse[i]
    time = np.arange(both.shape[1]) * PERIOD / both.shape[1]
    at = np.round(np.linspace(2, 6, 41) / step).astype(int)
    weight = np.tile(2 * np.arange(1, MOST + 1) + 1, 2)[:, None]
    signal = np.fft.ifft(both, axis=1)
    exact = (weight * abs(both[:, at]) ** 2).sum(axis=0)
    for length in lengths:
        cut = np.fft.fft(signal * ((time < length) | (time > PERIOD - 10)), axis=1)[:, at]
        error = abs((weight * abs(cut) ** 2).sum(axis=0) / exact - 1)
        print(f"T = {length:g}: mean error {100 * error.mean():.3f} %, largest {100 * error.max():.2f} %, at ka = "
              f"{x[at[error.argmax()] - 1]:.1f}")


if __name__ == "__main__":
    main()
