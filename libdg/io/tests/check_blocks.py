"""Reads the snapshots of several ranks that test_silo_ranks wrote, with python3-silo, and compares them with those of
one rank, element by element and value by value.

    check_blocks.py FOLDER_OF_SILO_READER RANKS
Exits 77 (skipped) when the module Silo is not installed.
"""
import os
import re
import shutil
import sys
import tempfile

try:
    import numpy as np
    import Silo
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
from silo_reader import Snapshot  # noqa: E402

RANKS = int(sys.argv[2])
FOLDER = f"silo_ranks_{RANKS}"
FILES = {1: RANKS, 2: min(2, RANKS), 3: 1}  # by order
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def sorted_corners(snapshot):
    """Coordinates of all tetrahedra, [M][4][3] as integers, their corners and then themselves in a fixed order; with the
    numbers of the points [M][4] and of the zones [M] in this order."""
    corner = np.round(snapshot.points[snapshot.zones] * 1e9).astype(np.int64)
    order = np.lexsort((corner[..., 2], corner[..., 1], corner[..., 0]), axis=1)
    corner = np.take_along_axis(corner, order[..., None], axis=1)
    points = np.take_along_axis(snapshot.zones, order, axis=1)
    rows = np.lexsort(corner.reshape(len(corner), -1).T[::-1])
    return corner[rows], points[rows], rows


def compare(alone, ranks, name):
    """Every tetrahedron of the one is in the other, once, with the same values at its corners."""
    first, first_points, first_zones = sorted_corners(alone)
    second, second_points, second_zones = sorted_corners(ranks)
    check(len(np.unique(first.reshape(len(first), -1), axis=0)) == len(first), f"{name}: one rank has a cell twice")
    if first.shape != second.shape or not np.array_equal(first, second):
        check(False, f"{name}: the cells differ ({len(first)} and {len(second)})")
        return
    check(ranks.variables == sorted(alone.variables + ["rank"]), f"{name}: variables {ranks.variables}")
    check(ranks.expressions == alone.expressions, f"{name}: expressions {ranks.expressions}")
    for variable in alone.variables:
        a, b = alone.field(variable), ranks.field(variable)
        check((a.centring, a.unit) == (b.centring, b.unit), f"{name}: {variable} is {b.centring}, {b.unit}")
        if a.centring == "zone":
            difference = np.abs(a.values[first_zones] - b.values[second_zones])
        else:
            difference = np.abs(a.values[first_points] - b.values[second_points])
        check(difference.max() <= 1e-12 * np.abs(a.values).max(), f"{name}: {variable} differs by {difference.max()}")
    check((ranks.time, ranks.cycle) == (alone.time, alone.cycle), f"{name}: time {ranks.time}, step {ranks.cycle}")


def check_seams(snapshot, name):
    """Points at the same place have the same value, to the last bit, whatever block they are in."""
    places, of = np.unique(np.round(snapshot.points * 1e9).astype(np.int64), axis=0, return_inverse=True)
    check(len(places) < len(snapshot.points), f"{name}: no point is in two blocks")
    for variable in ("Ex", "jump"):
        values = snapshot.field(variable).values
        some = np.empty(len(places))
        some[of] = values
        check(np.array_equal(some[of], values), f"{name}: {variable} has a seam")


def check_root(path, order, name, once=False):
    """What the root says of the blocks, against the blocks, read without the reader that the other checks use."""
    stem = os.path.basename(path)[:-5]
    root = Silo.Open(path)
    mesh = root.GetVarInfo("mesh", 1)
    check(len(mesh["meshnames"]) == RANKS, f"{name}: {len(mesh['meshnames'])} blocks")
    files = []
    for rank, place in enumerate(mesh["meshnames"]):
        file, _, inside = place.partition(":")
        check(inside == f"/block_{rank:06d}/mesh" and not os.path.isabs(file), f"{name}: block {place}")
        files.append(file)
        block = Silo.Open(os.path.join(os.path.dirname(path), file))
        info = block.GetVarInfo(inside, 1)
        x = np.array([info[f"coord{d}"] for d in range(3)])
        extents = np.array(mesh["extents"]).reshape(RANKS, 6)[rank]
        difference = np.abs(extents - np.concatenate([x.min(axis=1), x.max(axis=1)])).max()
        check(difference < 1e-15, f"{name}: extents of {place} off by {difference}")
        zones = block.GetVarInfo(os.path.dirname(inside) + "/zonelist", 1)["nzones"]
        check(mesh["zonecounts"][rank] == zones, f"{name}: zones of {place}")
        expected = re.sub(r"mesh_[0-9a-f]{16}", stem, file) if once else file
        values_in = Silo.Open(os.path.join(os.path.dirname(path), expected))
        for variable in root.GetToc().multivar_names:
            multi = root.GetVarInfo(variable, 1)
            file_of, _, inside = multi["varnames"][rank].partition(":")
            check(file_of == expected, f"{name}: {variable} is in {file_of}")
            values = np.array(values_in.GetVarInfo(inside, 1)["value0"])
            extents = np.array(multi["extents"]).reshape(RANKS, 2)[rank]
            check(np.array_equal(extents, (values.min(), values.max())), f"{name}: extents of {variable} of {place}")
            if variable == "rank":
                check(len(values) == zones and np.all(values == rank), f"{name}: rank of {place}")
        values_in.Close()
        block.Close()
    root.Close()
    groups = [int(file[-9:-5]) for file in files]
    check(groups == sorted(groups), f"{name}: ranks of a file are no neighbours: {files}")
    check(len(set(files)) == FILES[order], f"{name}: files {files}")
    check({file[:-10] for file in files} == {f"blocks/{stem}"} or once, f"{name}: files {files}")
    check(set(groups) == set(range(FILES[order])), f"{name}: files {files}")
    return files


def main():
    for order in (1, 2, 3):
        for kind in ("nodal", "averaged"):
            name = f"{kind}_{order}"
            alone = Snapshot(os.path.join(FOLDER, f"alone_{name}.silo"))
            path = os.path.join(FOLDER, f"ranks_{name}.silo")
            check_root(path, order, name)
            ranks = Snapshot(path)
            compare(alone, ranks, name)
            # both snapshots of a series name the mesh of the first
            meshes = []
            for stem in ("before", "once"):
                path = os.path.join(FOLDER, f"{stem}_{name}.silo")
                meshes.append(check_root(path, order, f"{stem} {name}", True))
            check(meshes[0] == meshes[1] and all("/mesh_" in file for file in meshes[0]), f"{name}: meshes {meshes}")
            once = Snapshot(path)
            compare(alone, once, f"once {name}")
            once.close()
            if kind == "averaged":
                check_seams(ranks, name)
    compare(*(Snapshot(os.path.join(FOLDER, f"{who}_holes.silo")) for who in ("alone", "ranks")), "holes")
    here = sorted(os.listdir(FOLDER))
    check(here == sorted(["blocks", "alone_holes.silo", "ranks_holes.silo"] + [f"{who}_{kind}_{order}.silo" for who in ("alone", "ranks", "before", "once")
                                       for kind in ("nodal", "averaged") for order in (1, 2, 3)]), f"files {here}")
    blocks = os.listdir(os.path.join(FOLDER, "blocks"))
    check(len(blocks) == 8 * sum(FILES.values()) + RANKS, f"files of blocks {blocks}")
    with tempfile.TemporaryDirectory() as elsewhere:  # the folder may be moved
        shutil.copytree(FOLDER, os.path.join(elsewhere, "moved"))
        moved = Snapshot(os.path.join(elsewhere, "moved", "ranks_nodal_2.silo"))
        check(len(moved.field("E").values) == len(moved.points), "a folder that was moved")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
