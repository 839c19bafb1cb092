"""Reads what test_silo_writer wrote, with python3-silo, and compares it with the analytic fields.

    check_snapshots.py FOLDER_OF_SILO_READER [FOLDER_OF_SNAPSHOTS]
Exits 77 (skipped) when the module Silo is not installed.
"""
import os
import re
import sys

try:
    import numpy as np
    import Silo
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
from silo_reader import Snapshot  # noqa: E402

CELLS = 2
K = 6 * CELLS**3
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def near(a, b, tolerance):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * max(1.0, np.abs(b).max())))


def analytic(p, x):
    x, y, z = x.T
    vector = np.stack([(1 + 2 * x - y + 0.5 * z) ** p, (x - y) ** p + z, -3 * z**p], axis=1)
    return vector, (x + y + z) ** p - 1


def volumes(points, zones):
    a, b, c, d = (points[zones[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def distinct(points):
    return len(np.unique(np.round(points * 1e8).astype(np.int64), axis=0))


def check_mesh(s, p, averaged, name, cycle=None, blocks="block_000000/mesh"):
    Np = (p + 1) * (p + 2) * (p + 3) // 6
    v = volumes(s.points, s.zones)
    check(len(s.zones) == K * p**3, f"{name}: {len(s.zones)} zones")
    check(v.min() > 0, f"{name}: smallest volume {v.min()}")
    check(abs(v.sum() - 1) < 1e-12, f"{name}: volume {v.sum()}")
    check(np.array_equal(np.unique(s.zones), np.arange(len(s.points))), f"{name}: nodes without a zone")
    check(distinct(s.points) == (CELLS * p + 1) ** 3, f"{name}: {distinct(s.points)} distinct points")
    expected = (CELLS * p + 1) ** 3 if averaged else K * Np
    check(len(s.points) == expected, f"{name}: {len(s.points)} nodes, not {expected}")
    check(s.axis_units == ["m"] * 3, f"{name}: units of the axes {s.axis_units}")
    check(s.axis_labels == ["x", "y", "z"], f"{name}: labels of the axes {s.axis_labels}")
    cycle = 100 * p if cycle is None else cycle
    check(s.cycle == cycle, f"{name}: cycle {s.cycle}")
    check(abs(s.time - 1.25e-9 * p) < 1e-24, f"{name}: time {s.time}")
    check(s.blocks == [blocks], f"{name}: blocks {s.blocks}")
    extents = np.array(s.multimesh["extents"])
    check(near(extents, np.array([0, 0, 0, 1, 1, 1.0]), 1e-14), f"{name}: extents {extents}")


def check_fields(s, p, averaged, name, tolerance=1e-12):
    vector, scalar = analytic(p, s.points)
    check(s.expressions == {"E": "{Ex, Ey, Ez}", "barycentre": "{barycentrex, barycentrey, barycentrez}"},
          f"{name}: expressions {s.expressions}")
    check(s.variables == ["Ex", "Ey", "Ez", "barycentrex", "barycentrey", "barycentrez", "epsilon_r", "jump", "rho"],
          f"{name}: variables {s.variables}")
    for field, expected, unit in (("E", vector, "V/m"), ("rho", scalar, "C/m^3")):
        got = s.field(field)
        check(got.centring == "node" and got.unit == unit, f"{name}: {field} is {got.centring}, {got.unit}")
        check(near(got.values, expected, tolerance), f"{name}: values of {field}")
    for c in range(3):
        check(np.array_equal(s.field("E" + "xyz"[c]).values, s.field("E").values[:, c]), f"{name}: component {c}")

    # Zones come element by element: the barycentre of an element from its own zones.
    v = volumes(s.points, s.zones).reshape(K, -1)
    centroids = s.points[s.zones].mean(axis=1).reshape(K, -1, 3)
    barycentre = (v[:, :, None] * centroids).sum(axis=1) / v.sum(axis=1)[:, None]
    check(near(v.sum(axis=1), np.full(K, 1 / K), 1e-12), f"{name}: zones do not fill their elements")
    check(s.field("epsilon_r").centring == "zone", f"{name}: epsilon_r is not zone-centred")
    check(near(s.field("epsilon_r").values, np.repeat(1 + barycentre[:, 0] + 2 * barycentre[:, 1], p**3), tolerance),
          f"{name}: epsilon_r")
    check(near(s.field("barycentre").values, np.repeat(barycentre, p**3, axis=0), tolerance),
          f"{name}: barycentre")

    # A field that jumps: kept in every element, or the mean over the elements at the point.
    sums, counts = np.zeros(len(s.points)), np.zeros(len(s.points))
    for e, zones in enumerate(s.zones.reshape(K, -1)):
        nodes = np.unique(zones)
        sums[nodes] += barycentre[e, 0]
        counts[nodes] += 1
    check((counts.max() > 6) if averaged else (counts.max() == 1), f"{name}: {counts.max()} elements at a node")
    check(near(s.field("jump").values, sums / counts, tolerance), f"{name}: jump")


def check_extents(s, name):
    root = Silo.Open(s.path)
    for variable in s.variables:
        info = root.GetVarInfo(variable, 1)
        values = s.field(variable).values
        check(tuple(info["extents"]) == (values.min(), values.max()), f"{name}: extents of {variable}")
        check(info["mmesh_name"] == "mesh", f"{name}: mesh of {variable}")


def check_series(folder):
    """Snapshots that share their mesh: one with doubles, then floats, whose values are the nearest ones. The first and
    the last are not Silo's but for the root."""
    for p in (1, 2, 3):
        doubles, mesh = None, ""
        for number in range(4):
            name = f"fields_{10 * p + number:06d}.silo"
            s = Snapshot(os.path.join(folder, "silo_once", name))
            mesh = mesh or s.blocks[0]
            check(re.fullmatch(r"blocks/mesh_[0-9a-f]{16}_0000.silo:/block_000000/mesh", mesh), f"{name}: mesh {mesh}")
            check_mesh(s, p, p == 2, name, 10 * p + number, mesh)
            check_fields(s, p, p == 2, name, 1e-12 if number == 0 else 1e-7)
            check_extents(s, name)
            nodes = len(s.points) * 5 + len(s.zones) * 4  # numbers in the file
            size = os.path.getsize(os.path.join(folder, "silo_once", "blocks", f"{name[:-5]}_0000.silo"))
            expected = nodes * (8 if number == 0 else 4)
            check(expected < size < expected + 20000, f"{name}: {size} bytes for {nodes} numbers")
            check(set(s._files) == {os.path.join(folder, "silo_once", file) for file in
                                    (name, f"blocks/{name[:-5]}_0000.silo", mesh.partition(":")[0])},
                  f"{name}: reads {sorted(s._files)}")
            doubles = s if number == 0 else doubles
            for variable in s.variables if number > 0 else ():
                check(np.array_equal(s.field(variable).values, doubles.field(variable).values.astype(np.float32)),
                      f"{name}: {variable} is not rounded")


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else "."
    for p in range(1, 5):
        for kind in ("nodal", "averaged"):
            name = f"silo_{kind}_{p}.silo"
            snapshot = Snapshot(os.path.join(folder, name))
            check_mesh(snapshot, p, kind == "averaged", name)
            check_fields(snapshot, p, kind == "averaged", name)
            check_extents(snapshot, name)
    check_series(folder)
    check(Snapshot(os.path.join(folder, "silo_nan.silo")).cycle == 1, "silo_nan.silo was not replaced")
    check(Snapshot(os.path.join(folder, "silo_mesh_only.silo")).names() == [], "silo_mesh_only.silo has fields")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
