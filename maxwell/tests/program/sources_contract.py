#!/usr/bin/python3
"""What is said of sources that do nothing, that leak or that the mesh cannot follow, and of media that do nothing.
sources_contract.py PROGRAM [NAME...]"""
import re
import sys

from harness import Place, expect, on_ranks
from run_contract import RUN, main

# The box is 2 m long; its walls are 1, 2 (in x) and 3 (all the others). Left and right meet in surface 4.
HEAD = """\
simulation {
  mesh = { file = "box.msh" }, order = 3, time = { stop = %s }, materials = { default = {} },
"""
CURRENT = HEAD + '  sources = { { region = "left", profile = { 0, 0, 1 }, waveform = %s } },\n}\n'
QUICK = "2e-9"


def both(place):
    """What run and check say on standard error, which must be the same."""
    code, _, err, _ = place.run("check", "input/case.lua")
    other, _, again, _ = place.run(*RUN)
    expect(code == other and err == again, f"check: {code}, {err}; run: {other}, {again}")
    return code, err


def said(script, files=None):
    def of(program):
        with Place(program, files, script) as place:
            return both(place)
    return of


def test_says_nothing_of_good_sources(program):
    for wave in ("waveform.gaussian { bandwidth = 2e8 }", "waveform.step { rise = 5e-9 }", "waveform.sine { f0 = 1e8 }",
                 "function(t) return math.sin(6e8 * t) end", "waveform.table { times = { 0, 2e-8, 4e-8 }, values = { 0, 1, 0 } }"):
        code, err = said(CURRENT % ("40e-9", wave))(program)
        expect((code, err) == (0, ""), f"{wave}: {code}: {err}")


def test_spectra(program):
    """A step that cannot follow a source is an error, a mesh that cannot carry it a warning; also of functions."""
    for wave in ("waveform.sine { f0 = 1e12 }", "function(t) return math.sin(2e12 * math.pi * t + t * t * 1e20) end"):
        code, err = said(CURRENT % (QUICK, wave))(program)
        found = re.fullmatch(r"curlew: sources\[1\]: (\S+) % of the energy of its waveform lies above \S+ Hz, which is the "
                             r"most that steps of \S+ s can tell: it cannot be followed\. .*\n", err)
        expect(code == 2 and found and float(found.group(1)) > 50, f"{wave}: {code}: {err}")
    for wave in ("waveform.sine { f0 = 2.5e9 }", "function(t) return math.sin(5e9 * math.pi * t) end"):
        code, err = said(CURRENT % (QUICK, wave))(program)
        expect(code == 0 and re.search(r"warning: sources\[1\]: \S+ % of the energy of its waveform lies above \S+ Hz, where "
                                       r"the coarsest element \(material 'default'\) has waves wrong", err), f"{wave}: {err}")


def test_sources_that_do_nothing(program):
    late = "waveform.gaussian { bandwidth = 2e8 }, delay = 1e-6"
    code, err = said(CURRENT % (QUICK, late))(program)
    expect(code == 0 and err == "curlew: warning: sources[1]: its waveform begins behind the end of the run, which is at "
           "2e-09 s (it is late by 1e-06 s): it does nothing\n", err)
    code, err = said(CURRENT % (QUICK, "waveform.step { rise = 1e-9, amplitude = 0 }"))(program)
    expect(code == 0 and "sources[1]: its waveform is zero at all times: it does nothing" in err, err)
    code, err = said(CURRENT % (QUICK, "function(t) return 0 end"))(program)
    expect(code == 0 and "sources[1]: its waveform is zero at all times: it does nothing" in err, err)
    wall = HEAD % QUICK + '  boundaries = { [1] = { kind = "%s", %s waveform = waveform.step { rise = 5e-9 } } },\n}\n'
    code, err = said(wall % ("electric_field", "profile = { 1, 0, 0 },"))(program)
    expect(code == 2 and "input/case.lua:3: boundaries.[1]: the profile is normal to the surface everywhere on it" in err, err)
    wall = wall.replace(" waveform = waveform.step { rise = 5e-9 }", "")
    code, err = said(wall % ("electric_field", "field = function(x, y, z, t) return t, 0, 0 end"))(program)
    expect(code == 0 and "boundaries.[1]: what its function gives is normal to the surface wherever" in err, err)
    code, err = said(wall % ("surface_current", "current = function(x, y, z, t) return 0, 0, 0 end"))(program)
    expect(code == 0 and "boundaries.[1]: its function gives zero wherever and whenever it was tried" in err, err)
    code, err = said(wall % ("surface_current", "current = function(x, y, z, t) return 0, 0, t end"))(program)
    expect((code, err) == (0, ""), err)
    wall = HEAD % QUICK + '  boundaries = { [1] = { kind = "%s", %s waveform = waveform.step { rise = 5e-9 } } },\n}\n'
    wave = "direction = { %d, 0, 0 }, polarisation = { 0, 0, 1 },"
    code, err = said(wall % ("plane_wave", wave % -1))(program)
    expect(code == 2 and "input/case.lua:3: boundaries.[1]: the wave goes along (-1, 0, 0), which leads out" in err, err)
    code, err = said(wall % ("plane_wave", wave % 1 + " origin = { 3, 0, 0 },"))(program)
    expect(code == 0 and "of its largest value when the run begins: it starts with a jump" in err, err)


def test_poles_that_do_not_answer(program):
    """What is a thousand times slower than the run, step of epsilon_r and all, is a warning, and nothing faster is."""
    script = CURRENT.replace("materials = { default = {} }", "materials = { default = {}, left = { debye = "
                             "{ { delta = %s, tau = %s } } } }")
    wave = "waveform.gaussian { bandwidth = 1.2e8 }"
    for delta, tau, times in (("4", "9.4", "4.7e+07"), ("4", "2.2e-4", "1.1e+03"), ("4", "1.8e-4", None), ("4", "9e-12", None),
                              ("4e8", "9.4", None)):
        code, err = said(script % ("40e-9", delta, tau, wave))(program)
        name = f"a Debye pole of {float(delta):.4g} with {float(tau):.4g} s"
        wanted = "" if times is None else (f"curlew: warning: materials.left has {name}, which takes {times} times as "
                                           "long to answer as the run, which ends at 4e-08 s: it does nothing. Are its "
                                           "times in seconds (debye), its frequencies in rad/s (drude, lorentz)?\n")
        expect((code, err) == (0, wanted), f"{delta}, {tau}: {code}: {err}")
    with Place(program, script=script % ("40e-9", "4", "9.4", wave)) as place:
        code, _, err, _ = place.run("check", "input/case.lua", **on_ranks(2))
        expect(code == 0 and err.count("which takes") == 1, f"2 ranks: {code}: {err}")


def test_open_surfaces_on_ranks(program):
    """The region's border is looked at by all, and one of them says it."""
    script = HEAD % QUICK + """\
  boundaries = { default = { kind = "absorbing" } },
  interfaces = { [4] = { kind = "total_field", region = "right", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
                         waveform = waveform.gaussian { bandwidth = 2e8 } } },
}
"""
    for ranks in (1, 2):
        with Place(program, script=script) as place:
            code, _, err, _ = place.run("check", "input/case.lua", **(on_ranks(ranks) if ranks > 1 else {}))
            expect(err.count("curlew: input/case.lua:4: interfaces.[4] ends on the outer boundary near (1, ") == 1 or
                   err.count("curlew: input/case.lua:4: interfaces.[4] ends on the outer boundary near (") == 1,
                   f"{ranks} ranks: {code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
