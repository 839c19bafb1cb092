#!/usr/bin/python3
"""Every kind of medium, wall, source, interface and measure for some steps (validation/same_answers): `cpu` gives the
fields of `reference`, with every integrator. kinds_contract.py PROGRAM [NAME...] runs the tests whose names contain a
NAME, or all. With the sanitizers this is where all kinds of terms are seen; what they are worth as physics the unit
tests ask."""
import os
import sys

from harness import Place, expect
from run_contract import main

VALIDATION = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../validation"))
sys.path.insert(0, VALIDATION)
from same_answers import terms  # noqa: E402

SCENES = os.path.join(VALIDATION, "same_answers")
assert len(terms()) >= 12, "the names of terms.lua are not found"
STEPS = 7


def largest_difference(header, one, other):
    """Of E, and of H, over the largest number of that field."""
    worst = 0.0
    for field in "EH":
        columns = [i for i, name in enumerate(header) if name.startswith(field)]
        expect(len(columns) in (3, 6), f"columns: {header}")
        scale = max(abs(row[i]) for row in one for i in columns)
        expect(scale > 0, f"{field} is zero")
        worst = max(worst, max(abs(x[i] - y[i]) for x, y in zip(one, other) for i in columns) / scale)
    return worst


def agree(program, script, settings, integrator, precision="double", tolerance=1e-11):
    """The probe of a scene on `cpu` and on `reference`."""
    with Place(program) as place:
        tables = []
        for backend in ("reference", "cpu"):
            options = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
            place.good("run", os.path.join(SCENES, script), "-q", "-o", backend, *options, "--set", f"backend={backend}",
                       "--set", f"time.steps={STEPS}", "--set", f"time.integrator={integrator}", "--set",
                       f"precision={precision}")
            header, rows = place.rows(f"{backend}/probes/a.csv")
            expect(len(rows) == STEPS + 1, f"{backend}: {len(rows)} rows")
            tables.append(rows)
        off = largest_difference(header, *tables)
        expect(off < tolerance, f"{settings}, {integrator}, {precision}: off by {off:.2g}")


def test_terms_with_leapfrog(program):
    for term in terms():
        agree(program, "terms.lua", {"term": term}, "leapfrog")


def test_terms_with_registers(program):
    for term in terms():
        agree(program, "terms.lua", {"term": term, "order": 1}, "lsrk")


def test_terms_with_sums(program):
    for term in terms():
        agree(program, "terms.lua", {"term": term, "order": 1}, "rk4")


def test_terms_in_single_precision(program):
    for term in terms():
        agree(program, "terms.lua", {"term": term, "order": 1}, "leapfrog", "single", 1e-4)


def test_walls_and_sources(program):
    for walls, middle in (("drives", "surface_current"), ("waves", "total_field"), ("ports", None), ("gap", "pec")):
        settings = {"walls": walls} | ({"middle": middle} if middle else {})
        for integrator in ("leapfrog", "lsrk"):
            agree(program, "kinds.lua", settings, integrator)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
