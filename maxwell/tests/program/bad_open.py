"""Cases of bad_input.py: open walls, from which a layer cannot grow."""
import re

import meshes

CASES = []
HERE = "input/case.lua:{line}: "
PLACE = r"\([-0-9.e+]+, [-0-9.e+]+, [-0-9.e+]+\) m"
PEC = 'walls = { kind = "pec" }'
SHAPES = (r"\. A layer grows from a box \(planes at right angles\), a sphere or a cylinder that bulges outwards, or a piece "
          r"of one cut off by pec and pmc walls; give the room such a wall, or draw the layer and name it in `layers`")


def case(name, says, walls, *edits, at=None, points=None, here=HERE):
    """Boundaries by tags: 1 and 2 are the ends in x of the box, 3 its sides in y, 5 those in z. Each line of `walls` is
    a line of the script; the message names the line of `at`, or the first one; with here="" it names none. points moves
    those of the mesh."""
    mesh = meshes.box()
    for tag, x in mesh.points.items():
        mesh.points[tag] = points(*x) if points else x
    CASES.append({"name": "open wall: " + name, "says": re.compile(here + says), "at": at or walls.split("\n")[0],
                  "edits": [(PEC, walls), *edits], "files": {"input/box.msh": mesh.text()}})


case("an absorbing wall beside it",
     rf"boundaries.\[2\]: boundaries.\[3\], of kind \"absorbing\", touches the open wall at {PLACE}: beside a layer only "
     "pec and pmc go on. Keep it away from the wall",
     '[2] = { kind = "open" },\n[3] = { kind = "absorbing" }')
case("a port beside it",
     rf"boundaries.\[5\]: boundaries.\[1\], of kind \"waveguide_port\", touches the open wall at {PLACE}: .*",
     '[5] = { kind = "open" },\n[1] = { kind = "waveguide_port" }')
case("an impedance beside it",
     rf"boundaries.\[2\]: boundaries.\[3\], of kind \"impedance\", touches the open wall at {PLACE}: .*",
     '[2] = { kind = "open" },\n[3] = { kind = "impedance", impedance = 50 }')
case("total field that ends on it",
     rf"boundaries.\[3\]: interfaces.between, of kind \"total_field\", touches the open wall at {PLACE}: .*",
     '[3] = { kind = "open" }',
     ("order = 1,", 'order = 1,\n  interfaces = { between = { kind = "total_field", region = "left", direction = { 1, 0, 0 }, '
      "polarisation = { 0, 0, 1 }, waveform = waveform.step { rise = 1e-9 } } },"))
case("a current that ends on it",
     rf"boundaries.\[3\]: interfaces.between, of kind \"surface_current\", touches the open wall at {PLACE}: .*",
     '[3] = { kind = "open" }',
     ("order = 1,", 'order = 1,\n  interfaces = { between = { kind = "surface_current", profile = { 0, 0, 1 }, '
      "waveform = waveform.step { rise = 1e-9 } } },"))
case("two wishes for one layer",
     r"boundaries.\[2\] and boundaries.\[3\] touch and so have one layer: give them the same reflection, thickness, "
     "elements and absorber",
     '[2] = { kind = "open" },\n[3] = { kind = "open", reflection = -60 }', at="reflection = -60")
case("a layer beside an absorber",
     r"boundaries.\[2\] and boundaries.\[3\] touch and so have one layer: give them the same reflection, thickness, "
     "elements and absorber",
     '[2] = { kind = "open" },\n[3] = { kind = "open", absorber = true }', at="absorber = true")
case("planes that are not at right angles",
     rf"boundaries.walls: the open wall has planes at [0-9.]+ degrees to each other, at {PLACE} and {PLACE}" + SHAPES,
     'walls = { kind = "open" }', points=lambda x, y, z: (x + 0.5 * y, y, z))
case("a wall that leaves the way of the layer",
     rf"boundaries.\[2\]: a wall without a key in boundaries \(pec\) ends on the open wall at {PLACE}, 26.6 degrees off the "
     "way of the layer, and would end there: let it meet the wall at right angles, or end before it",
     '[2] = { kind = "open" }', points=lambda x, y, z: (x + 0.5 * y, y, z))
case("a step",
     rf"boundaries.walls: the open wall (is concave at {PLACE}|has planes at .*|is no box.*)" + SHAPES,
     'walls = { kind = "open" }', points=lambda x, y, z: (x, y * (1 if x == 0 else 2), z))
case("a layer as a material",
     "materials.walls layer: 'walls layer' is the layer of an open wall, and has the materials of what touches it",
     'walls = { kind = "open" }', ("materials = { ", 'materials = { ["walls layer"] = {}, '), at="materials = {")
case("a surface inside",
     r"boundaries.between: [0-9]+ of the [0-9]+ faces of surface 4 lie inside the domain, where there is no boundary "
     "condition; only outer surfaces have one",
     'between = { kind = "open" }')
case("a probe in the layer",
     re.escape("probe 'inside' at (0.5, 0.5, -0.1) m is outside the mesh, which spans (0, 0, 0) to (2, 1, 1) m"),
     'walls = { kind = "open" }', ("0.4, 0.3, 0.2", "0.5, 0.5, -0.1"), at="at = {")
case("a layer in a Debye medium",
     rf"the perfectly matched layer at {PLACE} is in a medium with poles, and an element has a pole or a layer; "
     "give the layer `absorber = true`, which is losses, or its volume a medium without poles",
     'walls = { kind = "open" }', ("right = { epsilon_r = 2 }", "right = { debye = { { delta = 3, tau = 1e-9 } } }"),
     here="")
