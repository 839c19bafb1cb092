"""`curlew sweep`: one script, many values of its arguments, a run for each combination, several at a time, and a table of
what came out. share/python/curlew_sweep.py loads it without the package.

    DIR/L=0.04,h=8e-3/     the output folder of a run
    DIR/sweep.csv          a row a run
    DIR/.sweep/NAME        whether that run is done, and a digest of what it depended on

Runs are processes of the program, each in a process group of its own, so that Ctrl-C reaches the sweep alone, which ends them
with checkpoints. A later sweep keeps the runs that are done and goes on with those that have one."""
import ctypes
import difflib
import hashlib
import itertools
import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass, field

import inputs

INPUT, ENVIRONMENT, BLEW_UP, INTERRUPTED = 2, 3, 4, 130  # exit codes: libdg/base/error.h
MOST, MOST_JOBS = 10000, 1024  # runs of a sweep, and at a time
STATUS = {-1: "", 0: "done", BLEW_UP: "blew up", INTERRUPTED: "interrupted"}
PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """The message for the user; code is the exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def say(text):
    """A line on stdout. That nobody reads it is an error at the end, and stops no run before."""
    try:
        print(text, flush=True)
    except OSError as error:
        say.failed = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


say.failed = None


# ---- the command line

# An option with its letter: whether it takes a value, and whether it goes to every run.
OPTIONS = {("--set", ""): (True, True), ("--lua-seconds", ""): (True, True), ("--lua-threads", ""): (True, True),
           ("--trust", ""): (False, True), ("--profile", ""): (False, True), ("", "D"): (True, False),
           ("--output", "o"): (True, False), ("--jobs", "j"): (True, False), ("--again", ""): (False, False),
           ("--list", ""): (False, False), ("--quiet", "q"): (False, False)}
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
# FROM..TO or FROM..TO:STEP; the dots of "1..5" are none of a number's.
RANGE = re.compile(rf"({NUMBER})(?<!\.)\.\.({NUMBER})(?::({NUMBER}))?")


@dataclass
class Options:
    """The words behind `sweep`."""

    script: str = None
    output: str = None  # None: the script's name and "_sweep"
    axes: dict = field(default_factory=dict)  # name: values
    passed: list = field(default_factory=list)  # words for each run: --set, --trust and the like
    jobs: int = 1
    again: bool = False
    list: bool = False
    quiet: bool = False


def range_values(name, text, begin, end, step):
    """The values of a range; the end is one of them where steps lead to it."""
    begin, end = float(begin), float(end)
    step = float(step) if step else 1.0 if end >= begin else -1.0
    steps = (end - begin) / step if step != 0 else -1
    if steps < 0:
        raise Failure(INPUT, f"-D {name}={text}: no steps of {step:g} lead from {begin:g} to {end:g}")
    if steps >= MOST:
        raise Failure(INPUT, f"-D {name}={text}: more than {MOST} values")
    values = [begin + i * step for i in range(math.floor(steps + 1e-9) + 1)]
    # Twelve digits: 0.3, and not what 0.1 + 2 * 0.1 is. A step that is lost in them would give a value twice.
    return [f"{0.0 if abs(value) < 1e-9 * abs(step) else value:.12g}" for value in values]


def values_of(name, text):
    """The values of an argument: a list of words and ranges."""
    values = []
    for item in text.split(","):
        if not item:
            raise Failure(INPUT, f"-D {name}={text}: a value is empty; write a list as in {name}=1,2,5 or a range as in "
                                 f"{name}=1..5:0.5")
        found = RANGE.fullmatch(item)
        values += range_values(name, text, *found.groups()) if found else [item]
        if len(values) > MOST:
            raise Failure(INPUT, f"-D {name}=...: more than {MOST} values")
    seen = set()
    for value in values:
        if value in seen:
            raise Failure(INPUT, f"-D {name}={text}: the value {value} is given twice")
        seen.add(value)
    return values


def add_axis(axes, text):
    name, equals, values = text.partition("=")
    if not name or not equals:
        raise Failure(INPUT, f"-D needs NAME=VALUES, as in -D a=1..5, not '{text}'")
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        raise Failure(INPUT, f"-D {text}: '{name}' is not a name (letters, digits and _)")
    if name in ("folder", "status", "error"):  # others give way: write_table
        raise Failure(INPUT, f"-D {text}: the table of a sweep has a column '{name}' of its own; choose another name")
    if name in axes:
        raise Failure(INPUT, f"-D {name} is given twice; write the values as a list: -D {name}=1,2,5")
    axes[name] = values_of(name, values)


def find_option(word):
    """(name, letter) of the option that the word is or begins with, and a value in the same word, or None."""
    for (name, letter), (takes, _) in OPTIONS.items():
        if name and word == name:
            return (name, letter), None
        if takes and name and word.startswith(name + "="):
            return (name, letter), word[len(name) + 1:]
        if letter and word[1] == letter and (takes or len(word) == 2):
            return (name, letter), word[2:] or None
    if word == "--restart":
        raise Failure(INPUT, "--restart: a sweep goes on by itself with runs that have a checkpoint")
    nearest = difflib.get_close_matches(word, [name for name, _ in OPTIONS if name], 1)
    raise Failure(INPUT, f"unknown option '{word}'{f' (nearest: {nearest[0]!r})' if nearest else ''}; see curlew --help")


def take_option(options, name, letter, value):
    if letter == "D":
        add_axis(options.axes, value)
    elif letter == "j":
        if not re.fullmatch(r"\s*\+?\d+", value) or not 1 <= int(value) <= MOST_JOBS:
            raise Failure(INPUT, f"--jobs needs an integer from 1 to {MOST_JOBS}, not '{value}'")
        options.jobs = int(value)
    elif letter == "o":
        if not value:
            raise Failure(INPUT, "--output needs the name of a folder")
        options.output = value
    else:
        setattr(options, name[2:], True)


def read_options(words):
    options, rest = Options(), iter(words)
    for word in rest:
        if len(word) < 2 or word[0] != "-":
            if options.script is not None:
                raise Failure(INPUT, f"unexpected argument '{word}'; see curlew --help")
            options.script = word
            continue
        (name, letter), value = find_option(word)
        takes, passed = OPTIONS[name, letter]
        if takes and value is None:
            value = next(rest, None)
            if value is None:
                raise Failure(INPUT, f"{word} needs a value; see curlew --help")
        if passed:
            options.passed += [name] if value is None else [name, value]
        else:
            take_option(options, name, letter, value)
    if options.script is None:
        raise Failure(INPUT, "curlew sweep needs a script; see curlew --help")
    if not options.axes:
        raise Failure(INPUT, "curlew sweep needs an argument to sweep over, as in -D a=1..5; see curlew --help")
    runs = math.prod(map(len, options.axes.values()))
    if runs > MOST:
        raise Failure(INPUT, f"the sweep has {runs} runs; {MOST} are the most")
    return options


# ---- files

def write_file(path, text):
    """Writes a file whole or not at all. Its name until the end is PATH.part."""
    part = path + ".part"
    try:
        try:
            own = os.lstat(part)
        except OSError:
            own = None
        if own is not None and stat.S_ISREG(own.st_mode):
            os.unlink(part)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "w", encoding="utf-8",
                  errors="surrogateescape", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(part, path)
    except OSError as error:
        raise Failure(ENVIRONMENT, f"cannot write '{path}': {error.strerror}") from None


def make_folder(path):
    try:
        os.mkdir(path)
    except OSError as error:
        if not os.path.isdir(path):
            raise Failure(ENVIRONMENT, f"cannot make the folder '{path}': {error.strerror}") from None


def read_summary(folder):
    """summary.json of a run: a dict whose values are texts as they stand there, "nan" for null; empty where it is none."""
    content = inputs.read_bytes(os.path.join(folder, "summary.json"))
    try:
        text = (content or b"").decode(errors="surrogateescape")
        summary = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        return {}
    return summary if isinstance(summary, dict) else {}


def plain(value):
    """A value of summary.json as text; control characters stay as they are written there."""
    if value is None or isinstance(value, bool):
        return {None: "nan", True: "true", False: "false"}[value]
    return re.sub(r"[\x00-\x1f]", lambda found: f"\\u{ord(found[0]):04x}", str(value))


# ---- cases

def digest(what):
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]


class Case:
    """One combination of arguments, with its folder, its state on disk, and what came out."""

    def __init__(self, number, args, output, known, again):
        """known: all that the runs are known to depend on before they begin; again: nothing that was done counts."""
        self.number, self.args = number, args
        name = ",".join(f"{key}={value}" for key, value in args.items())
        if len(name) > 80 or not re.fullmatch(r"[\w.+=,-]+", name, re.ASCII):
            name = f"case_{number + 1:05d}"
        self.name, self.folder = name, os.path.join(output, name)
        self.note = os.path.join(output, ".sweep", name)
        self.key = digest([known, list(args.items())])
        self.files = "-"  # digest of the files that it has read; "-": it is not known
        self.exit_code = -1  # -1: it was not run
        self.seconds = self.before = 0.0  # wall clock of all parts of the run, and that of earlier sweeps
        self.error = self.summary = None
        self.process = self.said = self.started = None  # while it runs; said: file with what it says to stderr
        self.look_at_note(again)

    def look_at_note(self, again):
        """A note is "begun KEY SECONDS FILES" or "done KEY SECONDS FILES". A run that is done stays if the files that it has
        read are the same, and one that was stopped goes on if none of them was changed since."""
        self.done = self.kept = self.restarts = False
        words = b"" if again or os.path.islink(self.note) else inputs.read_bytes(self.note) or b""
        words = words.decode(errors="replace").split()
        if len(words) != 4 or words[1] != self.key:
            return
        files, newer = self.look_at_files()
        done, ended = words[0] == "done", read_summary(self.folder).get("status") == "done"
        if files == "-" or (files != words[3] if done else newer):
            return
        if done and ended:
            self.done, self.kept, self.exit_code = True, True, 0
            self.seconds, self.files = float(words[2]), files
        elif not done and not ended and self.has_checkpoint():
            self.restarts, self.before = True, float(words[2])

    def has_checkpoint(self):
        for part in ("checkpoint", "heat/checkpoint"):
            try:
                if any(name.startswith("step_") for name in os.listdir(os.path.join(self.folder, part))):
                    return True
            except OSError:
                pass
        return False

    def look_at_files(self):
        """The digest of the files that the run has read, or "-"; and whether one was changed after it began."""
        found, newer = inputs.files_read(self.folder)
        return digest(sorted(found.items())) if found is not None else "-", newer

    def write_note(self):
        write_file(self.note, f"{'done' if self.done else 'begun'} {self.key} {self.seconds:.6g} {self.files}\n")

    @property
    def status(self):
        return STATUS.get(self.exit_code, "failed")

    def outcome(self):
        """What the run has left, read once when it has ended; empty where that is of an earlier run."""
        if self.exit_code < 0:
            return {}
        if self.summary is None:
            self.summary = read_summary(self.folder)
            if self.summary.get("status") != self.status:
                self.summary = {}
        return self.summary

    def take_message(self):
        """The message of a run is its last line that is no warning."""
        size = os.fstat(self.said).st_size
        text = os.pread(self.said, 1 << 16, max(0, size - (1 << 16))).decode(errors="surrogateescape")
        os.close(self.said)
        lines = [line[8:] for line in text.split("\n") if line.startswith("curlew: ") and not line.startswith("curlew: warning: ")]
        self.error = (lines or ["the run said nothing"])[-1] if self.exit_code != 0 else None


# ---- the table

def quoted(text):
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\n\r]', text) else text


def write_table(output, axes, cases):
    """DIR/sweep.csv, as Sweep.to_csv has it. The folder stands between arguments and derived values, so that a reader can tell
    these."""
    last = ["steps", "time", "energy", "seconds", "exit_code", "status", "error"]
    derived = {}
    for case in cases:
        derived.update(dict.fromkeys(case.outcome().get("derived") or ()))
    head = [*axes, "folder"]
    head += [f"derived.{name}" if name in axes or name in last or name == "folder" else name for name in derived]
    rows = [head + [f"run.{name}" if name in axes else name for name in last]]
    for case in cases:
        outcome = case.outcome()
        values = outcome.get("derived") or {}
        row = [*case.args.values(), case.name, *(plain(values[name]) if name in values else "" for name in derived)]
        row += [plain(outcome[name]) if name in outcome else "" for name in ("steps", "simulated_time", "energy_last")]
        row += [f"{case.seconds:.3f}", str(case.exit_code)] if case.exit_code >= 0 else ["", ""]
        rows.append(row + [case.status, case.error or ""])
    write_file(os.path.join(output, "sweep.csv"), "".join(",".join(map(quoted, row)) + "\n" for row in rows))


# ---- runs

class Sweep:
    """Starts runs as processes, waits for them, tells them to end, and keeps the table."""

    def __init__(self, program, options):
        self.options = options
        self.program = os.open(program, os.O_RDONLY)  # this one, also where another build takes its name meanwhile
        version = subprocess.run(["curlew", "--version"], executable=f"/proc/self/fd/{self.program}", pass_fds=[self.program],
                                 stdout=subprocess.PIPE, check=False).stdout.decode()
        base = os.path.basename(options.script)
        self.output = options.output or (base[:-4] if base.endswith(".lua") and len(base) > 4 else base) + "_sweep"
        try:
            os.close(os.open(options.script, os.O_RDONLY | os.O_NONBLOCK))
        except OSError as error:
            raise Failure(INPUT, f"cannot open the script '{options.script}': {error.strerror}") from None
        files = inputs.input_files(options.script)
        if not files:
            raise Failure(INPUT, f"cannot open the script '{options.script}': it is no file")
        known = [version, files, options.passed]
        self.cases = [Case(i, dict(zip(options.axes, values)), self.output, known, options.again)
                      for i, values in enumerate(itertools.product(*options.axes.values()))]
        self.waiting = iter(self.cases)
        self.running, self.ended, self.failed, self.stopping = [], 0, 0, False
        self.awaited = [signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        self.environment = dict(os.environ)
        if options.jobs > 1:  # each run has its share of the processors
            share = max(1, os.sysconf("SC_NPROCESSORS_ONLN") // options.jobs)
            self.environment.setdefault("OMP_NUM_THREADS", str(share))

    def report(self, case):
        if not self.options.quiet:
            width, count = 5 if len(self.cases) > 99 else 2, len(self.cases)
            end = f": {case.error}" if case.error is not None else f" ({case.seconds:.2f} s)"
            say(f"case {case.number + 1:{width}d} of {count}  {case.name}: {case.status}{', kept' if case.kept else ''}{end}")

    def write_table(self):
        write_table(self.output, self.options.axes, self.cases)

    def start(self, case):
        words = ["curlew", "run", self.options.script, "--quiet", "--output", case.folder]
        words += ["--restart"] * case.restarts + self.options.passed
        for name, value in case.args.items():
            words += ["-D", f"{name}={value}"]
        library, before = ctypes.CDLL(None), self.before

        def begin():  # in the child: it ends with the sweep, and Ctrl-C does not reach it
            if library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
                os._exit(ENVIRONMENT)
            os.setpgid(0, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

        case.write_note()
        try:
            case.said = os.memfd_create("curlew-run")
            case.started = time.monotonic()
            case.process = subprocess.Popen(words, executable=f"/proc/self/fd/{self.program}", pass_fds=[self.program],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=case.said,
                                            env=self.environment, preexec_fn=begin)
        except (OSError, subprocess.SubprocessError) as error:
            raise Failure(ENVIRONMENT, f"cannot start a process: {getattr(error, 'strerror', None) or error}") from None
        self.running.append(case)

    def take_end(self, case):
        """What a process has ended with is written down."""
        self.running.remove(case)
        code = case.process.returncode
        case.exit_code = code if code >= 0 else 128 - code
        case.seconds = case.before + time.monotonic() - case.started
        if case.restarts and case.exit_code == INPUT and not self.stopping:  # the checkpoint is of another run
            case.restarts, case.before = False, 0.0
            os.close(case.said)
            self.start(case)
            return
        case.done = case.exit_code == 0
        case.take_message()
        if case.done:
            files, newer = case.look_at_files()
            case.files = "-" if newer else files  # of one that was changed meanwhile nothing is known
        case.write_note()
        self.ended += 1
        self.failed += not case.done
        self.report(case)
        self.write_table()

    def stop_all(self):
        """Tells all runs to end with a checkpoint; told twice they end at once."""
        for case in self.running:
            case.process.send_signal(signal.SIGTERM)
        if not self.stopping and self.running and not self.options.quiet:
            say("stopping  the runs under way end with a checkpoint; the same command goes on from there")
        self.stopping = True

    def reap(self):
        for case in list(self.running):
            if case.process.poll() is not None:
                self.take_end(case)

    def start_some(self):
        """Starts as many runs as there is room for."""
        while len(self.running) < self.options.jobs:
            case = next(self.waiting, None)
            if case is None:
                return
            if case.kept:
                self.ended += 1
                self.report(case)
            else:
                self.start(case)

    def run_all(self):
        try:
            while True:
                if not self.stopping:
                    self.start_some()
                if not self.running:
                    return
                got = signal.sigtimedwait(self.awaited, 1)  # looks again each second, in any case
                if got is not None and got.si_signo != signal.SIGCHLD:
                    self.stop_all()
                self.reap()
        finally:
            while self.running:  # after an error of the sweep's own
                self.stop_all()
                signal.sigtimedwait(self.awaited, 1)
                try:
                    self.reap()
                except Failure:
                    pass

    def judge(self):
        """The error of the whole: that of the first case that failed."""
        if self.stopping:
            raise Failure(INTERRUPTED, f"interrupted after {self.ended - self.failed} of {len(self.cases)} runs; the same "
                                       "command goes on from there")
        for case in self.cases:
            if not case.done:
                raise Failure(case.exit_code if case.exit_code in (INPUT, BLEW_UP) else ENVIRONMENT,
                              f"{self.failed} of {len(self.cases)} runs failed, {self.output}/sweep.csv says why; the first is "
                              f"'{case.name}': {case.error}")

    def list_cases(self):
        for case in self.cases:
            say(case.folder + ("  done" if case.kept else "  goes on from a checkpoint" if case.restarts else ""))

    def carry_out(self):
        make_folder(self.output)
        make_folder(os.path.join(self.output, ".sweep"))
        try:  # two sweeps in one folder would run the same cases, and write one table
            with inputs.lock(os.path.join(self.output, ".sweep", "lock")):
                for case in self.cases:
                    case.look_at_note(self.options.again)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # who started the sweep may ignore it: nobody could wait for runs
                self.before = signal.pthread_sigmask(signal.SIG_BLOCK, self.awaited)
                self.run_all()
                self.write_table()
        except inputs.Busy as holder:
            raise Failure(ENVIRONMENT, f"another sweep is at work in '{self.output}'{holder}; wait for its end, or name another "
                                       "folder (--output)") from None
        if not self.options.quiet:
            say(f"table     {self.output}/sweep.csv")
        self.judge()


def check_table(path, plot):
    """The table takes the place of no file but that of an earlier sweep."""
    sys.path.append(plot)
    from curlew_outputs import OutputError, check

    try:
        check(path)
    except OutputError as error:
        raise Failure(INPUT, f"--output: {error}") from None


def main(program, words, plot):
    """The exit code; plot: the folder of curlew_outputs.py."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        sweep = Sweep(program, read_options(words))
        if sweep.options.list:
            sweep.list_cases()
        else:
            check_table(os.path.join(sweep.output, "sweep.csv"), plot)
            sweep.carry_out()
        if say.failed:
            raise Failure(ENVIRONMENT, f"cannot write to standard output: {say.failed.strerror}")
    except Failure as error:
        print(f"curlew: {error}", file=sys.stderr)
        return error.code
    return 0
