#!/usr/bin/python3
"""Pairs of runs in one folder, started at random moments, killed at random: folder_pairs.py PROGRAM [PAIRS [SEED]].

The two runs of a pair have other initial fields, so that every row of a table tells whose it is. Whatever happens, a
table is the beginning of one run's table, byte for byte, and a summary says "done" only when all of its run's tables are
whole. Runs that come second are refused or, when the first one is over or was killed, are as good as any."""
import json
import os
import random
import re
import signal
import sys
import time

from checkpoint_contract import SMALL, content
from checkpoint_kills import go_on
from harness import Place, edited, expect, on_ranks
from run_contract import RUN

SCRIPT = edited(SMALL, ("x + y", "args.height * (x + y)"), ("steps = 60", "steps = 4000"), ("every = 20", "every = 1000"),
                ("every = 15, frequencies", "every = 500, frequencies"),
                ("frequencies = { 2e7 }", "frequencies = { 2e4 }"))
TABLES = ("energy.csv", "probes/inside.csv", "probes/inside_spectrum.csv")
HEIGHTS = ("1", "3")


def options(height):
    return (*RUN, "-q", "--set", "checkpoint.every=500", "-D", f"height={height}")


def tables(place, folder):
    return {name: content(place, folder, name) for name in TABLES if os.path.exists(place.path(folder, name))}


def check(place, whole, what):
    """Whose tables there are; None: nobody's."""
    owners = None
    for name, text in tables(place, "split").items():
        if "spectrum" in name:  # of a run that was interrupted it is another one
            continue
        fits = {height for height in HEIGHTS if whole[height][name].startswith(text)}
        expect(fits, f"{what}: {name} is nobody's: {text[:300]!r}")
        if len(text) > len(text.split(b"\n")[0]) + 8:  # more than its header
            owners = fits if owners is None else owners & fits
            expect(owners, f"{what}: tables of two runs")
    path = place.path("split/summary.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            status = json.load(file)["status"]
        there = tables(place, "split")
        expect(status in ("done", "running", "interrupted"), f"{what}: status {status}")
        expect(status != "done" or any(there == whole[height] for height in HEIGHTS), f"{what}: done, and it is not")
    return owners


def start(place, chance, height, several):
    restart = go_on(place) if chance.random() < 0.5 else ()
    return place.start(*options(height), "-o", "split", *restart, **several), restart


def end(process, restart, killed, several, what):
    _, err = process.communicate(timeout=120)
    err, code = err.decode(), process.returncode
    lines = [line for line in err.splitlines() if line.startswith("curlew: ") and "warning" not in line]
    if code == 3:
        expect(len(lines) == 1 and "is in use by another run" in lines[0], f"{what}: {err}")
    elif code == 2:  # goes on where there is another run's checkpoint, or none any more
        expect(restart and re.match("curlew: (the checkpoint is of another run|--restart: there is no checkpoint)",
                                    lines[0]), f"{what}: {err}")
    elif code == 130:
        expect(killed == signal.SIGTERM, f"{what}: {err}")
    else:
        # mpirun itself may stumble over a signal while it ends
        ended = (0, -killed, 1, 128 + killed, -signal.SIGSEGV) if several and killed else (0, -killed)
        expect(code in ended, f"{what}: exit code {code}: {err}")
    return code


def attempt(program, pairs, ranks, chance, codes):
    several = on_ranks(ranks) if ranks > 1 else {}
    script = SCRIPT if ranks == 1 else edited(SCRIPT, ("steps = 4000", "steps = 1000"))  # they wait for each other
    with Place(program, script=script) as place:
        whole, begun = {}, time.monotonic()
        for height in HEIGHTS:
            place.good(*options(height), "-o", "whole" + height, **several)
            whole[height] = tables(place, "whole" + height)
        expect(whole["1"] != whole["3"] and set(whole["1"]) == set(TABLES), "the test is wrong")
        seconds = (time.monotonic() - begun) / 2
        for pair in range(pairs):
            runs = []
            for height in chance.sample(HEIGHTS, 2):
                runs.append((*start(place, chance, height, several), chance.choice((0, signal.SIGKILL, signal.SIGTERM))))
                time.sleep(chance.choice((0, 0.01, chance.uniform(0, 0.5) * seconds)))
            for process, _, killed in chance.sample(runs, 2):
                time.sleep(chance.uniform(0, 0.8) * seconds)
                if killed and process.poll() is None:
                    process.send_signal(killed)
            for number, (process, restart, killed) in enumerate(runs):
                code = end(process, restart, killed, several, f"{ranks} ranks, pair {pair}, run {number}")
                codes[code] = codes.get(code, 0) + 1
            check(place, whole, f"{ranks} ranks, pair {pair}")
        place.good(*options("1"), "-o", "split", **several)  # after all that
        expect(tables(place, "split") == whole["1"], "the last run")


def main():
    program, pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance, codes = random.Random(seed), {}
    print(f"{pairs} pairs, seed {seed}", flush=True)
    on_two = pairs // 10
    attempt(program, pairs - on_two, 1, chance, codes)
    if on_two > 0:
        attempt(program, on_two, 2, chance, codes)
    print("ok: exit codes " + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))


if __name__ == "__main__":
    sys.exit(main())
