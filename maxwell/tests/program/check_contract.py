#!/usr/bin/python3
"""What `curlew check` says about a run, against the run: check_contract.py PROGRAM [NAME...] runs the tests whose names
contain a NAME, or all."""
import math
import os
import re
import sys
import time

import meshes
from harness import SCRIPT, Failure, Place, edited, expect, fingerprint, on_ranks
from run_contract import main

del os.environ["CURLEW_CHECK_SECONDS"]  # here it is to take as long as it does for a user

SANITIZED = "ASAN_OPTIONS" in os.environ or "LSAN_OPTIONS" in os.environ
CHECK = ("check", "input/case.lua")
RUN = ("run", "input/case.lua", "-q")

# Two lumped ports on opposite sides of a box: two runs for the S-parameters.
PORTS = """\
local pulse = waveform.gaussian { bandwidth = 1e8 }
simulation {
  mesh = { file = "box.msh" },
  order = 2,
  time = { steps = 400 },
  materials = { default = { epsilon_r = 1 } },
  boundaries = {
    [1] = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 }, number = 1, waveform = pulse },
    [2] = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 }, number = 2, waveform = pulse },
    [3] = { kind = "pmc" }, walls = { kind = "pec" },
  },
  output = { s_parameters = { 100e6, 200e6 } },
}
"""


def seconds_of(out):
    """What the line `run` promises, in seconds."""
    found = re.search(r"^run +(?:about|at most) (\S+) s( \(.*\))? on this machine", out, re.M)
    expect(found, out)
    return float(found[1])


def test_seconds(program):
    """As long as it takes; within a factor of two, since a machine that has much else to do changes its pace. The
    manual has what was measured on an idle one."""
    large = {"input/box.msh": meshes.box((8, 6, 6)).text()}
    script = edited(SCRIPT, ("order = 1", "order = 3"), ("steps = 4", "steps = 400"), ("every = 2", "every = 100"))
    tries = []
    with Place(program, large, script) as place:
        while len(tries) < 3:
            said = seconds_of(place.good(*CHECK))
            began = time.monotonic()
            place.good(*RUN, "-o", f"out{len(tries)}", "--remesh")
            took = time.monotonic() - began
            tries.append((said, took))
            if took / 2 < said < 2 * took:
                return
    raise Failure(f"said and taken: {tries}")


def test_memory(program):
    """The peak of the first steps is that of the run."""
    if SANITIZED:
        return  # what has been freed counts there, too, as long as the address sanitizer likes
    large = {"input/box.msh": meshes.box((8, 6, 6)).text()}
    with Place(program, large, edited(SCRIPT, ("order = 1", "order = 4"))) as place:
        out = place.good(*CHECK)
        found = re.search(r"^memory +at its peak ([0-9.]+) MB, as", out, re.M)
        expect(found, out)
        place.good(*RUN)
        peak = 1e-6 * place.summary()["peak_memory_bytes"]
        expect(abs(float(found[1]) - peak) < 0.2 * peak, f"{found[1]} MB were said, the run took {peak:.1f} MB")


def test_nothing_is_left(program):
    """Whatever the output, the folder is as before."""
    output = edited(SCRIPT, ("energy = { every = 1 }", "energy = { every = 1 }, balance = { every = 1 }"))
    for script in (output, PORTS):
        with Place(program, script=script) as place:
            before = fingerprint(place.root)
            out = place.good(*CHECK)
            expect("nothing is left behind" in out, out)
            expect(fingerprint(place.root) == before, f"left: {sorted(fingerprint(place.root))}")
            out = place.good(*CHECK, **on_ranks(2))
            expect("of the rank that takes most" in out, out)
            expect(fingerprint(place.root) == before, f"2 ranks left: {sorted(fingerprint(place.root))}")


NESTED = '''\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0.3, 0.3, 0.3, 0.4, 0.4, 0.4};
BooleanFragments{ Volume{1, 2}; Delete; }{}
Physical Volume("inner") = {2};
Physical Volume("outer") = {3};
MeshSize{:} = 0.3;
'''
FAR = '''\
simulation {
  mesh = { file = "nested.geo" }, order = 2, materials = { default = {} }, time = { steps = args.steps or 400 },
  boundaries = { default = { kind = "absorbing" } },
  sources = { { at = { 0.5, 0.5, 0.5 }, moment = { 0, 0, 1 }, waveform = waveform.ricker { f_peak = 2e8 } } },
  output = {
    far_field = { { name = "a", region = "inner", frequencies = { from = 1e8, to = 3e8, points = args.points or 101 },
                    theta = { from = 0, to = 180, points = 91 }, phi = { from = 0, to = 358, points = 180 } } },
    spectra = { { name = "all", fields = { "E" }, frequencies = { from = 1e8, to = 3e8, points = args.points or 101 } } },
  },
}
'''


def test_far_fields_are_estimated(program):
    """100 million directions times points take minutes at the end of a run: check works none of them out, says how long, and
    leaves nothing behind."""
    with Place(program, {"input/nested.geo": NESTED}, FAR) as place:
        # What else the machine does only makes an estimate longer: the shortest of some is compared.
        shortest = {7: (math.inf, math.inf), 101: (math.inf, math.inf)}
        for attempt in range(5):
            for points, least in shortest.items():
                before = fingerprint(place.root)
                out = place.good(*CHECK, "-D", f"points={points}", "-D", "steps=40")
                found = re.search(r"^end +of that far fields take about ([0-9.e+-]+) s and spectra of fields ([0-9.e+-]+) s", out, re.M)
                expect(found, out)
                expect(float(found[1]) < seconds_of(out), out)
                first = points == 7 and attempt == 0
                expect(fingerprint(place.root) == before or first, f"left: {sorted(fingerprint(place.root))}")
                shortest[points] = tuple(min(a, float(b)) for a, b in zip(least, found.groups()))
            if all(4 < b / a < 50 for a, b in zip(shortest[7], shortest[101])):
                return
        raise Failure(f"7 and 101 frequencies: {shortest}")


def test_all_runs(program):
    """S-parameters take a run for each driven port: the steps of all of them count."""
    with Place(program, script=PORTS) as place:
        out = place.good(*CHECK)
        expect("2 runs for S-parameters, each of 400 steps" in out, out)
        one = place.good(*CHECK, "--set", "boundaries.2.waveform=nil")
        expect("for S-parameters, each" not in one, one)


def test_checkpoints(program):
    """Their number, and seconds that are part of the whole; without checkpoints the line says nothing of them."""
    with Place(program) as place:
        plain = place.good(*CHECK, "--set", "time={steps=60}")
        expect("checkpoints" not in plain, plain)
        out = place.good(*CHECK, "--set", "time={steps=60}", "--set", "checkpoint.every=20")
        said = re.search(r"run       about ([\d.e+-]+) s .*, 3 checkpoints ([\d.e+-]+) s, end", out)
        expect(said and 0 < float(said[2]) < 1.1 * float(said[1]), out)


def test_rules(program):
    """A run that a rule may end takes at most so long; the rule itself is not asked."""
    script = edited(SCRIPT, ("time = { steps = 4 }", "time = { steps = 4, decay = 30, finish = function() "
                                                     "error('asked') end }"))
    with Place(program, script=script) as place:
        out = place.good(*CHECK)
        expect("run       at most" in out and "time.decay may end it earlier" in out, out)


def test_short_runs(program):
    """A run that is shorter than its rehearsal begins anew in it."""
    with Place(program) as place:
        for steps in (1, 2, 3):
            expect(seconds_of(place.good(*CHECK, "--set", f"time.steps={steps}")) < 10, "a few steps take long")


def test_pulse_that_returns(program):
    """A short run begins anew while it is timed. The pulse of its second round is no rise behind the sources."""
    with Place(program, {}, edited(PORTS, ("bandwidth = 1e8", "bandwidth = 2e9"), ("steps = 400", "steps = 600"),
                                   ("  output = { s_parameters = { 100e6, 200e6 } },\n", ""))) as place:
        out = place.good(*CHECK)
        expect("grew" not in out, out)


def test_functions(program):
    """Functions that fail in the first steps fail in the check as in the run."""
    script = edited(SCRIPT, ("initial =", "sources = { { region = 'left', current = function(x, y, z, t) "
                                          "return 0, 0, t > 0 and 0 / 0 or 1 end } }, initial ="))
    with Place(program, script=script) as place:
        code, _, err, _ = place.run(*CHECK)
        expect(code == 2 and "nan" in err, f"{code}: {err}")
        expect(sorted(os.listdir(place.root)) == ["input"], f"left: {os.listdir(place.root)}")


def test_memory_of_formats(program):
    """Silo's snapshots take a mesh of corners in memory, VTKHDF's do not."""
    Np, p = 20, 3
    script = edited(SCRIPT, ("order = 1", "order = 3"))
    with Place(program, {"input/box.msh": meshes.box((6, 4, 4)).text()}, script) as place:
        size = {}
        for name in ("silo", "vtkhdf", "{'silo','vtkhdf'}"):
            out = place.good(*CHECK, "--set", f"output.fields.format={name}", "--set", "output.energy=nil", "--set",
                             "output.probes=nil")
            size[name] = float(re.search(r"snapshot and measurement buffers ([0-9.]+) MB", out)[1])
            K = int(re.search(r"(\d+) tetrahedra", out)[1])
        slots = 2 * 3 * 2 * Np * 8 * K
        silo = K * ((3 * Np + max(Np, p ** 3)) * 8 + 4 * 4 * p ** 3)
        expect(abs(size["silo"] - 1e-6 * (slots + silo)) < 0.06, f"{size}, {slots}, {silo}")
        expect(abs(size["vtkhdf"] - 1e-6 * (slots + 8 * K)) < 0.06, f"{size}, {slots}")
        expect(size["{'silo','vtkhdf'}"] == size["silo"], f"{size}")


def test_volumes_and_surfaces(program):
    """The box of the fixture, 2 m x 1 m x 1 m in two volumes; the same from two ranks."""
    script = edited(SCRIPT, ('walls = { kind = "pec" }', 'walls = { kind = "pec" }, [1] = { kind = "absorbing" }'),
                    ("energy = { every = 1 }", "losses = { { name = 'heat', region = 'left' } }"))
    with Place(program, script=script) as place:
        whole = place.good(*CHECK)
        parts = place.good(*CHECK, **on_ranks(2))
        lines = [line for line in whole.splitlines() if re.match("(group|volume|surface) ", line)]
        expect(lines == [line for line in parts.splitlines() if re.match("(group|volume|surface) ", line)],
               f"two ranks:\n{parts}\none:\n{whole}")
        volumes = [line for line in lines if line.startswith("volume")]
        expect(len(volumes) == 2, whole)
        expect(re.fullmatch(r"volume +1 'left': \d+ elements, 1 m\^3, \(0, 0, 0\) to \(1, 1, 1\) m; touches volume 2 "
                            r"and the outside; material 'left', losses 'heat'", volumes[0]), volumes[0])
        expect("(1, 0, 0) to (2, 1, 1) m; touches volume 1 and the outside; material 'right'" in volumes[1], volumes[1])
        surfaces = {int(line.split()[1].rstrip(":")): line for line in lines if line.startswith("surface")}
        outside = [line for line in surfaces.values() if "to the outside" in line]
        area = sum(float(re.search(r"([\d.e+-]+) m\^2", line)[1]) for line in outside)
        expect(abs(area - 10) < 1e-9, f"{area} m^2 of surfaces:\n{whole}")
        expect("boundary absorbing '[1]'" in surfaces[1] and "boundary pec 'walls'" in surfaces[2], whole)
        expect(any("group     'walls': surfaces 1, 2" in line for line in lines), whole)


def test_curved_sizes(program):
    """A ball of radius 1 from Gmsh with curved elements has the volume and the surface of a ball."""
    geo = ('SetFactory("OpenCASCADE"); Sphere(1) = {0, 0, 0, 1}; Physical Volume("ball") = {1}; '
           'Physical Surface("skin") = {1};\n')
    script = edited(SCRIPT, ('file = "box.msh"', 'file = "ball.geo", size = 0.7, geometry = 3'),
                    ("left = { epsilon_r = 1 }, right = { epsilon_r = 2 }", "ball = {}"), ("walls", "skin"))
    with Place(program, {"input/ball.geo": geo}, script) as place:
        out = place.good(*CHECK)
        volume = float(re.search(r"volume .*'ball': \d+ elements, ([\d.]+) m", out)[1])
        area = float(re.search(r"surface .*'skin': \d+ faces, ([\d.]+) m", out)[1])
        expect(abs(volume / (4 / 3 * math.pi) - 1) < 2e-3 and abs(area / (4 * math.pi) - 1) < 2e-3, f"{volume}, {area}")


def test_band(program):
    """Points per wavelength in the band of the waveform: a Gaussian of bandwidth B about f0."""
    source = ("sources = { { region = 'left', profile = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 100e6, "
              "bandwidth = 50e6 } } }, initial =")
    script = edited(SCRIPT, ("initial =", source), ("steps = 4", "stop = 100e-9"), ("order = 1", "order = 2"))
    with Place(program, script=script) as place:
        out = place.good(*CHECK)
        found = re.search(r"band +99 % of the waveforms' energy lies between (\S+) and (\S+) Hz, its middle at (\S+) Hz",
                          out)
        expect(found, out)
        low, high, middle = (float(word) for word in found.groups())
        expect(abs(middle / 100e6 - 1) < 0.02 and abs((low + high) / 200e6 - 1) < 0.02, found[0])
        for line in (one for one in out.splitlines() if one.startswith("material")):
            ten, mid, top = (float(number) for number in re.search(
                r"at (\S+) Hz, (\S+) in the middle of the waveforms' band, (\S+) at its upper end", line).groups())
            expect(abs(mid * middle / (10 * ten) - 1) < 0.01 and abs(top * high / (10 * ten) - 1) < 0.01, line)


def test_picture(program):
    """A picture of the mesh, and what there is to refuse."""
    none = {"CURLEW_PYTHON": "/bin/false"}
    with Place(program) as place:
        before = fingerprint(place.path("input"))
        code, _, err, _ = place.run(*CHECK, "--picture", "mesh.png")
        if code == 3 and "numpy and matplotlib" in err:
            return  # this machine cannot draw
        expect(code == 0, f"{code}: {err}")
        with open(place.path("mesh.png"), "rb") as file:
            content = file.read()
        expect(content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) > 10000, f"{len(content)} bytes")
        expect(sorted(os.listdir(place.root)) == ["input", "mesh.png"], f"left: {os.listdir(place.root)}")
        place.good(*CHECK, "-q", "--picture", "mesh.svg")
        with open(place.path("mesh.svg"), encoding="utf-8") as file:
            text = file.read()
        for word in ("boundary pec 'walls'", "material 'left' | material 'right'"):
            expect(word in text.replace("&#39;", "'").replace("&#x27;", "'"), f"{word} is not in the picture")
        for arguments, words, wanted, options in (
                ((*RUN, "--picture", "a.png"), "--picture is for curlew check", 2, {}),
                ((*CHECK, "--picture="), "--picture needs the name of a file", 2, {}),
                ((*CHECK, "--picture", "input/box.msh/a.png"), "cannot write", 3, {}),
                ((*CHECK, "--picture", "a.png"), "is no python3 with numpy and matplotlib", 3, {"environment": none}),
                ((*CHECK, "--picture", "a.png"), "--picture is for one process", 2, on_ranks(2))):
            code, _, err, _ = place.run(*arguments, **options)
            expect(code == wanted and words in err, f"{arguments}: {code}: {err}")
        expect(not os.path.exists(place.path("a.png")) and fingerprint(place.path("input")) == before, "something is there")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
