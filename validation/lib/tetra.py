"""Polynomials on tetrahedra, written from the formulas and not from curlew's tables: the elements of a snapshot are
rebuilt from the nodes in the file alone, and errors are integrated with a quadrature of high degree.

Basis: the orthonormal one of Proriol, Koornwinder and Dubiner on the tetrahedron -1 <= r, s, t, r + s + t <= -1
(G. Karniadakis and S. Sherwin, Spectral/hp element methods, 2005, section 3.2).
Quadrature: Gauss-Legendre points in the collapsed cube (the same book, section 4.1).
"""
import numpy as np


def jacobi(n, alpha, x):
    """P_n^(alpha,0)(x) by its three-term recurrence (Abramowitz and Stegun 22.7.1)."""
    before, now = np.zeros_like(x), np.ones_like(x)
    for k in range(n):
        if k == 0:
            before, now = now, 0.5 * (alpha + (alpha + 2) * x)
            continue
        s = 2 * k + alpha
        a = 2 * (k + 1) * (k + alpha + 1) * s
        b = (s + 1) * alpha * alpha
        c = s * (s + 1) * (s + 2)
        d = 2 * (k + alpha) * k * (s + 2)
        before, now = now, ((b + c * x) * now - d * before) / a
    return now


def basis(order, r, s, t):
    """[..., Np] values of the orthonormal polynomials of total degree <= order at points r, s, t."""
    tiny = 1e-300
    a = np.where(np.abs(s + t) > 1e-14, 2 * (1 + r) / np.where(np.abs(s + t) > 1e-14, -s - t, tiny) - 1, -1.0)
    b = np.where(np.abs(1 - t) > 1e-14, 2 * (1 + s) / np.where(np.abs(1 - t) > 1e-14, 1 - t, tiny) - 1, -1.0)
    columns = []
    for i in range(order + 1):
        for j in range(order + 1 - i):
            for k in range(order + 1 - i - j):
                scale = np.sqrt((2 * i + 1) * (2 * i + 2 * j + 2) * (2 * i + 2 * j + 2 * k + 3) / 8)
                columns.append(scale * jacobi(i, 0, a) * jacobi(j, 2 * i + 1, b) * ((1 - b) / 2) ** i *
                               jacobi(k, 2 * i + 2 * j + 2, t) * ((1 - t) / 2) ** (i + j))
    return np.stack(columns, axis=-1)


def quadrature(degree):
    """r, s, t, weight of a rule that is exact to `degree` on the tetrahedron."""
    x, w = np.polynomial.legendre.leggauss((degree + 2) // 2 + 1)  # the Jacobian adds 2 to the degree
    a, b, c = (v.ravel() for v in np.meshgrid(x, x, x, indexing="ij"))
    wa, wb, wc = (v.ravel() for v in np.meshgrid(w, w, w, indexing="ij"))
    r = (1 + a) * (1 - b) * (1 - c) / 4 - 1
    s = (1 + b) * (1 - c) / 2 - 1
    return r, s, c, wa * wb * wc * (1 - b) / 2 * ((1 - c) / 2) ** 2


class Elements:
    """The elements of a snapshot of order p. Curlew writes the nodes of one element one after the other, not shared
    with others; that is checked here, not assumed."""

    def __init__(self, snapshot, order):
        count = (order + 1) * (order + 2) * (order + 3) // 6
        if len(snapshot.points) % count or len(snapshot.zones) != len(snapshot.points) // count * order**3:
            raise ValueError(f"'{snapshot.path}' does not hold elements of order {order}")
        self.order, self.count, self.K = order, count, len(snapshot.points) // count
        owner = snapshot.zones // count
        if np.any(owner != np.repeat(np.arange(self.K), order**3)[:, None]):
            raise ValueError(f"'{snapshot.path}': sub-tetrahedra of one element use nodes of another")
        self.points = snapshot.points.reshape(self.K, count, 3)
        self.corners = self._corners()
        self._vandermonde()
        self.size = np.mean([np.linalg.norm(self.corners[:, i] - self.corners[:, j], axis=1)
                             for i in range(4) for j in range(i)])
        sub = snapshot.points[snapshot.zones]
        self.sub_volume = np.abs(np.linalg.det(sub[:, 1:] - sub[:, :1])).sum() / 6

    def _corners(self):
        """[K][4][3]. What is farthest from a point, line or plane is a corner: distances are convex functions."""
        every, x = np.arange(self.K), self.points
        pick = [np.argmax(np.linalg.norm(x - x.mean(axis=1, keepdims=True), axis=2), axis=1)]
        v0 = x[every, pick[0]]
        pick.append(np.argmax(np.linalg.norm(x - v0[:, None], axis=2), axis=1))
        d = x - v0[:, None]
        along = x[every, pick[1]] - v0
        across = np.cross(d, along[:, None])
        pick.append(np.argmax(np.linalg.norm(across, axis=2), axis=1))
        normal = np.cross(along, x[every, pick[2]] - v0)
        pick.append(np.argmax(np.abs(np.einsum("eni,ei->en", d, normal)), axis=1))
        return np.stack([x[every, p] for p in pick], axis=1)

    def _vandermonde(self):
        v = self.corners
        edges = np.transpose(v[:, 1:] - v[:, :1], (0, 2, 1))
        self.jacobian = np.abs(np.linalg.det(edges)) / 8  # of the map from the tetrahedron with edges of length 2
        local = np.linalg.solve(edges, np.transpose(self.points - v[:, :1], (0, 2, 1)))
        r, s, t = (2 * local[:, d] - 1 for d in range(3))
        self.V = basis(self.order, r, s, t)  # [K][node][polynomial]
        self.condition = float(np.linalg.cond(self.V[:: max(1, self.K // 100)]).max())

    def volume(self):
        return 4 / 3 * self.jacobian.sum()

    def error(self, values, exact):
        """(|| u - exact ||, || exact ||) in L2 for values[points][components]; exact(x, y, z) gives [components][...]
        """
        r, s, t, weight = quadrature(2 * self.order + 6)
        at_quadrature = basis(self.order, r, s, t)
        corner = np.stack([-(1 + r + s + t), 1 + r, 1 + s, 1 + t], axis=1) / 2
        total = norm = 0.0
        for first in range(0, self.K, 200):
            part = slice(first, first + 200)
            u = values.reshape(self.K, self.count, -1)[part]
            u = at_quadrature @ np.linalg.solve(self.V[part], u)  # [K][quadrature][components]
            x = corner @ self.corners[part]
            truth = np.stack(exact(x[..., 0], x[..., 1], x[..., 2]), axis=-1)
            total += np.einsum("e,q,eqc->", self.jacobian[part], weight, (u - truth) ** 2)
            norm += np.einsum("e,q,eqc->", self.jacobian[part], weight, truth**2)
        return float(np.sqrt(total)), float(np.sqrt(norm))


def orthonormality(order):
    """Largest deviation of the basis from orthonormality under the quadrature: both are right, or neither."""
    r, s, t, weight = quadrature(2 * order + 6)
    B = basis(order, r, s, t)
    return float(np.abs(B.T * weight @ B - np.eye(B.shape[1])).max())


def rate(sizes, errors):
    """Slope of the least-squares line through log error over log size."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
