#!/usr/bin/python3
"""Writes a mesh of cubes cut into tetrahedra, whose inside is the same whatever is around it: grid.py FILE [NAME=VALUE].

cells   cubes from one side of the inside to the other (three numbers with commas, or one)
layer   cubes of the shell on every side; 0: none
around  cubes of more inside on every side: the far larger mesh of a reference
size    edge of a cube, m
thick   edge of the shell's cubes across the wall, m (size)
slab    1: the cubes below the middle in z are the group "slab" (no shell then)
jitter  how far the vertices of the inside are moved at random, over the edge; the same ones move by the same

Vertices are numbered so that cubes are cut alike everywhere. Groups: air, shell, wall."""
import itertools
import random
import sys

ORDERS = list(itertools.permutations(range(3)))


def tags_and_corners(n, layer, slab, vertex):
    """The elements as Gmsh writes them behind their number: tetrahedra, then the triangles of the wall."""
    elements = []
    for q in itertools.product(*(range(m - 1) for m in n)):
        tag = 1 if all(layer <= q[c] < n[c] - 1 - layer for c in range(3)) else 2
        if slab and tag == 1 and q[2] < (n[2] - 1) // 2:
            tag = 4
        for order in ORDERS:
            at, corner = list(q), [vertex(*q)]
            for c in order:
                at[c] += 1
                corner.append(vertex(*at))
            sign = sum(order[a] > order[b] for a in range(3) for b in range(a + 1, 3)) % 2
            if sign:
                corner[2], corner[3] = corner[3], corner[2]
            elements.append("4 2 %d %d %d %d %d %d" % (tag, tag, *corner))
    for c in range(3):
        a, b = [i for i in range(3) if i != c]
        for end in (0, n[c] - 1):
            for s in itertools.product(range(n[a] - 1), range(n[b] - 1)):
                q = [0, 0, 0]
                q[c], q[a], q[b] = end, s[0], s[1]
                for order in ((a, b), (b, a)):
                    at, corner = list(q), [vertex(*q)]
                    for d in order:
                        at[d] += 1
                        corner.append(vertex(*at))
                    elements.append("2 2 3 3 %d %d %d" % tuple(corner))
    return elements


def write(path, cells=(8, 8, 8), layer=2, around=0, size=0.1, thick=None, jitter=0.0, slab=0):
    thick = thick or size
    axes, first, last = [], [], []
    for i in range(3):
        half = cells[i] / 2
        inner = [size * (k - half - around) for k in range(cells[i] + 2 * around + 1)]
        below = [inner[0] - thick * k for k in range(layer, 0, -1)]
        above = [inner[-1] + thick * k for k in range(1, layer + 1)]
        axes.append(below + inner + above)
        first.append(layer + around)
        last.append(layer + around + cells[i])
    n = [len(a) for a in axes]

    def vertex(i, j, k):
        return 1 + (i * n[1] + j) * n[2] + k

    def inside(q, low, high):
        return all(low[c] < q[c] < high[c] for c in range(3))

    with open(path, "w", encoding="ascii") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 3 "wall"\n3 1 "air"\n3 2 "shell"\n3 4 "slab"\n'
                  '$EndPhysicalNames\n$Nodes\n%d\n' % (n[0] * n[1] * n[2]))
        for q in itertools.product(*map(range, n)):
            x = [axes[c][q[c]] for c in range(3)]
            if jitter > 0 and inside(q, first, last):
                r = random.Random(",".join(str(q[c] - first[c]) for c in range(3)))
                x = [v + size * jitter * r.uniform(-1, 1) for v in x]
            out.write("%d %.17g %.17g %.17g\n" % (vertex(*q), *x))
        out.write("$EndNodes\n")
        elements = tags_and_corners(n, layer, slab, vertex)
        out.write("$Elements\n%d\n" % len(elements))
        for i, text in enumerate(elements):
            out.write("%d %s\n" % (i + 1, text))
        out.write("$EndElements\n")


if __name__ == "__main__":
    values = dict(a.split("=") for a in sys.argv[2:])
    if "cells" in values:
        numbers = [int(v) for v in values["cells"].split(",")]
        values["cells"] = numbers * 3 if len(numbers) == 1 else numbers
    for key, kind in (("layer", int), ("around", int), ("slab", int), ("size", float), ("thick", float), ("jitter", float)):
        if key in values:
            values[key] = kind(values[key])
    write(sys.argv[1], **values)
