"""Cases of bad_input.py: mesh and geometry files."""
import re

import meshes
from harness import BOX

CASES = []
HERE = "input/case.lua:3: "


def mesh(name, says, file, content, more="", **rest):
    """The script uses this file, which has this content."""
    CASES.append({"name": name, "says": says, "files": {f"input/{file}": content},
                  "edits": [('file = "box.msh"', f'file = "{file}"{more}'),
                            ("materials = { left = { epsilon_r = 1 }, right = { epsilon_r = 2 } },",
                             "materials = { default = {} },"),
                            ('  boundaries = { walls = { kind = "pec" } },\n', "")], **rest})


CASES.append({"name": "missing mesh", "says": "x", "edits": [("box.msh", "bx.msh")]})
CASES.append({"name": "folder as mesh", "says": "x", "edits": [('"box.msh"', '"."')]})
mesh("empty mesh file", "x", "empty.msh", "")
mesh("unknown extension", "x", "box.xyz", BOX)
mesh("no extension", "x", "box", BOX)
mesh("garbage in a .msh", "x", "bad.msh", "this is no mesh\n" * 20)
mesh("random bytes in a .msh", "x", "bad.msh", bytes((7 * i * i + 13 * i) % 256 for i in range(5000)))
mesh("truncated .msh in the nodes", "x", "cut.msh", BOX[:BOX.index("$EndNodes") - 20])
mesh("truncated .msh in the elements", "x", "cut.msh", BOX[:BOX.index("$EndElements") - 150])
mesh("truncated .msh before the elements", "x", "cut.msh", BOX[:BOX.index("$Elements")])
mesh("no elements", "x", "none.msh", meshes.Mesh().text())
mesh("triangles only", "x", "flat.msh", meshes.triangles_only().text())
mesh("hexahedra", "x", "hex.msh", meshes.hexahedron().text())
mesh("second order", "x", "curved.msh", meshes.second_order().text())
mesh("inverted element", "x", "inverted.msh", meshes.inverted().text())
mesh("degenerate element", "x", "flat.msh", meshes.degenerate().text())
mesh("three elements on a face", "x", "three.msh", meshes.three_on_a_face().text())
mesh("element with a node that is not there", "x", "node.msh", meshes.missing_node().text())
mesh("node at NaN", "x", "nan.msh", meshes.not_finite("nan").text())
mesh("node at infinity", "x", "inf.msh", meshes.not_finite("inf").text())
mesh("touching volumes", "x", "touching.msh", meshes.touching().text())
mesh("size of a mesh", "x", "ready.msh", BOX, ", size = 0.1")
mesh("parameter of a mesh", "x", "ready.msh", BOX, ", parameters = { L = 1 }")

CUBE = "SetFactory(\"OpenCASCADE\");\nDefineConstant[ L = 1, width = 2 ];\nBox(1) = {0, 0, 0, L, L, width};\n"
mesh("empty geometry", "x", "none.geo", "// nothing\n")
mesh("flat geometry", "x", "flat.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n", ", size = 1")
mesh("syntax error in a geometry", "x", "bad.geo", "SetFactory(\"OpenCASCADE\");\nBox(1 = {0, 0, 0, 1, 1, 1};\n")
mesh("unknown parameter", "x", "cube.geo", CUBE, ", parameters = { widht = 1 }")
mesh("unknown parameter without constants", "x", "cube.geo", CUBE.replace("DefineConstant[ L = 1, width = 2 ];",
                                                                          "L = 1; width = 2;"),
     ", parameters = { L = 1 }")
mesh("parameter as a string", "x", "cube.geo", CUBE, ", parameters = { L = \"one\" }")
mesh("impossible geometry", "x", "cube.geo", CUBE, ", parameters = { L = 0 }")
mesh("garbage in a .step", "x", "bad.step", "ISO-10303-21;\nnothing more\n")
mesh("garbage in a .brep", "x", "bad.brep", "CASCADE nothing\n")
mesh("size 0", "x", "cube.geo", CUBE, ", size = 0")
mesh("unit 0", "x", "ready.msh", BOX, ", unit = 0")
mesh("touching volumes of a geometry", "x", "two.geo",
     "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\n", ", size = 1")
