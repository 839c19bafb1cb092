#!/usr/bin/python3
"""output.spectra, read back: spectra_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or all.
share/doc/manual.md has the contract."""
import os
import re
import shutil
import sys

import numpy as np

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/plot"))
from silo_reader import Snapshot, read_plane  # noqa: E402  pylint: disable=wrong-import-position
from checkpoint_contract import check_same, checkpoints, forget, newest
from harness import SCRIPT, Place, check_message, edited, expect, on_ranks
from run_contract import RUN, files, main

C0, MU0 = 299792458.0, 1.25663706212e-6

# A WR-90 guide with a matched port at both ends, mm.
GUIDE = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 22.86, 10.16, 12};
Box(2) = {0, 0, 12, 22.86, 10.16, 12};
BooleanFragments{ Volume{1:2}; Delete; }{}
Physical Volume("near") = {1};
Physical Volume("far") = {2};
Physical Surface("in") = Surface In BoundingBox{-1, -1, -1, 23, 11, 1};
Physical Surface("out") = Surface In BoundingBox{-1, -1, 23, 23, 11, 25};
"""
WAVES = """simulation {
  mesh = { file = "guide.geo", unit = 1e-3, size = 12 }, order = 4, time = { stop = 2.5e-9, integrator = "leapfrog" },
  materials = { default = {} },
  boundaries = {
    ["in"] = { kind = "waveguide_port", waveform = waveform.gaussian { f0 = 10e9, bandwidth = 4.5e9 } },
    out = { kind = "waveguide_port" },
    default = { kind = "pec" },
  },
  output = {
    probes = { { name = "middle", at = { 11.43e-3, 5.08e-3, 12e-3 } } },
    spectra = {
      { name = "cut", plane = { origin = { 0, 5.08e-3, 0 }, u = { 22.86e-3, 0, 0 }, v = { 0, 0, 24e-3 }, points = { 21, 25 } },
        frequencies = { 9e9, 10e9 }, normalise = "source" },
      { name = "middle", plane = { origin = { 11.43e-3, 5.08e-3, 12e-3 }, u = { 1e-3, 0, 0 }, v = { 0, 1e-3, 0 }, points = { 2, 2 } },
        frequencies = { 9e9, 10e9 }, every = 5 },
      { name = "watt", plane = { origin = { 0, 5.08e-3, 0 }, u = { 22.86e-3, 0, 0 }, v = { 0, 0, 24e-3 }, points = { 21, 25 }, format = "silo" },
        frequencies = { 10e9 }, fields = { "E" }, normalise = "power" },
      { name = "far", region = "far", frequencies = { 9e9, 10e9 }, normalise = "source" },
      { name = "all", fields = { "H" }, frequencies = { 10e9 }, normalise = "source" },
    },
    fields = { every = 1000000, format = { "silo", "vtkhdf" } },
  },
}
"""
# Absorbing walls remember a step of leapfrog; the fields begin with values, and die away.
SMALL = edited(SCRIPT, ('walls = { kind = "pec" }', 'walls = { kind = "absorbing" }'), ("steps = 4", "steps = 60"),
               ("order = 1", "order = 2"), ("right = { epsilon_r = 2 }", "right = { epsilon_r = 2, sigma = 2e-3 }"), ("fields = { every = 2 },", """fields = { every = 20, format = { "silo", "vtkhdf" } },
    spectra = { { name = "everything", frequencies = { 1e8, 2e8 }, every = 3, losses = true },
                { name = "part", region = "right", frequencies = { 1e8 }, fields = { "H" } },
                { name = "cut", plane = { origin = { 0, 0, 0.5 }, u = { 2, 0, 0 }, v = { 0, 1, 0 }, points = { 5, 4 } },
                  frequencies = { 0, 2e8 }, every = 7 } },"""))


def table(place, name, folder="case"):
    """Columns by name; pairs of _re and _im are complex."""
    header, rows = place.rows(f"{folder}/spectra/{name}.csv")
    columns = dict(zip(header, np.array(rows).T))
    for column in [column for column in columns if column.endswith("_re")]:
        columns[column[:-3]] = columns.pop(column) + 1j * columns.pop(column[:-3] + "_im")
    return columns


def te10(x, z, frequency):
    """The shapes of Ey, Hx and Hz of 1 V/m on the axis."""
    a, w = 22.86e-3, 2 * np.pi * frequency
    beta = np.sqrt((w / C0) ** 2 - (np.pi / a) ** 2)
    along = np.exp(-1j * beta * z)
    return (np.sin(np.pi * x / a) * along, -beta / (w * MU0) * np.sin(np.pi * x / a) * along,
            1j * np.pi / a / (w * MU0) * np.cos(np.pi * x / a) * along)


def test_waves_of_a_guide(program):
    """Amplitude and phase along a guide in closed form, by the script's 1 V of incident voltage; and a transform of
    the probe's record at the same samples."""
    with Place(program, {"input/guide.geo": GUIDE}, WAVES) as place:
        out = place.good(*RUN)
        steps = {name: int(every) for name, every in re.findall(r"spectrum '(\w+)': .* every (\d+) steps", out)}
        expect(steps["middle"] == 5 and steps["cut"] > 5, f"steps between samples: {steps}")
        found = table(place, "cut")
        for frequency in (9e9, 10e9):
            rows = found["frequency"] == frequency
            shapes = te10(found["x"][rows], found["z"][rows], frequency)
            volts = np.sqrt(2 / (22.86e-3 * 10.16e-3))
            for name, shape in zip(("Ey", "Hx", "Hz"), shapes):
                fit = np.vdot(shape, found[name][rows]) / np.vdot(shape, shape)
                off = np.abs(found[name][rows] - volts * shape).max() / np.abs(volts * shape).max()
                expect(abs(fit / volts - 1) < 3e-4 and off < 5e-3, f"{name} at {frequency:g}: {fit} of {volts}, off {off}")
            for name in ("Ex", "Ez", "Hy"):
                expect(np.abs(found[name][rows]).max() < (5e-3 if name[0] == "E" else 2e-5) * volts, f"{name} is there")
        header, rows = place.rows("case/probes/middle.csv")
        record = dict(zip(header, np.array(rows).T))
        t, step, found = record["time"][::5], place.summary()["time_step"], table(place, "middle")
        for frequency in (9e9, 10e9):
            for name in ("Ey", "Hx"):
                weight = np.where(t == 0, 0.5, 1) * 5 * step
                sum_ = (weight * record[name][::5] * np.exp(-2j * np.pi * frequency * t)).sum()
                sum_ /= 1 if name == "Ey" else np.cos(np.pi * frequency * step)
                value = found[name][found["frequency"] == frequency][0]
                expect(abs(value / sum_ - 1) < 1e-12, f"{name} at {frequency:g}: {value} and {sum_}")


def test_regions_of_a_guide(program):
    """The nodes of a region, and a plane for 1 W of incident power, on two processes: |Ey| on the axis is
    sqrt(4 Z P/(a b)) with the impedance Z = w mu0/beta of the wave."""
    with Place(program, {"input/guide.geo": GUIDE}, WAVES.replace("order = 4", "order = 3")) as place:
        place.good(*RUN, **on_ranks(2))
        for number, frequency in enumerate((9e9, 10e9), 1):
            found = Snapshot(place.path(f"case/spectra/far_{number:06}.silo"))
            x, _, z = found.points.T
            expect(z.min() > 12e-3 - 1e-9 and z.max() > 24e-3 - 1e-9, f"the region begins at {z.min()} m, ends at {z.max()} m")
            expect(found.time == frequency, f"{found.time} Hz")
            shape = np.sqrt(2 / (22.86e-3 * 10.16e-3)) * te10(x, z, frequency)[0]
            off = np.abs(found.field("Ey_re").values + 1j * found.field("Ey_im").values - shape).max() / np.abs(shape).max()
            expect(off < 0.04, f"Ey in the region at {frequency:g} is off by {off}")
        plane = read_plane(place.path("case/spectra/watt_000001.silo"))
        beta = np.sqrt((2e10 * np.pi / C0) ** 2 - (np.pi / 22.86e-3) ** 2)
        wanted = np.sqrt(4 * 2e10 * np.pi * MU0 / beta / (22.86e-3 * 10.16e-3))
        axis = np.abs(plane["points"][:, 0] - 11.43e-3) < 1e-6
        size = np.abs(plane["Ey_re"] + 1j * plane["Ey_im"])[axis].mean()
        expect(abs(size / wanted - 1) < 2e-3 and "Hx_re" not in plane, f"{size} V/m for 1 W, not {wanted}")
        expect(np.all(plane["inside"] == 1), "points are outside")


def test_files(program):
    with Place(program, None, SMALL) as place:
        place.good(*RUN)
        names = {re.sub("[0-9a-f]{16}", "DIGEST", name[len("spectra/"):]) for name in files(place) if name.startswith("spectra/")}
        wanted = {"cut.csv", "everything_losses.csv", "blocks/mesh_DIGEST_0000.silo", "blocks/mesh_DIGEST_0000.h5"}
        for name, count in (("everything", 2), ("part", 1)):
            wanted.add(f"{name}.hdf.series")
            for number in range(1, count + 1):
                wanted |= {f"{name}_{number:06}.silo", f"{name}_{number:06}.hdf", f"blocks/{name}_{number:06}_0000.silo"}
        expect(names == wanted, f"files: {sorted(names ^ wanted)}")
        with open(place.path("case/spectra/everything.hdf.series"), encoding="utf-8") as file:
            expect('"everything_000002.hdf", "time": 200000000' in file.read(), "the series has no frequencies")
        place.good(*RUN)  # over its own files


def test_checkpoints_have_the_sums(program):
    for ranks in (1, 2):
        several = on_ranks(ranks) if ranks > 1 else {}
        with Place(program, None, SMALL) as place:
            often = (*RUN, "--quiet", "--set", "checkpoint.every=20")
            place.good(*often, "-o", "whole", **several)
            shutil.copytree(place.path("whole"), place.path("split"))
            forget(place, newest(place, "split"), "split")
            expect(len(checkpoints(place, "split")) == 1 + ranks, "checkpoints")
            place.good(*often, "-o", "split", "--restart", **several)
            check_same(place, "whole", "split", f"{ranks} ranks")
            for name in files(place, "whole"):
                if name.startswith("spectra/") and name.endswith((".h5", ".hdf", ".csv")):
                    with open(place.path("whole", name), "rb") as one, open(place.path("split", name), "rb") as other:
                        expect(one.read() == other.read(), f"{ranks} ranks: {name} differs")


def test_ranks_have_the_same(program):
    with Place(program, None, SMALL) as place:
        place.good(*RUN, "-o", "one")
        place.good(*RUN, "-o", "three", **on_ranks(3))
        one, three = table(place, "cut", "one"), table(place, "cut", "three")
        for name, values in one.items():
            off, size = np.abs(values - three[name]).max(), np.abs(values).max()
            expect(off <= 1e-12 * size + 1e-300, f"{name}: differs by {off} of {size}")


def test_losses(program):
    """The density at the nodes is that of the fields in the same file; the sum is the same on any number of ranks; and
    a region has all of it, since the other one has no losses."""
    script = edited(SMALL, ('fields = { "H" }', "every = 3, losses = true"))
    with Place(program, None, script) as place:
        place.good(*RUN, "-o", "one")
        place.good(*RUN, "-o", "three", **on_ranks(3))
        for number in (1, 2):
            found = Snapshot(place.path(f"one/spectra/everything_{number:06}.silo"))
            square = sum(found.field(f"E{c}_{part}").values ** 2 for c in "xyz" for part in ("re", "im"))
            density, right = found.field("loss_density").values, found.points[:, 0] > 1 + 1e-9
            off = np.abs(density - 0.5 * 2e-3 * square)[right].max() / density.max()
            expect(right.any() and density.max() > 0 and off < 1e-6, f"density: off by {off}")
            expect(np.all(density[found.points[:, 0] < 1 - 1e-9] == 0), "what has no losses has a density")
        header, one = place.rows("one/spectra/everything_losses.csv")
        expect(header == ["frequency", "power"] and [row[0] for row in one] == [1e8, 2e8], f"{header}: {one}")
        three = place.rows("three/spectra/everything_losses.csv")[1]
        for row, other in zip(one, three):
            expect(row[1] > 0 and abs(other[1] / row[1] - 1) < 1e-12, f"{row} and {other} on three ranks")
        same = place.rows("one/spectra/part_losses.csv")[1][0]
        expect(abs(same[1] / one[0][1] - 1) < 1e-12, f"{same} of the region, {one[0]} of all")


def test_check_counts_the_sums(program):
    with Place(program, None, SMALL) as place:
        out = place.good("check", "input/case.lua")
        expect("spectrum 'everything': " in out, out)
        less = edited(SMALL, ('frequencies = { 1e8, 2e8 }, every = 3', 'frequencies = { from = 1e7, to = 2e8, points = 400 }, every = 3'))
        place.write("input/case.lua", less)
        more = place.good("check", "input/case.lua")
        size = [float(re.search(r"measurement buffers ([0-9.]+) MB", text).group(1)) for text in (out, more)]
        sums = re.search(r"'everything': (\d+) elements, 400 frequencies", more)
        grows = 398 * int(sums.group(1)) * 10 * 6 * 16e-6
        expect(grows < size[1] - size[0] < 1.2 * grows, f"{size} MB, {grows} more")


def test_bad_input(program):
    head = 'spectra = { { name = "everything", '
    cases = [
        ('frequencies = { 1e8, 2e8 }, every = 3', 'frequencies = { 1e8, 5e12 }, every = 3',
         r"output\.spectra: 'everything' cannot tell 5e\+12 Hz, .*"),
        ('region = "right"', 'region = "nowhere"', r".*nowhere.*"),
        ('region = "right"', 'region = "right", plane = { origin = { 0, 0, 0.5 }, u = { 2, 0, 0 }, v = { 0, 1, 0 } }',
         r"output\.spectra\.2 must have either 'region' or 'plane', not both"),
        ('v = { 0, 1, 0 }, points', 'v = { 1, 0, 0 }, points',
         r"output\.spectra\.3\.plane: the edges 'u' and 'v' of the plane must not be zero or parallel"),
        ('origin = { 0, 0, 0.5 }', 'origin = { 0, 0, 50 }', r"no point of spectrum 'cut' is inside the mesh, .*"),
        ('name = "part"', 'name = "cut"', r"output\.spectra: two have the name 'cut' \(2 and 3\)"),
        ('fields = { "H" }', 'fields = { "H", "D" }', r".*\"D\".*"),
        (head, head + 'normalise = "source", ', r"output\.spectra: 'everything' cannot be normalised by its source: .*"),
        (head, head + 'normalise = "power", ', r"output\.spectra: 'everything' is to be normalised to 1 W, but no port is driven"),
    ]
    part = 'region = "right", frequencies = { 1e8 }, fields = { "H" }'
    turns = "sigma = 2e-3, gyrotropic = { omega_p = 1e8, omega_c = { 0, 0, 1e8 } }"
    cases += [
        (part, part + ", losses = true", r"output\.spectra\.2: losses need E among the fields"),
        ("every = 7", "every = 7, losses = true", r"output\.spectra\.3: losses are those of a volume, not of a plane"),
        ('name = "cut"', 'name = "everything_losses"', r"output\.spectra: the losses or SAR of 'everything' and 'everything_losses' .*"),
        ("losses = true", "sar_grid = 0.1", r"output\.spectra\.1: sar_grid is that of sar = true"),
        ("sigma = 2e-3", turns, r"output\.spectra: 'everything' has a gyrotropic medium, whose losses .*"),
    ]
    for old, new, message in cases:
        script = edited(SMALL, (old, new))
        with Place(program, None, script) as place:
            code, _, err, _ = place.run(*RUN)
            expect(code == 2, f"{new}: exit code {code}: {err}")
            check_message(err, re.compile(r"input/case\.lua:\d+: " + message))


def test_sar(program):
    """SAR is the density of losses over that of mass; the whole body has the power over the mass; and every average lies
    between the least and the largest SAR. A cubic metre of 0.2 kg/m^3 has 200 g; cubes of 10 g have an edge of 0.37 m."""
    script = edited(SMALL, ("sigma = 2e-3", "sigma = 2e-3, mass_density = 0.2"),
                    ("every = 3, losses = true", "every = 3, losses = true, sar = true, sar_grid = 0.05"))
    with Place(program, None, script) as place:
        place.good(*RUN, "-o", "one")
        place.good(*RUN, "-o", "three", **on_ranks(3))
        for number in (1, 2):
            found = Snapshot(place.path(f"one/spectra/everything_{number:06}.silo"))
            density, sar = found.field("loss_density").values, found.field("sar").values
            right = found.points[:, 0] > 1 + 1e-9
            expect(np.abs(sar - density / 0.2)[right].max() < 1e-6 * sar.max(), "sar is not density over mass_density")
            header, rows = place.rows("one/spectra/everything_sar.csv")
            row = dict(zip(header, rows[number - 1]))
            power = place.rows("one/spectra/everything_losses.csv")[1][number - 1][1]
            expect(abs(row["mass"] / 0.2 - 1) < 1e-12 and abs(row["power"] / power - 1) < 1e-12, f"{row}")
            expect(abs(row["average"] * row["mass"] / power - 1) < 1e-12, f"{row}")
            expect(abs(row["peak"] / sar.max() - 1) < 1e-6, f"{row['peak']} and {sar.max()}")
            expect(row["average"] < row["peak_10g"] < row["peak_1g"] < row["peak"] * 1.001, f"{row}")
            other = dict(zip(header, place.rows("three/spectra/everything_sar.csv")[1][number - 1]))
            for name in ("mass", "power", "average", "peak", "peak_1g", "peak_10g"):
                expect(abs(other[name] / row[name] - 1) < 1e-9, f"{name} on three ranks: {other[name]}, {row[name]}")
        for old, new, message in (
                (", mass_density = 0.2", "", r"'everything' asks for sar, but no material there has a mass_density"),
                ("sar_grid = 0.05", "sar_grid = 1e-4", r"'everything' needs more than 20000000 voxels of sar_grid = 0\.0001 m; .*")):
            place.write("input/case.lua", script.replace(old, new))
            code, _, err, _ = place.run(*RUN)
            expect(code == 2, f"exit code {code}: {err}")
            # the coarse mesh is doubted first
            check_message(err.splitlines(True)[-1], re.compile(r"input/case\.lua:\d+: output\.spectra: " + message))


def test_magnetic_losses_need_H(program):
    script = edited(SMALL, ("sigma = 2e-3", "sigma_m = 10"), ("every = 3,", 'every = 3, fields = { "E" },'))
    with Place(program, None, script) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 2, f"exit code {code}: {err}")
        check_message(err, re.compile(r"input/case\.lua:\d+: output\.spectra: 'everything' has a medium with magnetic losses, "
                                      r"which need H among the fields"))
        place.write("input/case.lua", script.replace('fields = { "E" },', "", 1))
        place.good(*RUN)
        header, rows = place.rows("case/spectra/everything_losses.csv")
        expect(rows[0][1] > 0, f"{header}: {rows}")


def test_frequencies_without_a_wave(program):
    """A frequency that no source has is a warning, as that of a far field."""
    with Place(program, {"input/guide.geo": GUIDE}, WAVES.replace("order = 4", "order = 1")
               .replace("{ 9e9, 10e9 }", "{ 9e9, 30e9 }")) as place:
        out = "".join(place.run("check", "input/case.lua")[1:3])
        expect("output.spectra: the sources carry next to nothing at 1 of the 2 frequencies of 'cut': at 3e+10 Hz" in out, out)


def test_runs_that_end_too_early(program):
    """What is left at the end is missing in the spectra: a warning says how much. Where all has died away there is none."""
    early = "output.spectra: the run ends when the energy is only"
    with Place(program, {"input/guide.geo": GUIDE}, WAVES) as place:
        for stop, expected in (("0.9e-9", True), ("2.5e-9", False)):
            code, _, err, _ = place.run(*RUN, "--set", f"time.stop={stop}", "--set", "order=2")
            expect(code == 0 and (early in err) == expected, f"to {stop} s: {err}")


def test_what_does_not_fit(program):
    """Sums of some 20 GB are refused in one line before anything is allocated, on a machine that has less."""
    with open("/proc/meminfo", encoding="ascii") as file:
        if sum(int(line.split()[1]) for line in file if line.startswith(("MemTotal", "SwapTotal"))) > 18e6:
            return
    script = edited(SMALL, ("frequencies = { 1e8, 2e8 }", "frequencies = { from = 1e6, to = 2e8, points = 100000 }"),
                    ("order = 2", "order = 8"))
    with Place(program, None, script) as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 2, f"exit code {code}: {err}")
        check_message(err, re.compile(r"input/case\.lua:\d+: output\.spectra: 'everything' needs [0-9.]+ GB for its sums, and "
                                      r"[0-9.e-]+ GB of memory are left; ask for fewer frequencies, .*"))


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
