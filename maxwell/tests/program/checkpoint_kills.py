#!/usr/bin/python3
"""A run that is killed at random moments, again and again, and each time goes on, ends as the one that was left alone:
checkpoint_kills.py PROGRAM [KILLS [SEED]]"""
import os
import random
import signal
import sys
import time

from checkpoint_contract import check_same
from harness import Place, edited, expect
from run_contract import RUN
from checkpoint_contract import SMALL


def go_on(place):
    """--restart where there is a checkpoint: the last run may have been killed before its first."""
    folder = place.path("split/checkpoint")
    there = os.path.isdir(folder) and any(
        name.endswith(".h5") and name.count("_") == 1 for name in os.listdir(folder))
    return ("--restart",) if there else ()


def main():
    program, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    print(f"{kills} kills, seed {seed}", flush=True)
    script = edited(SMALL, ("steps = 60", "steps = 15000"), ("every = 20", "every = 2000"),
                    ("every = 15, frequencies", "every = 1500, frequencies"), ("frequencies = { 2e7 }", "frequencies = { 2e4 }"))
    options = ("-q", "--set", "checkpoint.every=250")
    with Place(program, script=script) as place:
        start = time.monotonic()
        place.good(*RUN, *options, "-o", "whole")
        seconds = time.monotonic() - start  # what a run takes on a machine that may have much else to do
        done, restarts, early = 0, 0, 0
        while done < kills:
            restart = go_on(place)
            process = place.start(*RUN, *options, "-o", "split", *restart)
            restarts += len(restart)
            try:
                process.wait(chance.uniform(0.05 * seconds, 0.35 * seconds))
            except Exception:  # it is still at work, as it should be
                process.send_signal(signal.SIGKILL)
                done += 1
            _, err = process.communicate()
            expect(process.returncode in (0, -signal.SIGKILL), f"kill {done}: {process.returncode}: {err}")
            expect(b"of no use" not in err, f"kill {done}: a checkpoint was damaged: {err}")
            if process.returncode == 0:  # it was over before its time had come: begin anew
                early += 1
                check_same(place, "whole", "split", f"after {done} kills")
                for root, _, names in os.walk(place.path("split/checkpoint")):
                    for name in names:
                        os.remove(os.path.join(root, name))
        place.good(*RUN, *options, "-o", "split", *go_on(place))
        check_same(place, "whole", "split", f"after {done} kills")
        print(f"ok: {done} kills, {restarts} restarts, {early} runs were over before")


if __name__ == "__main__":
    sys.exit(main())
