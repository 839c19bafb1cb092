#!/usr/bin/python3
"""The instruments: `curlew bench`, `curlew run --profile` and the roofline: bench_contract.py PROGRAM [NAME...] runs
the tests whose names contain a NAME, or all. The counts of bytes and flops are recomputed here from the sizes."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

from harness import Place, expect, on_ranks
from run_contract import RUN, main, near

PLOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../profiling/plot_roofline.py")
# Waiting threads sleep, and the kernels are the slow ones, so that a busy machine or a cache that holds the small mesh
# cannot bring the fractions near their bounds.
CALM = {"OMP_WAIT_POLICY": "passive", "CURLEW_SIMD": "portable"}
STAGES = {"leapfrog": 1, "lsrk": 5, "rk4": 4}


def sizes(order):
    return (order + 1) * (order + 2) * (order + 3) // 6, (order + 1) * (order + 2) // 2


def bench(place, *arguments, name="bench.json"):
    out = place.good("bench", "--seconds", "0.02", "--json", name, *arguments, environment=CALM)
    with open(place.path(name), encoding="utf-8") as file:
        return out, json.load(file)


def check_result(result, ceilings):
    Np, Nf = sizes(result["order"])
    K, stages = result["elements"], STAGES[result["integrator"]]
    number = {"double": 8, "single": 4}[result["precision"]]
    passes = {"leapfrog": 3, "lsrk": 5 * 4, "rk4": 4 * 4}[result["integrator"]]
    expect(result["unknowns"] == 6 * Np * K >= 10000, f"{result['unknowns']} unknowns")
    expect(result["bytes_per_step"] == 6 * Np * K * number * passes, f"{result['bytes_per_step']} bytes a step")
    expect(result["flops_per_step"] == stages * K * (24 * Np ** 2 + 32 * Np * Nf), f"{result['flops_per_step']} flops")
    seconds = result["seconds_per_step"]
    expect(0 < result["seconds_per_step_shortest"] <= seconds <= result["seconds_per_step_longest"], "no median")
    expect(result["batches"] >= 5 and result["steps_per_batch"] >= 1, f"{result['batches']} batches")
    near(result["dof_per_second"], result["unknowns"] / seconds, 1e-12, "DoF/s")
    near(result["evaluations_per_second"], stages * result["unknowns"] / seconds, 1e-12, "evaluations/s")
    near(result["bytes_per_second"], result["bytes_per_step"] / seconds, 1e-12, "bytes/s")
    near(result["flops_per_second"], result["flops_per_step"] / seconds, 1e-12, "flops/s")
    times = {"bytes": result["bytes_per_step"] / ceilings["copy_bytes_per_second"],
             "flops": result["flops_per_step"] / ceilings[f"{result['precision']}_flops_per_second"]}
    expect(times[result["limit"]] == max(times.values()), f"the limit is not {result['limit']}")
    near(result["fraction_of_floor"], max(times.values()) / seconds, 1e-12, "fraction of the floor")
    times["bytes"] = result["bytes_per_step"] / ceilings["copy_bytes_per_second_field_size"]
    clock = ceilings["clock_cycles_per_second"]
    expect(2e8 < clock < 2e10, f"a clock of {clock} Hz")
    cycles = seconds * clock * result["threads"] * result["ranks"] / (2 * stages * K)
    near(result["cycles_per_element_and_equation"], cycles, 1e-9, "cycles")
    near(result["fraction_of_cached_floor"], max(times.values()) / seconds, 1e-12, "fraction of the cached floor")
    expect(0 < result["fraction_of_floor"] < 1.5, f"{result['fraction_of_floor']} of the floor")
    expect(result["memory_bytes_per_unknown"] > 2 * number, "the fields take more memory than that")
    expect(result["setup_seconds"] > 0 and result["mesh_seconds"] > 0, "no time of set-up")


def test_bench(program):
    with Place(program) as place:
        out, report = bench(place, "--order", "2,4", "--unknowns", "10000", "--threads", "2")
        cases = [(r["order"], r["integrator"], r["precision"], r["backend"]) for r in report["results"]]
        wanted = {(p, i, f, b) for p in (2, 4) for i in ("leapfrog", "lsrk") for f in ("double", "single")
                  for b in ("cpu", "reference")}
        expect(set(cases) == wanted and len(cases) == len(wanted), f"cases {cases}")
        ceilings = report["ceilings"]
        for result in report["results"]:
            check_result(result, ceilings)
            is_reference = result["backend"] == "reference"
            if not is_reference:
                expect(result["instructions"] == "portable", "the instruction set is not the one in use")
            like = next(r for r in report["results"] if r["backend"] == "reference" and all(
                r[key] == result[key] for key in ("order", "integrator", "precision")))
            near(result["ratio_to_reference"], like["seconds_per_step"] / result["seconds_per_step"], 1e-12, "ratio")
            expect(result["threads"] == 1 or not is_reference, "the reference has one thread")
        expect(report["threads"] == 2 and report["flux"] == 1, "threads or flux")
        for key in ("copy_bytes_per_second", "copy_bytes_per_second_one_thread", "double_flops_per_second"):
            expect(1e8 < ceilings[key] < 1e14, f"{key} {ceilings[key]}")
        expect(ceilings["copy_array_bytes"] >= 2 ** 24, "the arrays that are copied fit into a cache")
        machine = report["machine"]
        expect(machine["processor"] and machine["compiler"] and machine["processors"] == len(os.sched_getaffinity(0)),
               f"machine {machine}")
        expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["date"]), f"date {report['date']}")
        rows = [line.split() for line in out.splitlines() if re.match(r"\d +\d+ ", line)]
        expect([(int(r[0]), r[3], r[4], r[5]) for r in rows] == cases, f"the table has other rows:\n{out}")
        expect(sorted(os.listdir(place.root)) == ["bench.json", "input"], "something else was left")
        check_roofline(place)


def check_roofline(place):
    """The picture is a PNG of some size; files that are no bench are refused."""
    if any(importlib.util.find_spec(name) is None for name in ("matplotlib",)):
        return
    subprocess.run([sys.executable, PLOT, place.path("bench.json")], check=True)
    with open(place.path("bench.png"), "rb") as file:
        picture = file.read()
    expect(picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 20000, "no picture")
    place.write("other.json", '{"program": "another"}')
    wrong = subprocess.run([sys.executable, PLOT, place.path("other.json")], capture_output=True, text=True,
                           check=False)
    expect(wrong.returncode == 2 and wrong.stderr.count("\n") == 1, f"{wrong.returncode}: {wrong.stderr}")


def test_choice_and_quiet(program):
    with Place(program) as place:
        out, report = bench(place, "--order=1", "--integrator=lsrk", "--precision=single", "--backend=cpu", "--quiet",
                            "--flux=centered", "--unknowns=10000", "--threads=1")
        expect(out == "", f"quiet says {out!r}")
        expect([(r["order"], r["integrator"], r["precision"], r["backend"]) for r in report["results"]] ==
               [(1, "lsrk", "single", "cpu")], "other cases than asked for")
        expect(report["results"][0]["ratio_to_reference"] is None and report["flux"] == 0, "ratio or flux")
        check_result(report["results"][0], report["ceilings"])


def test_size(program):
    """rk4 on Gmsh's mesh with elements of a size: the published study (profiling/published.py)."""
    with Place(program) as place:
        found = {}
        for size in ("0.2", "0.15"):
            _, report = bench(place, "--order=1", "--integrator=rk4", "--precision=double", "--backend=cpu", "--threads=1",
                              f"--size={size}")
            check_result(report["results"][0], report["ceilings"])
            found[size] = report["results"][0]["elements"]
        expect(300 < found["0.2"] < 0.7 * found["0.15"] < 2000, f"{found} elements")
        for words, message in ((("--size=0.1", "--mesh=grid"), "a grid has --unknowns"), (("--size=2",), "from 0.001 to 1"),
                               (("--integrator=euler",), "there is leapfrog, rk4, lsrk")):
            code, _, err, _ = place.run("bench", *words)
            expect(code == 2 and message in err and err.count("\n") == 1, f"{words}: {code}, {err}")


def test_ranks(program):
    """Two ranks share a grid, of which they have half each, and say what that costs."""
    if shutil.which("mpirun") is None:
        return
    with Place(program) as place:
        arguments = ("bench", "--seconds", "0.02", "--json", "bench.json", "--order=2", "--integrator=leapfrog",
                     "--precision=double", "--backend=cpu", "--unknowns=10000")
        found = []
        for ranks, more in ((1, ("--mesh=grid",)), (2, ())):
            options = on_ranks(ranks)
            options["environment"] = {**options["environment"], **CALM}
            out = place.good(*arguments, *more, **options)
            with open(place.path("bench.json"), encoding="utf-8") as file:
                found.append(json.load(file)["results"][0])
            expect(found[-1]["ranks"] == ranks and ("halo" in out) == (ranks > 1), f"{ranks} ranks: {out}")
        Np, Nf = sizes(2)
        cells = [round((result["elements"] / 6 / result["ranks"]) ** (1 / 3)) for result in found]
        expect([6 * result["ranks"] * n ** 3 for result, n in zip(found, cells)] == [r["elements"] for r in found], "cells")
        expect(all(6 * Np * result["elements"] == result["unknowns"] >= 10000 for result in found), "unknowns")
        expect(found[1]["halo_bytes_per_step"] == 2 * (2 * cells[1] ** 2) * 2 * Nf * 8, "two triangles a cell between them")
        expect(0 < found[1]["halo_seconds_per_step"] < found[1]["seconds_per_step_longest"], "time of the halo")


# ---- local time steps

LEVELS = ("bench", "--seconds", "0.02", "--json", "bench.json", "--order=1", "--precision=double", "--backend=cpu",
          "--unknowns=30000", "--threads=1")


def check_gain(gain, ranks):
    expect(gain["unknowns"] == 24 * gain["elements"] >= 30000 and gain["ranks"] == ranks, f"{gain} has other sizes")
    expect(0.04 < gain["slowest_over_median"] < 0.09, f"slowest {gain['slowest_over_median']}, asked for 1:16")
    levels, step = gain["levels"], gain["step_metres"] / gain["single_step_metres"]
    expect(levels and step > 2 and gain["repeats"] >= 5, f"{gain} gains nothing")
    work, times = 2 * gain["elements"], 1
    for i, level in enumerate(levels):
        m, part, core = (level[key] for key in ("shorter_steps", "elements", "core_elements"))
        expect(0 < core < part <= (levels[i - 1] if i > 0 else gain)["elements"], f"level {i + 2} of {levels}")
        work += times * ((m - 1) * (part + core) + 0.5 * part) if m > 1 or i + 1 < len(levels) else 0
        times *= m
    near(gain["counted_gain"], 2 * gain["elements"] * step / work, 1e-12, "the counted gain")
    # Whatever else the machine does: where each turn's ratio lies, there lie their median and the ratio of medians.
    least, most = gain["measured_gain_least"], gain["measured_gain_most"]
    expect(0 < least <= gain["measured_gain"] <= most, "no median")
    of_medians = gain["seconds_per_single_step"] / gain["seconds_per_step"] * step
    expect(least * (1 - 1e-9) <= of_medians <= most * (1 + 1e-9), f"{of_medians} of the medians, {least} to {most}")


def test_levels(program):
    """One level and levels by turns on a graded grid; two ranks choose as one does on the same cells."""
    with Place(program) as place:
        out = place.good(*LEVELS, "--levels", environment=CALM)
        with open(place.path("bench.json"), encoding="utf-8") as file:
            report = json.load(file)
        expect([gain["flux"] for gain in report["gains"]] == [1, 0] and report["ratio"] == 16, f"cases {report}")
        for gain in report["gains"]:
            check_gain(gain, 1)
            expect(" x ".join(str(level["shorter_steps"]) for level in gain["levels"]) in out, f"steps in\n{out}")
        place.good(*LEVELS, "--flux=upwind", "--levels=1", environment=CALM)
        with open(place.path("bench.json"), encoding="utf-8") as file:
            even, = json.load(file)["gains"]
        expect(even["levels"] == [] and even["measured_gain"] is None and even["counted_gain"] == 1, f"even: {even}")
        for words, message in ((("--levels", "--integrator=lsrk"), "leapfrog alone"), (("--levels=0.5",), "from 1 to"),
                               (("--levels", "--mesh=gmsh"), "a graded grid of its own"),
                               (("--levels", "--curved=1"), "straight elements")):
            code, _, err, _ = place.run("bench", *words)
            expect(code == 2 and message in err and err.count("\n") == 1, f"{words}: {code}, {err}")


def test_levels_on_ranks(program):
    if shutil.which("mpirun") is None:
        return
    with Place(program) as place:
        options = on_ranks(2)
        options["environment"] = {**options["environment"], **CALM}
        place.good(*LEVELS, "--levels", "--flux=centered", **options)
        with open(place.path("bench.json"), encoding="utf-8") as file:
            gain, = json.load(file)["gains"]
        check_gain(gain, 2)


# ---- phases of a run

BOX = """simulation {
  name = "case", mesh = { file = "cube.geo", size = 0.2 }, order = 3, time = { steps = 20, integrator = INTEGRATOR },
  backend = BACKEND, materials = { default = {} }, boundaries = { [1] = { kind = "absorbing" } },
  sources = { { region = 1, profile = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 1e8, bandwidth = 1e8 } } },
  output = { energy = { every = 10 }, probes = { { name = "a", at = { 0.5, 0.5, 0.5 } } } },
}
"""


def profiled(place, integrator, backend, *arguments):
    script = BOX.replace("INTEGRATOR", f'"{integrator}"').replace("BACKEND", f'"{backend}"')
    place.write("input/case.lua", script)
    place.write("input/cube.geo", 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n')
    out = place.good(*RUN, *arguments, environment={"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"})
    return out, place.summary()


def test_profile(program):
    Np, Nf = sizes(3)
    pass_flops = 12 * Np ** 2 + 16 * Np * Nf  # of one equation on one element
    with Place(program) as place:
        for integrator, backend, passes in (
                ("leapfrog", "cpu", {"fused half step E": (20, 1), "fused half step H": (21, 1)}),
                ("lsrk", "cpu", {"fused stage E, H": (100, 2)}),
                ("leapfrog", "reference", {"curl, flux, lift E": (20, 1.5), "curl, flux, lift H": (21, 1.5)})):
            out, summary = profiled(place, integrator, backend, "--profile")
            profile = summary["profile"]
            phases = {phase["name"]: phase for phase in profile["phases"]}
            for name, (calls, equations) in passes.items():
                expect(phases[name]["calls"] == calls, f"{name}: {phases[name]['calls']} calls")
                expect(phases[name]["flops"] == calls * equations * pass_flops * summary["elements"], f"{name}: flops")
                arrays = 3 if equations < 2 else 8  # vector fields read and written
                # doubles of geometry, and four neighbours: g_ac an equation; metric, normals, scales, fluxes
                tables = 8 * (6 * equations if backend == "cpu" else 9 + 12 + 4 + 16) + 16
                expect(phases[name]["bytes"] == calls * (arrays * 3 * Np * 8 + tables) * summary["elements"],
                       f"{name}: {phases[name]['bytes']} bytes")
            for name, calls in (("observe points", 21), ("output", 21), ("halo", 0), ("time loop, rest", 1)):
                expect(phases[name]["calls"] == calls, f"{integrator}, {name}: {phases[name]['calls']} calls")
            for name in ("sources, added", "sources, evaluated", "observe energy"):
                expect(phases[name]["seconds"] > 0, f"{name} takes no time")
            if (integrator, backend) == ("leapfrog", "cpu"):
                expect(phases["open faces"]["flops"] > 0, "open faces are not counted")
            total = sum(phase["seconds"] for phase in profile["phases"])
            near(profile["seconds"], total, 1e-9, "sum of the phases")
            loop = summary["loop_seconds"]  # without output, which the profile has
            expect(loop <= total < loop + summary["seconds"]["output"] + 0.05, f"{total} s of phases, {loop} s of loop")
            table = [line for line in out.splitlines() if line.startswith("profile ")]
            expect(len(table) == 1 + len(phases), f"{len(table)} lines for {len(phases)} phases")


def test_without_profile(program):
    """Off: nothing is said, and the fields are the same. Threads are those of the environment, whatever Gmsh used."""
    with Place(program) as place:
        out, summary = profiled(place, "leapfrog", "cpu", "--set", "mesh.size=0.1")
        expect("profile" not in summary and "profile" not in out, "there is a profile that nobody asked for")
        expect(summary["threads"] == 2, f"{summary['threads']} threads")
        plain = place.rows("case/probes/a.csv")
        profiled(place, "leapfrog", "cpu", "--set", "mesh.size=0.1", "--profile")
        expect(plain == place.rows("case/probes/a.csv"), "a profile changes the fields")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
