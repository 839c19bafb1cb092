#!/usr/bin/python3
"""What a run measures, read back: measure_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME, or
all. share/doc/manual.md has the contract."""
import os
import resource
import signal
import sys
import time

import numpy as np
import Silo

import meshes
from harness import Place, check_snapshot, expect
from run_contract import RUN, files, main, near

ETA0 = 299792458 * 1.25663706212e-6
POINT = "Ex,Ey,Ez,Hx,Hy,Hz"
COLUMNS = {"probes": POINT, "lines": "x,y,z," + POINT, "planes": "x,y,z," + POINT, "fluxes": "power",
           "voltages": "voltage", "currents": "current", "losses": "power"}
TONES = (0, 2e7, 9e7)

# E and H are polynomials, so that the first row of everything is known.
SCRIPT = """simulation {
  mesh = { file = "box.msh" }, order = 2, time = { steps = 12, integrator = INTEGRATOR },
  materials = { left = {}, right = { epsilon_r = 2, sigma = 0.01 } },
  initial = { E = function(x, y, z) return 0, z, x + y end, H = function(x, y, z) return -y, x, 0 end },
  output = {
    probes = { { name = "a", at = { 0.4, 0.3, 0.2 }, FREQUENCIES } },
    lines = { { name = "a", from = { -0.5, 0.5, 0.5 }, to = { 2, 0.5, 0.5 }, points = 6, every = 3, FREQUENCIES } },
    planes = {
      { name = "s", origin = { -0.1, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0.2 }, points = { 5, 3 }, every = 4,
        FREQUENCIES },
      { name = "t", origin = { -0.1, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0.2 }, points = { 5, 3 }, every = 4,
        format = "csv", FREQUENCIES },
    },
    fluxes = { { name = "in", surface = "between", direction = { -1, 0, 0 }, FREQUENCIES },
               { name = "out", surface = "walls", every = 5 } },
    voltages = { { name = "a", from = { 0.5, 0.5, 0.1 }, to = { 0.5, 0.5, 0.9 }, FREQUENCIES },
                 { name = "b", path = { { 0.5, 0.5, 0.1 }, { 0.5, 0.5, 0.9 }, { 0.5, 0.2, 0.9 } } } },
    currents = { { name = "a", circle = { centre = { 0.5, 0.5, 0.5 }, normal = { 0, 0, 1 }, radius = 0.3 },
                   FREQUENCIES },
                 { name = "b", path = { { 0.1, 0.1, 0 }, { 0.1, 0.9, 0 }, { 1.1, 0.9, 0 }, { 1.1, 0.1, 0 } } } },
    losses = { { name = "a", region = "right", FREQUENCIES }, { name = "b", region = 2 } },
  },
}
"""


def script(integrator="rk4", frequencies="frequencies = { 0, 2e7, 9e7 }"):
    return SCRIPT.replace("INTEGRATOR", f'"{integrator}"').replace("FREQUENCIES", frequencies)


def table(place, name):
    """As [times][rows at a time][columns]; the header is checked."""
    kind = name.split("/")[0]
    header, rows = place.rows(f"case/{name}.csv")
    spectrum = name.endswith("_spectrum")
    expected = []
    for column in COLUMNS[kind].split(","):
        expected += [column] if not spectrum or len(column) == 1 else [column + "_re", column + "_im"]
    expect(header == ["frequency" if spectrum else "time"] + expected, f"{name}: header {header}")
    rows = np.array(rows)
    first = rows[:, 0]
    times = len(np.unique(first))
    return rows.reshape(times, len(rows) // times, -1)


def transform(rows, places):
    """The definition, from the table: [frequencies][rows][columns], complex."""
    t, values = rows[:, 0, 0], rows[:, :, 1 + places:]
    weight = np.full(len(t), (t[-1] - t[0]) / (len(t) - 1))
    weight[[0, -1]] /= 2
    return np.array([np.einsum("t,trc->rc", weight * np.exp(-2j * np.pi * f * t), values) for f in TONES])


def check_spectrum(place, name, places=0):
    rows, spectrum = table(place, name), table(place, name + "_spectrum")
    expect(list(spectrum[:, 0, 0]) == list(TONES), f"{name}: frequencies {spectrum[:, 0, 0]}")
    values = spectrum[:, :, 1 + places:]
    got, expected = values[:, :, 0::2] + 1j * values[:, :, 1::2], transform(rows, places)
    expect(got.shape == expected.shape and np.array_equal(np.isnan(got), np.isnan(expected)), f"{name}: shape")
    scale = np.nanmax(np.abs(expected), axis=(0, 1))
    off = np.nanmax(np.abs(got - expected) / scale)
    expect(off < 1e-12, f"{name}: the spectrum is off by {off:.3g}")
    if places:
        expect(np.array_equal(spectrum[0, :, 1:4], rows[0, :, 1:4]), f"{name}: places of the spectrum")


def test_files(program):
    with Place(program, script=script()) as place:
        out = place.good(*RUN)
        expected = {"probes/a.csv", "lines/a.csv", "planes/t.csv", "fluxes/in.csv", "fluxes/out.csv", "voltages/a.csv",
                    "voltages/b.csv", "currents/a.csv", "currents/b.csv", "losses/a.csv", "losses/b.csv"}
        expected |= {f"{name}_spectrum.csv" for name in ("probes/a", "lines/a", "planes/t", "fluxes/in", "voltages/a",
                                                         "currents/a", "losses/a")}
        expected |= {f"planes/s_{step:06}.silo" for step in (0, 4, 8, 12)}
        expected |= {f"planes/s_spectrum_{i:06}.silo" for i in (1, 2, 3)}
        expect(files(place) == expected | {"configuration.json", "log.txt", "summary.json", "mesh/whole.mesh"}, f"files: {sorted(files(place))}")
        expect("(0 snapshots, 12 measurements)" in out, f"the last line: {out}")
        for name in expected:
            if name.endswith(".silo"):
                check_snapshot(place.path("case", name))
        place.good(*RUN, "--set", "output.planes=nil", "--set", "output.lines=nil")
        left = {name for name in expected if name.split("/")[0] not in ("planes", "lines")}
        expect(files(place) == left | {"configuration.json", "log.txt", "summary.json", "mesh/whole.mesh"}, f"after a second run: {sorted(files(place))}")


def test_first_rows(program):
    """Of fields that are polynomials, and known integrals of them."""
    with Place(program, script=script()) as place:
        place.good(*RUN)
        step = place.summary()["time_step"]
        first = {name: table(place, name)[0] for name in (
            "probes/a", "lines/a", "planes/t", "fluxes/in", "fluxes/out", "voltages/a", "voltages/b", "currents/a",
            "currents/b", "losses/a", "losses/b")}
        times = table(place, "lines/a")[:, 0, 0]
        expect(np.allclose(times, step * np.arange(0, 13, 3), rtol=1e-14, atol=0), f"times {times}")
        expect(len(table(place, "fluxes/out")) == 3, "rows of fluxes/out")

        def fields(x, y, z):
            return [0, z, x + y, -y, x, 0]
        expect(np.abs(first["probes/a"][0][1:] - fields(0.4, 0.3, 0.2)).max() < 1e-13, "the probe")
        for name in ("lines/a", "planes/t"):
            for row in first[name]:
                inside = 0 <= row[1] <= 2
                good = np.abs(row[4:] - fields(*row[1:4])).max() < 1e-13 if inside else np.isnan(row[4:]).all()
                expect(good, f"{name}: {row}")
        expect(np.allclose(first["lines/a"][:, 1], [-0.5, 0, 0.5, 1, 1.5, 2], atol=1e-15), "points of the line")
        expect(np.allclose(first["planes/t"][6, 1:4], [0.15, 0.5, 0.6], atol=1e-15), "points of the plane")
        value = {name: row[0][1] for name, row in first.items()}
        # S = E x H: Sx = -Ez Hy = -(x + y) x; through x = 1 that is -(1 + 1/2), and the positive side is -x
        near(value["fluxes/in"], 1.5, 1e-12, "flux between")
        # out of the box: the divergence of S is H.curl E - E.curl H = -2 y... with curl E = (1 - 1, -1, 0), curl H =
        # (0, 0, 2): -x - 2 (x + y), over 2 x 1 x 1
        near(value["fluxes/out"], -(2 + 2 * (2 + 1)), 1e-12, "flux out of the box")
        near(value["voltages/a"], 0.8, 1e-12, "voltage")  # Ez = 1
        near(value["voltages/b"], 0.8 - 0.3 * 0.9, 1e-12, "voltage along a path")  # and Ey = 0.9 backwards
        # curl H = 2: twice the area of the polygon of 256 corners
        near(value["currents/a"], 2 * 128 * 0.3 ** 2 * np.sin(2 * np.pi / 256), 1e-12, "current")
        near(value["currents/b"], -2 * 0.8, 1e-12, "current around the other way")
        # sigma times the integral of z^2 + (x + y)^2 over x from 1 to 2
        loss = 0.01 * (1 / 3 + 7 / 3 + 2 * 1.5 * 0.5 + 1 / 3)
        near(value["losses/a"], loss, 1e-12, "loss")
        near(value["losses/b"], loss, 1e-12, "loss of the volume's tag")


def test_spectra(program):
    for integrator in ("leapfrog", "rk4"):
        with Place(program, script=script(integrator)) as place:
            place.good(*RUN)
            for name in ("probes/a", "fluxes/in", "voltages/a", "currents/a", "losses/a"):
                check_spectrum(place, name)
            for name in ("lines/a", "planes/t"):
                check_spectrum(place, name, places=3)


def test_band(program):
    with Place(program, script=script(frequencies="frequencies = { from = 1e7, to = 3e7, points = 5 }")) as place:
        place.good(*RUN)
        spectrum = table(place, "voltages/a_spectrum")
        expect(list(spectrum[:, 0, 0]) == [1e7, 1.5e7, 2e7, 2.5e7, 3e7], f"frequencies {spectrum[:, 0, 0]}")
        expect(len(table(place, "probes/a_spectrum")) == 5, "spectrum of the probe")


def read_grid(path):
    """Points, values by name, units, expressions, mesh."""
    file = Silo.Open(path)
    toc = file.GetToc()
    expect(list(toc.ucdmesh_names) == ["mesh"], f"{path}: meshes {toc.ucdmesh_names}")
    mesh = file.GetVarInfo("mesh", 1)
    points = np.array([mesh[f"coord{d}"] for d in range(3)]).T
    expressions = {}
    for name in toc.defvars_names:
        info = file.GetVarInfo(name, 1)
        expressions.update(zip(info["names"], info["defns"]))
    values, units = {}, {}
    for name in toc.ucdvar_names:
        info = file.GetVarInfo(name, 1)
        values[name], units[name] = np.array(info["value0"]), info["units"]
    zones = file.GetVarInfo(mesh["zonelist"], 1)
    expect(zones["shapetype"] == Silo.DB_ZONETYPE_QUAD, f"{path}: zones {zones['shapetype']}")
    return points, values, units, expressions, mesh, np.array(zones["nodelist"]).reshape(-1, 4)


def check_grid(path, rows, names, time, cycle):
    points, values, units, expressions, mesh, zones = read_grid(path)
    expect(np.array_equal(points, rows[:, 1:4]), f"{path}: points")
    expect(set(values) == set(names) | {"inside"}, f"{path}: variables {sorted(values)}")
    inside = ~np.isnan(rows[:, 4])
    expect(0 < inside.sum() < len(rows) and np.array_equal(values["inside"], inside), f"{path}: inside")
    for name, column in zip(names, rows[:, 4:].T):
        expect(np.array_equal(values[name], np.where(inside, column, 0)), f"{path}: values of {name}")
    expect((mesh.get("cycle", 0), mesh.get("dtime", 0)) == (cycle, time), f"{path}: cycle and time")
    expect(mesh.get("topo_dim", 2) == 2 and mesh["ndims"] == 3, f"{path}: dimensions")
    # the quadrilaterals cover the parallelogram of edges (1, 0, 0) and (0, 1, 0.2)
    corner = points[zones]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 3] - corner[:, 0]), axis=1)
    expect(len(zones) == 8 and abs(area.sum() - np.hypot(1, 0.2)) < 1e-14, f"{path}: zones")
    expect(np.allclose(corner[:, 0] + corner[:, 2], corner[:, 1] + corner[:, 3], atol=1e-15), f"{path}: corners")
    return units, expressions


def test_silo_planes(program):
    """The same plane as table and as Silo files."""
    with Place(program, script=script("leapfrog")) as place:
        place.good(*RUN)
        rows, spectrum = table(place, "planes/t"), table(place, "planes/t_spectrum")
        names = POINT.split(",")
        for k, step in enumerate((0, 4, 8, 12)):
            units, expressions = check_grid(place.path(f"case/planes/s_{step:06}.silo"), rows[k], names, rows[k][0][0],
                                            step)
            expect(expressions == {"E": "{Ex, Ey, Ez}", "H": "{Hx, Hy, Hz}"}, f"expressions {expressions}")
            expect(units["Ey"] == "V/m" and units["Hz"] == "A/m", f"units {units}")
        names = [name + part for name in names for part in ("_re", "_im")]
        for k, tone in enumerate(TONES):
            units, expressions = check_grid(place.path(f"case/planes/s_spectrum_{k + 1:06}.silo"), spectrum[k], names,
                                            tone, k + 1)
            expect(expressions["H_im"] == "{Hx_im, Hy_im, Hz_im}" and len(expressions) == 4, f"{expressions}")
            expect(units["Ey_im"] == "V s/m" and units["Hz_re"] == "A s/m", f"units {units}")


def test_interrupted(program):
    """The spectra are those of what was measured until then."""
    with Place(program, script=script()) as place:
        process = place.start(*RUN, "--set", "time.steps=100000000", "--set", "output.planes=nil", "--set",
                              "output.lines=nil")
        deadline = time.monotonic() + 30
        while not (os.path.exists(place.path("case/probes/a.csv")) and
                   os.path.getsize(place.path("case/probes/a.csv")) > 20000):
            expect(time.monotonic() < deadline and process.poll() is None, "the run does not start")
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        expect(process.returncode == 130, f"exit code {process.returncode}: {err}")
        for name in ("probes/a", "fluxes/in", "voltages/a", "currents/a", "losses/a"):
            check_spectrum(place, name)


PULSE = """simulation {
  mesh = { file = "box.msh" }, order = 6, time = { stop = 8e-9 },
  materials = { left = {}, right = { sigma = 2e-3 } }, boundaries = { [5] = { kind = "pec" }, default = { kind = "absorbing" } },
  initial = { E = function(x, y, z) return 0, 0, math.exp(-8 * ((x - 1.5)^2 + (y - 1)^2)) end },
  output = {
    fluxes = { { name = "out", surface = "walls" } },
    losses = { { name = "right", region = "right" } }, energy = { every = 1 },
  },
}
"""


def test_energy_balance(program):
    """What the fields lose has left through the walls or warmed the conductor; the rest is the dissipation of the upwind
    flux, which falls four times with each order (5e-3, 1.2e-3, 3e-4 at orders 5, 6, 7)."""
    with Place(program, {"input/box.msh": meshes.box((3, 2, 1)).text()}, PULSE) as place:
        place.good(*RUN)
        _, energy = place.rows("case/energy.csv")
        total = np.array(energy)[:, 4]
        out, loss = (table(place, name)[:, 0, :] for name in ("fluxes/out", "losses/right"))
        left, warmed = (np.trapz(rows[:, 1], rows[:, 0]) for rows in (out, loss))
        lost = total[0] - total[-1]
        expect(min(left, warmed) > 0.1 * lost and lost > 0.9 * total[0], f"{left} J left, {warmed} J warmed, of {lost}")
        expect(abs(left + warmed - lost) < 0.002 * lost, f"{left} J left, {warmed} J warmed, {lost} J are gone")


def test_balance_while_a_source_sets_in(program):
    """Runge-Kutta's sums of powers do not resolve the first steps of a source, where the energy grows several times a step:
    that ended such runs at step 1. Behind these steps the balance is as exact as ever."""
    script = """simulation {
  mesh = { file = "box.msh" }, order = 2, flux = 1, materials = { default = {} }, boundaries = { default = { kind = "pec" } },
  time = { integrator = "INTEGRATOR", stop = 20e-9 },
  sources = { { at = { 0.41, 0.32, 0.5 }, moment = { 0.3, 0.2, 1 }, waveform = waveform.differentiated_gaussian { f_peak = 1.5e8 } } },
  output = { balance = { every = 1 } },
}
"""
    for integrator in ("lsrk", "rk4"):
        with Place(program, {"input/box.msh": meshes.box((3, 2, 2)).text()}, script.replace("INTEGRATOR", integrator)) as place:
            place.good(*RUN)
            header, rows = place.rows("case/balance.csv")
            columns = dict(zip(header, np.array(rows).T))
            early = abs(columns["difference"][1]) / columns["energy"][1]
            last = abs(columns["difference"][-1]) / columns["energy"].max()
            expect(early > 0.01 and last < 1e-3, f"{integrator}: off by {early:.3g} at first and {last:.3g} at last")


def test_no_loss_is_said(program):
    with Place(program, script=script()) as place:
        code, _, err, _ = place.run(*RUN, "--set", "output.losses.1.region=left")
        expect(code == 0 and "warning: output.losses: nothing in the region of 'a' has losses" in err, f"says {err!r}")
        code, _, err, _ = place.run(*RUN, "--set", "output.losses.1.region=left", "--set",
                                    "materials.left.debye={{delta=1,tau=1e-9}}")
        expect(code == 0 and "has losses" not in err, f"a medium with a pole: {err!r}")
        out = place.good(*RUN, "--set", "output.voltages.1.to={0.5,0.5,1.1}")
        expect("'a': 0.1 m of its path of 1 m are outside the mesh and count as conductor" in out, f"says {out}")


def test_many_probes(program):
    """Four times as many probes take four times as long to read; it was sixteen times."""
    def took(probes):
        script = f"""local p = {{}}
for i = 1, {probes} do p[i] = {{ name = "p" .. i, at = {{ 0.5, 0.5, 0.5 }}, frequencies = {{ 1e9 }} }} end
simulation {{ mesh = {{ file = "none.msh" }}, order = 1, time = {{ steps = 2 }}, materials = {{ default = {{}} }}, output = {{ probes = p }} }}
"""
        with Place(program, script=script) as place:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            code, _, err, _ = place.run(*RUN)
            expect(code == 2 and "none.msh" in err, f"{code}: {err}")
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    few, many = took(7500), took(30000)
    expect(many < 8 * few, f"7500 probes took {few} s of a processor, 30000 {many} s")


def test_check(program):
    with Place(program, script=script()) as place:
        out = place.good("check", "input/case.lua")
        expect("measures  probes 1, lines 1, planes 2, fluxes 2, voltages 2, currents 2, losses 2; files of about "
               in out, f"says {out}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
