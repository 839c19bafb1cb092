#!/usr/bin/python3
"""What may touch what (maxwell/touch): every pair that must not meet ends with one line that names both, and the same
scene without the mistake ends without it. touch_contract.py PROGRAM [NAME...]

What the mistakes cost is said beside each; all were measured in runs of both forms."""
import math
import re
import sys

import meshes
from harness import Place, expect, on_ranks
from run_contract import main

WAVE = "direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 }, origin = { 0, 0, 0 }, waveform = waveform.gaussian { bandwidth = 1e8 }"
TOTAL = '[4] = { kind = "total_field", region = "right", ' + WAVE + " }"
WALLS = '[1] = { kind = "absorbing" }, [2] = { kind = "absorbing" }, [3] = { kind = "pmc" }, [5] = { kind = "pec" }'
SOURCE = "sources = { { at = { %s }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { bandwidth = 1e8 } } },"
PLACE = r"\([-0-9.e+]+, [-0-9.e+]+, [-0-9.e+]+\) m"


def scene(cells, inside, *sheets):
    """A box of unit cubes in which volume 2, "right", is where inside(x, y, z) says so; surface 4 is its border, and the
    surfaces from 6 on are the faces whose corners all fulfil sheets[i](x, y, z). Outer surfaces: 1 and 2 (in x), 3 (in y),
    5 (in z). Where inside() is None there is a hole."""
    mesh, old = meshes.Mesh(), meshes.box(cells)
    mesh.points, faces = old.points, {}
    for dim, _, kind, _, nodes in old.elements:
        if dim != 3:
            continue
        middle = [sum(old.points[n][c] for n in nodes) / 4 for c in range(3)]
        if inside(*middle) is None:
            continue
        volume = 2 if inside(*middle) else 1
        mesh.add(3, volume, kind, nodes)
        for drop in range(4):
            faces.setdefault(tuple(sorted(nodes[:drop] + nodes[drop + 1:])), []).append(volume)
    for face, volumes in sorted(faces.items()):
        points = [old.points[n] for n in face]
        flat = [len({p[c] for p in points}) == 1 for c in range(3)]
        on = [6 + i for i, sheet in enumerate(sheets) if all(sheet(*p) for p in points)]
        if len(volumes) == 1 and on:
            mesh.add(2, on[0], meshes.TRIANGLE, face)
        elif len(volumes) == 1:
            mesh.add(2, (1 if points[0][0] == 0 else 2) if flat[0] else 3 if flat[1] else 5, meshes.TRIANGLE, face)
        elif len(set(volumes)) == 2 or on:
            mesh.add(2, on[0] if on else 4, meshes.TRIANGLE, face)
    for volume, name in ((1, "left"), (2, "right")):
        if (3, volume) in mesh.member:
            mesh.group(3, 10 + volume, name, [volume])
    return mesh.text()


HALF = lambda x, y, z: x > 2
STRIP = scene((4, 2, 2), HALF, lambda x, y, z: y == 1 and 1 <= x <= 3)
BEFORE = scene((4, 2, 2), HALF, lambda x, y, z: y == 1 and 3 <= x <= 4)
LAYER = scene((5, 2, 2), lambda x, y, z: x > 3, lambda x, y, z: y == 1)
SHORT = scene((5, 2, 2), lambda x, y, z: x > 3, lambda x, y, z: y == 1 and x <= 3)
BEFORE_LAYER = scene((5, 2, 2), lambda x, y, z: x > 3, lambda x, y, z: y == 1 and x <= 2)
FAR = scene((5, 5, 5), lambda x, y, z: max(abs(x - 2.5), abs(y - 2.5), abs(z - 2.5)) < 0.6)
FLUX = 'output = { fluxes = { { name = "f", surface = %d, direction = { %s } } } },'
FAR_FIELD = 'output = { far_field = { { name = "far", region = "right", frequencies = { 5e7 } } } },'
OPEN = 'default = { kind = "absorbing" }'

# name: mesh, boundaries, interfaces, more, what is said, edits that mend it (of boundaries, interfaces, more; or a mesh)
CASES = {
    # a strip of metal along E through the surface: the field is 11 % off, the power 19 %
    "total field through a strip": (
        STRIP, WALLS, TOTAL + ', [6] = { kind = "pec" }', "",
        rf'error: input/case.lua:4: interfaces.\[6\], of kind "pec", crosses the surface of total field interfaces.\[4\] near {PLACE}: .*by 1 of',
        BEFORE),
    "total field through a film": (
        STRIP, WALLS, TOTAL + ', [6] = { kind = "resistive_sheet", resistance = 100 }', "",
        rf'error: .*interfaces.\[6\], of kind "resistive_sheet", crosses the surface of total field interfaces.\[4\] near {PLACE}: .*', BEFORE),
    # the field is that of the wave's opposite inside, and none outside
    "total field of a region that the wave does not reach": (
        FAR, OPEN, TOTAL.replace('"right"', '"left"'), "",
        rf"error: .*interfaces.\[4\]: its region of total field reaches the wall boundaries.default \(absorbing\) near {PLACE}, .*",
        ('"left"', '"right"')),
    "flux on a surface of total field": (
        STRIP, WALLS, TOTAL, FLUX % (4, "1, 0, 0"),
        rf"warning: input/case.lua:5: output.fluxes 'f' lies on interfaces.\[4\], near {PLACE}: the fields jump there, .*",
        ("surface = 4, direction = { 1", "surface = 2, direction = { 1")),
    "flux on a sheet": (
        STRIP, WALLS, '[6] = { kind = "resistive_sheet", resistance = 100 }', FLUX % (6, "0, 1, 0"),
        rf"warning: .*output.fluxes 'f' lies on interfaces.\[6\], near {PLACE}: .*",
        ('surface = 6, direction = { 0, 1, 0 }', "surface = 4, direction = { 1, 0, 0 }")),
    "flux partly in the total field": (
        STRIP, WALLS, TOTAL, FLUX % (6, "0, 1, 0"),
        rf"warning: .*output.fluxes 'f' lies partly inside of interfaces.\[4\], .*", BEFORE),
    # the power of a source in a closed box, of which half counts as negative: 0
    "flux whose direction is outward here and inward there": (
        FAR, OPEN, "", SOURCE % "2.4, 2.6, 2.5" + FLUX % (4, "1, 0.9, 0.8"),
        rf"warning: .*output.fluxes 'f' counts power from one volume to another as positive .* near {PLACE}, .*", HALF),
    # the manual's snippet of old: 77 times too small in a tube
    "plane wave beside absorbing walls": (
        STRIP, '[1] = { kind = "plane_wave", ' + WAVE + " }, " + OPEN, "", "",
        rf'warning: input/case.lua:3: boundaries.default, of kind "absorbing", touches the plane wave boundaries.\[1\] near {PLACE}, .*by 0.5 of',
        (OPEN, WALLS.split(", ", 1)[1])),
    "plane wave beside a metal that it does not fit": (
        STRIP, '[1] = { kind = "plane_wave", ' + WAVE + ' }, [2] = { kind = "absorbing" }, [5] = { kind = "pec" }', "", "",
        rf'warning: .*a wall without a key in boundaries, of kind "pec", touches the plane wave boundaries.\[1\] near {PLACE}, .*by 1 of',
        ('[5] = { kind = "pec" }', '[5] = { kind = "pec" }, [3] = { kind = "pmc" }')),
    "plane waves that begin each by itself": (
        STRIP, '[1] = { kind = "plane_wave", ' + WAVE.replace("origin = { 0, 0, 0 }, ", "") +
        ' }, [3] = { kind = "plane_wave", ' + WAVE.replace("{ 0, 0, 0 }", "{ -1, 0, 0 }") +
        ' }, [5] = { kind = "pec" }, [2] = { kind = "absorbing" }', "", "",
        rf"warning: .*boundaries.\[3\] and boundaries.\[1\] touch near {PLACE}, and another wave comes in through each: .*",
        (", origin = { -1, 0, 0 }", "")),
    "a resistor in a layer": (
        LAYER, '[3] = { kind = "pmc" }', '[6] = { kind = "resistive_sheet", resistance = 100 }', 'layers = { right = { kind = "box" } },',
        rf'error: .*interfaces.\[6\], of kind "resistive_sheet", touches a layer at {PLACE}: beside a layer only pec and pmc go on.*',
        ('"resistive_sheet", resistance = 100', '"pec"')),
    "a resistor that ends on a layer": (
        SHORT, '[3] = { kind = "pmc" }', '[6] = { kind = "resistive_sheet", resistance = 100 }', 'layers = { right = { kind = "box" } },',
        rf'error: .*interfaces.\[6\], of kind "resistive_sheet", touches a layer at {PLACE}: .*', BEFORE_LAYER),
    "a conductor that ends on a layer": (
        SHORT, '[3] = { kind = "pmc" }', '[6] = { kind = "pec" }', 'layers = { right = { kind = "box" } },',
        rf"warning: .*interfaces.\[6\] ends on the inner wall of a layer at {PLACE}, and its end scatters: .*", LAYER),
    "an impedance beside a layer": (
        LAYER, '[3] = { kind = "impedance", impedance = 50 }', "", 'layers = { right = { kind = "box" } },',
        rf'error: input/case.lua:3: boundaries.\[3\], of kind "impedance", touches a layer at {PLACE}: .*', ('"impedance", impedance = 50', '"pmc"')),
    "a metal beside a layer": (
        LAYER, '[3] = { kind = "metal", metal = "copper", band = { 1e7, 1e9 } }', "", 'layers = { right = { kind = "box" } },',
        rf'error: .*boundaries.\[3\], of kind "metal", touches a layer at {PLACE}: .*', ('"metal", metal = "copper", band = { 1e7, 1e9 }', '"pmc"')),
    # -999 dBi
    "a source outside of a far field": (
        FAR, OPEN, "", SOURCE % "0.6, 0.6, 0.5" + FAR_FIELD,
        rf"error: input/case.lua:5: sources\[1\] lies outside of the surface of output.far_field 'far', near {PLACE}: .*",
        ("0.6, 0.6, 0.5", "2.4, 2.6, 2.5")),
    "one of two sources outside of a far field": (
        FAR, OPEN, "", (SOURCE % "0.6, 0.6, 0.5").replace("= { {", "= { { at = { 2.4, 2.6, 2.5 }, moment = { 1, 0, 0 }, "
                                                            "waveform = waveform.gaussian { bandwidth = 1e8 } }, {") + FAR_FIELD,
        rf"warning: .*sources\[2\] lies outside of the surface of output.far_field 'far', near {PLACE}: .*", ("0.6, 0.6, 0.5", "2.6, 2.6, 2.6")),
    "metal outside of a far field": (
        FAR, '[1] = { kind = "pec" }, ' + OPEN, "", SOURCE % "2.4, 2.6, 2.5" + FAR_FIELD,
        rf'warning: .*boundaries.\[1\], of kind "pec", lies outside of the surface of output.far_field \'far\', near {PLACE}, on no plane .*',
        ('[1] = { kind = "pec" }, ', "")),
}

GUIDE = '[1] = { kind = "waveguide_port", axis = { 0, 1, 0 }, waveform = waveform.gaussian { f0 = 1.2e8, bandwidth = 8e7 } }, [2] = { kind = "%s" }'
FROM = "output = { s_parameters = { from = %s, to = 1.6e8, points = 2 } },"
CASES |= {
    # 2 m x 2 m, cut-off 74.95 MHz: at 83 degrees 0.28 comes back (in WR-90: 0.25 where the formula has 0.28, 0.051 for 0.051 at 75 degrees)
    "a guide that ends in a layer, near its cut-off": (
        STRIP, GUIDE % "open", "", FROM % "7.544e7",
        r"warning: the guide of port 'surface_1' ends in the layer, which returns 0.28 of its mode at 7.544e\+07 Hz, .* 83 degrees off the "
        r"guide's axis; less than -40 dB from 8.207e\+07 Hz on\. .*", ("7.544e7", "8.3e7")),
    # (1 - cosine)/(1 + cosine), cosine = sqrt(1 - (74.95/106)^2)
    "a guide that ends in an absorbing wall": (
        STRIP, GUIDE % "absorbing", "", FROM % "1.06e8",
        r"warning: the guide of port 'surface_1' ends in the absorbing wall boundaries.\[2\], which returns 0.17 of its mode at 1.06e\+08 Hz, .*",
        ('"absorbing"', '"waveguide_port", axis = { 0, 1, 0 }')),
    "a layer of elements that are too few for what is asked": (
        STRIP, '[1] = { kind = "open", reflection = -120, elements = 2 }', "", "",
        r"warning: input/case.lua:3: boundaries.\[1\]: about -48 dB come back from 2 elements of this order, and reflection = -120 is asked: .*",
        ("reflection = -120, ", "")),
}

GAP = '[1] = { kind = "lumped_port", resistance = 50, direction = { %s }, waveform = waveform.gaussian { bandwidth = 1e8 } }, '
TWO = scene((2, 2, 3), lambda x, y, z: False, lambda x, y, z: x == 0 and 1 <= z <= 2)
ROD = scene((3, 3, 1), lambda x, y, z: None if 1 < x < 2 and 1 < y < 2 else False, lambda x, y, z: 1 <= x <= 2 and 1 <= y <= 2)
ROD_PORT = ('[6] = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 }, '
            'waveform = waveform.gaussian { bandwidth = 1e8 } }, [3] = { kind = "pmc" }')
CASES |= {
    # on a matched line between plates |S11| becomes 0.15 with a direction 17 degrees askew
    "a gap with a direction askew": (
        BEFORE, GAP % "0, 0.3, 1" + '[3] = { kind = "pmc" }', "", "",
        rf"error: input/case.lua:3: boundaries.\[1\]: the gap has no one length along its direction \(0, 0.287, 0.958\): it ends near {PLACE}, .*",
        ("0, 0.3, 1", "0, 0, 1")),
    # |S11| 0.39 on a matched line whose port has a conductor across its middle third
    "two gaps with a conductor between": (
        TWO, GAP % "0, 0, 1" + '[3] = { kind = "pmc" }, [6] = { kind = "pec" }', "", "",
        rf"error: .*boundaries.\[1\]: the gap has no one length along its direction \(0, 0, 1\): it ends near \(0, .*, "
        rf"1\) m, 2 m before its farthest end, .*",
        scene((2, 2, 3), lambda x, y, z: False, lambda x, y, z: x == 0 and z >= 1)),
    "a gap that ends on no conductor": (
        BEFORE, GAP % "0, 0, 1" + '[3] = { kind = "pmc" }, [5] = { kind = "pmc" }', "", "",
        rf"error: .*boundaries.\[1\]: a lumped port or element is a gap between two conductors, and at its other end, "
        rf"near {PLACE}, it meets none: .*",
        ('[5] = { kind = "pmc" }', '[5] = { kind = "pec" }')),
    # a rod 0.25 of a wavelength around takes 17 % of the power beside what the port sees, in a line of parallel plates
    "a rod that is not thin": (
        ROD, ROD_PORT, "", "output = { s_parameters = { 5e7 } },",
        r"warning: input/case.lua:3: boundaries.\[6\] goes around a rod that is thin up to 1.499e\+07 Hz, and 5e\+07 Hz is asked for: .*",
        ("5e7", "1e7")),
}


def script_of(boundaries, interfaces, more):
    return "simulation {\n" + f"""\
  mesh = {{ file = "box.msh" }}, order = 1, time = {{ steps = 1 }}, materials = {{ default = {{}} }},
  boundaries = {{ {boundaries} }},
  interfaces = {{ {interfaces} }},
  {more}
}}
"""


def said(program, mesh, script, ranks=1):
    with Place(program, {"input/box.msh": mesh}, script) as place:
        code, _, err, _ = place.run("run", "input/case.lua", **(on_ranks(ranks) if ranks > 1 else {}))
    return code, [line.replace("curlew: warning: ", "warning: ") if "warning: " in line else line.replace("curlew: ", "error: ", 1)
                  for line in err.splitlines() if line.startswith("curlew: ")]


def mended(case):
    mesh, *parts, _, change = case
    if callable(change):
        return scene((5, 5, 5), change), script_of(*parts)
    if isinstance(change, str):
        return change, script_of(*parts)
    text = script_of(*parts)
    expect(text.count(change[0]) == 1, f"the test is wrong: {change[0]!r} is not once in the script")
    return mesh, text.replace(*change)


def test_pairs(program):
    for name, case in CASES.items():
        mesh, *parts, says, _ = case
        code, lines = said(program, mesh, script_of(*parts))
        fit = [line for line in lines if re.match(says, line)]
        expect(len(fit) == 1, f"{name}: {code}: {lines}")
        expect((code == 0) == fit[0].startswith("warning"), f"{name}: {code}: {lines}")
        code, lines = said(program, *mended(case))
        expect(code == 0 and not [line for line in lines if re.match(says, line)], f"{name}, mended: {code}: {lines}")


def test_layers_by_angle(program):
    """R0^cosine (1 - cosine)/(1 + cosine) of an open wall, R0^cosine before a conductor, and what the mesh returns."""
    for layer, text, behind in ((STRIP, script_of('[1] = { kind = "open", elements = 8 }', "", ""), lambda c: (1 - c) / (1 + c)),
                                (LAYER, script_of('[3] = { kind = "pmc" }', "", 'layers = { right = { kind = "box" } },'), lambda c: 1)):
        with Place(program, {"input/box.msh": layer}, text) as place:
            code, out, err, _ = place.run("check", "input/case.lua")
        expect((code, err) == (0, ""), f"{code}: {err}")
        along = float(re.search(r"predicted reflection (\S+) dB", out).group(1))
        values = re.search(r"layer     at 0, 45, 60, 75 and 85 degrees off its normal (.*) dB come back", out).group(1).split(", ")
        mesh = 10 ** (float(values[0]) / 20) - behind(1) * 10 ** (along / 20)
        for angle, value in zip((0, 45, 60, 75, 85), values):
            c = math.cos(math.radians(angle))
            wanted = 20 * math.log10(behind(c) * 10 ** (along * c / 20) + mesh)
            expect(abs(float(value) - wanted) < 1.1, f"{angle} degrees: {value} dB, and not {wanted}")


def test_ranks_say_it_once(program):
    for name in ("total field through a strip", "metal outside of a far field"):
        mesh, *parts, says, _ = CASES[name]
        code, lines = said(program, mesh, script_of(*parts), ranks=2)
        expect(len([line for line in lines if re.match(says, line)]) == 1, f"{name}, 2 ranks: {code}: {lines}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
