#!/usr/bin/python3
"""Names and colours of STEP files become groups, and scripts find the geometry that comes with the program:
geometry_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all."""
import math
import os
import re
import sys

import meshes
import step_files
from harness import Place, expect, fingerprint, on_ranks
from run_contract import main

CHECK = ("check", "input/case.lua")
SCRIPT = """\
simulation {
  mesh = { file = "%s", size = 5, unit = 1e-3 }, order = 1, time = { steps = 2 },
  materials = { %s },
  boundaries = { %s },
}
"""
RED, GREEN, BLUE = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LOWER, UPPER = ((0, 0, 0), (10, 10, 5)), ((0, 0, 5), (10, 10, 10))


def script(materials, boundaries="default = { kind = 'pec' }", file="board.step"):
    return SCRIPT % (file, materials, boundaries)


def check(program, solids, text, part=None, **files):
    """What check says of these solids and this script: (code, out, err)."""
    files = {"input/board.step": step_files.boxes(solids, part), **{f"input/{name}.geo": f for name, f in files.items()}}
    with Place(program, files, text) as place:
        code, out, err, _ = place.run(*CHECK)
        return code, out, err


def good(program, *arguments, **files):
    code, out, err = check(program, *arguments, **files)
    expect(code == 0, f"{code}: {err}")
    return out, err


def size_of(out, what):
    found = re.search(rf"^{what}.*?([\d.e+-]+) m\^[23]", out, re.M)
    expect(found, f"no {what} in\n{out}")
    return float(found[1])


def test_names(program):
    """Two parts that touch share their face, and are groups."""
    solids = [("substrate", *LOWER, None, {}), ("air", *UPPER, None, {})]
    out, _ = good(program, solids, script("substrate = { epsilon_r = 4 }, air = {}"))
    expect("2 groups of volumes by the names and colours in the file: 'air' (1), 'substrate' (1)" in out, out)
    expect(abs(size_of(out, r"volume +\d+ 'substrate'") - 5e-7) < 1e-12, out)
    expect(re.search(r"touches volume \d and the outside; material 'air'", out), out)
    expect(len(re.findall("^surface .*between volumes 1 and 2", out, re.M)) == 1, out)


def test_same_name(program):
    """Two solids of one name are one group."""
    solids = [("air", *LOWER, None, {}), ("air", (20, 0, 0), (22, 2, 2), None, {})]
    out, _ = good(program, solids, script("air = {}"))
    expect("1 group of volumes by the names and colours in the file: 'air' (2)" in out, out)
    expect(abs(size_of(out, "group +'air': volumes 1, 2") - (5e-7 + 8e-9)) < 1e-12, out)


def test_colours(program):
    """What has no name has its colour as a name; a name counts more. A face has the colour only if its solid has not."""
    solids = [("", *LOWER, RED, {4: GREEN}), ("air", *UPPER, BLUE, {})]
    out, _ = good(program, solids, script("['#ff0000'] = { epsilon_r = 4 }, air = {}",
                                          "['#00ff00'] = { kind = 'pmc' }, default = { kind = 'pec' }"))
    expect("2 groups of volumes by the names and colours in the file: '#ff0000' (1), 'air' (1)" in out, out)
    expect("1 group of surfaces by the names and colours in the file: '#00ff00' (1)" in out, out)
    expect(re.search(r"surface +\d+ '#00ff00': .*\(0, 0, 0\) to \(0.01, 0.01, 0\) m; volume 1 to the outside; "
                     "boundary pmc '#00ff00'", out), out)


def test_from_a_script(program):
    """A geometry that merges the file has the groups, unless it makes groups of its own."""
    solids = [("substrate", *LOWER, None, {}), ("air", *UPPER, None, {})]
    join = 'SetFactory("OpenCASCADE");\nMerge "board.step";\nBooleanFragments{ Volume{:}; Delete; }{ }\n'
    out, _ = good(program, solids, script("substrate = {}, air = {}", file="both.geo"), both=join)
    expect("2 groups of volumes by the names" in out, out)
    own = join + 'Physical Volume("all") = Volume{:};\n'
    out, _ = good(program, solids, script("all = {}", file="both.geo"), both=own)
    expect("by the names" not in out, out)
    code, _, err = check(program, solids, script("air = {}", file="both.geo"), both=own)
    expect(code == 2 and "the mesh has no volume group 'air'; it has 'all'" in err, err)


def test_ranks(program):
    solids = [("substrate", *LOWER, None, {}), ("air", *UPPER, None, {})]
    files = {"input/board.step": step_files.boxes(solids)}
    with Place(program, files, script("substrate = {}, air = {}")) as place:
        place.good("run", "input/case.lua", "-q", **on_ranks(2))


# ---- share/geo

PIECE = """\
simulation {
  mesh = { file = "piece.geo", size = %g, geometry = 3 }, order = 1, time = { steps = 2 },
  materials = { default = {} }, boundaries = { default = { kind = "pec" } },
}
"""


def sizes(program, geo, size, **options):
    """{group: its size} of a geometry: m^3 or m^2, of all that is in the group."""
    with Place(program, {"input/piece.geo": geo}, PIECE % size) as place:
        code, out, err, _ = place.run(*CHECK, **options)
        expect(code == 0, f"{code}: {err}")
        found, whole = {}, {}
        for kind, names, value in re.findall(r"^(volume|surface|group) +(?:\d+ )?('.*?'): .*?([\d.e+-]+) m\^[23]", out, re.M):
            for name in names.strip("'").split("', '"):
                (whole if kind == "group" else found)[name] = float(value)
        return {**found, **whole}, out


def expect_sizes(found, tolerance=1e-3, **wanted):
    for name, size in wanted.items():
        expect(name in found and abs(found[name] / size - 1) < tolerance, f"{name}: {found.get(name)}, not {size}: {found}")


def groups(volumes, surfaces):
    lines = [f'Physical Volume("{name}") = {{{what}}};\n' for name, what in volumes.items()]
    return "".join(lines + [f'Physical Surface("{name}") = {{{what}}};\n' for name, what in surfaces.items()])


def test_coax(program):
    geo = 'coax_inner = 2;\ncoax_outer = 5;\ncoax_length = 6;\ncoax_z = -1;\nInclude "curlew/coax.geo";\n' + groups(
        {"line": "coax_volume"}, {"begin": "coax_begin", "end": "coax_end", "in": "coax_metal(0)", "out": "coax_metal(1)"})
    found, out = sizes(program, geo, 2)
    expect_sizes(found, line=6 * 21 * math.pi, begin=21 * math.pi, end=21 * math.pi, out=60 * math.pi, **{"in": 24 * math.pi})
    expect(re.search(r"'begin': .*, -1\) m; ", out) and re.search(r"'end': .*, 5\) m; ", out), out)
    layered, out = sizes(program, geo.replace("coax_z", "coax_around = 12;\ncoax_layers = 3;\ncoax_z"), 9)
    expect(set(layered) == set(found), f"{layered}")


def test_spheres(program):
    geo = 'spheres_r() = {1, 1.5, 2.5};\nspheres_x = 4;\nInclude "curlew/spheres.geo";\n' + groups(
        {"a": "spheres_volume(0)", "b": "spheres_volume(1)", "c": "spheres_volume(2)"},
        {"i": "spheres_surface(0)", "o": "spheres_surface(2)"})
    found, _ = sizes(program, geo, 0.6)
    ball = 4 / 3 * math.pi
    expect_sizes(found, 5e-3, a=ball, b=ball * (1.5 ** 3 - 1), c=ball * (2.5 ** 3 - 1.5 ** 3), i=3 * ball, o=3 * ball * 6.25)


def test_shells(program):
    """Around a device that was drawn before, which stays outside of its lists."""
    geo = ('SetFactory("OpenCASCADE");\nBox(1) = {-0.1, -0.1, -0.1, 0.2, 0.2, 0.2};\nshells_dx = 2;\nshells_t() = {0.5, 1};\n'
           'Include "curlew/shells.geo";\nBooleanFragments{ Volume{shells_volume(0)}; Delete; }{ Volume{1}; Delete; }\n'
           ) + groups({"device": "1", "near": "shells_volume(1)", "far": "shells_volume(2)"},
                      {"huygens": "shells_inner()", "wall": "shells_outer()"})
    found, out = sizes(program, geo, 1)
    expect_sizes(found, 1e-6, device=0.008, near=3 * 2 * 2 - 2, far=5 * 4 * 4 - 12, huygens=10, wall=2 * (20 + 20 + 16))
    expect(re.search(r"volume +\d+: \d+ elements, 1.992 m", out), out)


def test_microstrip(program):
    geo = 'microstrip_w = 2;\nmicrostrip_length = 10;\nInclude "curlew/microstrip.geo";\n' + groups(
        {"substrate": "microstrip_substrate", "air": "microstrip_air"},
        {"strip": "microstrip_strip()", "ground": "microstrip_ground()", "begin": "microstrip_begin", "end": "microstrip_end"})
    found, out = sizes(program, geo, 5)
    expect_sizes(found, 1e-6, substrate=10 * 16 * 1.6, air=10 * 16 * 12.8, strip=20, ground=160, begin=3.2, end=3.2)
    expect(re.search(r"'strip': .*between volumes", out) and re.search(r"'begin': .*\(0, 1, 1.6\) m; .*outside", out), out)


def test_horn(program):
    geo = 'Include "curlew/horn.geo";\n' + groups(
        {"guide": "horn_guide", "flare": "horn_flare"},
        {"port": "horn_port", "throat": "horn_throat", "aperture": "horn_aperture", "metal": "horn_metal()"})
    found, out = sizes(program, geo, 15)
    a, b, A, B, length = 22.86, 10.16, 56, 42, 45
    flare = length / 6 * (a * b + A * B + (a + A) * (b + B))  # Simpson's rule is exact for a prismatoid
    sides = (a + A) * math.hypot(length, (B - b) / 2) + (b + B) * math.hypot(length, (A - a) / 2)
    expect_sizes(found, 1e-3, guide=a * b * 20, flare=flare, port=a * b, throat=a * b, aperture=A * B,
                 metal=2 * (a + b) * 20 + sides)
    expect(re.search(r"'throat': .*between volumes", out), out)


def test_several_pieces(program):
    """Two coaxial lines from one file; what was set for the first is there for the second."""
    geo = ('coax_length = 4;\nInclude "curlew/coax.geo";\none = coax_volume;\ncoax_x = 10;\nInclude "curlew/coax.geo";\n'
           ) + groups({"one": "one", "two": "coax_volume"}, {})
    found, out = sizes(program, geo, 2)
    expect_sizes(found, 2e-2, one=4 * math.pi * (2.3 ** 2 - 1), two=4 * math.pi * (2.3 ** 2 - 1))
    expect(re.search(r"volume +\d+ 'two': .*\(7.7, ", out), out)


def test_where_pieces_are(program):
    """A file beside the geometry comes first; CURLEW_GEO names another folder; nothing else is found by such a name."""
    geo = 'Include "curlew/coax.geo";\n' + groups({"line": "coax_volume"}, {})
    own = 'SetFactory("OpenCASCADE");\ncoax_volume = 1;\nBox(1) = {0, 0, 0, 1, 2, 3};\n'
    with Place(program, {"input/piece.geo": geo, "input/curlew/coax.geo": own}, PIECE % 1) as place:
        expect("'line': " in place.good(*CHECK) and " 6 m^3" in place.good(*CHECK), "its own piece is not taken")
    with Place(program, {"input/piece.geo": geo, "other/coax.geo": own}, PIECE % 1) as place:
        out = place.good(*CHECK, environment={"CURLEW_GEO": place.path("other")})
        expect(" 6 m^3" in out, out)
    for name in ("curlew/nothing.geo", "curlew/../coax.geo", "curlew/sub/coax.geo", "mycurlew/coax.geo", "coax.geo",
                 "curlew/coax"):
        with Place(program, {"input/piece.geo": geo.replace("curlew/coax.geo", name)}, PIECE % 1) as place:
            before = fingerprint(place.root)
            code, _, err, _ = place.run(*CHECK)
            expect(code == 2 and err.count("\n") == 1 and os.path.basename(name) in err, f"{name}: {code}: {err}")
            expect(fingerprint(place.root) == before, f"{name} left something")


def test_pieces_refuse(program):
    for line, piece, words in (("coax_inner = 3;", "coax", "coax.geo: it takes 0 < coax_inner < coax_outer"),
                               ("spheres_r() = {2, 1};", "spheres", "spheres.geo: spheres_r() must ascend"),
                               ("shells_t() = {1, 0};", "shells", "shells.geo: shells_t() must be above 0"),
                               ("microstrip_width = 2;", "microstrip", "microstrip.geo: lengths must be above 0"),
                               ("horn_a1 = 5;", "horn", "the aperture no smaller than the guide")):
        with Place(program, {"input/piece.geo": f'{line}\nInclude "curlew/{piece}.geo";\n'}, PIECE % 1) as place:
            code, _, err, _ = place.run(*CHECK)
            expect(code == 2 and err.count("\n") == 1 and words in err, f"{piece}: {code}: {err}")


def test_kept_mesh(program):
    """A mesh that is kept is made anew when the piece has changed."""
    geo = 'Include "curlew/coax.geo";\n' + groups({"line": "coax_volume"}, {})
    own = 'SetFactory("OpenCASCADE");\ncoax_volume = 1;\nBox(1) = {0, 0, 0, 1, 2, %d};\n'
    with Place(program, {"input/piece.geo": geo, "other/coax.geo": own % 3}, PIECE % 1) as place:
        other = {"environment": {"CURLEW_GEO": place.path("other")}}
        run = ("run", "input/case.lua", "-o", "case")
        place.good(*run, **other)
        expect("as an earlier run kept it" in place.good(*run, **other), "not kept")
        place.write("other/coax.geo", own % 4)
        expect("made anew" in place.good(*run, **other), "the change is not seen")


def test_bad(program):
    """Solids without names, that overlap, of names that the script does not know; files that are cut."""
    overlap = [("a", *LOWER, None, {}), ("b", (0, 0, 4), (10, 10, 10), None, {})]
    out, err = good(program, overlap, script("default = {}"))
    expect("the 2 solids of" in err and "overlap, or one is there twice: they are 3 volumes now" in err, err)
    unnamed = [("", *LOWER, None, {}), ("SOLID", *UPPER, None, {})]
    code, _, err = check(program, unnamed, script("air = {}"))
    expect(code == 2 and "the mesh has no volume group 'air'; it has no named ones" in err, err)
    code, _, err = check(program, [("substrate", *LOWER, None, {})], script("substate = {}"))
    expect(code == 2 and "(nearest: 'substrate')" in err, err)
    text = step_files.boxes([("air", *LOWER, None, {})])
    for cut in (300, len(text) // 2):
        with Place(program, {"input/board.step": text[:cut]}, script("air = {}")) as place:
            code, _, err, _ = place.run(*CHECK)
            expect(code == 2 and err.count("\n") == 1 and "board.step" in err, f"{code}: {err}")


# ---- groups and files as Gmsh has them

BOX = """\
simulation {
  mesh = { file = "%s" }, order = 1, time = { steps = 2 },
  materials = { %s },
  boundaries = { default = { kind = "pec" } },
}
"""


def check_mesh(program, text, materials, file="box.msh", *options, **more):
    files = {f"input/{file}": text, **more}
    with Place(program, files, BOX % (file, materials)) as place:
        code, out, err, _ = place.run(*CHECK, *options)
        return code, out, err


def test_elements_in_two_groups(program):
    """MSH 2.2 has an element once for each of its groups: it is one element."""
    mesh = meshes.box()
    mesh.group(3, 13, "all", [1, 2])
    for text in (mesh.text(), mesh.text_2()):
        code, out, err = check_mesh(program, text, "left = { epsilon_r = 2 }, default = {}")
        expect(code == 0 and re.search(r"volume +1 'left', 'all': 6 elements, 1 m", out), f"{code}: {out}{err}")
        expect(re.search(r"surface +1 .*: 2 faces, 1 m", out), out)


def test_groups_of_one_name(program):
    """Two groups of one name both have its material, in either version of the format."""
    mesh = meshes.box()
    mesh.groups = [(dim, tag, "left" if name == "right" else name) for dim, tag, name in mesh.groups]
    for text in (mesh.text(), mesh.text_2()):
        code, out, err = check_mesh(program, text, "left = { epsilon_r = 2 }, default = {}")
        expect(code == 0 and "material  left: 12 elements" in out, f"{code}: {out}{err}")


def test_numbers_of_groups(program):
    """A number is the tag of an entity, or the number of a group without a name; where it could be both it is neither."""
    mesh = meshes.box()
    mesh.groups = [g for g in mesh.groups if g[1] not in (11, 12)]
    for text in (mesh.text(), mesh.text_2()):
        code, out, err = check_mesh(program, text, "[12] = { epsilon_r = 2 }, default = {}")
        expect(code == 0 and re.search(r"volume +2: 6 elements.*material '\[12\]'", out), f"{code}: {out}{err}")
    mesh.member[(3, 1)], mesh.member[(3, 2)] = [2], [1]
    code, out, err = check_mesh(program, mesh.text(), "[1] = { epsilon_r = 2 }, default = {}")
    expect(code == 2 and "materials[1]: the mesh has a volume with tag 1, and a physical group 1 without a name" in err
           and 'Physical Volume("name", 1)' in err, f"{code}: {err}")
    mesh.member[(3, 1)], mesh.member[(3, 2)] = [1], [2]
    code, out, err = check_mesh(program, mesh.text(), "[1] = { epsilon_r = 2 }, default = {}")
    expect(code == 0 and re.search(r"volume +1: 6 elements.*material '\[1\]'", out), f"{code}: {out}{err}")


PARTITIONED = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 2, 1, 1};
Physical Volume("all") = {1};
Mesh.MeshSizeMax = 1;
Mesh.PartitionCreateGhostCells = 1;
Mesh.SaveAll = 1;
Mesh 3;
PartitionMesh 2;
Save "ghosts.msh";
"""


def test_ghost_cells(program):
    """Ghost cells of a partition are elements of another."""
    with Place(program, {"input/box.geo": PARTITIONED}, BOX % ("box.geo", "default = {}")) as place:
        place.good(*CHECK, "--trust")
        made = next(os.path.join(root, "ghosts.msh") for root, _, files in os.walk(place.root) if "ghosts.msh" in files)
        with open(made, encoding="utf-8") as file:
            text = file.read()
    expect("$GhostElements" in text, "the test is wrong: there are no ghost cells")
    code, out, err = check_mesh(program, text, "default = {}")
    expect(code == 0 and re.search(r"volume +1 'all': \d+ elements, 2 m", out), f"{code}: {out}{err}")
    # without Mesh.SaveAll Gmsh 4.8 numbers the elements anew, and not the ghosts
    text = re.sub(r"(\$GhostElements\n\d+\n)\d+ ", r"\g<1>987654 ", text)
    code, out, err = check_mesh(program, text, "default = {}")
    expect(code == 2 and "save it without Mesh.PartitionCreateGhostCells, or with Mesh.SaveAll = 1" in err, f"{code}: {err}")


COMPOSED = """\
SetFactory("OpenCASCADE");
DefineConstant[ a = {1, Name StrCat("Parameters/", "a side")} ];
Box(1) = {0, 0, 0, a, 1, 1};
"""


def test_composed_names(program):
    """A name that the script composes is found when it runs, and one that it has not is an error."""
    for name, says in (("Parameters/a side", r"volume +1: .* 2 m\^3"), ("Parameters/b side", None)):
        text = (BOX % ("box.geo", "default = {}")).replace('"box.geo"', f'"box.geo", size = 1, parameters = {{ ["{name}"] = 2 }}')
        with Place(program, {"input/box.geo": COMPOSED}, text) as place:
            code, out, err, _ = place.run(*CHECK)
            if says: expect(code == 0 and re.search(says, out), f"{code}: {out}{err}")
            else: expect(code == 2 and "has no parameter 'Parameters/b side'" in err, f"{code}: {err}")


def test_too_many_elements(program):
    """A file in metres and a size in metres: Gmsh reads millimetres, and would mesh for ever."""
    text = script("default = {}").replace("size = 5, unit = 1e-3", "size = 1e-3")
    code, _, err = check(program, [("substrate", *LOWER, None, {})], text)
    expect(code == 2 and "mesh.size = 0.001 would take about 4.2e+12 elements, of 1e+08 at most" in err
           and "is 10 x 10 x 5 drawing units of 1 m (mesh.unit)" in err and "Gmsh turns it into millimetres" in err,
           f"{code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
