"""What `curlew new` writes, and what it refuses: new_contract.py PROGRAM [KIND].

With a kind, its script is run and the answer compared with what physics says of it. Without one, everything else: names,
kinds, files that are there, disks that are full.
"""
import cmath
import math
import os
import re
import stat
import sys

from harness import Failure, Place, check_message, expect, fingerprint

KINDS = ("antenna", "cavity", "coax", "scatterer", "slab", "waveguide")
C0 = 299792458.0


def table(place, name):
    """Rows of a CSV file as dictionaries of numbers; what is no number stays text."""
    with open(place.path(name), encoding="ascii") as file:
        lines = file.read().splitlines()
    header = lines[0].split(",")
    rows = []
    for line in lines[1:]:
        row = dict(zip(header, line.split(",")))
        for key, text in row.items():
            try:
                row[key] = float(text)
            except ValueError:
                pass
        rows.append(row)
    expect(rows, f"{name} has no rows")
    return rows


def close(value, wanted, tolerance, what):
    expect(abs(value - wanted) <= tolerance, f"{what} is {value}, not {wanted} within {tolerance}")


def s_of(row, i, j):
    return complex(row[f"S{i}{j}_re"], row[f"S{i}{j}_im"])


def slab_transmission(frequency, epsilon, thickness):
    """E behind a slab divided by E at the same place without it."""
    n = math.sqrt(epsilon)
    k = 2 * math.pi * frequency / C0
    r = (1 - n) / (1 + n)
    through = cmath.exp(-1j * n * k * thickness)
    return (1 - r * r) * through / (1 - r * r * through * through) / cmath.exp(-1j * k * thickness)


def run(place, *arguments, folder="demo"):
    code, out, err, _ = place.run("run", "demo.lua", "-o", folder, *arguments, environment={"OMP_NUM_THREADS": "1"})
    expect(code == 0, f"curlew run demo.lua: exit code {code}: {err}")
    expect("warning" not in err, f"a template's run warns: {err}")
    expect(place.summary(folder)["status"] == "done", "the run is not done")
    return out


def cavity(place):
    """A box of 100 x 80 x 60 mm rings first at 2.4 GHz; the ceramic draws that down, and its losses give Q."""
    run(place)
    rows = table(place, "demo/resonances.csv")
    expect(len(rows) >= 3 and not any(row["doubt"] for row in rows), f"resonances are doubtful: {rows}")
    empty = C0 / 2 * math.hypot(1 / 0.1, 1 / 0.08)
    expect(0.5 * empty < rows[0]["frequency"] < empty, f"the first resonance is at {rows[0]['frequency']:g} Hz")
    for row in rows:  # all of the field in the ceramic would have Q = w epsilon/sigma
        expect(row["Q"] > 2 * math.pi * row["frequency"] * 8.854e-12 * 10 / 2e-3, f"Q is {row['Q']}: too low")
        expect(row["Q"] < 1e5, f"Q is {row['Q']}, as if there were no losses")


def lossless(rows, tolerance):
    for row in rows:
        s11, s21, s12 = s_of(row, 1, 1), s_of(row, 2, 1), s_of(row, 1, 2)
        close(abs(s11) ** 2 + abs(s21) ** 2, 1, tolerance, f"|S11|^2 + |S21|^2 at {row['frequency']:g} Hz")
        close(abs(s21 - s12), 0, tolerance, f"S21 - S12 at {row['frequency']:g} Hz")


def waveguide(place):
    """Nothing is lost in metal, and an inductive iris lets more through at higher frequencies."""
    run(place)
    rows = table(place, "demo/sparameters.csv")
    lossless(rows, 0.01)
    through = [abs(s_of(row, 2, 1)) for row in rows]
    expect(0.2 < through[0] < through[-1] < 0.999, f"|S21| goes from {through[0]:g} to {through[-1]:g}")
    expect(os.path.exists(place.path("demo/demo.s2p")), "there is no Touchstone file")


def coax(place):
    """|S11| of a bead is that of a line of 1/sqrt(epsilon_r) of the impedance."""
    run(place)
    rows = table(place, "demo/sparameters.csv")
    lossless(rows, 0.02)
    for row in rows:
        r = (1 - math.sqrt(2.1)) / (1 + math.sqrt(2.1))
        turn = cmath.exp(-2j * 2 * math.pi * row["frequency"] * math.sqrt(2.1) / C0 * 5e-3)
        close(abs(s_of(row, 1, 1)), abs(r * (1 - turn) / (1 - r * r * turn)), 0.02, f"|S11| at {row['frequency']:g} Hz")


def slab(place):
    """The slab's transmission is the closed form's, amplitude and phase."""
    run(place, folder="demo")
    run(place, "-D", "epsilon=1", folder="empty")
    pairs = zip(table(place, "demo/probes/back_spectrum.csv"), table(place, "empty/probes/back_spectrum.csv"))
    for with_slab, without in pairs:
        f = with_slab["frequency"]
        if not 4e9 <= f <= 12e9:  # where the pulse has power
            continue
        measured = complex(with_slab["Ex_re"], with_slab["Ex_im"]) / complex(without["Ex_re"], without["Ex_im"])
        close(abs(measured - slab_transmission(f, 4, 10e-3)), 0, 0.02, f"the error of transmission at {f:g} Hz")


def antenna(place):
    """A half-wave dipole has 2.15 dBi, a shorter one down to 1.76; what goes in is radiated."""
    run(place)
    for row in table(place, "demo/far_field/pattern_powers.csv"):
        close(row["directivity"], 2.1, 0.2, f"directivity at {row['frequency']:g} Hz")
        close(row["efficiency"], 1, 0.04, f"efficiency at {row['frequency']:g} Hz")
        close(row["theta"], 90, 5, "the direction of the maximum")
    deepest = min(table(place, "demo/sparameters.csv"), key=lambda row: abs(s_of(row, 1, 1)))
    expect(0.8e9 < deepest["frequency"] < 1.2e9 and abs(s_of(deepest, 1, 1)) < 0.3,
           f"S11 is least at {deepest['frequency']:g} Hz: {abs(s_of(deepest, 1, 1)):g}")


def scatterer(place):
    """Metal absorbs nothing: what is taken from the wave is scattered. Twice the frequency, more than twice the shadow."""
    run(place)
    rows = table(place, "demo/far_field/rcs_powers.csv")
    for row in rows:
        close(row["absorption"] / row["extinction"], 0, 0.08, f"absorption at {row['frequency']:g} Hz")
    expect(rows[-1]["scattering"] > 4 * rows[0]["scattering"], "small things scatter as much as large ones")


def refusals(program):
    with Place(program) as place:
        out = place.good("new", "demo")
        expect(re.search(r"^ *curlew run demo\.lua ", out, re.M), f"it does not say how to go on: {out}")
        before = fingerprint(place.root)
        cases = {
            ("new", "demo"): "'demo.lua' is there already; another name, or take it away",
            ("new", "demo.lua", "--kind", "slab"): "'demo.lua' is there already; another name, or take it away",
            ("new",): "curlew new needs a name; see curlew --help",
            ("new", "a", "b"): "unexpected argument 'b'; see curlew --help",
            ("new", "a", "--kind"): "--kind needs a value; see curlew --help",
            ("new", "a", "--kind", "antena"): f"--kind: unknown 'antena' (nearest: 'antenna'); there is {', '.join(KINDS)}",
            ("new", "a", "--kind", "../lua/prelude"): f"--kind: unknown '../lua/prelude'; there is {', '.join(KINDS)}",
            ("new", "a", "--kindd=x"): "unknown option '--kindd=x' of new (nearest: '--kind'); see curlew --help",
            ("-q", "new", "a"): "the options of new follow it; see curlew --help",
            ("new", "nowhere/a"): "cannot write 'nowhere/a.lua': No such file or directory",
        }
        names = {"": None, ".": None, "..": None, ".lua": None, "input/": None, "a b": None, "a'b": None, 'a"b': None,
                 "a\nb": None, "a%sb": None, "x" * 101: None}
        for name in names:
            cases[("new", name)] = re.compile(re.escape("'") + ".*" + re.escape("' is no name for a new script: ") + ".*",
                                              re.S)
        for words, message in cases.items():
            code, _, err, _ = place.run(*words)
            wanted = 3 if "cannot write" in str(message) else 2
            expect(code == wanted, f"{words}: exit code {code}, not {wanted}: {err}")
            if "\n" in "".join(words):
                expect("is no name for a new script" in err, f"{words}: {err}")
            else:
                check_message(err, message)
            expect(fingerprint(place.root) == before, f"{words} left something behind")
        os.remove(place.path("demo.lua"))  # the other one of the pair is in the way, too
        before = fingerprint(place.root)
        code, _, err, _ = place.run("new", "demo")
        check_message(err, "'demo.geo' is there already; another name, or take it away")
        expect(code == 2 and fingerprint(place.root) == before, "half of a pair was written")
        code, _, err, _ = place.run("new", "other", environment={"CURLEW_SHARE": place.root})
        expect(code == 3 and "templates were not found" in err, f"without templates: {err}")


def good(program):
    """Every kind, also below a folder and with the ending, names itself and parses; help names all kinds."""
    with Place(program) as place:
        help_text = place.good("--help")
        expect(f"Kinds of new: {', '.join(KINDS)}".replace("cavity", "cavity (default)") in help_text,
               "the help does not name the kinds")
        for kind in KINDS:
            place.good("new", "-q", f"input/first-{kind}.lua", f"--kind={kind}")
            for end in ("lua", "geo"):
                with open(place.path("input", f"first-{kind}.{end}"), encoding="ascii") as file:
                    text = file.read()
                expect("@" not in text, f"{kind}.{end} has a mark left")
                expect(end == "geo" or f'file = "first-{kind}.geo"' in text, f"{kind}.lua does not name its geometry")
            out = place.good("check", f"input/first-{kind}.lua")
            expect("problem" in out, f"check of {kind}: {out}")
        share = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "share", "templates")
        there = {name[:-4] for name in os.listdir(share) if name.endswith(".lua")}
        expect(there == set(KINDS), f"there are templates without a test: {there ^ set(KINDS)}")
        expect(stat.S_IMODE(os.stat(place.path("input/first-slab.lua")).st_mode) & 0o600 == 0o600, "it is not writable")


def main():
    program = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 2:
        refusals(program)
        good(program)
        return
    with Place(program) as place:
        place.good("new", "demo", "--kind", sys.argv[2])
        {"antenna": antenna, "cavity": cavity, "coax": coax, "scatterer": scatterer, "slab": slab,
         "waveguide": waveguide}[sys.argv[2]](place)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
    print("passed")
