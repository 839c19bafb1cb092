#!/usr/bin/python3
"""What a run prints, where, and how often: log_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME,
or all."""
import os
import pty
import re
import sys

from harness import Place, expect, on_ranks
from ranks_scenes import scene
from run_contract import ENDLESS, RUN, main

LONG = (*ENDLESS, "--set", "time.walltime=6")
PROGRESS = re.compile(rb"step \d+/100000000  t = ")


def on_terminal(place, *arguments, environment=None, **options):
    """What a run prints to a terminal."""
    ours, theirs = pty.openpty()
    process = place.start(*arguments, stdout=theirs, environment={"TERM": "xterm", **(environment or {})}, **options)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the last one has closed it
            break
        if not more:
            break
        text += more
    os.close(ours)
    _, err = process.communicate(timeout=60)
    return text.replace(b"\r\n", b"\n"), err


def controls(text):
    return sorted(set(text) & set(range(32)) - {10})


def test_a_terminal_gets_one_line(program):
    with Place(program) as place:
        text, _ = on_terminal(place, *RUN, *LONG)
        expect(text.count(b"\r\033[K") >= 3 and PROGRESS.search(text), f"{text[-500:]}")
        plain, _ = on_terminal(place, *RUN, *LONG, environment={"TERM": "dumb"})
        expect(not controls(plain) and len(PROGRESS.findall(plain)) >= 3, f"a dumb terminal: {controls(plain)}")


def test_mpirun_gets_no_control_characters(program):
    """Its processes print to pseudo-terminals of its own, and it to wherever."""
    with Place(program) as place:
        text, _ = on_terminal(place, *RUN, *LONG, **on_ranks(2))
        expect(not controls(text) and PROGRESS.search(text), f"{controls(text)}: {text[-500:]}")
        _, out, _, _ = place.run(*RUN, *LONG, **on_ranks(2))
        expect(not controls(out.encode()) and PROGRESS.search(out.encode()), f"{out[-500:]}")
        _, out, _, _ = place.run(*RUN, *LONG, **on_ranks(1))
        expect(not controls(out.encode()) and PROGRESS.search(out.encode()), f"{out[-500:]}")


def test_lines_grow_rare(program):
    """By themselves, not where somebody says how often."""
    with Place(program) as place:
        options = ("--set", "time.steps=100000000", "--set", "output.fields=nil", "--set", "output.energy=nil", "--set",
                   "time.walltime=7")
        most = 0
        for _ in range(3):  # a machine that has much else to do may take some of the seconds before the first step
            _, out, _, _ = place.run(*RUN, *options)
            most = max(most, len(PROGRESS.findall(out.encode())))
            expect(most <= 2, f"lines after 2 and 4 s: {out}")
            if most > 0:
                break
        expect(most > 0, f"no line after 2 s: {out}")
        _, out, _, _ = place.run(*RUN, *options, "--set", "output.progress.every=0.25")
        expect(len(PROGRESS.findall(out.encode())) >= 8, f"{out}")
        _, out, _, _ = place.run(*RUN, *options, "--set", "output.progress.every=0")
        expect(not PROGRESS.search(out.encode()), f"{out}")


def test_ports_are_counted(program):
    files, script = scene("strip", steps=20)
    with Place(program, files, script) as place:
        out = place.good(*RUN)
        ports = [name for name in os.listdir(place.path("case/ports")) if name.endswith(".csv")]
        expect(re.search(rf"output +case/ \(\d+ snapshots, \d+ measurements, {len(ports)} ports\)", out), out)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
