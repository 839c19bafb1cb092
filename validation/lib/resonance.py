"""Resonances of records: windowed spectrum for candidates, then one least-squares fit of all sinusoids together."""
import numpy as np


def window(count):
    """Four-term Blackman-Harris: side lobes below -92 dB (F. J. Harris, Proc. IEEE 66 (1978) 51)."""
    phase = 2 * np.pi * np.arange(count) / (count - 1)
    return 0.35875 - 0.48829 * np.cos(phase) + 0.14128 * np.cos(2 * phase) - 0.01168 * np.cos(3 * phase)


def spectrum(step, channels, low, high):
    """Frequencies in [low, high] and the power summed over channels[channel][time], each scaled to the same size."""
    count = channels.shape[1]
    scaled = channels / np.linalg.norm(channels, axis=1, keepdims=True)
    padded = 8 * count
    power = (np.abs(np.fft.rfft(scaled * window(count), padded, axis=1)) ** 2).sum(axis=0)
    frequency = np.fft.rfftfreq(padded, step)
    inside = (frequency >= low) & (frequency <= high)
    return frequency[inside], power[inside]


def peaks(frequency, power, floor):
    """Local maxima above floor (a fraction of the largest)."""
    top = (power[1:-1] > power[:-2]) & (power[1:-1] >= power[2:]) & (power[1:-1] > floor * power.max())
    return frequency[1:-1][top]


def fit(step, channels, frequencies, rounds=12):
    """Frequencies of undamped sinusoids, common to all channels, whose sum fits the windowed records best; constants
    are fitted too. Gauss-Newton with the amplitudes eliminated (variable projection, G. H. Golub and V. Pereyra,
    Inverse Problems 19 (2003) R1). Returns the frequencies and their amplitudes [line][channel] (complex).
    """
    count = channels.shape[1]
    time = (np.arange(count) - count / 2) * step
    weight = window(count)[:, None]
    data = weight * channels.T
    omega = 2 * np.pi * np.array(frequencies, dtype=float)
    for _ in range(rounds):
        cosine, sine = np.cos(np.outer(time, omega)), np.sin(np.outer(time, omega))
        model = weight * np.hstack([cosine, sine, np.ones((count, 1))])
        q, r = np.linalg.qr(model)
        amplitude = np.linalg.solve(r, q.T @ data)
        lines = len(omega)
        a, b = amplitude[:lines], amplitude[lines:2 * lines]
        rest = data - model @ amplitude
        tangent = []
        for line in range(lines):
            derivative = (weight[:, 0] * time)[:, None] * (cosine[:, [line]] * b[line] - sine[:, [line]] * a[line])
            derivative -= q @ (q.T @ derivative)
            tangent.append(derivative.ravel())
        change = np.linalg.lstsq(np.stack(tangent, axis=1), rest.ravel(), rcond=None)[0]
        omega = omega + change
        if np.abs(change).max() < 1e-10 * omega.max():
            break
    return omega / (2 * np.pi), a - 1j * b
