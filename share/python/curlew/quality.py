"""Resonance and Q from S-parameters: a circle is fitted to S near each dip of Sii or peak of Sij.

Near a resonance S = (a1 t + a2)/(a3 t + 1), t = 2 (f - f0)/f0, which is linear in a1, a2, a3: a weighted least-squares fit
(D. Kajfez, Linear fractional curve fitting for measurement of high Q factors, IEEE Trans. MTT 42, 1149, 1994). Im a3 is the
loaded Q. In reflection the circle's diameter d = |a2 - a1/a3|, over the size of S far from the resonance |a1/a3|, gives the
coupling k = d/(2 - d) and Q0 = QL (1 + k). In transmission both sides are taken as coupled alike: Q0 = QL/(1 - |S|)."""
import numpy as np

NOISE = 1e-6  # |S| below which there is nothing to find


class Resonance:
    """One resonance of an entry: `of` (row, column), frequency Hz, loaded and unloaded Q, coupling, decibel of |S| there,
    `error`: root of the mean square by which the fit misses S."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        return (f"<resonance of S{self.of[0]}{self.of[1]} at {self.frequency:.6g} Hz, loaded Q {self.loaded:.4g}, "
                f"unloaded Q {self.unloaded:.4g}>")


def fit(frequency, s, reflects, start):
    """(f0, QL, Q0, coupling, error) of the resonance near `start` Hz, from S [F]; None where there is none."""
    f0 = start
    for _ in range(30):
        t = 2 * (frequency - f0) / f0
        weight = np.ones(len(t))
        for _ in range(3):
            matrix = np.stack([t + 0j, np.ones(len(t)) + 0j, -t * s], axis=1) * weight[:, None]
            a1, a2, a3 = np.linalg.lstsq(matrix, s * weight, rcond=None)[0]
            weight = 1 / np.maximum(np.abs(a3 * t + 1), 1e-12)  # what is fitted is (a3 t + 1) times what is meant
        if a3 == 0:
            return None
        loaded, off = a3.imag, a3.real
        # The denominator is smallest in size where a3 t + 1 is: the resonance is moved there.
        move = -off / abs(a3) ** 2
        f0 *= 1 + 0.5 * move
        if not frequency[0] <= f0 <= frequency[-1]:
            return None
        if abs(move) < 1e-13:
            break
    if loaded <= 0:
        return None
    error = float(np.sqrt(np.mean(np.abs((a1 * t + a2) / (a3 * t + 1) - s) ** 2)))
    far = a1 / a3
    if reflects:
        diameter = abs(a2 - far) / abs(far)
        if not 0 < diameter < 2:
            return None
        coupling = diameter / (2 - diameter)
        return f0, loaded, loaded * (1 + coupling), coupling, error
    size = abs(a2 - far)
    if not 0 < size < 1:
        return None
    return f0, loaded, loaded / (1 - size), 0.5 * size / (1 - size), error


def _extrema(s, reflects, depth):
    """Indices of the dips (peaks) that stand out by `depth` dB on both sides."""
    level = 20 * np.log10(np.maximum(np.abs(s), NOISE)) * (1 if reflects else -1)
    found = []
    for i in range(1, len(level) - 1):
        if not (level[i] <= level[i - 1] and level[i] < level[i + 1]):
            continue
        sides = []
        for direction in (-1, 1):
            k, highest = i, level[i]
            while 0 <= k + direction < len(level) and level[k + direction] >= level[i]:
                k += direction
                highest = max(highest, level[k])
            sides.append(highest)
        if min(sides) - level[i] >= depth:
            found.append(i)
    return found


def resonances(network, depth=1.0):
    """The Resonance of every dip of |Sii| and peak of |Sij| that stands out by `depth` dB, by frequency. Each fit takes the
    points within about two half-power widths, seven at least; fewer than seven frequencies have none."""
    out, there = [], network
    for i, row in enumerate(network.ports):
        for j, column in enumerate(network.ports):
            known = np.isfinite(there.S[:, i, j])
            f, s = there.frequency[known], there.S[known, i, j]
            if len(f) < 7 or np.abs(s).max() < NOISE:
                continue
            for k in _extrema(s, i == j, depth):
                window, result = slice(max(k - 3, 0), k + 4), None
                for _ in range(4):
                    if window.stop - window.start < 5 or len(f[window]) < 5:
                        break
                    result = fit(f[window], s[window], i == j, f[k])
                    if result is None:
                        break
                    reach = result[0] / result[1]
                    inside = np.flatnonzero(np.abs(f - result[0]) <= reach)
                    if len(inside) < 7:
                        middle = int(np.argmin(np.abs(f - result[0])))
                        inside = np.arange(max(middle - 3, 0), min(middle + 4, len(f)))
                    window = slice(int(inside[0]), int(inside[-1]) + 1)
                if result is None:
                    continue
                f0, loaded, unloaded, coupling, error = result
                out.append(Resonance(of=(row, column), frequency=f0, loaded=loaded, unloaded=unloaded, coupling=coupling,
                                     error=error, decibel=float(20 * np.log10(max(abs(s[k]), 1e-300)))))
    return sorted(out, key=lambda found: (found.frequency, found.of))
