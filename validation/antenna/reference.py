"""Input impedance of a thick cylindrical dipole by the method of moments, independent of curlew: electric-field
integral equation of a body of revolution with the exact kernel, Galerkin's method with triangles (R. F. Harrington,
Field Computation by Moment Methods, 1968, chapters 2 and 4; J. R. Mautz and R. F. Harrington, Appl. Sci. Res. 20 (1969)
405).

The generating curve goes from the axis over the lower end face, the side, and the upper end face. The unknown is the
total current I(s) along it, zero on the axis. With a current and a charge -1/(j omega) dI/ds that are the same all
around,

    E_inc . t = j omega mu  integral I(s') (sin g sin g' K1 + cos g cos g' K0) ds'
              + d/ds (-1/(j omega epsilon)) integral dI/ds' K0 ds',
    K0 = 1/(2 pi) integral exp(-j k R)/(4 pi R) dphi,    K1 = the same with cos phi,

g the angle of the curve's tangent with the axis. The port is a gap of length `gap` around the middle: a source Vs with
the field Vs/gap and a resistance that is spread as evenly, so that E = (Vs - R I(s))/gap. With the mean current I of
the gap, V = Vs - R I is the mean field times the gap, and V/I the impedance of both sides of the surface: the field in
the gap also fills the inside of the tube, which the antenna proper, a solid body, does not have. The admittance of the
inside is that of a capacitor (the tube is far below its cut-off), known in closed form, and taken off.
"""
import numpy as np

ETA0, C0 = 376.730313668, 299792458.0


def elliptic(m1):
    """Complete elliptic integrals K and E of the parameter 1 - m1 by the arithmetic-geometric mean (Abramowitz and
    Stegun 17.6)."""
    a, b = np.ones_like(m1), np.sqrt(m1)
    total, power = 0.5 * (1 - m1), 0.5
    for _ in range(40):
        c = (a - b) / 2
        a, b = (a + b) / 2, np.sqrt(a * b)
        power *= 2
        total = total + power * c * c
        if np.max(np.abs(c)) < 1e-16:
            break
    K = np.pi / (2 * a)
    return K, K * (1 - total)


def kernels(k, rho, z, rho2, z2, points=24):
    """K0 and K1 between rings: 1/R by elliptic integrals, the rest by the trapezoidal rule."""
    p2 = (rho + rho2) ** 2 + (z - z2) ** 2
    m1 = np.maximum(((rho - rho2) ** 2 + (z - z2) ** 2) / p2, 1e-30)
    m = np.maximum(1 - m1, 1e-12)
    K, E = elliptic(m1)
    p = np.sqrt(p2)
    static0 = 4 / p * K
    static1 = np.where(m > 1e-6, 4 / p * ((2 - m) / m * K - 2 / m * E), np.pi * m / (4 * p))
    rest0 = rest1 = 0
    for phi in (np.arange(points) + 0.5) * np.pi / points:
        R = np.sqrt(np.maximum(rho**2 + rho2**2 - 2 * rho * rho2 * np.cos(phi) + (z - z2) ** 2, 1e-300))
        value = (np.exp(-1j * k * R) - 1) / R * (2 * np.pi / points)
        rest0, rest1 = rest0 + value, rest1 + np.cos(phi) * value
    return (static0 + rest0) / (8 * np.pi**2), (static1 + rest1) / (8 * np.pi**2)


def graded(count, toward):
    """count + 1 points of [0, 1], closer together at the ends named by `toward` ("both", "end"): cosine spacing."""
    x = np.arange(count + 1) / count
    return (1 - np.cos(np.pi * x)) / 2 if toward == "both" else np.sin(np.pi * x / 2)


def curve(length, radius, gap, arm, cap):
    """Nodes of the generating curve [rho, z]: `arm` segments a side, `cap` an end face, four in the gap."""
    up = gap / 2 + (length - gap) / 2 * graded(arm, "both")
    side = np.concatenate([-up[::-1], np.linspace(-gap / 2, gap / 2, 5)[1:-1], up])
    face = radius * graded(cap, "end")[:-1]
    rho = np.concatenate([face, np.full(len(side), radius), face[::-1]])
    z = np.concatenate([np.full(cap, -length / 2), side, np.full(cap, length / 2)])
    return np.stack([rho, z], axis=1)


def toward_end(count):
    """Gauss points and weights of [0, 1] after x = t^5, which clusters them at 0, where the kernel has a logarithm and,
    for thin wires, a peak."""
    t, w = np.polynomial.legendre.leggauss(count)
    t, w = (1 + t) / 2, w / 2
    return t**5, 5 * t**4 * w


def rules(near):
    """Pairs of points (x, y, weight) of the unit square for two segments that are apart, that share a corner at x = 1,
    y = 0, or that are the same."""
    t, w = np.polynomial.legendre.leggauss(4)
    t, w = (1 + t) / 2, w / 2
    if near == "apart":
        return np.repeat(t, 4), np.tile(t, 4), np.repeat(w, 4) * np.tile(w, 4)
    g, v = toward_end(16)
    if near == "corner":
        return np.repeat(1 - g, 16), np.tile(g, 16), np.repeat(v, 16) * np.tile(v, 16)
    # the same: over one triangle, y = x - x u with u clustered at 0, and its mirror image
    t, w = np.polynomial.legendre.leggauss(10)
    t, w = (1 + t) / 2, w / 2
    x, u, weight = np.repeat(t, 16), np.tile(g, len(t)), np.repeat(w, 16) * np.tile(v, len(t))
    y = x * (1 - u)
    return np.concatenate([x, y]), np.concatenate([y, x]), np.concatenate([weight * x] * 2)


def inner_capacitance(radius, gap):
    """Of a tube with the field V/gap along a gap of its wall, F: with the potential phi of the wall, the integral over
    z of epsilon phi dphi/drho 2 pi a by Parseval's theorem, inside which phi goes as I0(kappa rho):

        C = 2 epsilon a  integral_0^inf (sin(kappa g/2)/(kappa g/2))^2 I1(kappa a)/I0(kappa a) dkappa/kappa."""
    x = (np.arange(40000) + 0.5) * 5e-3  # kappa a up to 200; beyond, 2 (a/g)^2/x^3 is left
    theta = (np.arange(400) + 0.5) * np.pi / 400
    ratio = np.empty_like(x)
    for part in np.array_split(np.arange(len(x)), 40):
        value = np.exp(np.outer(x[part], np.cos(theta) - 1))
        ratio[part] = value @ np.cos(theta) / value.sum(axis=1)
    total = np.sum(np.sinc(x * gap / radius / (2 * np.pi)) ** 2 * ratio / x) * 5e-3 + (radius / gap / x[-1]) ** 2
    return 2 * radius * total / (ETA0 * C0)


def impedance(hertz, length, radius, gap, resistance=0.0, arm=40, cap=5):
    """Z of the dipole at one frequency, ohm; the resistance of the port matters little (under 0.1 % at 150 ohm)."""
    k = 2 * np.pi * hertz / C0
    node = curve(length, radius, gap, arm, cap)
    edge = np.diff(node, axis=0)
    h = np.linalg.norm(edge, axis=1)
    sine, cosine = (edge / h[:, None]).T
    S = len(h)
    matrix = np.zeros((S + 1, S + 1), dtype=complex)  # of the nodes; those on the axis go at the end
    first, second = (index.ravel() for index in np.meshgrid(np.arange(S), np.arange(S), indexing="ij"))
    for near, pick in (("same", first == second), ("corner", second == first + 1), ("apart", second > first + 1)):
        x, y, weight = rules(near)
        i, j = first[pick], second[pick]
        at = node[i][:, None] + x[None, :, None] * edge[i][:, None]
        at2 = node[j][:, None] + y[None, :, None] * edge[j][:, None]
        K0, K1 = kernels(k, at[..., 0], at[..., 1], at2[..., 0], at2[..., 1])
        area = (h[i] * h[j])[:, None] * weight
        vector = area * ((sine[i] * sine[j])[:, None] * K1 + (cosine[i] * cosine[j])[:, None] * K0)
        charge = (weight * K0).sum(axis=1)  # of the slopes +-1/h
        for a, (fa, sa) in enumerate(((1 - x, -1), (x, 1))):
            for b, (fb, sb) in enumerate(((1 - y, -1), (y, 1))):
                value = ETA0 * (1j * k * (vector * fa * fb).sum(axis=1) + sa * sb * charge / (1j * k))
                np.add.at(matrix, (i + a, j + b), value)
                if near != "same":
                    np.add.at(matrix, (j + b, i + a), value)
    inside = (np.abs((node[:-1] + node[1:])[:, 1] / 2) < gap / 2) & (node[:-1, 0] == node[1:, 0])
    drive = np.zeros(S + 1)
    drive[:-1] += inside * h / 2 / gap
    drive[1:] += inside * h / 2 / gap
    load = resistance / gap * inside * h / 6  # integrals of products of the triangles
    for a in (0, 1):
        for b in (0, 1):
            matrix[np.arange(S) + a, np.arange(S) + b] += load * (2 if a == b else 1)
    current = np.linalg.solve(matrix[1:-1, 1:-1], drive[1:-1])
    both_sides = 1 / (1 / (drive[1:-1] @ current) - resistance)
    return 1 / (both_sides - 2j * np.pi * hertz * inner_capacitance(radius, gap))
