#!/usr/bin/python3
"""Where the mesh comes from, and what becomes of the program whatever becomes of Gmsh: kept_contract.py PROGRAM
[NAME...] runs the tests whose names contain a NAME, or all."""
import os
import re
import signal
import sys
import time

from harness import Place, expect, on_ranks
from run_contract import main

SCRIPT = """\
simulation {
  name = "case",
  mesh = { file = "box.geo", size = 0.3, parameters = { L = 1 } },
  order = 1,
  time = { steps = 4 },
  materials = { default = { epsilon_r = 1 } },
  initial = { E = function(x, y, z) return 0, 0, x + y end },
}
"""
GEOMETRY = """\
DefineConstant[ L = 1 ];
name = "part";
Include StrCat(name, ".geo"); // which no text says as it stands
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, L, 1, height};
"""
FILES = {"input/box.geo": GEOMETRY, "input/part.geo": "height = 1;\n"}
HXT = "Mesh.Algorithm3D = 10;\n"
LOOP = "For i In {1:1000000}\nFor j In {1:1000000}\nx = i * j;\nEndFor\nEndFor\n"
RUN = ("run", "input/case.lua")
AGAIN = "as an earlier run kept it"


def place_of(program, more=""):
    return Place(program, {**FILES, "input/box.geo": GEOMETRY + more}, SCRIPT)


def elements(out):
    return int(re.search(r"(\d+) tetrahedra", out)[1])


def anew(place, why, *options):
    """A run that makes its mesh, and says why; the next one does not."""
    out = place.good(*RUN, *options)
    expect(AGAIN not in out and (why is None or why in out), f"not made anew because {why}: {out}")
    out = place.good(*RUN, *options)
    expect(AGAIN in out, f"made a second time: {out}")
    return out


def test_a_mesh_is_used_again(program):
    with place_of(program) as place:
        first = place.good(*RUN)
        expect(AGAIN not in first and "made anew" not in first, first)
        second = place.good(*RUN)
        expect(AGAIN in second and elements(second) == elements(first), second)
        expect(AGAIN in place.good("check", "input/case.lua"), "check does not see it")
        out = place.good(*RUN, "--remesh")
        expect(AGAIN not in out and "made anew" not in out, out)
        place.good(*RUN, "--set", "mesh.keep=false", "-o", "other")
        expect(not os.path.exists(place.path("other/mesh")), "kept without being asked")


def test_whatever_changes_makes_it_anew(program):
    with place_of(program) as place:
        anew(place, None)
        place.write("input/box.geo", GEOMETRY + "// changed\n")
        anew(place, "input/box.geo' has changed")
        place.write("input/part.geo", "height = 2;\n")
        anew(place, "input/part.geo' has changed")
        anew(place, "other options", "--set", "mesh.parameters.L=2")
        anew(place, "other options", "--set", "mesh.size=0.4")
        anew(place, "other options", "--set", "mesh.unit=2")


def test_damaged_ones_are_passed_over(program):
    with place_of(program) as place:
        place.good(*RUN)
        kept = place.path("case/mesh/whole.mesh")
        with open(kept, "rb") as file:
            good = file.read()
        for content in (b"", b"x" * 100, good[:-8], good[:1000], good + b"12345678",
                        good[:len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1:]):
            with open(kept, "wb") as file:
                file.write(content)
            anew(place, "is damaged")


def test_a_script_that_asks_for_more_than_files(program):
    with place_of(program, 'If (FileExists("no.geo"))\nEndIf\n') as place:
        for _ in range(2):
            out = place.good(*RUN)
            expect(AGAIN not in out, out)
        expect("it depends on more than files (FileExists)" in out, out)


def test_restart_where_meshes_differ(program):
    """Four threads of HXT give another mesh each time; the run goes on with the one that it had."""
    many = ("--set", "mesh.size=0.15", "--set", "checkpoint.every=2")
    four = ("--set", "mesh.threads=4")
    with place_of(program, HXT) as place:
        first = place.good(*RUN, *many, *four)
        out = place.good(*RUN, *many, *four, "--restart", "--set", "time.steps=8")
        expect(AGAIN in out and elements(out) == elements(first) and place.summary()["steps"] == 8, out)
        # as many cores as there are elsewhere do not matter to it
        out = place.good(*RUN, *many, "--restart", "--set", "time.steps=12", "--set", "mesh.threads=2")
        expect(AGAIN in out, out)
        code, _, err, _ = place.run(*RUN, *many, "--restart", "--remesh")
        expect(code == 2 and "--remesh with --restart" in err, err)


def test_many_ranks(program):
    with place_of(program) as place:
        place.good(*RUN, **on_ranks(2))
        out = place.good(*RUN, **on_ranks(3))
        expect(AGAIN in out, out)


def test_a_geometry_that_ends_gmsh(program):
    with place_of(program, "Exit;\n") as place:
        code, _, err, _ = place.run(*RUN)
        expect(code == 2 and "input/box.geo' ended Gmsh before there was a mesh: take Exit out of it" in err and
               err.count("\n") == 1, f"{code}: {err}")
        expect(not os.path.exists(place.path("case/summary.json")), "a summary of nothing")


def test_a_geometry_that_never_ends(program):
    with place_of(program, LOOP) as place:
        code, _, err, seconds = place.run(*RUN, "--set", "mesh.seconds=3")
        expect(code == 2 and "longer than 3 s" in err and "mesh.seconds" in err and err.count("\n") == 1, f"{code}: {err}")
        expect(seconds < 60, f"took {seconds} s")


def mesher_of(process):
    """The process that meshes for it, or None."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii") as file:
                comm, rest = file.read().split(")")[:2]
            if comm.endswith("(curlew-mesh") and int(rest.split()[1]) == process.pid:
                return int(name)
        except (OSError, ValueError, IndexError):
            pass
    return None


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().split(")")[1].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_program_that_is_ended_leaves_no_mesher(program):
    for number, code in ((signal.SIGINT, (130, -signal.SIGINT)), (signal.SIGTERM, (130, 143, -signal.SIGTERM)),
                         (signal.SIGKILL, (-signal.SIGKILL,))):
        with place_of(program, LOOP) as place:
            process = place.start(*RUN)
            until = time.monotonic() + 60
            while (pid := mesher_of(process)) is None and time.monotonic() < until:
                time.sleep(0.02)
            expect(pid is not None, "no mesher came")
            time.sleep(0.3)
            process.send_signal(number)
            started = time.monotonic()
            process.communicate(timeout=60)
            expect(process.returncode in code, f"{number}: exit code {process.returncode}")
            while is_alive(pid) and time.monotonic() < started + 20:
                time.sleep(0.02)
            expect(not is_alive(pid), f"{number}: the mesher is still there")
            expect(time.monotonic() - started < 20, f"{number}: took {time.monotonic() - started} s")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
