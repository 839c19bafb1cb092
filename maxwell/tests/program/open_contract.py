#!/usr/bin/python3
"""Open walls as a user meets them: open_contract.py PROGRAM.

A pulse runs along a guide of parallel plates (pec above and below, pmc on the sides), which is one line of cells, and
leaves through an open end: what is left is what came back. The rest looks at the layer from outside: what the log says,
where fluxes are positive, several ranks, restarts, the mesh that is kept."""
import math
import os
import re
import sys

import meshes
from harness import Failure, Place, edited, expect, on_ranks

GUIDE = """\
simulation {{
  mesh = {{ file = "guide.msh" }}, order = {order}, flux = "{flux}",
  time = {{ stop = 14 / const.c0 * {length}, integrator = "{integrator}" }},
  materials = {{ left = {{ epsilon_r = {epsilon} }}, right = {{ epsilon_r = {epsilon}{pole} }} }},
  boundaries = {{ [1] = {{ kind = "plane_wave", direction = {{ 1, 0, 0 }}, polarisation = {{ 0, 0, 1 }},
                         waveform = waveform.gaussian {{ f0 = 30e6, bandwidth = 30e6 }} }},
                 [2] = {{ kind = "open"{open} }}, [3] = {{ kind = "pmc" }}, [5] = {{ kind = "pec" }} }},
  output = {{ energy = {{ every = 1 }}, fluxes = {{ {{ name = "out", surface = 2 }} }},
             probes = {{ {{ name = "inside", at = {{ 2.5, 0.4, 0.6 }} }} }} }},
}}
"""


def guide(**changes):
    numbers = {"order": 3, "flux": "upwind", "integrator": "leapfrog", "length": 6, "open": "", "epsilon": 1, "pole": ""}
    return GUIDE.format(**{**numbers, **changes})


# a medium with a pole that goes on into an absorber
ABSORBED = {"open": ", absorber = true", "pole": ", debye = { { delta = 3, tau = 1e-10 } }", "length": 9}


def files():
    return {"input/guide.msh": meshes.box((5, 1, 1)).text()}


def column(place, name, key, folder="case"):
    header, rows = place.rows(f"{folder}/{name}")
    at = header.index(key)
    return [row[at] for row in rows]


def returned(place, folder="case"):
    """dB of the energy that is left in the end, against the most that there was: the amplitude of what came back."""
    energy = column(place, "energy.csv", "total", folder)
    return 10 * math.log10(energy[-1] / max(energy))


def pulse_leaves(program):
    """Whatever the flux, the integrator and the medium. A wall that absorbs takes this wave as well; a conductor or a
    layer without its term returns it."""
    for change in ({}, {"flux": "centered"}, {"integrator": "lsrk"}, {"epsilon": 2.25, "length": 9},
                   {"open": ", absorber = true"}, ABSORBED):
        with Place(program, files(), guide(**change)) as place:
            place.good("run", "input/case.lua")
            left = returned(place)
            expect(left < (-60 if "absorber" in change.get("open", "") else -70), f"{change}: {left:.1f} dB are left")
            power = column(place, "fluxes/out.csv", "power")
            expect(max(power) > 1e-4 and min(power) > -1e-3 * max(power), f"the flux through an open wall points outwards: "
                   f"{min(power)} to {max(power)}")


def slanting_waves_leave(program):
    """A square guide of 2 m: its first mode is two plane waves that hit the open end at 48 to 33 degrees from 100 to 140
    MHz. S11 is what the end returns; the wall that absorbs returns (1 - cos)/(1 + cos), -14 to -21 dB."""
    script = """\
simulation {
  mesh = { file = "guide.msh" }, order = 3, time = { stop = 400e-9 }, materials = { default = {} },
  boundaries = { [1] = { kind = "waveguide_port", axis = { 0, 1, 0 }, waveform = waveform.gaussian { f0 = 120e6, bandwidth = 60e6 } },
                 [2] = { kind = args.kind, elements = args.elements }, default = { kind = "pec" } },
  output = { s_parameters = { from = 100e6, to = 140e6, points = 5 } },
}
"""
    found = {}
    with Place(program, {"input/guide.msh": meshes.box((4, 2, 2)).text()}, script) as place:
        for name, keys in (("absorbing", ["kind=absorbing"]), ("thin", ["kind=open", "elements=1"]),
                           ("open", ["kind=open"])):
            place.good("run", "input/case.lua", "-o", name, *(word for key in keys for word in ("-D", key)))
            real, imaginary = (column(place, "sparameters.csv", key, name) for key in ("S11_re", "S11_im"))
            found[name] = [20 * math.log10(math.hypot(a, b)) for a, b in zip(real, imaginary)]
    expect(max(found["open"]) < -60 and max(found["open"]) < max(found["thin"]) - 10, f"{found}")
    for k, f in enumerate((100, 110, 120, 130, 140)):
        cosine = math.sqrt(1 - (299.792458 / 4 / f) ** 2)
        expected = 20 * math.log10((1 - cosine) / (1 + cosine))
        expect(abs(found["absorbing"][k] - expected) < 0.5, f"{found}, and {expected} for the wall that absorbs")


def log_and_check(program):
    """`check` says what the layer costs; the kept mesh is the one without it."""
    with Place(program, files(), guide(order=2)) as place:
        out = place.good("check", "input/case.lua")
        expect("open      boundaries.[2], a box: a layer of 5 elements" in out, out)
        expect("open      30 elements beside the 30 that were drawn (100 %)" in out, out)
        place.good("run", "input/case.lua")
        expect(place.summary()["elements"] == 60, "30 elements that were drawn and 30 of the layer")
        again = place.good("run", "input/case.lua", "--output", "second")
        expect("open      30 elements" in again, again)
        expect(os.path.exists(place.path("case/mesh/whole.mesh")), "no mesh was kept")
        third = place.good("run", "input/case.lua")
        expect("as an earlier run kept it" in third and "open      30 elements beside the 30" in third, third)


def ranks_agree(program):
    """Of a shorter pulse, until it is in the layer and what comes back of it is inside."""
    for change in ({}, ABSORBED):
        script, found = re.subn("stop = .*?,", "steps = 500,", guide(**change))
        expect(found == 1, "the test is wrong: the guide has no stop")
        check_ranks(program, edited(script, ("f0 = 30e6, bandwidth = 30e6", "f0 = 150e6, bandwidth = 300e6")))


def check_ranks(program, script):
    with Place(program, files(), script) as place:
        place.good("run", "input/case.lua")
        for ranks in (2, 3):
            place.good("run", "input/case.lua", "--output", f"on_{ranks}", **on_ranks(ranks))
            one, many = (column(place, "probes/inside.csv", "Ez", folder) for folder in ("case", f"on_{ranks}"))
            most = max(map(abs, one))
            off = max(abs(a - b) for a, b in zip(one, many)) / most
            expect(len(one) == len(many) and off < 1e-11, f"{ranks} ranks are off by {off}")


def restart_is_exact(program):
    script = guide(order=2).replace("stop = 14 / const.c0 * 6", "steps = args.steps")
    with Place(program, files(), script) as place:
        every = ("--set", "checkpoint.every=40")
        place.good("run", "input/case.lua", "-D", "steps=80", *every, "-o", "whole")
        place.good("run", "input/case.lua", "-D", "steps=40", *every, "-o", "split")
        place.good("run", "input/case.lua", "-D", "steps=80", *every, "-o", "split", "--restart")
        for name, key in (("energy.csv", "total"), ("probes/inside.csv", "Ez")):
            expect(column(place, name, key, "split") == column(place, name, key, "whole"), f"{name} differs")
        thicker = script.replace('kind = "open"', 'kind = "open", elements = 7')
        place.write("input/case.lua", thicker)
        code, _, err, _ = place.run("run", "input/case.lua", "-D", "steps=120", *every, "-o", "split", "--restart")
        expect(code == 2 and "the checkpoint is of another run" in err, f"{code}: {err}")


def layers_are_kept_free(program):
    """What has no place in a layer is refused, with the place, on one rank and on two, of which one has no layer."""
    wave = "waveform = waveform.step { rise = 1e-9 }"
    script = """\
simulation {{ mesh = {{ file = "guide.msh" }}, order = 1, time = {{ steps = 2 }}, materials = {{ default = {{}} }},
  layers = {{ right = {{ kind = "box" }} }}, {what} }}
"""
    reaches = (r"{} reaches into a perfectly matched layer at \({}, [-0-9.e+]+, [-0-9.e+]+\) m, where fields are not those of the "
               "medium; keep it out of the layer")
    cases = {
        "current": (reaches.format("a current", r"[1-3]\.[0-9]+"),
                    f'sources = {{ {{ region = "right", profile = {{ 0, 0, 1 }}, {wave} }} }},'),
        "dipole": (reaches.format("a current", r"1\.[0-9]+"),
                   f"sources = {{ {{ at = {{ 1.6, 0.4, 0.3 }}, moment = {{ 0, 0, 1 }}, {wave} }} }},"),
        "driven wall": (reaches.format("a driven surface or wall", "4"),
                        f'boundaries = {{ [2] = {{ kind = "electric_field", profile = {{ 0, 0, 1 }}, {wave} }} }},'),
        "total field": (r"interfaces.between: a plane wave needs one impedance for all frequencies along its surface; near .* m the "
                        "medium has a perfectly matched layer, .*",
                        'interfaces = { between = { kind = "total_field", region = "left", direction = { 1, 0, 0 }, '
                        'polarisation = { 0, 0, 1 }, ' + wave + " } }, boundaries = { [3] = { kind = \"pmc\" } },"),
        "port": (r"boundaries.\[2\]: a port needs one impedance for all frequencies along its surface; near .* m the medium has a "
                 "perfectly matched layer, .*", 'boundaries = { [2] = { kind = "waveguide_port", axis = { 0, 1, 0 } } },'),
        "lumped port": (reaches.format("a port", "4"),
                        'boundaries = { [2] = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 } } },'),
        "balance": ("output.balance does not know what a perfectly matched layer takes up; leave it out of a script with layers",
                    "output = { balance = { every = 1 } },"),
    }
    mesh = meshes.box((4, 1, 1)).text()
    for name, (says, what) in cases.items():
        with Place(program, {"input/guide.msh": mesh}, script.format(what=what)) as place:
            for ranks in (1, 2):
                code, _, err, _ = place.run("run", "input/case.lua", **(on_ranks(ranks) if ranks > 1 else {}))
                lines = [line for line in err.splitlines() if line.startswith("curlew: ") and "warning" not in line]
                expect(code == 2 and len(lines) == 1 and re.search(says, lines[0]), f"{name}, {ranks} ranks: {code}, {err}")


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    failed = 0
    for test in (pulse_leaves, slanting_waves_leave, log_and_check, ranks_agree, restart_is_exact,
                 layers_are_kept_free):
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        try:
            test(program)
            print(f"{test.__name__}: ok")
        except Failure as failure:
            failed += 1
            print(f"{test.__name__}: FAILED: {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
