#!/usr/bin/env python3
"""The elliptic operator beside MFEM's partial assembly, on one thread: elliptic_mfem.py BENCH, where BENCH is elliptic_bench of a build
(libdg/solve/elliptic_bench). Needs MFEM's module (`pip install mfem`). MFEM assembles in part on hexahedra only; both have the same unknowns,
Curlew on six tetrahedra for each hexahedron. Each figure is the best of some applications, in processor time, in turns."""
import os
import re
import subprocess
import sys
import time

import mfem.ser as mfem

CASES = ((2, 24), (2, 48), (3, 16), (3, 32))  # order, hexahedra a side
ROUNDS = 3


def mfem_rate(order, side):
    """Unknowns a second of an application."""
    mesh = mfem.Mesh.MakeCartesian3D(side, side, side, mfem.Element.HEXAHEDRON)
    elements = mfem.H1_FECollection(order, 3)
    space = mfem.FiniteElementSpace(mesh, elements)
    form = mfem.BilinearForm(space)
    one = mfem.ConstantCoefficient(1.0)
    form.SetAssemblyLevel(mfem.AssemblyLevel_PARTIAL)
    form.AddDomainIntegrator(mfem.DiffusionIntegrator(one))
    form.Assemble()
    x, y = mfem.Vector(space.GetVSize()), mfem.Vector(space.GetVSize())
    x.Randomize(1)
    best = float("inf")
    for _ in range(8):
        start = time.process_time()
        form.Mult(x, y)
        best = min(best, time.process_time() - start)
    return space.GetVSize() / best


def own_rate(bench, order, side):
    done = subprocess.run([bench, str(order), str(side)], check=True, capture_output=True, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))
    return float(re.search(r"([0-9.]+) MDoF/s", done.stdout).group(1)) * 1e6


def main(bench):
    print(f"MFEM {getattr(mfem, '__version__', '')}; MDoF/s of one thread")
    for order, side in CASES:
        own, theirs = 0, 0
        for _ in range(ROUNDS):
            theirs = max(theirs, mfem_rate(order, side))
            own = max(own, own_rate(bench, order, side))
        print(f"order {order}, {side}^3 hexahedra or {6 * side ** 3} tetrahedra: MFEM {theirs / 1e6:.1f}, Curlew {own / 1e6:.1f}, "
              f"ratio {own / theirs:.1f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
