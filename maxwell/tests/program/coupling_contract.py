#!/usr/bin/python3
"""Materials that change with the temperature: coupling_contract.py PROGRAM [NAME...] runs the tests whose names contain a
NAME, or all. share/doc/manual.md has the contract.

The scene is a line of parallel plates with a wave that comes in at x = 0 and leaves at the other end. The load is a slab
across it. Its conductivity is so weak that the field does not notice: |E| is that of the wave, and the losses are
proportional to sigma."""
import cmath
import math
import os
import signal
import sys
import time

import meshes
from harness import Place, expect, on_ranks
from heat_contract import MULTIGRID
from run_contract import RUN, main

LINE = """\
simulation {
  mesh = { file = "line.msh" }, order = args.fine or 1, time = { stop = args.short and 6e-8 or 1.2e-7 }, backend = args.backend,
  materials = { default = { mass_density = 1, heat_capacity = 1, thermal_conductivity = 1 }, [3] = {
    epsilon_r = args.epsilon and 4 or nil, sigma = not args.law and 1e-8 or nil,
    with_temperature = args.epsilon and { epsilon_r = args.epsilon, reference = 20 } or
                       args.law and { sigma = function(T) return 1e-8 * (1 + args.b * (T - 20)) end } or
                       { sigma = args.b, reference = 20 },
    mass_density = 1000, heat_capacity = 1, thermal_conductivity = args.k or 1e5 } },
  boundaries = {
    [1] = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 1, 0 },
            waveform = waveform.gaussian { f0 = 5e7, bandwidth = 9e7 } },
    [2] = { kind = "absorbing" }, [3] = { kind = "pec" }, [5] = { kind = "pmc" } },
  output = { spectra = { { name = "load", region = 3, fields = { "E" }, frequencies = { 5e7 }, normalise = "source", losses = true } },
             fields = args.fields and { every = 50 } or nil },
  heat = {
    regions = { 3 }, order = args.order or 2, temperature = 20, sources = { { losses = "load", amplitude = 2e6 } },
    steady = args.steady and true, time = not args.steady and { stop = args.stop or 2, tolerance = not args.step and 1e-4 or nil, step = args.step } or nil,
    boundaries = args.steady and { [3] = { flux = 0 }, [5] = { flux = 0 }, default = { temperature = 20 } } or nil,
    coupling = { tolerance = args.tolerance or 0.1, settled = args.settled or 0.05, iterations = args.iterations or 10 },
  },
}
"""


def line(cells):
    """A box of cubes whose inner layers in x are volume 3."""
    mesh = meshes.box((cells, 1, 1))
    mesh.elements = [(dim, 3 if dim == 3 and entity == 2 and max(mesh.points[n][0] for n in nodes) <= cells - 1 else entity, kind, tag, nodes)
                     for dim, entity, kind, tag, nodes in mesh.elements]
    mesh.member[(3, 3)] = []
    return mesh


def place_of(program, cells=3):
    return Place(program, {"input/line.msh": line(cells).text()}, LINE)


def define(**arguments):
    return [word for key, value in arguments.items() for word in ("-D", f"{key}={value}")]


def near(value, wanted, what, tolerance):
    expect(abs(value - wanted) <= tolerance * abs(wanted), f"{what} is {value!r}, not {wanted!r}")


def table(place, name, folder="out"):
    header, rows = place.rows(f"{folder}/heat/{name}.csv")
    return [dict(zip(header, row)) for row in rows]


def test_growth(program):
    """Losses a (1 + b (T - T0)) by heat capacity: T - T0 = (exp(a b t) - 1)/b, with an error of second order in the
    tolerance. No heat leaves: what is stored is what has come."""
    with place_of(program) as place:
        for b in (0.02, -0.01):
            errors = []
            for tolerance in (0.2, 0.1):
                place.good(*RUN, "-q", "-o", "out", *define(b=b, tolerance=tolerance, settled=5e-3))
                rounds, last = table(place, "coupling"), table(place, "temperature")[-1]
                a = rounds[0]["losses_load"] / 1000  # of 1 m^3
                near(a, 20, "the heating at the begin", 0.02)
                exact = (math.exp(a * b * 2) - 1) / b
                errors.append(abs(last["highest"] - 20 - exact) / exact)
                expect(abs(last["highest"] - last["lowest"]) < 0.03, f"the temperature is not uniform: {last}")
                near(rounds[-1]["losses_load"], 1000 * a * math.exp(a * b * 2), "the losses at the end", 0.02)
                expect(rounds[-1]["time"] == 2 and [row["round"] for row in rounds] == list(range(1, len(rounds) + 1)), f"{rounds}")
                expect(all(row["coefficient_change"] <= 1.15 * tolerance for row in rounds), f"{rounds}")
                expect(place.summary("out")["runs_of_the_fields"] == len(rounds), f"{place.summary('out')}")
                balance = table(place, "balance")[-1]
                expect(abs(balance["missing"]) < 1e-8 * balance["stored"], f"{balance}")
            expect(errors[0] < 0.012 and errors[1] < 0.35 * errors[0], f"b = {b}: errors {errors}")


def test_power(program):
    """A source with a power keeps it, whatever the losses are: 20 kW into 1 kJ/K for 2 s."""
    with place_of(program) as place:
        place.write("input/case.lua", LINE.replace("amplitude = 2e6", "power = 2e4"))
        place.good(*RUN, "-q", "-o", "out", *define(b=0.02, tolerance=0.2))
        rounds, last = table(place, "coupling"), table(place, "temperature")[-1]
        expect(len(rounds) > 3 and all(abs(row["losses_load"] - 2e4) < 1e-6 for row in rounds), f"{rounds}")
        near(last["highest"] - 20, 40, "the rise", 1e-3)
        expect(len({row["time"] for row in rounds}) == len(rounds), f"more runs than intervals: {rounds}")


def test_steady(program):
    """A slab whose faces are held: k T'' + q (1 + b (T - Ta)) = 0 has T - Ta = (cos(m x)/cos(m L) - 1)/b, m^2 = q b/k. The
    elements have one sigma each, hence an error of second order in their size. At m L = pi/2 losses run away."""
    with place_of(program, 10) as place:
        L = 4
        for b, mL, tolerance in ((0.02, 1.2, 0.006), (-0.02, 2.0, 0.004)):
            place.good(*RUN, "-q", "-o", "out", *define(steady="yes", order=4, b=b, k=abs(b) * 20000 * L * L / mL**2, iterations=30, settled=1e-3), **MULTIGRID)
            rounds, last = table(place, "coupling"), table(place, "temperature")[-1]
            m = math.sqrt(rounds[0]["losses_load"] / 8 * abs(b) / (abs(b) * 20000 * L * L / mL**2))
            exact = (1 / math.cos(m * L) - 1) / b if b > 0 else (1 / math.cosh(m * L) - 1) / b
            near(last["highest"] - 20, exact, f"b = {b}: the rise", tolerance)
            expect(rounds[-1]["temperature_change"] < 1e-3 and len(rounds) < 12, f"{rounds}")
            balance = table(place, "balance")[-1]
            near(balance["sources"], rounds[-1]["losses_load"], "the power", 1e-9)
            expect(abs(balance["missing"]) < 1e-8 * balance["sources"], f"{balance}")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(steady="yes", order=4, b=0.02, k=0.02 * 20000 * L * L / 1.65**2), **MULTIGRID)
        expect(code == 2 and "thermal runaway" in err, f"{code}: {err}")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(steady="yes", b=0.02, k=0.02 * 20000 * L * L / 1.2**2, iterations=2), **MULTIGRID)
        expect(code == 2 and "the steady state does not settle: run 2 of the fields" in err, f"{code}: {err}")
        expect(place.summary("out")["status"] == "failed", f"{place.summary('out')}")


def absorbed(epsilon, hertz=5e7, depth=1.0):
    """The mean of |E|^2 in a lossless slab that a wave of 1 V/m meets."""
    k, n = 2 * math.pi * hertz / 299792458.0, math.sqrt(epsilon)
    r = (1 - n) / (1 + n)
    back = -r * cmath.exp(-2j * k * n * depth)  # the wave back over the wave on, at the front
    on = (1 + r) / (1 + r * back)
    steps = 2000
    points = [(i + 0.5) * depth / steps for i in range(steps)]
    return sum(abs(on * (cmath.exp(-1j * k * n * x) + back * cmath.exp(1j * k * n * x)))**2 for x in points) / steps


def test_epsilon(program):
    """The fields have the permittivity of the temperature: losses are those of a slab of it."""
    with place_of(program) as place:
        place.good(*RUN, "-q", "-o", "out", *define(epsilon=0.03, stop=3, fine=3), "--set", "time.stop=2e-7")
        rounds = table(place, "coupling")
        at = {row["time"]: row["highest"] for row in table(place, "temperature")}
        expect(len(rounds) >= 5 and at[3] > 40, f"{len(rounds)} rounds, {at[3]} degrees")
        for row in rounds:
            near(row["losses_load"], 20000 * absorbed(4 * (1 + 0.03 * (at[row["time"]] - 20))), f"the losses at t = {row['time']} s", 5e-3)


def test_same(program):
    """The same on any number of ranks, from the reference backend, and from a law as a function."""
    with place_of(program) as place:
        place.good(*RUN, "-q", "-o", "one", *define(b=0.02, stop=1))
        for name, arguments, options in (("ranks", (), on_ranks(3)), ("reference", define(backend="reference"), {}),
                                         ("law", define(law="yes"), {})):
            place.good(*RUN, "-q", "-o", name, *define(b=0.02, stop=1), *arguments, **options)
            for file in ("coupling", "temperature"):
                one, other = place.rows(f"one/heat/{file}.csv")[1], place.rows(f"{name}/heat/{file}.csv")[1]
                expect(len(one) == len(other), f"{name}: {len(other)} rows of {file}, not {len(one)}")
                for a, b in zip(one, other):
                    expect(all(abs(x - y) <= 1e-6 * max(abs(x), 1e-3) for x, y in zip(a, b)), f"{name}, {file}: {a} and {b}")


def test_step(program):
    """A given step of heat is not cut: intervals are whole numbers of steps."""
    with place_of(program) as place:
        place.good(*RUN, "-q", "-o", "out", *define(b=0.02, step=0.125))
        times = {row["time"] for row in table(place, "coupling")}
        expect(len(times) > 3 and all(t / 0.125 == round(t / 0.125) for t in times), f"{times}")
        expect(len(table(place, "temperature")) == 17, "rows of the temperature")


def test_files(program):
    """Files of the last run of the fields stay, and no snapshot of one before: the permittivity rises from 1/4 to 1, the
    step doubles, and the last run has half as many steps."""
    with place_of(program) as place:
        place.write("input/case.lua", LINE.replace("args.epsilon and 4", "args.epsilon and 0.25"))
        out = place.good(*RUN, "-o", "out", *define(epsilon=0.05, short="yes", fields="yes", stop=4))
        expect("run 2 of the fields, at t = " in out, f"says {out}")
        steps, first = place.summary("out")["steps"], int(out.split(" steps of ")[0].split()[-1])
        found = {name for name in os.listdir(place.path("out")) if name.startswith("fields_")}
        expect(steps < 0.8 * first, f"{first} steps at first, {steps} at last")
        expect(found == {f"fields_{step:06}.silo" for step in range(0, steps + 1, 50)}, f"{steps} steps: {sorted(found)}")
        place.good(*RUN, "-q", "-o", "out", *define(epsilon=0.05, short="yes", stop=4), "--set", "heat.coupling.tolerance=0.5")
        expect(not any(name.startswith("fields_") for name in os.listdir(place.path("out"))), "files of the run before")


def begun(place, rows, *arguments):
    """A computation with so many rows of runs of the fields."""
    if "--restart" not in arguments and os.path.exists(place.path("out")):
        place.vanish("out")
    process = place.start(*RUN, "-q", "-o", "out", *arguments)
    deadline, path = time.monotonic() + 60, place.path("out", "heat", "coupling.csv")
    while not os.path.exists(path) or len(open(path, encoding="utf-8").readlines()) < 1 + rows:
        expect(time.monotonic() < deadline and process.poll() is None, "it does not begin")
        time.sleep(0.01)
    return process


def ended(process, code, message=b""):
    _, err = process.communicate(timeout=60)
    expect(process.returncode == code and message in err, f"{process.returncode}: {err}")


def test_restart(program):
    """SIGTERM, also while the fields run, and kill -9: the computation goes on at the begin of its interval and ends with
    the same bits, on other ranks with the same numbers. SIGINT leaves its tables whole. A steady state has no checkpoint."""
    law = define(b=0.02, tolerance=0.05, k=1e3)
    with place_of(program) as place:
        place.good(*RUN, "-q", "-o", "whole", *law)
        ended_at = len(table(place, "coupling", "whole"))
        for rows in (1, 5):
            process = begun(place, rows, *law)
            process.send_signal(signal.SIGTERM)
            ended(process, 130, b"--restart goes on from there")
            expect(place.summary("out")["status"] == "interrupted", f"{place.summary('out')}")
            process = begun(place, rows + 3, *law, "--restart")
            process.kill()
            process.communicate()
            place.good(*RUN, "-q", "-o", "out", *law, "--restart")
            summary = place.summary("out")
            expect(summary["status"] == "done" and summary["checkpoints"]["restarts"] == 2, f"{summary}")
            for name in ("coupling", "temperature", "balance"):
                expect(place.rows(f"whole/heat/{name}.csv") == place.rows(f"out/heat/{name}.csv"), f"{name}.csv differs")
            expect(summary["runs_of_the_fields"] == ended_at, f"{summary}")
        process = begun(place, 3, *law)
        process.send_signal(signal.SIGTERM)
        ended(process, 130)
        place.good(*RUN, "-q", "-o", "out", *law, "--restart", **on_ranks(3))
        one, other = table(place, "temperature", "whole")[-1], table(place, "temperature")[-1]
        near(other["highest"], one["highest"], "the temperature on other ranks", 1e-6)
        process = begun(place, 3, *law)
        process.send_signal(signal.SIGINT)
        ended(process, 130, b"what was written until then is whole")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(b=0.02, tolerance=0.04), "--restart")
        expect(code == 2 and "the checkpoint is of another run" in err, f"{code}: {err}")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(b=0.02, steady="yes"), "--restart")
        expect(code == 2 and "leaves no checkpoint" in err, f"{code}: {err}")


def test_check(program):
    with place_of(program) as place:
        out = place.good("check", "input/case.lua", *define(b=0.02))
        expect("the fields run twice at least" in out, f"says {out}")


WARM = "{ sigma = args.b, reference = 20 }"


def test_refusals(program):
    cases = (
        (WARM, "{ sigma = 0.01 }", "with_temperature needs 'reference'"),
        (WARM, "{ sigma = function(T) return 1 end, reference = 20 }", "'reference' is for numbers"),
        (WARM, "{ sigma = function(T) return 1 end }", "and with_temperature.sigma, a function, both give it"),
        (WARM, "{}", "needs 'epsilon_r', 'sigma' or both"),
        (WARM, "{ mu_r = 2 }", "unknown key 'mu_r'"),
        (WARM, "{ sigma = 'a', reference = 20 }", "with_temperature.sigma must be a number (1/K) or a function"),
        ("sigma = not args.law and 1e-8 or nil,", "sigma = function(x) return 1e-8 end,", "is a function of the place, and with_temperature.sigma needs a number"),
        ("sigma = not args.law and 1e-8 or nil,", "", "is a relative change of sigma, which is not there"),
        ("sigma = not args.law and 1e-8 or nil,", "sigma = 1e-8, debye = { { delta = 1, tau = 1e-9 } },", "is not there yet beside debye"),
        ("sigma = not args.law and 1e-8 or nil,", "sigma = 1e-8, gyrotropic = { omega_p = 1e9, omega_c = { 0, 0, 1 } },", "is not there yet beside gyrotropic"),
        ("epsilon_r = args.epsilon and 4 or nil, sigma = not args.law and 1e-8 or nil,", "epsilon_r = { 1, 1, 2 },", "is not there yet beside a tensor"),
        ("epsilon_r = args.epsilon and 4 or nil, sigma = not args.law and 1e-8 or nil,", "loss_tangent = 0.1, at = 1e9,", "is not there yet beside loss_tangent"),
        ("regions = { 3 }", "regions = { 'left' }", "materials.[3] changes with the temperature, and volume 3, not in heat.regions, has none"),
        ("temperature = 20, sources", "sources", "heat needs 'temperature'"),
        ("sources = { { losses = \"load\", amplitude = 2e6 } }", "sources = { { density = 1 } }", "no source of heat.sources has 'losses'"),
        ("tolerance = args.tolerance or 0.1", "tolerance = 0", "heat.coupling.tolerance must be a number > 0 and at most 1"),
        ("settled = args.settled or 0.05", "settled = -1", "heat.coupling.settled must be a number > 0"),
        ("iterations = args.iterations or 10", "iterations = 0", "heat.coupling.iterations must be an integer from 1 to 1000"),
        ("heat = {", "on = { done = function() end }, heat = {", "'on' is not there yet beside with_temperature"),
        ("with_temperature = args.epsilon", "thermal = args.epsilon", "unknown key 'thermal'"),
        (WARM, "{ sigma = 0.01, reference = 200 }", "materials.[3].with_temperature.sigma gives -8e-09 S/m at a temperature of 20"),
        ("default = { mass_density = 1, heat_capacity = 1, thermal_conductivity = 1 }, [3]", "default", "needs one medium all along its surface"),
        ("{ kind = \"absorbing\" }", "{ kind = \"open\" }", "changes with the temperature"),
    )
    with place_of(program) as place:
        for old, new, message in cases:
            expect(LINE.count(old) == 1, f"the test is wrong: {old}")
            text = LINE.replace(old, new)
            if "open" in new:
                text = text.replace("default = { mass_density = 1, heat_capacity = 1, thermal_conductivity = 1 }, [3]", "left = {}, default")
            place.write("input/case.lua", text)
            for command in (("run",), ("check",)):
                code, _, err, _ = place.run(*command, "input/case.lua", "-q", *define(b=0.02), *(("-o", "out") if command == ("run",) else ()))
                expect(code == 2 and message in err and err.count("\n") == 1, f"{command} {new}: {code}: '{err}' has no '{message}'")
            expect(not os.path.exists(place.path("out")), f"{new}: a folder was made")
        law = "function(T) return 1e-8 * (1 + args.b * (T - 20)) end"
        for new, message in (("function(T) return T > 22 and 0 / 0 or 1e-8 end", "with_temperature.sigma returned nan at (T) = (2"),
                             ("function(T) return T > 22 and -1e-8 or 1e-8 end", "materials.[3].with_temperature.sigma gives -"),
                             ("(function() local n = 0 return function(T) n = n + 1 return 1e-9 * n end end)()", "must depend on its arguments alone")):
            place.write("input/case.lua", LINE.replace(law, new).replace("sigma = not args.law and 1e-8 or nil,", ""))
            code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(law="yes", tolerance=0.9))
            expect(code == 2 and message in err and err.count("\n") == 1, f"{new}: {code}: '{err}' has no '{message}'")
        place.write("input/case.lua", LINE)
        code, _, err, _ = place.run(*RUN, "-q", "-o", "out", *define(b=0.02, steady="yes"), "--set", "checkpoint.minutes=5")
        expect(code == 2 and "has no checkpoints" in err, f"{code}: {err}")
        place.write("input/case.lua", LINE[:LINE.index("  heat = {")] + "}")
        code, _, err, _ = place.run(*RUN, "-q", "-o", "alone", *define(b=0.02))
        expect(code == 2 and "with_temperature needs the section 'heat'" in err, f"{code}: {err}")
        place.write("input/case.lua", LINE.replace(WARM, "nil").replace("args.law and", "nil and"))
        code, _, err, _ = place.run(*RUN, "-q", "-o", "alone")
        expect(code == 2 and "heat.coupling is for materials with_temperature" in err, f"{code}: {err}")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
