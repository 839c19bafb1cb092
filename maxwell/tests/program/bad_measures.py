"""Cases of bad_input.py: measurements."""
import re

from bad_case import book

CASES, _, key = book()


def measure(name, says, entry, **more):
    """`entry` in the place of the energy."""
    key(name, says, "energy = { every = 1 },", entry + ",", **more)


SPAN = "the mesh, which spans (0, 0, 0) to (2, 1, 1) m"
measure("unknown kind of measurement",
        "unknown key 'voltags' in output (nearest: 'voltages')", "voltags = {}")
measure("line outside",
        "no point of line 'a' is inside " + SPAN,
        "lines = { { name = \"a\", from = { 0, 0, 2 }, to = { 2, 0, 2 } } }")
measure("plane outside",
        "no point of plane 'a' is inside " + SPAN,
        "planes = { { name = \"a\", origin = { 0, 0, 2 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } }")
measure("plane outside on check",
        "no point of plane 'a' is inside " + SPAN,
        "planes = { { name = \"a\", origin = { 0, 0, 2 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } }",
        arguments=("check", "input/case.lua"))
measure("voltage outside",
        "voltage 'a': 1.5 m of its path of 2.5 m are outside " + SPAN,
        "voltages = { { name = \"a\", from = { 0.5, 0.5, -1 }, to = { 0.5, 0.5, 1.5 } } }")
measure("current outside",
        "current 'a': 6.283 m of its path of 6.283 m are outside " + SPAN,
        "currents = { { name = \"a\", circle = { centre = { 1, 0.5, 2 }, normal = { 0, 0, 1 }, radius = 0.99994984 } } }")
measure("voltage along one point",
        "output.voltages.1.path must have at least 2 points, not 1",
        "voltages = { { name = \"a\", path = { { 0, 0, 0 } } } }")
measure("current around two points",
        "output.currents.1.path must have at least 3 points, not 2",
        "currents = { { name = \"a\", path = { { 0, 0, 0 }, { 1, 0, 0 } } } }")
measure("flux through a group that is not there",
        "output.fluxes.wals: the mesh has no surface group 'wals' (nearest: 'walls'); it has 'walls', 'port', 'between'",
        "fluxes = { { name = \"a\", surface = \"wals\" } }")
measure("flux through a tag that is not there",
        "output.fluxes[9]: the mesh has no surface with tag 9; it has 1, 2, 3, 4, 5",
        "fluxes = { { name = \"a\", surface = 9 } }")
measure("flux through a volume",
        "output.fluxes.left: the mesh has no surface group 'left'; it has 'walls', 'port', 'between'",
        "fluxes = { { name = \"a\", surface = \"left\" } }")
measure("flux through an inner surface without direction",
        "output.fluxes: 'direction' is missing in 'a', whose surface lies inside the domain (for example: direction = "
        "{ 1, 0, 0 })",
        "fluxes = { { name = \"a\", surface = \"between\" } }")
measure("flux with a direction along its surface",
        re.compile(r"output\.fluxes: 'direction' of 'a' lies along its surface at \(1, [\d.]+, [\d.]+\) m; it must say "
                   "which side is positive"),
        "fluxes = { { name = \"a\", surface = \"between\", direction = { 0, 1, 1 } } }")
measure("loss in a group that is not there",
        "output.losses.copper: the mesh has no volume group 'copper'; it has 'left', 'right'",
        "losses = { { name = \"a\", region = \"copper\" } }")
measure("loss in a tag that is not there",
        "output.losses[7]: the mesh has no volume with tag 7; it has 1, 2",
        "losses = { { name = \"a\", region = 7 } }")
measure("two lines of one name",
        "output.lines: two lines have the name 'a' (1 and 2)",
        "lines = { { name = \"a\", from = { 0, 0, 0 }, to = { 2, 0, 0 } }, { name = \"a\", from = { 0, 0, 0 }, to = "
        "{ 0, 1, 0 } } }")
measure("frequency beyond the samples",
        re.compile(r"output\.fluxes: 'a' cannot tell 1e\+10 Hz, a sample every [\d.e-]+ s reaches to [\d.e+]+ Hz; lower "
                   "'every' or the frequency"),
        "fluxes = { { name = \"a\", surface = \"walls\", frequencies = { 1e6, 1e10 }, every = 3 } }")
measure("frequencies without points",
        "'points' is missing in output.voltages.1.frequencies (for example: points = 101)",
        "voltages = { { name = \"a\", from = { 0, 0, 0 }, to = { 1, 0, 0 }, frequencies = { from = 1e6, to = 2e6 } } }")

FAR = "far_field = { { name = \"a\", frequencies = { 1e7 }, %s } }"
measure("far field without a surface",
        "output.far_field.1 must have either 'surface' or 'region', as in surface = \"huygens\"", FAR % "every = 2")
measure("far field with both", "output.far_field.1 must have either 'surface' or 'region', not both",
        FAR % "surface = \"between\", region = \"left\"")
measure("far field of a surface that is not there",
        "output.far_field.wals: the mesh has no surface group 'wals' (nearest: 'walls'); it has 'walls', 'port', "
        "'between'", FAR % "surface = \"wals\"")
measure("far field at 0 Hz", "output.far_field.1: there is no far field at 0 Hz",
        "far_field = { { name = \"a\", surface = \"between\", frequencies = { 0 } } }")
measure("far field of a plane", re.compile(r"output\.far_field: the surface of 'a' is not closed: it ends at the edge from "
                                           r"\(1, [01], [01]\) to \(1, [01], [01]\) m; where it ends on a wall .*"),
        FAR % "surface = \"between\"")
measure("far field on a wall", re.compile(r"output\.far_field: the surface of 'a' touches a wall near .*"),
        FAR % "surface = \"walls\"")
measure("far field beyond the half circle", "output.far_field.1.theta.1 must be a list of degrees from 0 to 180, or { from "
        "= 0, to = 180, points = 181 }, not 200", FAR % "surface = \"between\", theta = { 200 }")
measure("images in two parallel planes", "output.far_field.1.images.2: there is another plane across the axis \"x\"",
        FAR % "surface = \"between\", images = { { axis = \"x\", wall = \"pec\" }, { axis = \"x\", wall = \"pmc\" } }")
measure("images in no plane of the mesh", "output.far_field: the images of 'a' are in the plane y = 0.5 m, but the mesh "
        "ends at y = 0 and 1 m", FAR % "surface = \"between\", images = { { axis = \"y\", at = 0.5, wall = \"pec\" } }")
measure("far fields with one file",
        "output.far_field: 1 and 2 would have the same files ('a' and 'a_powers')",
        "far_field = { { name = \"a\", surface = \"between\", frequencies = { 1e7 } }, { name = \"a_powers\", surface = "
        "\"between\", frequencies = { 1e7 } } }")
