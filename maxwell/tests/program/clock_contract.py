#!/usr/bin/python3
"""A run whose processors others use, and whose clock is set: clock_contract.py PROGRAM [NAME...] runs the tests whose names
contain a NAME, or all. They measure seconds, so ctest runs nothing beside them. CURLEW_TEST_CLOCK is the library that sets
the clock (clock_jump.c); without it those tests are left out, as the summary says."""
import os
import re
import subprocess
import sys
import time

import meshes
from checkpoint_contract import EVERY, SMALL, check_same
from harness import SCRIPT, Place, edited, expect, in_time
from run_contract import ENDLESS, RUN, main

# ---- others are at work on the same processors

def test_beside_a_busy_process(program):
    """A thread that waits does not keep the processor from the one that it waits for: much faster than with the many
    spins that OpenMP would make by itself, which the user may still have. Four others share one of the two processors:
    a run then takes 0.2 to 0.3 s, or 6.3 to 6.5 s if threads spin. With one other the times of the two overlap, and
    with two those of runs that spin differ by a factor of 3, so that the test could pass by chance."""
    if len(os.sched_getaffinity(0)) < 2:
        return
    cpus = sorted(os.sched_getaffinity(0))[:2]
    options = ("-q", "--set", "output=nil", "--set", "order=3", "--set", "time.steps=400")
    with Place(program, {"input/box.msh": meshes.box((6, 4, 4)).text()}) as place:
        for attempt in range(3):
            seconds = []
            for environment in ({}, {"GOMP_SPINCOUNT": "300000"}):
                busy = [subprocess.Popen(["taskset", "-c", str(cpus[1]), "sh", "-c", "while :; do :; done"])
                        for _ in range(4)]
                try:
                    place.good(*RUN, *options, environment={"OMP_NUM_THREADS": "2", **environment},
                               wrapper=("taskset", "-c", ",".join(map(str, cpus))))
                finally:
                    for other in busy:
                        other.kill()
                        other.wait()
                seconds.append(place.summary()["loop_seconds"])
            if 2 * seconds[0] < seconds[1]:
                return
        expect(False, f"{seconds[0]} s, and {seconds[1]} s where threads spin long")


# ---- the clock is set, a day ahead and a day back all the time

CLOCK = os.environ.get("CURLEW_TEST_CLOCK", "")


class Jumping(Place):
    """Where the time of day is not to be trusted; only some runs look at it."""

    def start(self, *arguments, environment=None, **options):
        return super().start(*arguments, environment={**(environment or {}), "LD_PRELOAD": CLOCK}, **options)


def test_clock_is_set(program):
    """The library does what it is for: Lua's os.time sees it."""
    script = 'print(math.abs(os.time() - tonumber(args.now)))\n' + SCRIPT
    with Jumping(program, script=script) as place:
        out = place.good("check", "input/case.lua", "-D", f"now={int(time.time())}")
        expect(86000 < int(out.split()[0]) < 87000, f"the clock is not set: {out.splitlines()[0]}")


def test_clock_and_results(program):
    with Place(program, script=SMALL) as place:
        place.good(*RUN, "-q", *EVERY, "-o", "whole")
        place.good(*RUN, "-q", *EVERY, "-o", "jumps", environment={"LD_PRELOAD": CLOCK})
        check_same(place, "whole", "jumps", "with the clock set")
        summary = place.summary("jumps")
        expect(0 <= summary["loop_seconds"] < 100 and all(0 <= value < 100 for value in summary["seconds"].values()),
               f"{summary}")


def test_clock_and_walltime(program):
    def run():
        with Jumping(program) as place:
            code, _, err, seconds = place.run(*RUN, "-q", *ENDLESS, "--set", "time.walltime=3")
            expect(code == 130 and seconds > 1 and place.summary()["stop_reason"] == "walltime", f"{code}: {err}")
            return seconds
    in_time(3, run)


def test_clock_and_checkpoints(program):
    """One every 0.3 seconds, neither none nor at every step."""
    with Jumping(program) as place:
        code, _, err, seconds = place.run(*RUN, "-q", *ENDLESS, "--set", "time.walltime=4", "--set",
                                          "checkpoint.minutes=0.005")
        expect(code == 130 and 2 <= place.summary()["checkpoints"]["written"] <= seconds / 0.3 + 2, f"{code}: {err}")


def test_clock_and_functions(program):
    """One that ends is left alone, one that does not is ended when its time is over."""
    script = edited(SCRIPT, ("return 0, 0, x + y", "while args.ever do end return 0, 0, x + y"))
    with Jumping(program, script=script) as place:
        place.good(*RUN, "-q", "--lua-seconds", "2")
        code, _, err, seconds = place.run(*RUN, "-q", "--lua-seconds", "2", "-D", "ever=1")
        expect(code == 2 and "still running after 2 s" in err and 2 < seconds < 20, f"{code}, {seconds} s: {err}")


def test_clock_and_progress(program):
    """Lines of progress as often as they are wanted, with a time that is left."""
    with Jumping(program) as place:
        code, out, err, _ = place.run(*RUN, *ENDLESS, "--set", "time.walltime=3")
        lines = [line for line in out.splitlines() if line.startswith("step ")]
        expect(code == 130 and 3 <= len(lines) <= 40, f"{code}, {len(lines)} lines: {err}")
        expect(all(re.search(r"ETA \d+:\d\d:\d\d$", line) for line in lines), f"{lines[:3]}")


for _name in [name for name in globals() if name.startswith("test_clock") and not CLOCK]:
    print(f"left out: {_name}: there is no library that sets the clock")
    del globals()[_name]

if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
