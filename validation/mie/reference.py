"""Mie's series for a sphere in vacuum, fields exp(+jwt): C. F. Bohren, D. R. Huffman, Absorption and Scattering of Light
by Small Particles, 1983, chapter 4. `index` = None is a perfect conductor; a lossy sphere has index.imag < 0."""
import numpy as np


def riccati(order, z):
    """psi_n(z) and its derivative for n = 0 .. order: by downward recurrence, which is stable where |z| < n too."""
    start = int(max(order, abs(z)) + 40)
    ratio = np.zeros(start + 1, complex)  # psi_n / psi_(n - 1)
    for n in range(start, 0, -1):
        ratio[n] = 1 / ((2 * n + 1) / z - (ratio[n + 1] if n < start else 0))
    psi = np.zeros(order + 1, complex)
    psi[0] = np.sin(z)
    if abs(psi[0]) < 0.1 * abs(np.cos(z)):  # near a zero of psi_0 the next one is the safe start
        psi[1] = np.sin(z) / z - np.cos(z)
        for n in range(2, order + 1):
            psi[n] = psi[n - 1] * ratio[n]
    else:
        for n in range(1, order + 1):
            psi[n] = psi[n - 1] * ratio[n]
    derivative = np.zeros(order + 1, complex)
    derivative[0] = np.cos(z)
    for n in range(1, order + 1):
        derivative[n] = psi[n - 1] - n * psi[n] / z
    return psi, derivative


def outgoing(order, x):
    """xi_n(x) = psi_n - j chi_n .. of exp(-jx), x real, and its derivative."""
    psi, dpsi = riccati(order, x)
    chi = np.zeros(order + 1)
    chi[0] = -np.cos(x)
    if order > 0:
        chi[1] = -np.cos(x) / x - np.sin(x)
    for n in range(2, order + 1):
        chi[n] = (2 * n - 1) / x * chi[n - 1] - chi[n - 2]
    dchi = np.array([np.sin(x)] + [chi[n - 1] - n * chi[n] / x for n in range(1, order + 1)])
    return psi - 1j * chi, dpsi - 1j * dchi


def coefficients(x, index):
    """a_n, b_n for n = 1 .. for size x = ka."""
    order = int(x + 4.05 * x ** (1 / 3) + 12)
    psi, dpsi = riccati(order, x)
    xi, dxi = outgoing(order, x)
    if index is None:
        return (dpsi / dxi)[1:], (psi / xi)[1:]
    inner, dinner = riccati(order, index * x)
    a = (index * inner * dpsi - psi * dinner) / (index * inner * dxi - xi * dinner)
    b = (inner * dpsi - index * psi * dinner) / (inner * dxi - index * xi * dinner)
    return a[1:], b[1:]


def efficiencies(x, index):
    """Q_sca, Q_ext, Q_back (sigma_b over pi a^2)."""
    a, b = coefficients(x, index)
    n = np.arange(1, len(a) + 1)
    scattering = 2 / x ** 2 * np.sum((2 * n + 1) * (abs(a) ** 2 + abs(b) ** 2))
    extinction = 2 / x ** 2 * np.sum((2 * n + 1) * (a + b).real)
    back = abs(np.sum((2 * n + 1) * (-1.0) ** n * (a - b))) ** 2 / x ** 2
    return scattering, extinction, back


def bistatic(x, index, theta):
    """sigma over pi a^2 at theta (degrees, 0 = forward) in the E plane and in the H plane."""
    a, b = coefficients(x, index)
    mu = np.cos(np.radians(np.asarray(theta, float)))
    before, pi = np.zeros_like(mu), np.ones_like(mu)
    S1, S2 = np.zeros_like(mu, complex), np.zeros_like(mu, complex)
    for n in range(1, len(a) + 1):
        tau = n * mu * pi - (n + 1) * before
        factor = (2 * n + 1) / (n * (n + 1))
        S1 += factor * (a[n - 1] * pi + b[n - 1] * tau)
        S2 += factor * (a[n - 1] * tau + b[n - 1] * pi)
        before, pi = pi, ((2 * n + 1) * mu * pi - (n + 1) * before) / n
    return 4 * abs(S2) ** 2 / x ** 2, 4 * abs(S1) ** 2 / x ** 2


# Numbers of others, against which this file is checked: ka, index, Q_sca, sigma_b/(pi a^2).
KNOWN = [(0.5, None, None, 0.529576), (1, None, None, 3.637567), (3, None, None, 0.520765), (10, None, None, 0.929230),
         (1, 2, 0.796830, 0.535788), (2, 2, 4.770440, 1.385427), (3, 2, 3.036171, 5.425046), (3, 1.6, 3.895685, 1.133696)]


def check():
    """The largest difference to KNOWN, relative, and to the bistatic numbers of a conductor at ka = 3."""
    worst = 0
    for x, index, scattering, back in KNOWN:
        found = efficiencies(x, index)
        worst = max(worst, abs(found[2] / back - 1), 0 if scattering is None else abs(found[0] / scattering - 1))
    E, H = bistatic(3, None, [0, 45, 90, 135])
    for got, known in ((E, (10.79667, 4.80329, 0.27424, 1.66147)), (H, (10.79667, 3.37710, 1.11039, 0.94796))):
        worst = max(worst, float(np.max(abs(got / np.array(known) - 1))))
    return worst


if __name__ == "__main__":
    print(f"largest difference to the known numbers: {check():.2g}")
