#!/usr/bin/python3
"""Checkpoints of several ranks: checkpoint_ranks.py PROGRAM [NAME...]"""
import os
import re
import shutil
import signal
import sys
import time

from checkpoint_contract import EVERY, SMALL, check_near, checkpoints, content, finished, forget, newest, split
from harness import Place, expect, on_ranks
from ranks_scenes import scene
from run_contract import ENDLESS, RUN, main


def test_split_on_ranks(program):
    """Three ranks, every integrator on both backends: the bits of a run in one."""
    for backend in ("reference", "cpu"):
        for integrator in ("leapfrog", "rk4", "lsrk"):
            split(program, None, SMALL, f"{backend}, {integrator}", "--set", f"backend={backend}", "--set",
                  f"time.integrator={integrator}", ranks=3)
    for flux in ("centered", "0.3"):
        split(program, None, SMALL, flux, "--set", f"flux={flux}", ranks=3)


def test_split_scenes_on_ranks(program):
    split(program, *scene("box", steps=60, sheet=True), "box", ranks=3)
    split(program, *scene("guide"), "guide", "--set", "time.steps=60", every=25, ranks=3)


def test_other_ranks(program):
    """From any number of ranks to any other, and to another backend on the way: to 1e-12."""
    for first, second in ((1, 3), (3, 1), (2, 3)):
        for backend, other in (("cpu", "cpu"), ("reference", "cpu")):
            with Place(program, script=SMALL) as place:
                place.good(*RUN, "-q", "--set", f"backend={other}", "-o", "whole")
                place.good(*RUN, "-q", "--set", f"backend={backend}", *EVERY, "-o", "split", **on_ranks(first))
                expect(len(checkpoints(place, "split")) == 2 * (1 + first), f"{checkpoints(place, 'split')}")
                forget(place, 60, "split")
                place.good(*RUN, "-q", "--set", f"backend={other}", "--restart", "-o", "split", **on_ranks(second))
                check_near(place, "whole", "split", "probes/inside.csv")


def test_one_part_damaged(program):
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERY, "-o", "whole", **on_ranks(3))
        for part, change in ((2, lambda path: os.truncate(path, 1000)), (1, os.remove)):
            shutil.copytree(place.path("whole"), place.path("case"))
            change(place.path(f"case/checkpoint/step_000000000060_{part:04d}.h5"))
            code, _, err, _ = place.run(*RUN, "-q", *EVERY, "--restart", **on_ranks(2))
            expect(code == 0 and f"_{part:04d}.h5" in err and "taking the one before" in err, f"{code}: {err}")
            expect(len(checkpoints(place)) == 2 * 3 + 1 and newest(place) == 60, f"{checkpoints(place)}")
            shutil.rmtree(place.path("case"))


def test_one_rank_cannot_write(program):
    """Nothing of it stays, and the run goes on: the files of one rank may not grow."""
    limit = 'test "$OMPI_COMM_WORLD_RANK" != 1 || ulimit -f 40; exec "$@"'
    small = ("--set", "order=6", "--set", "output={}", "--set", "checkpoint.every=40")
    with Place(program, script=SMALL) as place:
        code, _, err, _ = place.run(*RUN, "-q", *small, **on_ranks(3, "sh", "-c", limit, "sh"))
        lines = [line for line in err.splitlines() if "warning" in line]
        expect(code == 0 and len(lines) == 1 and "no checkpoint at step 40" in lines[0] and
               "_0001.h5': File too large" in lines[0], f"{code}: {err}")
        expect(checkpoints(place) == [], f"{checkpoints(place)}")
        place.good(*RUN, "-q", *small, **on_ranks(3))
        expect(len(checkpoints(place)) == 4, f"{checkpoints(place)}")


def test_signal_to_one_rank(program):
    with Place(program) as place:
        process = place.start(*RUN, *ENDLESS, **on_ranks(3))
        deadline = time.monotonic() + 60
        def ranks():
            found = []
            for name in os.listdir("/proc"):
                try:
                    with open(f"/proc/{name}/cmdline", "rb") as file:
                        words = file.read().split(b"\0")
                    with open(f"/proc/{name}/cwd/input/case.lua", "rb"):
                        pass
                    inside = os.path.samefile(f"/proc/{name}/cwd", place.root)
                except (OSError, ValueError):
                    continue
                if inside and words[0] == program.encode():
                    found.append(int(name))
            return sorted(found)
        while not (os.path.exists(place.path("case/energy.csv")) and
                   os.path.getsize(place.path("case/energy.csv")) > 4096 and len(ranks()) == 3):
            expect(time.monotonic() < deadline and process.poll() is None, "the run does not start")
            time.sleep(0.05)
        os.kill(ranks()[-1], signal.SIGUSR1)
        while len(finished(place)) != 4:
            expect(time.monotonic() < deadline and process.poll() is None, "no checkpoint")
            time.sleep(0.05)
        os.kill(ranks()[1], signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        summary = place.summary()
        expect(re.search(rb"interrupted at step \d+ of 100000000; --restart goes on from there", err), f"says {err}")
        expect(newest(place) == summary["steps"] and len(checkpoints(place)) == 8, f"{checkpoints(place)}, {summary}")
        whole = content(place, "case/energy.csv")
        place.good(*RUN, "-q", "--restart", "--set", f"time.steps={summary['steps'] + 5}", "--set",
                   "output.fields={every=1000000}", **on_ranks(3))
        expect(content(place, "case/energy.csv").startswith(whole), "the table was not continued")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
