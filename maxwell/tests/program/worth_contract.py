#!/usr/bin/python3
"""What written numbers are worth: worth_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md, "Doubts", has the contract."""
import re
import shutil
import sys

import numpy as np

from checkpoint_contract import forget, newest
from harness import Place, expect
from run_contract import RUN, main

BOX = """SetFactory("OpenCASCADE");
DefineConstant[L = 1];
Box(1) = {0, 0, 0, L, L, L};
Physical Volume("inside") = {1};
Physical Surface("walls") = Boundary { Volume{1}; };
"""
# The same with a smaller one inside, for far fields.
TWO = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0.2, 0.2, 0.2, 0.6, 0.6, 0.6};
BooleanFragments{ Volume{1:2}; Delete; }{}
Physical Volume("core") = {2};
Physical Volume("inside") = {3};
Physical Surface("walls") = Surface In BoundingBox{-1, -1, -1, 2, 2, 0.1};
Physical Surface("walls") += Surface In BoundingBox{-1, -1, 0.9, 2, 2, 2};
Physical Surface("walls") += Surface In BoundingBox{-1, -1, -1, 0.1, 2, 2};
Physical Surface("walls") += Surface In BoundingBox{0.9, -1, -1, 2, 2, 2};
Physical Surface("walls") += Surface In BoundingBox{-1, -1, -1, 2, 0.1, 2};
Physical Surface("walls") += Surface In BoundingBox{-1, 0.9, -1, 2, 2, 2};
"""
SCRIPT = """simulation {
  mesh = { file = "box.geo", size = 0.45 }, order = %(order)d, time = { %(time)s },
  materials = { inside = { %(medium)s } },
  boundaries = { walls = { %(wall)s } },
  %(drive)s
  output = { %(output)s },
}
"""
PULSE = """sources = { { at = { 0.31, 0.42, 0.37 }, moment = { 0, 0, 1 },
                 waveform = waveform.gaussian { f0 = 1.5e8, bandwidth = 1.2e8 } } },"""
# All of an index of 5 about 150 MHz, but the last, whose waves decay as fast.
MEDIA = {
    "plain": "epsilon_r = 25",
    "debye": "epsilon_r = 4, debye = { { delta = 21, tau = 1e-12 } }",
    "lorentz": "epsilon_r = 4, lorentz = { { delta = 21, omega_0 = 2e10, gamma = 1e8 } }",
    "tensor": "epsilon_r = { { 1, 0, 0 }, { 0, 25, 0 }, { 0, 0, 1 } }",
    "magnetic": "magnetic = { lorentz = { { delta = 24, omega_0 = 2e10, gamma = 1e8 } } }",
    "ferrite": "epsilon_r = 2.5, ferrite = { saturation = 2.9e5, bias = { 0, 0, 4e4 }, damping = 0.01 }",
    "gyrotropic": "gyrotropic = { omega_p = 4.6e9, omega_c = { 0, 0, 8e9 }, gamma = 1e7 }",
    "drude": "drude = { { omega_p = 4.6e9, gamma = 1e7 } }",
}


def case(order=2, time="stop = 20e-9", medium="", wall='kind = "pec"', drive=PULSE, output=""):
    return SCRIPT % locals()


def place_of(program, script, geometry=BOX):
    return Place(program, {"input/box.geo": geometry}, script)


def warnings(place, *command):
    code, _, err, _ = place.run(*command)
    expect(code == 0, f"exit code {code}: {err}")
    return [line for line in err.splitlines() if "warning: " in line and "an absorbing wall touches" not in line]


def has(lines, pattern):
    expect(any(re.search(pattern, line) for line in lines), f"no /{pattern}/ in {lines}")


def has_not(lines, pattern):
    expect(not any(re.search(pattern, line) for line in lines), f"/{pattern}/ in {lines}")


CHECK = ("check", "input/case.lua")
PROBE = 'probes = { { name = "p", at = { 0.93, 0.9, 0.95 }%s } }'


def test_media_count_at_the_frequency(program):
    for name, medium in MEDIA.items():
        with place_of(program, case(2, medium=medium, output=PROBE % ", frequencies = { 1.5e8, 2e8 }")) as place:
            lines = warnings(place, *CHECK)
            has(lines, r"sources\[1\]: .* above .* the coarsest element \(material 'inside'\)")
            has(lines, r"output\.probes: 'p' asks for \d of 2 frequencies that the mesh does not hold, .*\(material 'inside'\)")
    for name in ("debye", "gyrotropic"):
        with place_of(program, case(7, medium=MEDIA[name], output=PROBE % ", frequencies = { 1.5e8, 2e8 }")) as place:
            has_not(warnings(place, *CHECK), "coarsest")


def test_frequencies_that_are_asked_for(program):
    output = (PROBE % ", frequencies = { 1e8, 4e8 }" + """, spectra = { { name = "all", frequencies = { 4e8 } } },
        far_field = { { name = "far", region = "core", frequencies = { 1e8, 3e8, 4e8 }, theta = { 0 }, phi = { 0 } } }""")
    for order, found in ((1, True), (5, False)):
        with place_of(program, case(order, medium="}, core = {", wall='kind = "absorbing"', output=output), TWO) as place:
            lines = warnings(place, *CHECK)
            for key, name in (("probes", "p"), ("spectra", "all"), ("far_field", "far")):
                (has if found else has_not)(lines, rf"output\.{key}: '{name}' asks for \d of \d frequencies that the mesh")


def test_samples_that_fold(program):
    for every, frequencies, found in ((60, ", frequencies = { 1e8 }", "samples|sample every 60 steps, "), (2, ", frequencies = { 1e8 }", None),
                                      (120, "", "has a row every 120 steps"), (2, "", None)):
        with place_of(program, case(2, output=PROBE % f", every = {every}{frequencies}")) as place:
            lines = [line for line in warnings(place, *CHECK) if "output.probes" in line]
            (has(lines, found) if found else expect(not lines, f"{every}: {lines}"))


def test_initial_fields(program):
    for width, found in ((0.12, True), (0.5, False)):
        drive = f"initial = {{ E = function(x, y, z) return 0, 0, math.exp(-((x - 0.4)^2 + (y - 0.5)^2) / {width}^2) end }},"
        with place_of(program, case(3, drive=drive)) as place:
            (has if found else has_not)(warnings(place, *CHECK), r"initial\.E: the elements do not hold the field that is given")


def test_materials_and_walls_outside_of_their_bands(program):
    for at, found in ((4e7, True), (1.5e8, False)):
        output = PROBE % f", frequencies = {{ {at} }}"
        with place_of(program, case(2, medium="valid = { 1e8, 2e9 }", output=output)) as place:
            (has if found else has_not)(warnings(place, *CHECK), r"output\.probes: 'p' asks for 1 of 1 frequencies, .* 'inside' is not known")
    for at, found in ((1e5, True), (2e9, False)):
        wall = 'kind = "metal", conductivity = 5.8e7, band = { 1e9, 1e10 }'
        output = PROBE % f", frequencies = {{ {at} }}"
        with place_of(program, case(2, wall=wall, output=output)) as place:
            (has if found else has_not)(warnings(place, *CHECK), r"output\.probes: 'p' asks for .* the skin of the metal wall 'walls' is wrong")


def test_records_that_ring(program):
    """A box whose filling takes its energy at 7e6 1/s: the run that ends early says by how much it is off."""
    line = {}
    for end in ("stop = 120e-9", "stop = 1000e-9, decay = 15", "stop = 700e-9"):
        output = (PROBE % ", frequencies = { 2.12e8 }" +
                  ', spectra = { { name = "all", frequencies = { 2.12e8 }, losses = true } }')
        with place_of(program, case(2, end, medium="sigma = 1.2e-4", output=output)) as place:
            lines = warnings(place, *RUN)
            doubts = {(entry["kind"], entry["key"], entry["name"]): entry["text"] for entry in place.summary()["doubts"]}
            header, rows = place.rows("case/probes/p_spectrum.csv")
            line[end] = np.array(rows[0][1:4])
            rings = [key for key in doubts if key[0] == "record"]
            if end == "stop = 700e-9":
                expect(not rings, f"{end}: {doubts}")
                has_not(lines, "still rings")
                continue
            expect(("record", "output.probes", "p") in rings and ("record", "output.spectra", "all") in rings, f"{end}: {doubts}")
            text = doubts["record", "output.probes", "p"]
            has(lines, re.escape(text))
            line[end, "said"] = float(re.search(r"wrong by about ([0-9.e+]+) %", text)[1]) / 100
    for end in ("stop = 120e-9", "stop = 1000e-9, decay = 15"):
        off = np.linalg.norm(line[end] - line["stop = 700e-9"]) / np.linalg.norm(line[end])
        expect(off > 0.02 and 0.4 * off < line[end, "said"] < 2.5 * off, f"{end}: off by {off}, said {line[end, 'said']}")


def test_pulses_that_pass_are_not_doubted(program):
    output = (PROBE % ", frequencies = { 1.5e8 }" + """, spectra = { { name = "all", frequencies = { 1.5e8 } } },
        far_field = { { name = "far", region = "core", frequencies = { 1.5e8 }, theta = { 0 }, phi = { 0 } } }""")
    for stop in ("stop = 80e-9", "stop = 100e-9"):
        with place_of(program, case(2, stop, medium="}, core = {", wall='kind = "absorbing"', output=output), TWO) as place:
            has_not(warnings(place, *RUN), "rings|the run ends")
            expect(not [entry for entry in place.summary()["doubts"] if entry["kind"] == "record"], place.summary()["doubts"])


def test_restarts_doubt_what_the_whole_run_does(program):
    """What is known of a record's end goes into the checkpoint: no false doubt of a record that has died away, none lost."""
    output = PROBE % ", frequencies = { 2.12e8 }" + """, spectra = { { name = "all", frequencies = { 2.12e8 } } },
        far_field = { { name = "far", region = "core", frequencies = { 2.12e8 }, theta = { 0 }, phi = { 0 } } }"""
    for steps, rings in ((3900, False), (1100, True)):
        wall = 'kind = "impedance", impedance = 10'
        with place_of(program, case(1, f"steps = {steps}", medium="}, core = {", wall=wall, output=output), TWO) as place:
            every = ("--set", f"checkpoint.every={steps * 3 // 10}")
            place.good(*RUN, *every, "-o", "whole")
            shutil.copytree(place.path("whole"), place.path("split"))
            forget(place, newest(place, "split"), "split")
            place.good(*RUN, *every, "-o", "split", "--restart")
            whole, split = (sorted(map(str, place.summary(name)["doubts"])) for name in ("whole", "split"))
            expect(whole == split, f"{steps} steps: {whole}\n in two parts {split}")
            for key in ("output.far_field", "output.spectra", "output.probes"):
                expect(any(key in text and "'record'" in text for text in whole) == rings, f"{steps} steps, {key}: {whole}")


def test_probes_beside_a_dipole(program):
    for at, found in ((0.5, True), (0.95, False)):
        with place_of(program, case(3, output=(PROBE % "").replace("0.93, 0.9, 0.95", f"{at}, {at}, {at}"))) as place:
            (has if found else has_not)(warnings(place, *CHECK), r"output\.probes: 'p' lies .* of its element's size from sources\[1\]")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
