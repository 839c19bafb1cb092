#!/usr/bin/python3
"""The same run on any number of ranks has the same result: ranks_contract.py PROGRAM [NAME...] runs the tests whose
names contain a NAME, or all."""
import os
import sys

import numpy as np
import Silo

import meshes
from harness import SCRIPT, Place, edited, expect, on_ranks
from metal_contract import check_balance, with_sheet
from ranks_scenes import scene
from run_contract import RUN, files, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/plot"))
from silo_reader import Snapshot  # noqa: E402

TOLERANCE = 1e-12


def kind_of(column):
    """Columns of one kind are compared with the largest value of all of them: Ex, Hy_re, S21_im, ... What a port reflects
    is its voltage less what comes in, and has the rounding of these."""
    if column.split("_")[0] in ("incident", "reflected", "voltage"):
        return "voltage"
    return column[0] if column[0] in "EHS" and column != "step" else column.split("_")[0]


def check_near(one, other, what):
    """one and other: kind -> values. Absent values (nan) are so in both."""
    for kind, a in one.items():
        b = other[kind]
        expect(a.shape == b.shape, f"{what}: {a.shape} and {b.shape} values of {kind}")
        expect(np.array_equal(np.isnan(a), np.isnan(b)), f"{what}: nan in other places of {kind}")
        if a.size == 0 or np.isnan(a).all():
            continue
        largest, off = np.nanmax(np.abs(a)), np.nanmax(np.abs(a - b))
        expect(off <= TOLERANCE * largest, f"{what}: {kind} differs by {off:.2g}, the largest value is {largest:.3g}")


def table(place, name):
    header, rows = place.rows(name)
    rows = np.array(rows).reshape(len(rows), len(header))
    if "axial_ratio" in header:  # in dB: of a wave that is almost linear 1e-12 of the field are many times that
        axial = header.index("axial_ratio")
        rows[:, axial] = 10 ** (-rows[:, axial] / 20)
    kinds = {}
    for i, column in enumerate(header):
        kinds.setdefault(kind_of(column), []).append(i)
    return {kind: rows[:, columns] for kind, columns in kinds.items()}


def grid(path):
    """A plane's file."""
    file = Silo.Open(path)
    mesh = file.GetVarInfo("mesh", 1)
    values = {"points": np.array([mesh[f"coord{d}"] for d in range(3)])}
    for name in file.GetToc().ucdvar_names:
        values.setdefault(kind_of(name), []).append(file.GetVarInfo(name, 1)["value0"])
    file.Close()  # a process may have 256 of them open
    return {name: np.array(value) for name, value in values.items()}


def field(path):
    """The whole field of a snapshot, whose blocks and elements are in any order: node by node, sorted by the place
    and, since each element has its own, by the centre of the zones that a node is in."""
    snapshot = Snapshot(path)
    points, zones = snapshot.points, snapshot.zones
    centre, count = np.zeros_like(points), np.zeros(len(points))
    np.add.at(centre, zones.ravel(), np.repeat(points[zones].mean(axis=1), 4, axis=0))
    np.add.at(count, zones.ravel(), 1)
    expect((count > 0).all(), f"{path}: nodes in no zone")
    key = np.round(np.hstack([points, centre / count[:, None]]) * 1e9)
    order = np.lexsort(key.T)
    found = {"points": points[order]}
    for name in snapshot.variables:
        values = snapshot.field(name)
        if values.centring == "node":
            found.setdefault(kind_of(name), []).append(values.values[order])
    snapshot.close()
    return {"zones": np.array([len(zones)]), **{name: np.array(value) for name, value in found.items()}}


def read(place, name, folder):
    path = place.path(folder, name)
    if name.endswith(".csv"):
        return table(place, os.path.join(folder, name))
    return grid(path) if name.startswith("planes/") else field(path)


def compared(names):
    """Files of measurements, and the last snapshot's root."""
    roots = sorted(name for name in names if name.startswith("fields_"))
    others = {name for name in names if name.endswith((".csv", ".silo")) and not name.startswith("blocks/")}
    return {name for name in others if "fields_" not in name} | set(roots[-1:])


def check_ranks(program, name, ranks, **choice):
    inputs, script = scene(name, **choice)
    with Place(program, inputs, script) as place:
        place.good(*RUN, "-o", "one", "--quiet")
        wanted = compared(files(place, "one"))
        expect("energy.csv" in wanted, f"files: {wanted}")
        one = {file: read(place, file, "one") for file in wanted}
        largest = {file: max(np.nanmax(np.abs(value), initial=0) for value in kinds.values())
                   for file, kinds in one.items()}
        expect(all(value > 0 for value in largest.values()), f"nothing is in {min(largest, key=largest.get)}")
        steps = place.summary("one")["steps"]
        for count in ranks:
            place.good(*RUN, "-o", "many", "--quiet", **on_ranks(count))
            summary = place.summary("many")
            expect((summary["ranks"], summary["steps"], summary["status"]) == (count, steps, "done"), f"{summary}")
            expect(compared(files(place, "many")) == wanted, f"files on {count} ranks: {files(place, 'many')}")
            for file in sorted(wanted):
                check_near(one[file], read(place, file, "many"), f"{count} ranks, {file}")


def test_random_numbers(program):
    """Of initial fields and of a current: every rank finds at a place and a time what another one would."""
    script = edited(SCRIPT, ("return 0, 0, x + y", "return 0, 0, math.random()"), ("steps = 4", "steps = 40"),
                    ("initial =", 'sources = { { region = "left", current = function(x, y, z, t) '
                     "return math.random() - 0.5, 0, 0 end } },\n  initial ="))
    with Place(program, {"input/box.msh": meshes.box((4, 3, 2)).text()}, script) as place:
        for ranks in (1, 2, 3):
            place.good(*RUN, "-q", "-o", f"on_{ranks}", **(on_ranks(ranks) if ranks > 1 else {}))
        for name in ("energy.csv", "probes/inside.csv"):
            for ranks in (2, 3):
                check_near(table(place, f"on_1/{name}"), table(place, f"on_{ranks}/{name}"), f"{ranks} ranks, {name}")


def test_box_leapfrog(program):
    check_ranks(program, "box", (2, 3, 4, 7), sheet=True)


def test_box_leapfrog_centered_reference(program):
    check_ranks(program, "box", (3,), flux="centered", backend="reference", sheet="graphene")


def test_box_lsrk(program):
    check_ranks(program, "box", (7,), integrator="lsrk", flux="centered")


def test_box_rk4(program):
    check_ranks(program, "box", (3,), integrator="rk4", sheet="graphene")


def test_box_metal_sheet(program):
    check_ranks(program, "box", (7,), sheet="metal")  # of 2 to 5 ranks none has a sheet on its boundary


def test_box_lsrk_metal_sheet_reference(program):
    check_ranks(program, "box", (7,), integrator="lsrk", backend="reference", sheet="metal")


def test_balance_of_sheet(program):
    """Between ranks: of 2 to 4 parts, and of 6, none has the sheet on its boundary."""
    check_balance(program, "a sheet", with_sheet, {"leapfrog": 1e-9, "lsrk": 5e-5}, ranks=5, stop="2e-10")


def test_guide(program):
    check_ranks(program, "guide", (2, 7))


def test_guide_lsrk(program):
    check_ranks(program, "guide", (3,), integrator="lsrk")


def test_strip(program):
    check_ranks(program, "strip", (2, 3, 7), flux="centered")


def test_line(program):
    check_ranks(program, "line", (3,))


def test_averaged_snapshot(program):
    """At a point that elements of several ranks share all of their blocks have the mean of all elements there."""
    inputs, script = scene("box", steps=40)
    with Place(program, inputs, script) as place:
        averaged = ("--set", "output={fields={every=40,average=true}}", "--quiet")
        place.good(*RUN, *averaged, "-o", "one")
        place.good(*RUN, *averaged, "-o", "many", **on_ranks(4))
        one, many = (Snapshot(place.path(folder, "fields_000040.silo")) for folder in ("one", "many"))
        expect(len(many.points) > len(one.points), "no point is in two blocks")
        found = {}
        for point, value in zip(np.round(one.points * 1e9), one.field("E").values):
            found.setdefault(tuple(point), []).append(value)  # more than one on the two sides of a conductor
        largest = np.abs(one.field("E").values).max()
        for point, value in zip(np.round(many.points * 1e9), many.field("E").values):
            off = min(np.abs(value - other).max() for other in found[tuple(point)])
            expect(off <= TOLERANCE * largest, f"the mean at {point * 1e-9} differs by {off:.2g} of {largest:.2g}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
