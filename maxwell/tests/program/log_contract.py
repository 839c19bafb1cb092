#!/usr/bin/python3
"""What a run prints, where, and how often: log_contract.py PROGRAM [NAME...] runs the tests whose names contain a NAME,
or all."""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

from harness import SCRIPT, Place, edited, expect, on_ranks
from ranks_scenes import scene
from run_contract import ENDLESS, RUN, main

LONG = (*ENDLESS, "--set", "time.walltime=6")
PROGRESS = re.compile(rb"step \d+/100000000  t = ")


def on_terminal(place, *arguments, environment=None, columns=0, **options):
    """What a run prints to a terminal of so many columns; 0: it does not know how many."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
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


CLEAR = b"\r\033[K"


def screen(text):
    """What a terminal shows in the end, line by line."""
    lines = []
    for line in text.split(b"\n"):
        shown = b""
        for part in line.split(b"\r"):
            shown = part[3:] if part.startswith(b"\033[K") else part + shown[len(part):]
        expect(b"\033" not in shown, f"{shown}")
        lines.append(shown)
    return lines


def drawn(text):
    """The lines of progress in the order in which they were drawn."""
    return [part.split(b"\n")[0] for part in text.split(CLEAR) if part.startswith(b"step ")]


def test_the_line_goes_with_the_run(program):
    """At most five times a second, by itself; neither log, nor errors, nor what a script prints stands behind it."""
    seconds = 4
    script = edited(SCRIPT, ("  time = { steps = 4 },",
                             "  time = { steps = 4, finish = function(t, n)\n"
                             "    if n % 2000 == 0 then print('at ' .. n) end\n    return false\n  end },"))
    options = ("--set", "time.steps=100000000", "--set", "output.fields=nil", "--set", "output.energy=nil", "--set",
               f"time.walltime={seconds}")
    with Place(program, script=script) as place:
        text, err = on_terminal(place, *RUN, *options, columns=132)
        lines, shown = drawn(text), screen(text)
        expect(2 <= len(lines) <= 5 * seconds + 1, f"{len(lines)} lines of progress in {seconds} s")
        whole = rb"step \d+/100000000  t = \S+ s  energy .*  \S+ DoF/s  \S+ steps/s  ETA \d+:\d\d:\d\d"
        expect(all(re.fullmatch(whole, line) for line in lines), f"{lines[:3]}")
        expect(not [line for line in shown if b"ETA" in line] and shown[-1] == b"", f"what is left: {shown[-3:]}")
        printed = [line for line in shown if re.search(rb"at \d+\.0", line)]
        expect(len(printed) > 1 and all(re.fullmatch(rb"at \d+\.0", line) for line in printed), f"{printed}")
        expect(err.startswith(b"curlew: "), f"{err}")
        with open(place.path("case/log.txt"), "rb") as file:
            expect(not controls(file.read()), "control characters in log.txt")


def test_the_line_fits(program):
    """Whatever the terminal's width; what is worth least goes first."""
    options = ("--set", "time.steps=100000000", "--set", "output.fields=nil", "--set", "output.energy=nil", "--set",
               "time.walltime=3")
    with Place(program) as place:
        for columns, there, gone in ((0, b"ETA", b"nothing"), (60, b"ETA", b"steps/s"), (40, b"ETA", b"energy"), (12, b"step", b"ETA")):
            lines = drawn(on_terminal(place, *RUN, *options, columns=columns)[0])
            expect(lines and max(map(len, lines)) < (columns or 80), f"{columns} columns: {lines[:2]}")
            expect(all(there in line and gone not in line for line in lines), f"{columns} columns: {lines[:2]}")
        quiet, _ = on_terminal(place, *RUN, *options, "-q")
        expect(b"step" not in quiet and not controls(quiet), f"{quiet}")


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
