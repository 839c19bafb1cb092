"""Modes of a box 0 < x < a, 0 < y < b that is vacuum for x < d and (epsilon, mu) behind, uniform along z.

Ez = X(x) sin(pi y / b) cos(w t): X'' = -k_i^2 X with k_i^2 = epsilon_i mu_i w^2 / c0^2 - (pi / b)^2, X = 0 at the
walls, X and X' / mu continuous at x = d (Ez and Hy are tangential there). With S_i = sin(k_i L_i) / k_i,
C_i = cos(k_i L_i), L_1 = d, L_2 = a - d, this is
    C_1 S_2 / mu_1 + C_2 S_1 / mu_2 = 0      or      k_1 / mu_1 cot(k_1 d) + k_2 / mu_2 cot(k_2 (a - d)) = 0,
the first form without poles and also valid where k_i^2 < 0.
Hz = X(x) cos(pi y / b) cos(w t): X' = 0 at the walls, X and X' / epsilon continuous (Hz and Ey):
    k_1^2 S_1 C_2 / epsilon_1 + k_2^2 S_2 C_1 / epsilon_2 = 0.
"""
import numpy as np

from lib.runner import C0, EPSILON0, ETA0, MU0

A, B, D = 1.0, 0.8, 0.45


def waves(k2, x):
    """sin(k x) / k and cos(k x) for k^2 = k2 of either sign."""
    k = np.sqrt(complex(k2))
    return np.real(np.sin(k * x) / k), np.real(np.cos(k * x))


class Mode:
    """The number-th mode (1 is the lowest)."""

    def __init__(self, epsilon, mu, polarisation, number):
        self.epsilon, self.mu, self.polarisation = (1.0, epsilon), (1.0, mu), polarisation
        self.omega = self._root(number)
        self.propagates = self.k2(0) > 0

    def k2(self, side, omega=None):
        w = self.omega if omega is None else omega
        return self.epsilon[side] * self.mu[side] * (w / C0) ** 2 - (np.pi / B) ** 2

    def equation(self, omega):
        k1, k2 = self.k2(0, omega), self.k2(1, omega)
        (s1, c1), (s2, c2) = waves(k1, D), waves(k2, A - D)
        if self.polarisation == "Ez":
            return c1 * s2 / self.mu[0] + c2 * s1 / self.mu[1]
        return k1 * s1 * c2 / self.epsilon[0] + k2 * s2 * c1 / self.epsilon[1]

    def _root(self, number):
        grid = np.linspace(0.05, 20, 4001) * C0
        values = [self.equation(w) for w in grid]
        signs = [i for i in range(len(grid) - 1) if values[i] * values[i + 1] < 0]
        low, high = grid[signs[number - 1]], grid[signs[number - 1] + 1]
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if self.equation(low) * self.equation(middle) > 0 else (low, middle)
        return (low + high) / 2

    def profile(self, x):
        """X and X' at every x; X(d) = 1."""
        value, slope = np.empty_like(x), np.empty_like(x)
        for side, depth, sign in ((0, D, 1), (1, A - D, -1)):
            here = (x > D) if side else (x <= D)
            k2 = self.k2(side)
            s, c = waves(k2, (A - x[here]) if side else x[here])
            s_d, c_d = waves(k2, depth)
            value[here], slope[here] = (s / s_d, sign * c / s_d) if self.polarisation == "Ez" else (
                c / c_d, -sign * k2 * s / c_d)
        return value, slope

    def fields(self, time):
        """x, y, z -> Ex, Ey, Ez, Hx, Hy, Hz at that time."""
        cos, sin, ky = np.cos(self.omega * time), np.sin(self.omega * time), np.pi / B

        def evaluate(x, y, z):
            zero = np.zeros_like(z)
            X, dX = self.profile(x)
            if self.polarisation == "Ez":  # mu dH/dt = -curl E
                factor = sin / (self.omega * MU0 * np.where(x > D, self.mu[1], self.mu[0]))
                return (zero, zero, X * np.sin(ky * y) * cos, -factor * X * ky * np.cos(ky * y),
                        factor * dX * np.sin(ky * y), zero)
            # epsilon dE/dt = curl H, with H in V/m / eta0
            factor = sin / (self.omega * EPSILON0 * ETA0 * np.where(x > D, self.epsilon[1], self.epsilon[0]))
            return (-factor * X * ky * np.sin(ky * y), -factor * dX * np.cos(ky * y), zero, zero, zero,
                    X * np.cos(ky * y) * cos / ETA0)

        return evaluate
