#!/usr/bin/python3
"""Curved elements as a user meets them: curved_contract.py PROGRAM [NAME...]. What the default is, what is made straight,
and that restarts, ranks and ports work where elements are curved."""
import re
import sys

import meshes
from checkpoint_contract import check_near, content, split
from harness import SCRIPT, Place, edited, expect, on_ranks
from run_contract import RUN, main

# An eighth of a ball of radius 1 with a dielectric core and a lossy shell.
BALL = """\
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1, 0, Pi/2, Pi/2};
Sphere(2) = {0, 0, 0, 0.7, 0, Pi/2, Pi/2};
Sphere(3) = {0, 0, 0, 0.4, 0, Pi/2, Pi/2};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{}
e = 1e-3;
core() = Volume In BoundingBox{-e, -e, -e, 0.4 + e, 0.4 + e, 0.4 + e};
inner() = Volume In BoundingBox{-e, -e, -e, 0.7 + e, 0.7 + e, 0.7 + e};
shell() = Volume{:};
shell() -= inner();
inner() -= core();
outer() = Surface{:};
outer() -= Surface In BoundingBox{-e, -e, -e, 1 + e, 1 + e, e};
outer() -= Surface In BoundingBox{-e, -e, -e, 1 + e, e, 1 + e};
outer() -= Surface In BoundingBox{-e, -e, -e, e, 1 + e, 1 + e};
outer() -= Surface In BoundingBox{-e, -e, -e, 0.7 + e, 0.7 + e, 0.7 + e};
Physical Volume("core") = core();
Physical Volume("inner") = inner();
Physical Volume("shell") = shell();
Physical Surface("outer") = outer();
"""
SPHERE = """\
simulation {
  mesh = { file = "ball.geo", size = 0.5 }, order = args.order or 2,
  time = { steps = args.steps or 60, integrator = args.integrator },
  materials = { core = { epsilon_r = 4, debye = { { delta = 2, tau = 1e-9 } }, magnetic = {
      debye = { { delta = 0.5, tau = 1e-9 } }, lorentz = { { delta = 0.5, omega_0 = 2e9, gamma = 1e9 } } } }, default = { sigma = args.sigma or 1e-3 } },
  boundaries = { outer = { kind = args.outer or "absorbing" }, default = { kind = "pec" } },
  layers = args.layers and { shell = { kind = "sphere" } },
  sources = { { at = { 0.2, 0.1, 0.3 }, moment = { 1e-3, 2e-3, 3e-3 },
                waveform = waveform.gaussian { f0 = 2e8, bandwidth = 3e8 } } },
  output = {
    probes = { { name = "core", at = { 0.21, 0.2, 0.1 }, frequencies = { 2e8 } }, { name = "wall", at = { 0.52, 0.5, 0.5 } } },
    planes = { { name = "cut", origin = { 0.05, 0.05, 0.3 }, u = { 0.8, 0, 0 }, v = { 0, 0.8, 0 }, points = { 5, 4 }, every = 15 } },
    fluxes = { { name = "out", surface = "outer" } },
    polarisations = { { name = "core", at = { 0.21, 0.2, 0.1 } } },
    energy = { every = 1 }, fields = { every = 20 },
  },
}
"""
FILES = {"input/ball.geo": BALL}


def test_restart_is_bit_for_bit(program):
    for backend in ("reference", "cpu"):
        for integrator in ("leapfrog", "lsrk"):
            for order in ((2, 4) if backend == "cpu" else (2,)):
                split(program, FILES, SPHERE, f"{backend}, {integrator}, order {order}", "--set", f"backend={backend}",
                      "-D", f"integrator={integrator}", "-D", f"order={order}")


def test_restart_on_ranks(program):
    split(program, FILES, SPHERE, "3 ranks", "-D", "integrator=leapfrog", ranks=3)


def test_ranks_agree(program):
    with Place(program, FILES, SPHERE) as place:
        place.good(*RUN, "-q", "-o", "one")
        place.good(*RUN, "-q", "-o", "three", **on_ranks(3))
        for name in ("probes/core.csv", "probes/wall.csv", "polarisations/core.csv"):
            check_near(place, "one", "three", name)


def test_backends_agree(program):
    """Also in what poles hold, which is interpolated in components that follow the curve."""
    with Place(program, FILES, SPHERE) as place:
        place.good(*RUN, "-q", "-o", "one")
        place.good(*RUN, "-q", "-o", "other", "--set", "backend=reference")
        for name in ("probes/core.csv", "polarisations/core.csv", "energy.csv"):
            check_near(place, "one", "other", name)


def test_default(program):
    """Maps of order 2, and 4 from order 4 on; a box stays as it is, bit for bit."""
    with Place(program, FILES, SPHERE) as place:
        for order, maps in ((1, 2), (3, 2), (4, 4)):
            out = place.good("check", "input/case.lua", "-D", f"order={order}")
            expect(f"maps of order {maps}" in out, f"order {order}: {out}")
        out = place.good("check", "input/case.lua", "--set", "mesh.geometry=1")
        expect("curved" not in out, f"geometry = 1: {out}")
    box = {"input/box.geo": 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 2, 1, 1};\n'}
    script = edited(SCRIPT, ('"box.msh"', '"box.geo", size = 0.7'), ("order = 1", "order = 4"),
                    ("left = { epsilon_r = 1 }, right = { epsilon_r = 2 }", "default = {}"), ("walls =", "default ="))
    with Place(program, box, script) as place:
        place.good(*RUN, "-q", "-o", "default")
        place.good(*RUN, "-q", "--set", "mesh.geometry=1", "-o", "straight")
        for name in ("probes/inside.csv", "energy.csv"):
            expect(content(place, "default", name) == content(place, "straight", name), f"{name} differs")


def test_layers_are_straight(program):
    """A drawn layer is made straight, and its wall with it; so is one of a .msh file. Both decay."""
    said = "are made straight in and beside drawn layers"
    with Place(program, FILES, SPHERE) as place:
        for given in ((), ("--set", "mesh.geometry=3")):
            out = place.good(*RUN, "-D", "layers=1", "-D", "sigma=0", "-D", "steps=1500", "-D", "outer=pec", *given,
                             "--set", "output.fields=nil")
            expect(said in out and "curved    " in out and "maps of order" in out, f"{given}: {out}")
            total = [row[4] for row in place.rows("case/energy.csv")[1]]
            expect(0 < total[-1] < 1e-4 * max(total), f"{given}: {total[-1]} is left of {max(total)}")
        out = place.good(*RUN, "-D", "layers=1", "--set", "mesh.geometry=1")
        expect(said not in out, f"straight: {out}")
    files = {"input/ball.geo": BALL + "Mesh.MeshSizeMax = 0.5;\nMesh 3;\nSetOrder 2;\n"}
    script = edited(SPHERE, (', size = 0.5', ""))
    with Place(program, files, script) as place:
        out = place.good("check", "input/case.lua", "-D", "layers=1")
        expect(said in out and "maps of order 2" in out, f"a mesh as it is: {out}")


def test_walls_and_surfaces_of_the_computation(program):
    """Absorbing walls and surfaces of far fields in one medium are straight, unless a number asks for maps there."""
    said = "are made straight at absorbing walls and surfaces of total and far fields"
    far = edited(SPHERE, ("energy =", 'far_field = { { name = "f", surface = args.surface, frequencies = { 2e8 }, theta = { 0 }, '
                          'phi = { 0 } } },\n    energy ='))
    geo = BALL + """
middle() = Surface In BoundingBox{-e, -e, -e, 0.7 + e, 0.7 + e, 0.7 + e};
middle() -= Surface In BoundingBox{-e, -e, -e, 0.4 + e, 0.4 + e, 0.4 + e};
middle() -= Surface In BoundingBox{-e, -e, -e, 0.7 + e, 0.7 + e, e};
middle() -= Surface In BoundingBox{-e, -e, -e, 0.7 + e, e, 0.7 + e};
middle() -= Surface In BoundingBox{-e, -e, -e, e, 0.7 + e, 0.7 + e};
Physical Surface("middle") = middle();
core_surface() = Surface In BoundingBox{-e, -e, -e, 0.4 + e, 0.4 + e, 0.4 + e};
core_surface() -= Surface In BoundingBox{-e, -e, -e, 0.4 + e, 0.4 + e, e};
core_surface() -= Surface In BoundingBox{-e, -e, -e, 0.4 + e, e, 0.4 + e};
core_surface() -= Surface In BoundingBox{-e, -e, -e, e, 0.4 + e, 0.4 + e};
Physical Surface("round_core") = core_surface();
"""

    def count(out):
        return int(out.split("curved    ")[-1].split()[0])

    with Place(program, {"input/ball.geo": geo}, SPHERE) as place:
        asked = place.good("check", "input/case.lua", "--set", "mesh.geometry=2")
        wall = place.good("check", "input/case.lua")
        metal = place.good("check", "input/case.lua", "-D", "outer=pec")
        expect(said in wall and said not in asked and said not in metal, f"{wall}\n{asked}\n{metal}")
        expect(0 < count(wall) < count(asked) == count(metal), f"{count(wall)}, {count(asked)}, {count(metal)}")
    images = ('images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pec" }, { axis = "z", wall = "pec" } }, name = "f"')
    with Place(program, {"input/ball.geo": geo}, edited(far, ('name = "f"', images))) as place:
        both = place.good("check", "input/case.lua", "-D", "surface=middle", "-D", "sigma=0")
        expect(said in both and 0 < count(both) < count(wall), f"{count(both)} of {count(wall)}: {both}")


ROUND = """\
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Sphere(2) = {0, 0, 0, 0.6};
BooleanFragments{ Volume{1, 2}; Delete; }{}
e = 1e-3;
Physical Volume("core") = Volume In BoundingBox{-0.6 - e, -0.6 - e, -0.6 - e, 0.6 + e, 0.6 + e, 0.6 + e};
Physical Surface("inner") = Surface In BoundingBox{-0.6 - e, -0.6 - e, -0.6 - e, 0.6 + e, 0.6 + e, 0.6 + e};
"""
WALLS = """\
local wave = waveform.gaussian { f0 = 1e8, bandwidth = 1.5e8 }
simulation {
  mesh = { file = "ball.geo", size = 0.6, geometry = 2 }, order = 2,
  time = { stop = 40e-9 }, materials = { default = {} },
  boundaries = { default = args.impedance and { kind = "impedance", impedance = const.eta0 } or { kind = "absorbing" } },
  interfaces = args.sheet and { inner = { kind = "pec" } },
  sources = { { at = { 0.2, 0.1, 0.3 }, moment = { 1e-3, 2e-3, 3e-3 }, waveform = wave } },
  output = { probes = { { name = "inside", at = { 0.21, 0.2, 0.1 } }, { name = "outside", at = { 0.52, 0.5, 0.5 } } } },
}
"""


def largest(place, name):
    return max(abs(value) for row in place.rows(f"case/probes/{name}.csv")[1] for value in row[1:4])


def test_impedance_of_a_round_wall(program):
    """A wall with the impedance of free space is one that absorbs."""
    with Place(program, {"input/ball.geo": ROUND}, WALLS) as place:
        place.good(*RUN, "-q", "-o", "absorbing")
        place.good(*RUN, "-q", "-D", "impedance=1", "-o", "impedance")
        for name in ("inside", "outside"):
            check_near(place, "absorbing", "impedance", f"probes/{name}.csv")


def test_round_sheet(program):
    """Nothing passes a closed sheet of metal."""
    with Place(program, {"input/ball.geo": ROUND}, WALLS) as place:
        place.good(*RUN, "-q")
        through = largest(place, "outside")
        place.good(*RUN, "-q", "-D", "sheet=1")
        inside, outside = largest(place, "inside"), largest(place, "outside")
        expect(through > 0.01 * inside and outside < 1e-14 * inside, f"{outside} V/m pass of {inside}, {through} without it")


def test_mesh_files(program):
    """The order of a file is taken, and a number that is another is refused."""
    with Place(program, {"input/box.msh": meshes.second_order().text()},
               edited(SCRIPT, ("left = { epsilon_r = 1 }, right = { epsilon_r = 2 }", "default = {}"),
                      ("walls =", "default ="), ("0.4, 0.3, 0.2", "0.2, 0.2, 0.2"))) as place:
        place.good(*RUN, "-q")
        code, _, err, _ = place.run(*RUN, "-q", "--set", "mesh.geometry=1")
        expect(code == 2 and "the file holds a mesh of order 2" in err, f"exit code {code}: {err}")


def test_coarse_ports(program):
    """A gap in a thin rod whose elements are too coarse for its curve is a lumped port all the same: the mesh is mended, and
    the gap as wide as its arc, 3.927 mm. A profile that points out of the face is none."""
    rod = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 60, 60, 60};
Cylinder(2) = {0, 0, 0, 0, 0, 2.5, 2.5, Pi/2};
Cylinder(3) = {0, 0, 2.5, 0, 0, 40, 2.5, Pi/2};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
e = 1e-3;
gap() = Surface In BoundingBox{-e, -e, -e, 2.5 + e, 2.5 + e, 2.5 + e};
Transfinite Curve { Boundary{ Surface{gap()}; } } = 2;
Transfinite Surface { gap() };
Physical Surface("gap") = gap();
"""
    script = """\
simulation {
  mesh = { file = "rod.geo", unit = 1e-3, size = 12 }, order = 2, time = { steps = 20 }, materials = { default = {} },
  boundaries = { gap = { kind = "lumped_port", resistance = 50, direction = args.out and { 1, 1, 0 } or { 0, 0, 1 }, number = 1,
                         waveform = waveform.differentiated_gaussian { f_peak = 1e9 } }, default = { kind = "pec" } },
  output = { ports = { every = 1 } },
}
"""
    with Place(program, {"input/rod.geo": rod}, script) as place:
        out = place.good(*RUN)
        wide = re.search(r"along \(0, 0, 1\), ([0-9.e-]+) m wide", out)
        expect(", now 0 (" in out and "maps of order 2" in out and wide, f"says {out}")
        expect(abs(float(wide[1]) / 3.927e-3 - 1) < 0.01, f"the gap is {wide[1]} m wide")
        code, _, err, _ = place.run(*RUN, "-q", "-D", "out=1")
        expect(code == 2, f"exit code {code}: {err}")


def test_too_coarse(program):
    """A ball of elements as large as its radius: a warning with the volume that the mesh has and the one of the geometry,
    also with a mesh that was kept; none of a surface where nothing happens to a field."""
    ball = """\
SetFactory("OpenCASCADE");
Box(1) = {-1.8, -1.8, -1.8, 3.6, 3.6, 3.6};
Sphere(2) = {0, 0, 0, 1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("ball") = {2};
Physical Volume("air") = {3};
Physical Surface("round") = Boundary{ Volume{2}; };
"""
    script = """\
simulation {
  mesh = { file = "ball.geo", size = args.size or 0.9 }, order = 2, time = { steps = 2 },
  materials = { ball = { epsilon_r = args.epsilon or 4 }, air = {} }, boundaries = { default = { kind = "pec" } },
  output = { far_field = args.far and { { name = "far", surface = "round", frequencies = { 1e7 } } } },
}
"""
    said = r"mesh\.size is too large for the curves: in the mesh volume 2 'ball' is ([0-9.]+) % too small \(([0-9.]+) for 4\.188"
    with Place(program, {"input/ball.geo": ball}, script) as place:
        for words in (("check", "input/case.lua"), ("run", "input/case.lua"), ("run", "input/case.lua")):
            code, out, err, _ = place.run(*words)
            found = re.search("warning: " + said, err)
            expect(code == 0 and found, f"{code}: {out}{err}")
            expect(abs(float(found[2]) / (4.18879 * (1 - float(found[1]) / 100)) - 1) < 1e-3, err)
        code, out, err, _ = place.run("check", "input/case.lua", "-D", "epsilon=1", "-D", "far=1")
        expect(code == 0 and "too large for the curves" not in out + err and "could not follow" in out, f"{code}: {out}{err}")
        code, out, err, _ = place.run("check", "input/case.lua", "-D", "size=0.6")
        expect(code == 0 and "too large for the curves" not in out + err, f"{code}: {out}{err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
