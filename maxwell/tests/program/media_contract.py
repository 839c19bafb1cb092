#!/usr/bin/python3
"""Media with poles as a script gives them: media_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME,
or all. share/doc/manual.md has the contract."""
import sys

import meshes
from harness import SCRIPT, Place, edited, expect
from run_contract import RUN, main

C0 = 299792458.0
POLES = ("drude = {{ {{ omega_p = {omega_p!r}, gamma = 1e8 }} }}, debye = {{ {{ delta = {delta!r}, tau = 2e-9 }} }}, "
         "lorentz = {{ {{ delta = {delta!r}, omega_0 = 1e9, gamma = 1e8 }} }}")
MEDIA = "materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } }"
FIELDS = "E = function(x, y, z) return 0, 0, x + y end"


def results(place, materials, name):
    script = edited(SCRIPT, (MEDIA, "materials = { " + materials + " }"), ("steps = 4", "steps = 60"),
                    (FIELDS, FIELDS + ", H = function(x, y, z) return z, 0, x end"))
    place.write("input/case.lua", script)
    place.good(*RUN, "-q", "-o", name)
    rows = [place.rows(f"{name}/{file}") for file in ("probes/inside.csv", "energy.csv")]
    expect(all(max(abs(value) for value in row) > 0 for _, table in rows for row in table[1:]), f"nothing is in {name}")
    return rows


def test_density_is_a_factor(program):
    """Of both fields' poles."""
    one, two = POLES.format(omega_p=1.5e9, delta=2.0), POLES.format(omega_p=1.5e9 * 2 ** 0.5, delta=4.0)
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        dense = results(place, f"left = {{ density = 2, {one}, magnetic = {{ {one} }} }}, right = {{}}", "dense")
        strong = results(place, f"left = {{ {two}, magnetic = {{ {two} }} }}, right = {{}}", "strong")
        thin = results(place, f"left = {{ {one}, magnetic = {{ {one} }} }}, right = {{}}", "thin")
        expect(thin != dense, "a density does nothing")
        for (_, a), (_, b) in zip(dense, strong):
            largest = max(abs(value) for row in a for value in row[2:])
            off = max(abs(x - y) for one, other in zip(a, b) for x, y in zip(one, other))
            expect(off <= 1e-12 * largest, f"the fields differ by {off:.3g} of {largest:.3g}")


def test_density_ends_a_medium(program):
    """Where a function is 0 there are no poles: bit for bit what two materials give."""
    poles = POLES.format(omega_p=1.5e9, delta=2.0)
    with Place(program, {"input/box.msh": meshes.box().text()}, SCRIPT) as place:
        regions = results(place, f"left = {{ {poles} }}, right = {{}}", "regions")
        function = results(place, f"default = {{ {poles}, density = function(x) return x < 1 and 1 or 0 end }}", "function")
        expect(regions == function, "a density of 0 is not an end of the medium")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
