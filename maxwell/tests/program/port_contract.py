#!/usr/bin/python3
"""What a run with ports writes: records of voltages, S-parameters, Touchstone files. port_contract.py PROGRAM [NAME...]"""
import re
import sys

import numpy as np

import meshes
from harness import Place, expect
from run_contract import RUN, files, main

ETA0 = 376.730313668
C0 = 299792458.0

# A parallel-plate line of 2 m, 1 m wide and high: 377 ohm; magnetic walls in y, electric ones in z.
LINE = """\
local pulse = waveform.gaussian { bandwidth = 1.5e8 }
simulation {
  mesh = { file = "box.msh" }, order = 4, time = { stop = 80e-9 },
  materials = { default = {} },
  boundaries = {
    [1] = { kind = "lumped_port", resistance = 376.730313668, direction = { 0, 0, 1 }, number = 1, waveform = pulse },
    [2] = { kind = "lumped_port", resistance = 188.365156834, direction = { 0, 0, 1 }, number = 2%s },
    [3] = { kind = "pmc" }, walls = { kind = "pec" },
  },
  output = { s_parameters = { from = 1e7, to = 7e7, points = 7 } },
}
"""
GUIDE = """\
simulation {
  mesh = { file = "box.msh" }, order = 4, time = { stop = 80e-9 }, materials = { default = {} },
  boundaries = { [1] = { kind = "waveguide_port", waveform = waveform.gaussian { f0 = 3e8, bandwidth = 1e8 } } },
  output = { s_parameters = { 0, 3e8 } },
}
"""
# The same line between two ports that find its mode, in a medium with losses and between walls of metal.
LOSSY = """\
local pulse = waveform.gaussian { bandwidth = 1.5e8 }
simulation {
  mesh = { file = "box.msh" }, order = 4, time = { stop = 80e-9 },
  materials = { default = { epsilon_r = 2, sigma = 1e-3 } },
  boundaries = {
    [1] = { kind = "tem_port", number = 1, waveform = pulse }, [2] = { kind = "tem_port", number = 2 },
    [3] = { kind = "pmc" }, walls = { kind = "impedance", impedance = 0.5 },
  },
  output = { s_parameters = { from = 1e7, to = 7e7, points = 7 } },
}
"""
# Three plates: the ends of the box and what is between its halves.
PLATES = """\
simulation {
  mesh = { file = "box.msh" }, order = 2, time = { steps = 1 },
  materials = { left = { %s }, right = { %s } }, interfaces = { [4] = { kind = "pec" } },
  boundaries = {
    [3] = { kind = "tem_port", %s, waveform = waveform.gaussian { bandwidth = 1e8 } }, [5] = { kind = "pmc" }, [6] = { kind = "pec" },
  },
}
"""
BOTH = LINE % ", waveform = pulse"
ONE = LINE % ""


def touchstone(path):
    """Ports, R, frequencies and matrices of a Touchstone 1 file, read from the specification."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    ports = int(re.search(r"\.s(\d+)p$", path).group(1))
    option = [line for line in lines if line.startswith("#")]
    expect(len(option) == 1 and option[0].split()[:5] == ["#", "Hz", "S", "RI", "R"], f"option line {option}")
    data = [line.split("!")[0] for line in lines if line and line[0] not in "!#"]
    expect(all(len(line.split()) <= (9 if ports < 3 else 2 * 4 + 1) for line in data), "a line is too long")
    numbers = np.array(" ".join(data).split(), float).reshape(-1, 1 + 2 * ports * ports)
    values = (numbers[:, 1::2] + 1j * numbers[:, 2::2]).reshape(-1, ports, ports)
    return float(option[0].split()[5]), numbers[:, 0], values.transpose(0, 2, 1) if ports == 2 else values


def test_two_ports(program):
    """Line of 377 ohm between 377 and 188 ohm: S22 = 1/3, S11 = -1/3 after a round trip, the rest passes."""
    with Place(program, script=BOTH) as place:
        out = place.good(*RUN)
        expect({"sparameters.csv", "case.s2p", "ports/surface_1.csv", "ports/surface_2.csv"} < files(place),
               f"files {sorted(files(place))}")
        impedance, frequency, in_file = touchstone(place.path("case/case.s2p"))
        header, rows = place.rows("case/sparameters.csv")
        expect(header == "frequency,S11_re,S11_im,S21_re,S21_im,S12_re,S12_im,S22_re,S22_im,error".split(","), f"{header}")
        S = (np.array(rows)[:, 1:-1:2] + 1j * np.array(rows)[:, 2:-1:2]).reshape(-1, 2, 2).transpose(0, 2, 1)
        phase = np.exp(-2j * np.pi * frequency * 2 / C0)
        exact = np.empty_like(S)
        exact[:, 0, 0], exact[:, 1, 1] = -phase**2 / 3, 1 / 3
        exact[:, 0, 1] = exact[:, 1, 0] = np.sqrt(8) / 3 * phase
        worst = np.abs(S - exact).max()
        expect(worst < 2e-3, f"largest deviation {worst}")
        expect(abs(impedance - ETA0) < 1e-9, f"R {impedance} is not that of port 1")
        matched = np.array([[0, 1], [1, 0]]) * phase[:, None, None]
        worst = np.abs(in_file - matched).max()
        expect(worst < 2e-3, f"in waves of R: largest deviation {worst}")
        same_impedances(S, [ETA0, ETA0 / 2], in_file, impedance)
        with open(place.path("case/case.s2p"), encoding="ascii") as file:
            expect("! renormalised to R: waves of the run, as in sparameters.csv, refer to 376.730313668 ohm at port 1, 188.365156834 "
                   "ohm at port 2\n" in file.read(), "no comment")
        expect("case.s2p has S renormalised to 376.73 ohm, sparameters.csv has S as each port has it" in out, out)


def same_impedances(S, z0, in_file, R):
    """The table in waves of z0 and the file in waves of R have one Z."""
    one, root = np.eye(len(z0)), np.sqrt(np.array(z0))
    Z = root[:, None] * np.linalg.solve(one - S, one + S) * root
    of_file = R * np.linalg.solve(one - in_file, one + in_file)
    off = np.abs(of_file - Z).max(axis=(1, 2)) / np.abs(Z).max(axis=(1, 2))
    expect(off.max() < 1e-8, f"Z of the file is off by {off}")


def test_impedances_that_are_nearly_one(program):
    """Ports of 50 and 50.02 ohm: R is the middle and S exactly in its waves; nothing in the log."""
    script = BOTH.replace("376.730313668", "50").replace("188.365156834", "50.02")
    with Place(program, script=script) as place:
        out = place.good(*RUN)
        R, _, in_file = touchstone(place.path("case/case.s2p"))
        _, rows = place.rows("case/sparameters.csv")
        S = (np.array(rows)[:, 1:-1:2] + 1j * np.array(rows)[:, 2:-1:2]).reshape(-1, 2, 2).transpose(0, 2, 1)
        expect(abs(R - 50.01) < 1e-12 and "renormalised" not in out, f"R {R}: {out}")
        same_impedances(S, [50, 50.02], in_file, R)


def test_impedance_of_a_guide(program):
    """The file keeps waves of the mode, says its impedance at each frequency, and has frequencies that ascend."""
    script = GUIDE.replace("boundaries = {", "boundaries = { [2] = { kind = 'waveguide_port', waveform = waveform.gaussian { f0 "
                           "= 3e8, bandwidth = 1e8 } },").replace("{ 0, 3e8 }", "{ 3e8, 2e8, 2.5e8 }")
    with Place(program, script=script) as place:
        place.good(*RUN)
        R, frequency, in_file = touchstone(place.path("case/case.s2p"))
        _, rows = place.rows("case/sparameters.csv")
        S = (np.array(rows)[:, 1:-1:2] + 1j * np.array(rows)[:, 2:-1:2]).reshape(-1, 2, 2).transpose(0, 2, 1)
        expect(R == 50 and list(frequency) == [2e8, 2.5e8, 3e8] and np.abs(in_file - S[[1, 2, 0]]).max() < 1e-14, f"{R}, {frequency}")
        with open(place.path("case/case.s2p"), encoding="ascii") as file:
            lines = [line.split()[3:] for line in file if line.startswith("! Port Impedance")]
        Z = ETA0 / np.sqrt(1 - (C0 / 2 / frequency)**2)
        expect(np.allclose(np.array(lines, float), np.stack([Z, 0 * Z, Z, 0 * Z], axis=1), rtol=1e-9), f"{lines}, {Z}")
    # a guide, and two lumped ports of 300 and 500 ohm: these are in waves of 300, and the file's impedances give the same Z
    script = script.replace("[2] = { kind = 'waveguide_port',", "[2] = { kind = 'lumped_port', resistance = 300, direction = { 0, 0, 1 },").replace(
        "boundaries = {", "boundaries = { [6] = { kind = 'lumped_port', resistance = 500, direction = { 0, 0, 1 }, waveform = waveform.gaussian "
        "{ f0 = 3e8, bandwidth = 1e8 } },", 1)
    with Place(program, {"input/box.msh": three_sided((3, 1, 1), 2).text()}, script) as place:
        place.good(*RUN)
        R, frequency, in_file = touchstone(place.path("case/case.s3p"))
        _, rows = place.rows("case/sparameters.csv")
        S = (np.array(rows)[:, 1:-1:2] + 1j * np.array(rows)[:, 2:-1:2]).reshape(-1, 3, 3).transpose(0, 2, 1)[[1, 2, 0]]
        Z = ETA0 / np.sqrt(1 - (C0 / 2 / frequency)**2)
        with open(place.path("case/case.s3p"), encoding="ascii") as file:
            said = np.array([line.split()[3::2] for line in file if line.startswith("! Port Impedance")], float)
        expect(R == 300 and np.allclose(said, np.stack([Z, 300 + 0 * Z, 300 + 0 * Z], axis=1), rtol=1e-9), f"{R}, {said}")
        for f in range(3):
            one, old, new = np.eye(3), np.sqrt([Z[f], 300, 500]), np.sqrt(said[f])
            ours, theirs = (root[:, None] * np.linalg.solve(one - M, one + M) * root for root, M in ((old, S[f]), (new, in_file[f])))
            expect(np.abs(ours - theirs).max() < 1e-8 * np.abs(ours).max(), f"Z {ours}, of the file {theirs}")


def test_one_driven_port_of_two(program):
    with Place(program, script=ONE) as place:
        out = place.good(*RUN)
        expect("1 of 2 ports are driven" in out and "case.s2p" not in files(place), f"says {out}")
        header, _ = place.rows("case/sparameters.csv")
        expect(header == "frequency,S11_re,S11_im,S21_re,S21_im,error".split(","), f"{header}")
        _, rows = place.rows("case/ports/surface_1.csv")
        time, incident, reflected, voltage, current = np.array(rows).T
        expect(np.abs(incident).max() > 0.49 and np.abs(incident + reflected - voltage).max() < 1e-12, "voltages")
        expect(np.abs(current - (incident - reflected) / ETA0).max() < 1e-9, "current")
        expect(abs(time[-1] - 80e-9) < 1e-15, "times")


def test_one_port(program):
    """A line that ends in a perfect conductor: |S11| = 1, and the file says the port's resistance."""
    script = re.sub(r"\[2\] = \{.*\n", '[2] = { kind = "pec" },\n', ONE)
    with Place(program, script=script) as place:
        place.good(*RUN)
        impedance, frequency, S = touchstone(place.path("case/case.s1p"))
        expect(abs(impedance - ETA0) < 1e-6, f"R {impedance}")
        worst = np.abs(S[:, 0, 0] + np.exp(-4j * np.pi * frequency * 2 / C0)).max()
        expect(worst < 2e-3, f"largest deviation {worst}")


def three_sided(cells=(2, 1, 1), first=0):
    """A box with its side y = 1 as surface 6, from x = first on."""
    mesh = meshes.box(cells)
    def inside(nodes):
        return all(mesh.points[n][1] == 1 and mesh.points[n][0] >= first for n in nodes)

    mesh.elements = [(2, 6, *rest) if (dim, entity) == (2, 3) and inside(rest[2]) else
                     (dim, entity, *rest) for dim, entity, *rest in mesh.elements]
    mesh.elements.sort(key=lambda element: element[:2])
    mesh.member[(2, 6)] = list(mesh.member[(2, 3)])
    return mesh


def test_three_ports(program):
    """Reciprocal and passive; port 3 on the side takes part; at most four complex numbers a line."""
    script = BOTH.replace("[3] =", '[6] = { kind = "lumped_port", resistance = 50, direction = { 0, 0, 1 }, number = 3, '
                          "waveform = pulse },\n    [3] =")
    with Place(program, {"input/box.msh": three_sided().text()}, script) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 0, err)
        _, frequency, S = touchstone(place.path("case/case.s3p"))
        expect(S.shape == (7, 3, 3) and len(frequency) == 7, f"{S.shape}")
        expect(np.abs(S - S.transpose(0, 2, 1)).max() < 2e-3, "not reciprocal")
        expect(np.abs(S[:, 2, 0]).min() > 0.05, f"nothing reaches port 3: {np.abs(S[:, 2, 0])}")
        # not unitary: the resistive face of port 3 also takes fields that vary along it, which are no voltage
        expect(0.9 < np.linalg.svd(S, compute_uv=False).max() < 1 + 2e-3, "power is made")
        check_power(place, err, ["surface_1", "surface_2", "surface_6"])


def check_power(place, err, names):
    """Nothing takes power beside the ports: how much is missing stands in the warning, the summary and the file."""
    _, rows = place.rows("case/sparameters.csv")
    n = len(names)
    squares = (np.array(rows)[:, 1:-1].reshape(len(rows), n, n, 2) ** 2).sum(axis=(2, 3))
    at, driven = np.unravel_index(np.abs(1 - squares).argmax(), squares.shape)
    quality, left = place.summary("case")["s_parameters"], squares[at, driven]
    expect(abs(quality["missing_power"] - (1 - left)) < 1e-9 and quality["missing_power_at"] == rows[at][0], f"{left}, {quality}")
    word = f"at {rows[at][0]:.6g} Hz {left:.4g} times what comes in at port"
    expect(abs(1 - left) > 0.005 and f"do not keep the power: nothing here takes any, and {word} '{names[driven]}' leaves" in err, err)
    with open(place.path(f"case/case.s{n}p"), encoding="ascii") as file:
        expect(f"! power is not kept: nothing takes any, and {word} {driven + 1} leaves" in file.read(), "no comment")


def test_power_that_is_kept(program):
    """Between two ports nothing is missing, and nothing is said; where a medium takes power, nothing is known of it."""
    for medium, known in (("default = {}", True), ("default = { sigma = 1e-3 }", False)):
        with Place(program, script=BOTH.replace("default = {}", medium)) as place:
            code, _, err, _ = place.run(*RUN)
            missing = place.summary("case")["s_parameters"]["missing_power"]
            expect(code == 0 and "the power" not in err, f"{medium}: {err}")
            expect(abs(missing) < 0.005 if known else missing is None, f"{medium}: {missing}")


def check_rests(place, out, err, early):
    """What was left at each port: the largest voltage that leaves in the last tenth of the run over that of all of it."""
    rests = {(one["driven"], one["port"]): one for one in place.summary("case")["s_parameters"]["ports"]}
    expect(set(rests) == {(a, b) for a in ("surface_1", "surface_2") for b in ("surface_1", "surface_2")}, f"{rests}")
    for port in ("surface_1", "surface_2"):  # the records are those of the first run
        _, rows = place.rows(f"case/ports/{port}.csv")
        leaves = np.abs(np.array(rows)[:, 2])
        window = int(max(1, 0.1 * len(leaves)))
        left = 20 * np.log10(leaves[-window:].max() / leaves.max())
        rest = rests["surface_1", port]
        expect(abs(rest["left_decibel"] - left) < 0.01, f"{rest}, by the record {left}")
        expect(f"{0.0 - left:.1f} dB at '{port}' (S{port[-1]}1 wrong by" in out, f"{left} dB at {port}: {out}")
        expect(rest["error"] >= 0 and (early or rest["error"] < 0.05), f"{rest}")
    worst = max((rest["error"], rest["port"]) for rest in rests.values() if rest["driven"] == "surface_1")
    expect((f"what leaves at port '{worst[1]}' has fallen by" in err) == early, f"{worst}: {err}")


def test_a_run_that_ends_too_early(program):
    """The estimate covers what is wrong, is said in the log, the files and the summary, and goes away with time."""
    for stop, early in (("12e-9", True), ("20e-9", True), ("80e-9", False)):
        with Place(program, script=BOTH.replace("80e-9", stop)) as place:
            code, out, err, _ = place.run(*RUN)
            expect(code == 0 and ("ends too early for S-parameters: the energy that is left is" in err) == early,
                   f"{stop}: says {code}, {err}")
            expect("s-params  port 'surface_1': the energy that is left is" in out, f"log {out}")
            check_rests(place, out, err, early)
            _, rows = place.rows("case/sparameters.csv")
            rows = np.array(rows)
            phase = np.exp(-2j * np.pi * rows[:, 0] * 2 / C0)
            off = np.abs(rows[:, 3] + 1j * rows[:, 4] - np.sqrt(8) / 3 * phase)
            expect((off < rows[:, -1] + 2e-3).all(), f"{stop}: S21 is off by {off}, the estimates are {rows[:, -1]}")
            quality = place.summary("case")["s_parameters"]
            expect(quality["error"] >= 0.99 * rows[:, -1].max() and (quality["error"] > 0.05) == early, f"{quality}")
            expect((quality["energy_left_decibel"] > -26) == early, f"{quality}")
            with open(place.path("case/case.s2p"), encoding="ascii") as file:
                expect("of the energy that came in is left: errors of about" in file.read(), "no comment")
            if not early:
                expect(abs(quality["largest_gain"] - 1) < 3e-3 and quality["largest_asymmetry"] < 2e-3, f"{quality}")


def test_frequencies_beyond_the_pulse(program):
    """What the pulse does not carry is nan in the table and not in the Touchstone file; the rest is as it was."""
    wide = BOTH.replace("{ from = 1e7, to = 7e7, points = 7 }", "{ 2e7, 4e8, 4.5e8, 7e7, 6e8 }")
    with Place(program, script=wide) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 0 and err.count("at 4e+08 to 4.5e+08, 6e+08 Hz: S-parameters are nan there") == 2, err)
        _, rows = place.rows("case/sparameters.csv")
        rows = np.array(rows)
        expect(np.isnan(rows[[1, 2, 4], 1:]).all() and np.isfinite(rows[[0, 3]]).all(), f"{rows}")
        _, frequency, S = touchstone(place.path("case/case.s2p"))
        expect(list(frequency) == [2e7, 7e7] and np.abs(S[:, 1, 1]).max() < 3e-3, f"{frequency} {S}")  # in waves of R
        expect(place.summary("case")["s_parameters"]["left_out"] == 3, "left out")


def test_records_every_few_steps(program):
    with Place(program, script=ONE) as place:
        place.good(*RUN, "--set", "output.ports={every=7}", "--set", "time.steps=20", "--set", "time.stop=nil")
        _, rows = place.rows("case/ports/surface_2.csv")
        expect(len(rows) == 3, f"{len(rows)} rows")


def test_refuses(program):
    no_port = re.sub(r", waveform = pulse", "", ONE)
    for script, says in (
            (no_port, "output.s_parameters needs a port with a waveform; there is none"),
            (ONE.replace("  output", "  initial = { E = function() return 0, 0, 1 end },\n  output"),
             "output.s_parameters is for fields that only ports drive, and there are initial fields besides"),
            (ONE.replace("  output", "  sources = { { at = { 0.5, 0.4, 0.3 }, moment = { 0, 0, 1 }, waveform = pulse } "
                         "},\n  output"),
             "output.s_parameters is for fields that only ports drive, and there are other sources besides"),
            (ONE.replace("from = 1e7, to = 7e7", "from = 1e7, to = 1e12"),
             re.compile(r"output\.s_parameters cannot tell 1\.\d+e\+11 Hz: with a step of \S+ s frequencies go up to \S+ Hz")),
            (GUIDE.replace("{ 0, 3e8 }", "{ 0, 1.4e8 }"), "output.s_parameters: at 0 Hz the mode of port 'surface_1' has no impedance (neither at 0 Hz nor at "
             "its cut-off); take a frequency beside it")):
        with Place(program, script=script) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            line = script[:script.index("s_parameters")].count("\n") + 1
            head = f"curlew: input/case.lua:{line}: "
            same = says.fullmatch(err[len(head):-1]) if isinstance(says, re.Pattern) else err == head + says + "\n"
            expect(code == 2 and err.startswith(head) and same, f"{code}: {err}")


def test_says_what_ports_are(program):
    """A face that was not meant shows in the log; a cut-off that the step cannot hold is an error."""
    with Place(program, script=GUIDE.replace("{ 0, 3e8 }", "{ 3e8 }")) as place:
        out = place.good("check", "input/case.lua")
        says = re.search(r"port      1 'surface_1': (\S+) m along \(0, 1, 0\) x (\S+) m along \(0, 0, 1\), normal \(-1, 0, 0\), TE10, "
                         r"cut-off (\S+) Hz; driven", out)
        expect(says and abs(float(says.group(3)) - C0 / 2) < 1e3, out)
    modal = 'kind = "modal_port", family = "TE", cutoff = 1e12, profile = function(x, y, z) return 0, 0, 1 end'
    with Place(program, script=GUIDE.replace("{ 0, 3e8 }", "{ 3e8 }").replace('kind = "waveguide_port"', modal)) as place:
        code, _, err, _ = place.run("check", "input/case.lua")
        expect(code == 2 and "boundaries.[1]: the cut-off of its mode 1, 1e+12 Hz, is too high for the step of" in err, err)


def test_lines_with_losses(program):
    """S against the telegrapher's equations with the port's reference; what the log, the summary and `check` say."""
    with Place(program, script=LOSSY) as place:
        out = place.good(*RUN)
        ports = place.summary("case")["ports"]
        Z0, losses = ports[0]["impedance"], ports[0]["losses"]
        expect(abs(Z0 - ETA0 / np.sqrt(2)) < 1e-6 * Z0 and abs(ports[1]["losses"]["conductance"] - 1e-3) < 1e-9, f"{ports}")
        expect(abs(losses["conductance"] - 1e-3) < 1e-9 and losses["resistance"] == 0 and len(losses["walls"]) == 1, f"{losses}")
        expect(abs(losses["walls"][0]["shape"] - 2) < 1e-6 and losses["walls"][0]["impedance"] == 0.5, f"{losses}")
        expect(abs(losses["media_db_per_m"] - 10 / np.log(10) * 1e-3 * Z0) < 1e-6, f"{losses}")
        _, rows = place.rows("case/sparameters.csv")
        f, *parts = np.array(rows).T
        w = 2 * np.pi * f
        series, shunt = 1 + 1j * w * 4e-7 * np.pi, 1e-3 + 1j * w * 2 / (4e-7 * np.pi * C0**2)
        Z, q = np.sqrt(series / shunt), np.exp(-2 * np.sqrt(series) * np.sqrt(shunt))
        r = (Z - Z0) / (Z + Z0)
        off = max(np.abs(parts[0] + 1j * parts[1] - r * (1 - q**2) / (1 - (r * q)**2)).max(),
                  np.abs(parts[2] + 1j * parts[3] - q * (1 - r**2) / (1 - (r * q)**2)).max())
        expect(off < 2e-3 and np.abs(r).min() > 0.02 and np.abs(q).max() < 0.8, f"off by {off}; {np.abs(r)}, {np.abs(q)}")
        says = out[out.index("line      1 'surface_1': "):].split("\n")[0]
        numbers = [float(x) for x in re.findall(r"(?<![\w'])[0-9][0-9.e+-]*", says)][1:]
        neper = 20 / np.log(10)
        exact = [1e-3, neper * 0.5e-3 * Z0, 1e7, neper * 0.5 / Z0, -neper * np.log(abs(q[0])) / 2, abs(r[0]),
                 7e7, neper * 0.5 / Z0, -neper * np.log(abs(q[-1])) / 2, abs(r[-1]), Z0]
        expect(len(numbers) == len(exact) and np.allclose(numbers, exact, rtol=2e-2), f"{says}: {numbers}, {exact}")
        code, out, err, _ = place.run("check", "input/case.lua")
        expect(code == 0 and says in out, f"check says something else: {out}")
        expect("boundaries.[1]: at 1e+07 Hz losses make the impedance of this line another" in err, err)
    with Place(program, script=LOSSY.replace("sigma = 1e-3", "sigma = 1e-5")) as place:
        code, out, err, _ = place.run("check", "input/case.lua")
        expect(code == 0 and "losses make" not in err and "G' = 1e-05 S/m" in out, f"{code}: {out} {err}")
    with Place(program, script=LOSSY.replace("sigma = 1e-3", "debye = { { delta = 1, tau = 1e-9 } }")) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 2 and "boundaries.[1]: a port needs one impedance for all frequencies along its surface" in err, f"{code}: {err}")


def test_potentials_that_are_no_mode(program):
    mixed = "boundaries.[3]: the media on the face of this port differ, so that only certain potentials are one mode"
    for left, right, keys, warns in (
            ("epsilon_r = 1", "epsilon_r = 4", "voltages = { walls = 1 }", True),
            ("epsilon_r = 1", "epsilon_r = 4", "voltages = { port = 1 }", False),
            ("epsilon_r = 1", "epsilon_r = 4", "mode = 2", False),
            ("epsilon_r = 4", "epsilon_r = 4", "voltages = { walls = 1 }", False),
            ("epsilon_r = 4", "epsilon_r = 4, sigma = 1e-4", "voltages = { walls = 1 }", True),
            ("epsilon_r = 4", "epsilon_r = 4, sigma = 1e-4", "mode = 'odd'", True),
            ("epsilon_r = 4, sigma = 1e-4", "epsilon_r = 4, sigma = 1e-4", "voltages = { walls = 1 }", False)):
        with Place(program, {"input/box.msh": three_sided().text()}, PLATES % (left, right, keys)) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            expect(code == 0 and (mixed in err) == warns, f"{left} | {right}, {keys}: {code}, {err}")


# Two strips on a substrate in a box, in mm.
PAIR_GEO = """\
SetFactory("OpenCASCADE");
mm = 1e-3; e = 1e-6; L = 12;
Box(1) = {0, 0, 0, 10*mm, L*mm, 1*mm};
Box(2) = {0, 0, 1*mm, 10*mm, L*mm, 3*mm};
Rectangle(100) = {3*mm, 0, 1*mm, 1.2*mm, L*mm};
Rectangle(101) = {5.8*mm, 0, 1*mm, 1.2*mm, L*mm};
BooleanFragments{ Volume{1,2}; Delete; }{ Surface{100,101}; Delete; }
Physical Volume("sub") = Volume In BoundingBox{-e, -e, -e, 10*mm+e, L*mm+e, 1*mm+e};
Physical Volume("air") = Volume In BoundingBox{-e, -e, 1*mm-e, 10*mm+e, L*mm+e, 4*mm+e};
Physical Surface("stripa") = Surface In BoundingBox{3*mm-e, -e, 1*mm-e, 4.2*mm+e, L*mm+e, 1*mm+e};
Physical Surface("stripb") = Surface In BoundingBox{5.8*mm-e, -e, 1*mm-e, 7*mm+e, L*mm+e, 1*mm+e};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -e, 10*mm+e, e, 4*mm+e};
Physical Surface("right") = Surface In BoundingBox{-e, L*mm-e, -e, 10*mm+e, L*mm+e, 4*mm+e};
"""
PAIR = """\
simulation {
  mesh = { file = "pair.geo", size = 2.5e-3 }, order = 1, time = { steps = 1 },
  materials = { sub = { epsilon_r = 4 }, air = {} }, interfaces = { stripa = { kind = "pec" }, stripb = { kind = "pec" } },
  boundaries = {
    left = { kind = "tem_port", mode = %s, number = 1, waveform = waveform.gaussian { bandwidth = 5e9 } },
    right = { kind = "tem_port", mode = %s, number = 2 },
  },
}
"""
# Two strips one above the other, the one wide where the other is narrow: at either end another one has the longer rim.
TAPER_GEO = """\
SetFactory("OpenCASCADE");
mm = 1e-3; e = 1e-6; L = 6;
Box(1) = {0, 0, 0, 10*mm, L*mm, 6*mm};
Point(101) = {2*mm, 0, 2*mm}; Point(102) = {8*mm, 0, 2*mm}; Point(103) = {6*mm, L*mm, 2*mm}; Point(104) = {4*mm, L*mm, 2*mm};
Point(105) = {4*mm, 0, 4*mm}; Point(106) = {6*mm, 0, 4*mm}; Point(107) = {8*mm, L*mm, 4*mm}; Point(108) = {2*mm, L*mm, 4*mm};
For i In {0:1}
  For j In {0:3}
    Line(200 + 4 * i + j) = {101 + 4 * i + j, 101 + 4 * i + (j + 1) % 4};
  EndFor
  Curve Loop(300 + i) = {200 + 4 * i : 203 + 4 * i};
  Plane Surface(100 + i) = {300 + i};
EndFor
BooleanFragments{ Volume{1}; Delete; }{ Surface{100, 101}; Delete; }
Physical Volume("air") = Volume{:};
Physical Surface("low") = Surface In BoundingBox{-e, -e, 2*mm-e, 10*mm+e, L*mm+e, 2*mm+e};
Physical Surface("high") = Surface In BoundingBox{-e, -e, 4*mm-e, 10*mm+e, L*mm+e, 4*mm+e};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -e, 10*mm+e, e, 6*mm+e};
Physical Surface("right") = Surface In BoundingBox{-e, L*mm-e, -e, 10*mm+e, L*mm+e, 6*mm+e};
"""
TAPER = """\
simulation {
  mesh = { file = "taper.geo", size = 3e-3 }, order = 1, time = { steps = 1 }, materials = { air = {} },
  interfaces = { low = { kind = "pec" }, high = { kind = "pec" } },
  boundaries = {
    left = { kind = "tem_port", %s number = 1, waveform = waveform.gaussian { bandwidth = 5e9 } }, right = { kind = "tem_port", number = 2 },
    default = { kind = "pmc" },
  },
}
"""
# Two plates round a corner: at one end the outer one lies lower in z, at the other the inner one lower in x.
BEND = """\
local pulse = waveform.gaussian { bandwidth = 5e7 }
simulation {
  mesh = { file = "box.msh" }, order = 3, time = { stop = 150e-9 }, materials = { default = {} },
  boundaries = {
    [1] = { kind = "tem_port", number = 1, waveform = pulse }, [2] = { kind = "tem_port", number = 2 }, [3] = { kind = "pmc" },
    [4] = { kind = "pec" },
  },
  output = { s_parameters = { 1e6, 2e6 } },
}
"""


def bend():
    """Cubes at x = 0 and 1, and one on top of the second. Surface 1 is x = 0, 2 z = 2, 3 the sides in y, 4 the rest."""
    mesh, faces = meshes.Mesh(), {}
    places = sorted({(x + a, b, z + c) for x, z in ((0, 0), (1, 0), (1, 1)) for a in (0, 1) for b in (0, 1) for c in (0, 1)})
    for tag, point in enumerate(places, 1):
        mesh.point(tag, *map(float, point))
    for x, z in ((0, 0), (1, 0), (1, 1)):
        for tet in meshes.SIX:
            corners = [1 + places.index((x + (c & 1), c >> 1 & 1, z + (c >> 2))) for c in tet]
            mesh.add(3, 1, meshes.TETRAHEDRON, corners)
            for drop in range(4):
                face = tuple(sorted(corners[:drop] + corners[drop + 1:]))
                faces[face] = faces.get(face, 0) + 1
    outer = []
    for face in sorted(face for face, count in faces.items() if count == 1):
        x, y, z = zip(*(places[node - 1] for node in face))
        outer.append((1 if max(x) == 0 else 2 if min(z) == 2 else 3 if len(set(y)) == 1 else 4, face))
    for surface, face in sorted(outer):
        mesh.add(2, surface, meshes.TRIANGLE, face)
    return mesh


def test_both_ends_of_a_line_take_one_sign(program):
    """The same conductor is positive at both ends, whatever the mesh numbers first there; S21 round a bend is near 1."""
    for mode in ('"odd"', "1"):
        with Place(program, {"input/pair.geo": PAIR_GEO}, PAIR % (mode, mode)) as place:
            out = place.good("check", "input/case.lua")
            signs = re.findall(r"'stripa' at (-?)0\.5.*'stripb' at (-?)0\.5|'stripb' at (-?)0\.5.*'stripa' at (-?)0\.5", out)
            expect(len(signs) == 2 and signs[0] == signs[1], f"{mode}: {signs} in {out}")
    for keys, ground in (("", "low"), ('ground = "high",', "high")):
        with Place(program, {"input/taper.geo": TAPER_GEO}, TAPER % keys) as place:
            out = place.good("check", "input/case.lua")
            expect(out.count(f"'{ground}' at 0 V") == 2 and out.count(" at 1 V") == 2, f"{keys}: {out}")
    with Place(program, {"input/box.msh": bend().text()}, BEND) as place:
        place.good(*RUN)
        _, rows = place.rows("case/sparameters.csv")
        expect(rows[0][3] > 0.8, f"bend: S21 = {rows[0][3]} + {rows[0][4]}j")


# A shielded microstrip (R. Mittra, T. Itoh, IEEE Trans. MTT-19 (1971) 47): epsilon_r 8.875, 1.27 mm high and wide in a square of 12.7 mm.
SHIELDED_GEO = """\
SetFactory("OpenCASCADE");
mm = 1e-3; e = 1e-6; L = 1.27; H = 12.7; h = 1.27; w = 1.27;
Box(1) = {0, 0, 0, H*mm, L*mm, h*mm};
Box(2) = {0, 0, h*mm, H*mm, L*mm, (H-h)*mm};
Rectangle(100) = {(H-w)/2*mm, 0, h*mm, w*mm, L*mm};
BooleanFragments{ Volume{1,2}; Delete; }{ Surface{100}; Delete; }
Physical Volume("sub") = Volume In BoundingBox{-e, -e, -e, H*mm+e, L*mm+e, h*mm+e};
Physical Volume("air") = Volume In BoundingBox{-e, -e, h*mm-e, H*mm+e, L*mm+e, H*mm+e};
Physical Surface("strip") = Surface In BoundingBox{(H-w)/2*mm-e, -e, h*mm-e, (H+w)/2*mm+e, L*mm+e, h*mm+e};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -e, H*mm+e, e, H*mm+e};
Physical Surface("right") = Surface In BoundingBox{-e, L*mm-e, -e, H*mm+e, L*mm+e, H*mm+e};
"""
SHIELDED = """\
simulation {
  mesh = { file = "shielded.geo", size = 2.5e-3 }, order = 2, time = { steps = 1 },
  materials = { sub = { epsilon_r = %g }, air = {} }, interfaces = { strip = { kind = "pec" } },
  boundaries = {
    left = { kind = "tem_port", number = 1, waveform = waveform.gaussian { bandwidth = 5e9 } }, right = { kind = "tem_port", number = 2 },
  },
  output = { s_parameters = { 1e8, %g } },
}
"""


def test_frequencies_above_the_mode(program):
    """Where a static mode ends: the index of the line grows as published (5.9033 at 0, 5.9214 at 1 GHz), and in one medium the
    first mode is that of the box. Below either nothing is said."""
    for epsilon, highest, says in ((8.875, 10e9, "above about"), (8.875, 2.5e9, None), (1, 13e9, "propagates from about"), (1, 11e9, None)):
        with Place(program, {"input/shielded.geo": SHIELDED_GEO}, SHIELDED % (epsilon, highest)) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            at = [float(f) for f in re.findall(f"{says} ([0-9.e+]+) Hz", err)]
            expect(code == 0 and len(at) == (0 if says is None else 2), f"{epsilon}, {highest}: {err}")
            growth = (5.9214 / 5.9033)**0.5 - 1
            exact = 1e9 * np.sqrt(0.02 / growth) if epsilon > 1 else C0 / 2 / 12.7e-3
            expect(all(abs(f - exact) < (0.1 if epsilon > 1 else 0.03) * exact for f in at), f"{at}, {exact}")
            expect(says != "above about" or "boundaries.left: the mode of several media is that of low frequencies" in err, err)


def test_other_modes_of_a_guide(program):
    """The first mode that a waveguide port does not have, by the closed form; one that it absorbs is one that it has."""
    modes = "boundaries.[1]: the mode %s of this guide propagates from %.6g Hz on, and S is asked for up to %.6g Hz"
    for keys, highest, name, cutoff in (("", 2e8, "TE01", C0 / 2), ('absorb = { "TE01" }, ', 2e8, None, 0),
                                        ('absorb = { "TE01" }, ', 3e8, "TE11", C0 / 2 * np.sqrt(2)),
                                        ('absorb = { "TE01", "TE11" }, ', 3e8, "TM11", C0 / 2 * np.sqrt(2)),
                                        ('absorb = { "TE01", "TE11", "TM11" }, ', 3.2e8, "TE02", C0)):
        script = GUIDE.replace('kind = "waveguide_port", ', 'kind = "waveguide_port", ' + keys).replace("{ 0, 3e8 }", f"{{ 1.6e8, {highest} }}")
        with Place(program, script=script) as place:
            code, _, err, _ = place.run("check", "input/case.lua")
            expect(code == 0 and err.count("propagates from") == (name is not None), f"{keys}: {err}")
            expect(name is None or modes % (name, cutoff, highest) in err and f'absorb = {{ "{name}" }}' in err, f"{keys}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
