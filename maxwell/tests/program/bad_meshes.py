"""Cases of bad_input.py: mesh and geometry files."""
import re

import meshes
from harness import BOX

CASES = []
HERE = "input/case.lua:3: "


def gmsh(begin):
    """Gmsh's own words differ between its versions."""
    return re.compile(re.escape(HERE + begin) + ".+")



def mesh(name, says, file, content, more="", **rest):
    """The script uses this file, which has this content."""
    CASES.append({"name": name, "says": says, "files": {f"input/{file}": content},
                  "edits": [('file = "box.msh"', f'file = "{file}"{more}'),
                            ("materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } },",
                             "materials = { default = {} },"),
                            ('  boundaries = { walls = { kind = "pec" } },\n', "")], **rest})


CASES.append({"name": "missing mesh", "edits": [("box.msh", "bx.msh")],
              "says": HERE + "cannot read mesh file 'input/bx.msh': No such file or directory"})
CASES.append({"name": "folder as mesh", "edits": [('"box.msh"', '"."')],
              "says": HERE + "cannot read mesh file 'input/.': it is a folder"})
mesh("empty mesh file",
    HERE + "mesh file 'input/empty.msh' is empty",
    "empty.msh", "")
UNKNOWN = (" has no name from which its format can be told: it must end with .geo, .msh, .step, .brep, .iges, .xao, .stl, "
           ".wrl, .unv, .vtk, .mesh, .bdf, .med or .cgns")
mesh("unknown extension",
    HERE + "mesh file 'input/box.xyz'" + UNKNOWN,
    "box.xyz", "this is no mesh\n")
mesh("no extension",
    HERE + "mesh file 'input/box'" + UNKNOWN,
    "box", "this is no mesh\n")
mesh("garbage in a .msh",
    HERE + "mesh file 'input/bad.msh' does not begin as a mesh of Gmsh does ($MeshFormat): its name and its content "
    "disagree",
    "bad.msh", "this is no mesh\n" * 20)
mesh("random bytes in a .msh",
    HERE + "mesh file 'input/bad.msh' does not begin as a mesh of Gmsh does ($MeshFormat): its name and its content "
    "disagree",
    "bad.msh", bytes((7 * i * i + 13 * i) % 256 for i in range(5000)))
CUT = HERE + "mesh file 'input/cut.msh' is cut off: it does not end with the end of a section ($EndElements)"
mesh("truncated .msh in the nodes",
    CUT,
    "cut.msh", BOX[:BOX.index("$EndNodes") - 20])
mesh("truncated .msh in the elements",
    CUT,
    "cut.msh", BOX[:BOX.index("$EndElements") - 150])
mesh("truncated .msh before the elements",
    HERE + "the mesh has neither tetrahedra nor triangles: the geometry has no volume, or the file is cut off, "
    "in mesh 'input/cut.msh'",
    "cut.msh", BOX[:BOX.index("$Elements")])
mesh("no elements",
    HERE + "the mesh has neither tetrahedra nor triangles: the geometry has no volume, or the file is cut off, "
    "in mesh 'input/none.msh'",
    "none.msh", meshes.Mesh().text())
mesh("triangles only",
    HERE + "the mesh has 2 triangles but no tetrahedra: the geometry has no volume, or Gmsh did not save it "
    "because it is in no physical group, in mesh 'input/flat.msh'",
    "flat.msh", meshes.triangles_only().text())
mesh("hexahedra",
    HERE + "element 1 at (0.5, 0.5, 0.5) m is a 'Hexahedron 8' (volume 1 has 1 of them): only tetrahedra "
    "with all nodes of their order, 1 to 4, can be used, in mesh 'input/hex.msh'",
    "hex.msh", meshes.hexahedron().text())
mesh("second order",
    HERE + "element 1 at (0.25, 0.25, 0.25) m is a 'Tetrahedron 10': the file holds a mesh of order 2, but "
    "mesh.geometry is 1; set mesh.geometry = 2 or \"auto\", in mesh 'input/curved.msh'",
    "curved.msh", meshes.second_order().text(), ", geometry = 1")
mesh("inverted element",
    HERE + "element 7 at (1.75, 0.5, 0.25) m is inverted: its volume is -0.167 m^3 (1 of 12 elements are), in "
    "mesh 'input/inverted.msh'",
    "inverted.msh", meshes.inverted().text())
mesh("degenerate element",
    HERE + "element 1 at (0.3125, 0.3125, 0) m is degenerate: its volume is 0 m^3, its longest edge 1.41 m, in "
    "mesh 'input/flat.msh'",
    "flat.msh", meshes.degenerate().text())
mesh("three elements on a face",
    HERE + "the face at (0.333333, 0.333333, 0) m is shared by three elements: 1, 2 and 3, in mesh 'input/three.msh'",
    "three.msh", meshes.three_on_a_face().text())
mesh("element with a node that is not there",
    gmsh("Gmsh could not read 'input/node.msh': "),
    "node.msh", meshes.missing_node().text())
mesh("node at NaN",
    HERE + "element 1 has a vertex at (0, 0, nan) m, in mesh 'input/nan.msh'",
    "nan.msh", meshes.not_finite("nan").text())
mesh("node at infinity",
    HERE + "element 1 has a vertex at (0, 0, inf) m, in mesh 'input/inf.msh'",
    "inf.msh", meshes.not_finite("inf").text())
mesh("touching volumes",
    HERE + "element 2 of volume 2 and element 1 of volume 1 touch or overlap at (0.333333, 0.333333, 1e-06) m "
    "without sharing a face: make the geometry conformal (BooleanFragments or Coherence) or remove the "
    "duplicate nodes, in mesh 'input/touching.msh'",
    "touching.msh", meshes.touching().text())
mesh("size of a mesh",
    HERE + "mesh size 0.1 has no effect: 'input/ready.msh' holds a mesh, not a geometry",
    "ready.msh", BOX, ", size = 0.1")
mesh("parameter of a mesh",
    HERE + "mesh file 'input/ready.msh' takes no parameters ('L' is given): only .geo scripts do",
    "ready.msh", BOX, ", parameters = { L = 1 }")

UNV = """    -1
  2411
         1         1         1        11
   0.0000000000000000D+00   0.0000000000000000D+00   0.0000000000000000D+00
         2         1         1        11
   1.0000000000000000D+00   0.0000000000000000D+00   0.0000000000000000D+00
         3         1         1        11
   0.0000000000000000D+00   1.0000000000000000D+00   0.0000000000000000D+00
         4         1         1        11
   0.0000000000000000D+00   0.0000000000000000D+00   1.0000000000000000D+00
    -1
    -1
  2412
         1       111         1         1         7         4
         1         2         3         4
"""
mesh("truncated .unv",
    HERE + "mesh file 'input/cut.unv' is cut off: it does not end with -1",
    "cut.unv", UNV)
mesh("truncated .bdf",
    HERE + "mesh file 'input/cut.bdf' is cut off: it does not end with ENDDATA",
    "cut.bdf", "$ Created by Gmsh\nGRID,1,0,0,0,0\nGRID,2,0,1,0,0\nGRID,3,0,0,1,0\nGRID,4,0,0,0,1\nCTETRA,1,1,1,2,3,4\n")
mesh("truncated .mesh",
    HERE + "mesh file 'input/cut.mesh' is cut off: it does not end with End",
    "cut.mesh", "MeshVersionFormatted 2\nDimension\n3\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
    "Tetrahedra\n1\n1 2 3 4 1\n")

OCC = 'SetFactory("OpenCASCADE");\n'
mesh("overlapping volumes of large elements",
    re.compile(re.escape(HERE) + "element [0-9]+ of volume [12] and element [0-9]+ of volume [12] (touch or )?overlap.*"),
    "two.geo", OCC + "Box(1) = {0, 0, 0, 1, 1, 1}; Box(2) = {0.9, 0.9, 0.9, 1, 1, 1};\n", ", size = 3")
mesh("nodes doubled with a gap",
    re.compile(re.escape(HERE) + "faces of element .* with a gap of 2e-06 m: their nodes are doubled, .*"),
    "gap.geo", OCC + "Box(1) = {0, 0, 0, 1, 1, 1}; Box(2) = {0, 0, 1.000002, 1, 1, 1};\n", ", size = 3")
mesh("an algorithm that this Gmsh may lack",
    re.compile(re.escape(HERE) + r"Gmsh could not mesh '.*, the geometry sets Mesh\.Algorithm3D = 4: take it out, or write "
               "1 or 10"),
    "netgen.geo", OCC + "Box(1) = {0, 0, 0, 1, 1, 1};\nMesh.Algorithm3D = 4;\n", ", size = 1")
mesh("a size that would make too many elements",
    re.compile(re.escape(HERE) + r"mesh\.size = 0\.001 would take about 8\.5e\+09 elements, of 1e\+08 at most: geometry "
               r"'.*box\.geo' is 1 x 1 x 1 drawing units of 1 m \(mesh\.unit\), which mesh\.size has, too"),
    "box.geo", OCC + "Box(1) = {0, 0, 0, 1, 1, 1};\n", ", size = 1e-3")


def entity(name, says, content):
    """A group of which not all became part of the mesh, and which the script uses."""
    mesh(name, says, "plate.geo", OCC + content, ", size = 0.5")
    CASES[-1]["edits"] = CASES[-1]["edits"][:2] + [('walls = { kind = "pec" }', 'plate = { kind = "pmc" }')]


entity("plate that is not embedded",
    re.compile(r".*boundaries\.plate: all ([0-9]+) of the \1 triangles of surface 7 are faces of no tetrahedron: make it a "
               r"part of the volume around it \(BooleanFragments, or Surface\{7\} In Volume\{\.\.\.\}\)"),
    "Box(1) = {0, 0, 0, 1, 1, 1}; Rectangle(7) = {0.2, 0.2, 0.5, 0.5, 0.5};\nPhysical Surface(\"plate\") = {7, 1};\n"
    "Physical Volume(\"air\") = {1};\n")
entity("plate of which a part sticks out",
    re.compile(r".*boundaries\.plate: all ([0-9]+) of the \1 triangles of surface 2 are faces of no tetrahedron: .*"),
    "Box(1) = {0, 0, 0, 1, 1, 1}; Rectangle(7) = {0, 0, 1, 2, 1};\n"
    "BooleanFragments{ Volume{1}; Delete; }{ Surface{7}; Delete; }\n"
    "Physical Surface(\"plate\") = { Surface In BoundingBox {-1, -1, 0.9, 3, 2, 1.1} };\nPhysical Volume(\"air\") = {1};\n")
mesh("probe in a hole",
    re.compile(r".*probe 'inside' at \(0\.4, 0\.3, 0\.2\) m is outside the mesh, in a hole of it: it spans "
               r"\(0, 0, 0\) to \(2, 1, 1\) m and has no element there"),
    "hole.geo", OCC + "Box(1) = {0, 0, 0, 2, 1, 1}; Box(2) = {0.2, 0.2, 0.1, 0.4, 0.4, 0.4};\n"
    "BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n", ", size = 0.5")
LOOSE = meshes.box()
LOOSE.point(99, 5, 5, 5)
LOOSE.add(2, 1, meshes.TRIANGLE, (1, 2, 99))
CASES.append({"name": "plate of which one triangle is loose", "files": {"input/box.msh": LOOSE.text()},
              "says": re.compile(r".*boundaries\.walls: 1 of the 3 triangles of surface 1 are faces of no tetrahedron: .*")})

CUBE = "SetFactory(\"OpenCASCADE\");\nDefineConstant[ L = 1, width = 2 ];\nBox(1) = {0, 0, 0, L, L, width};\n"
mesh("empty geometry",
    HERE + "the mesh has neither tetrahedra nor triangles: the geometry has no volume, or the file is cut off, "
    "in mesh 'input/none.geo'",
    "none.geo", "// nothing\n")
mesh("flat geometry",
    HERE + "the mesh has neither tetrahedra nor triangles: the geometry has no volume, or the file is cut off, "
    "in mesh 'input/flat.geo'",
    "flat.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n", ", size = 1")
mesh("syntax error in a geometry",
    gmsh("Gmsh could not read 'input/bad.geo': "),
    "bad.geo", "SetFactory(\"OpenCASCADE\");\nBox(1 = {0, 0, 0, 1, 1, 1};\n")
mesh("unknown parameter",
    HERE + "geometry 'input/cube.geo' has no parameter 'widht' (did you mean 'width'?)",
    "cube.geo", CUBE, ", parameters = { widht = 1 }")
mesh("unknown parameter without constants",
    HERE + "geometry 'input/cube.geo' has no parameter 'L': it has no DefineConstant",
    "cube.geo", CUBE.replace("DefineConstant[ L = 1, width = 2 ];", "L = 1; width = 2;"),
    ", parameters = { L = 1 }")
mesh("parameter as a string",
    HERE + 'mesh.parameters.L must be a number, not the string "one"',
    "cube.geo", CUBE, ", parameters = { L = \"one\" }")
mesh("impossible geometry",
    gmsh("Gmsh could not read 'input/cube.geo': "),
    "cube.geo", CUBE, ", parameters = { L = 0 }")
mesh("garbage in a .step",
    gmsh("Gmsh could not read 'input/bad.step': "),
    "bad.step", "ISO-10303-21;\nnothing more\nEND-ISO-10303-21;\n")
mesh("a .brep that is none",
    HERE + "mesh file 'input/bad.brep' does not begin as a shape of Open CASCADE does (CASCADE Topology): its name and its "
    "content disagree",
    "bad.brep", "CASCADE nothing\n")
mesh("garbage in a .brep",
    HERE + "mesh file 'input/bad.brep' is cut off: it does not end with the place of its shape",
    "bad.brep", "CASCADE Topology V1, (c) nobody\n")
mesh("size 0",
    HERE + "mesh.size must be a number > 0, not 0",
    "cube.geo", CUBE, ", size = 0")
mesh("unit 0",
    HERE + "mesh.unit must be a number > 0 (metres per drawing unit), not 0",
    "ready.msh", BOX, ", unit = 0")
mesh("touching volumes of a geometry",
    re.compile(HERE + r"element \d+ of volume 1 and element \d+ of volume 2 touch or overlap at \(1, .*\) m without "
               r"sharing a face: make the geometry conformal \(BooleanFragments or Coherence\) or remove the duplicate "
               r"nodes, in mesh 'input/two.geo'"),
    "two.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\n",
    ", size = 1")
