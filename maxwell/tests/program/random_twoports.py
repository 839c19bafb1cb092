#!/usr/bin/python3
"""Random networks of two and three ports whose impedances differ: all that reads them finds one Z, and power is kept.

random_twoports.py PROGRAM [CASES [SEED]]: by default 4 cases, always the same ones; the hundred of validation.md:
random_twoports.py PROGRAM 100 1. Lines and guides of random media, with losses or without, irises, lumped parts at the
side, lumped, tem and waveguide ports. Of each it is asked:
- Z of the folder, of the Touchstone file by scikit-rf (where that is installed) and by our reader, and of to_skrf() agree
  within 1e-6 of the largest;
- S of a line agrees with its chain matrix;
- no more than 1.005 of the power leaves, and 0.995 at least where nothing takes any, or a line of the log says so."""
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import meshes
from harness import Failure, Place, expect
from run_contract import RUN

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/python"))
import curlew  # noqa: E402  pylint: disable=wrong-import-position

try:
    import skrf
except ImportError:
    skrf = None
ETA0, C0 = 376.730313668, 299792458.0
WORDS = ("do not keep the power", "not passive", "ends too early for S-parameters")

SCRIPT = """\
local pulse = waveform.gaussian { %(pulse)s }
simulation {
  mesh = { file = "box.msh" }, order = %(order)d, flux = %(flux)g,
  time = { stop = 2e-6, decay = 70, integrator = "%(integrator)s" },
  materials = { %(materials)s },
%(interfaces)s  boundaries = { %(boundaries)s },
  output = { s_parameters = { %(frequencies)s } },
}
"""


def brick(n, width, iris):
    """n cells of 1 m in x, `width` in y, one in z; volume 1 + i is the layer i. Surface 1 is x = 0, 2 the other end, 3 the
    sides in y, 4 those in z, 5 the side y = width of the second layer; 6 the iris: faces of plane `iris` below y = 1."""
    mesh, faces = meshes.Mesh(), {}

    def node(i, j, k):
        return 1 + i + (n + 1) * (j + (width + 1) * k)

    for k in range(2):
        for j in range(width + 1):
            for i in range(n + 1):
                mesh.point(node(i, j, k), float(i), float(j), float(k))
    for i in range(n):
        for j in range(width):
            for tet in meshes.SIX:
                corners = [node(i + (c & 1), j + (c >> 1 & 1), c >> 2) for c in tet]
                mesh.add(3, 1 + i, meshes.TETRAHEDRON, corners)
                for drop in range(4):
                    face = tuple(sorted(corners[:drop] + corners[drop + 1:]))
                    faces[face] = faces.get(face, 0) + 1
    shells = []
    for face, count in faces.items():
        x, y, _ = zip(*(mesh.points[node] for node in face))
        flat = len(set(y)) == 1
        if count == 1:
            layer = min(x) >= 1 and max(x) <= 2 and flat and y[0] == width
            shells.append((1 if max(x) == 0 else 2 if min(x) == n else 5 if layer else 3 if flat else 4, face))
        elif set(x) == {float(iris)} and max(y) <= 1:
            shells.append((6, face))
    for surface, face in sorted(shells):
        mesh.add(2, surface, meshes.TRIANGLE, face)
    return mesh.text()


def medium(epsilon, sigma):
    return f"{{ epsilon_r = {epsilon:.6g}, sigma = {sigma:.6g} }}" if sigma > 0 else f"{{ epsilon_r = {epsilon:.6g} }}"


def line(dice):
    """Plates between magnetic sides: two ports at the ends, which may be lumped, and what the second layer's side has."""
    n, drive = dice.choice((2, 3, 4)), "waveform = pulse"
    epsilon = [dice.uniform(1, 4) for _ in range(n)]
    lossy = dice.random() < 0.3
    sigma = [dice.choice((0, 10 ** dice.uniform(-5, -2))) if lossy else 0 for _ in range(n)]
    ports, boundaries, side = [], [], dice.choice(("none", "none", "port", "part"))
    for number in (1, 2):
        lumped = dice.random() < 0.5
        ports.append(dice.uniform(20, 900) if lumped else ETA0 / np.sqrt(epsilon[0 if number == 1 else -1]))
        kind = f'"lumped_port", resistance = {ports[-1]!r}, direction = {{ 0, 0, 1 }}' if lumped else '"tem_port"'
        boundaries.append(f"[{number}] = {{ kind = {kind}, number = {number}, {drive} }}")
    boundaries += ['[3] = { kind = "pmc" }', '[4] = { kind = "pec" }']
    resistive = False
    if side == "port":
        boundaries.append(f'[5] = {{ kind = "lumped_port", resistance = {dice.uniform(20, 900)!r}, direction = {{ 0, 0, 1 }}, number = 3, {drive} }}')
    elif side == "part":
        parts = dice.choice(("resistance = %g" % dice.uniform(50, 500), "inductance = %g" % dice.uniform(1e-7, 1e-6),
                             "capacitance = %g" % dice.uniform(2e-12, 5e-11)))
        resistive = parts.startswith("resistance")
        boundaries.append(f'[5] = {{ kind = "lumped_element", {parts}, direction = {{ 0, 0, 1 }} }}')
    else:
        boundaries.append('[5] = { kind = "pmc" }')
    return {
        "mesh": brick(n, 1, 0), "exact": (epsilon, sigma, ports) if side == "none" else None, "closed": not any(sigma) and not resistive,
        "interfaces": "", "pulse": "bandwidth = 8e7", "frequencies": "from = 3e6, to = 4.5e7, points = 9",
        "order": dice.choice((2, 3, 4)),
        "materials": ", ".join(f"[{i + 1}] = {medium(*pair)}" for i, pair in enumerate(zip(epsilon, sigma))),
        "boundaries": ", ".join(boundaries), "what": f"line of {n}, side {side}",
    }


def guide(dice):
    """A guide between two media, 2 m by 1 m, perhaps with an iris of half its width and something in its middle."""
    n, iris = dice.choice((3, 4)), dice.choice((0, 1, 2))
    epsilon = [dice.uniform(1, 1.4), *(dice.uniform(1, 3) for _ in range(n - 2)), dice.uniform(1, 1.4)]
    sigma = [0, *(dice.choice((0, 0, 10 ** dice.uniform(-5, -2))) for _ in range(n - 2)), 0]
    low = 1.15 * C0 / 4 / np.sqrt(min(epsilon[0], epsilon[-1]))
    high = 0.93 * C0 / 2 / np.sqrt(max(epsilon[0], epsilon[-1]))
    kind = 'kind = "waveguide_port", axis = { 0, 1, 0 }, waveform = pulse'
    return {
        "mesh": brick(n, 2, iris), "exact": None, "closed": not any(sigma), "order": dice.choice((3, 4)),
        "interfaces": '  interfaces = { [6] = { kind = "pec" } },\n' if iris > 0 else "",
        "pulse": f"f0 = {(low + high) / 2:.6g}, bandwidth = {1.1 * (high - low):.6g}",
        "frequencies": f"from = {low:.6g}, to = {high:.6g}, points = 9",
        "materials": ", ".join(f"[{i + 1}] = {medium(*pair)}" for i, pair in enumerate(zip(epsilon, sigma))),
        "boundaries": f"[1] = {{ {kind}, number = 1 }}, [2] = {{ {kind}, number = 2 }}, default = {{ kind = 'pec' }}",
        "what": f"guide of {n}, iris {'at ' + str(iris) if iris > 0 else 'none'}",
    }


def choose(dice):
    case = (line if dice.random() < 0.65 else guide)(dice)
    return {**case, "integrator": dice.choice(("leapfrog", "lsrk", "rk4")), "flux": dice.choice((0.5, 1))}


def chain(exact, frequency):
    """S of layers of 1 m between plates, in waves of the ports."""
    epsilon, sigma, ports = exact
    w, root = 2 * np.pi * frequency, np.sqrt(np.array(ports))
    total = np.tile(np.eye(2, dtype=complex), (len(w), 1, 1))
    for er, loss in zip(epsilon, sigma):
        e = er - 1j * loss * C0 * ETA0 / w
        gamma, Z = 1j * w / C0 * np.sqrt(e), ETA0 / np.sqrt(e)
        total = total @ np.array([[np.cosh(gamma), Z * np.sinh(gamma)], [np.sinh(gamma) / Z, np.cosh(gamma)]]).transpose(2, 0, 1)
    A, B, C, D = total[:, 0, 0], total[:, 0, 1], total[:, 1, 0], total[:, 1, 1]
    below = A * ports[1] + B + C * ports[0] * ports[1] + D * ports[0]
    S = np.empty((len(w), 2, 2), dtype=complex)
    S[:, 0, 0] = (A * ports[1] + B - C * ports[0] * ports[1] - D * ports[0]) / below
    S[:, 1, 1] = (-A * ports[1] + B - C * ports[0] * ports[1] + D * ports[0]) / below
    S[:, 0, 1] = S[:, 1, 0] = 2 * root[0] * root[1] / below
    return S


def impedances(place):
    """{who reads it: Z [F][N][N]}, and the network of the folder."""
    folder = place.path("case")
    network = curlew.open(folder).network()
    name = [os.path.join(folder, one) for one in os.listdir(folder) if ".s" in one and one.endswith("p")][0]
    out = {"folder": network.z(), "reader": curlew.read_touchstone(name).z()}
    if skrf is not None:
        out["file by scikit-rf"] = skrf.Network(name).z
        out["to_skrf()"] = curlew.open(folder).to_skrf().z
    return out, network


def attempt(program, number, case):
    try:
        with Place(program, {"input/box.msh": case["mesh"]}, SCRIPT % case) as place:
            code, _, err, _ = place.run(*RUN)
            expect(code == 0, f"{code}: {err}")
            found, network = impedances(place)
            expect(np.ptp(network.z0.real, axis=1).max() > 1e-3, "the ports' impedances are one")
            size = np.abs(found["folder"]).max(axis=(1, 2))
            off = {who: (np.abs(Z - found["folder"]).max(axis=(1, 2)) / size).max() for who, Z in found.items()}
            expect(max(off.values()) < 1e-6, f"Z differs: {off}")
            quality = place.summary()["s_parameters"]
            powers = (np.abs(network.S) ** 2).sum(axis=1)
            said = any(word in err for word in WORDS)
            expect(powers.max() < 1.005 or said, f"{powers.max()} of the power leaves and nothing says so: {quality}")
            expect((quality["missing_power"] is not None) == case["closed"], f"missing power {quality['missing_power']}")
            kept = np.abs(powers - 1).max() if case["closed"] else 0
            expect(kept < 0.005 or said, f"{kept} of the power is missing and nothing says so: {quality}")
            exact = np.abs(network.S - chain(case["exact"], network.frequency)).max() if case["exact"] else 0
            expect(exact < 0.02, f"S differs by {exact} from the chain matrix")
            return None, f"Z within {max(off.values()):.1g}, power within {kept:.2g}{', said' if said else ''}, exact within {exact:.2g}"
    except Failure as failure:
        return f"case {number}, {case['what']}, {SCRIPT % case}: {failure}", ""


def main():
    program, cases = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 41
    dice, failed = random.Random(seed), 0
    chosen = [choose(dice) for _ in range(cases)]
    with ThreadPoolExecutor(int(os.environ.get("CURLEW_TEST_WORKERS", "3"))) as pool:
        for number, (why, says) in enumerate(pool.map(lambda pair: attempt(program, *pair), enumerate(chosen))):
            print(why or f"ok: case {number}, {chosen[number]['what']}, order {chosen[number]['order']}: {says}", flush=True)
            failed += why is not None
    print(f"seed {seed}: {cases} cases, {failed} failed{'' if skrf is not None else '; scikit-rf is not installed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
