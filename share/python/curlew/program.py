"""Runs the program: where it is, its command line, its progress, its errors."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings as python_warnings
from dataclasses import dataclass

from . import errors, lua
from .errors import CurlewWarning, EnvironmentFailure, InputError

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = os.path.join(HERE, "share")  # of a wheel with the program inside
STEP = re.compile(r"step (?P<step>\d+)/(?P<steps>\d+)\s+t = (?P<time>\S+) s\s+energy (?P<energy>\S+)")
RATE = re.compile(r"(?P<rate>\S+) DoF/s")
ETA = re.compile(r"ETA (?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+)")
PORT = re.compile(r"ports\s+run (?P<run>\d+) of (?P<runs>\d+):")
FOLDER = re.compile(r"output\s+(?P<folder>.*)/ \(\d+ snapshots, ")


def find_program(name="curlew"):
    """The path of the program. CURLEW in the environment, the package itself, PATH, and the build folders of the
    checkout are looked at in this order. EnvironmentFailure: it is nowhere."""
    given = os.environ.get("CURLEW")
    if given:
        found = shutil.which(given)
        if found is None:
            raise EnvironmentFailure(f"there is no program '{given}', which the environment variable CURLEW names")
        return os.path.join(os.path.dirname(found), name) if name != "curlew" else found
    own = os.path.join(HERE, "bin", name)
    if os.access(own, os.X_OK):
        return own
    found = shutil.which(name)
    if found:
        return found
    built = [path for path in glob.glob(os.path.join(HERE, "..", "..", "..", "build", "*", "maxwell", name))
             if os.access(path, os.X_OK)]
    if built:
        return os.path.abspath(max(built, key=os.path.getmtime))
    raise EnvironmentFailure(f"the program {name} was not found: put it on PATH, or let the environment variable CURLEW "
                             "name it")


@dataclass
class Progress:
    """Where a run is. `run` of `runs` are those that S-parameters take."""

    step: int
    steps: int
    time: float  # s, of the simulation
    energy: float  # dB below the largest; nan: not known yet
    rate: float  # unknowns a second
    eta: float  # s that this run still takes
    run: int = 1
    runs: int = 1

    @property
    def fraction(self):
        """0 to 1, of all runs."""
        part = self.step / self.steps if self.steps > 0 else 1.0
        return (self.run - 1 + part) / self.runs


def print_progress(progress):
    """A line on stderr, which replaces the one before on a terminal."""
    end = "\r" if sys.stderr.isatty() else "\n"
    eta = int(progress.eta)
    print(f"step {progress.step}/{progress.steps}  {100 * progress.fraction:3.0f} %  energy {progress.energy:.1f} dB  "
          f"ETA {eta // 3600}:{eta // 60 % 60:02d}:{eta % 60:02d}  ", end=end, file=sys.stderr, flush=True)


def parse_progress(text, run=1, runs=1):
    """Progress from a line of the program, or None."""
    found = STEP.search(text)
    if not found:
        return None
    rate, eta = RATE.search(text), ETA.search(text)
    try:
        energy = float(found["energy"])
    except ValueError:
        energy = float("nan")
    seconds = float("nan")
    if eta:
        seconds = 3600.0 * int(eta["hours"]) + 60 * int(eta["minutes"]) + int(eta["seconds"])
    return Progress(int(found["step"]), int(found["steps"]), float(found["time"]), energy,
                    float(rate["rate"]) if rate else float("nan"), seconds, run, runs)


def definition(name, value):
    """-D takes numbers, booleans and strings."""
    value = lua.plain(value)
    if value is None or not isinstance(value, (bool, int, float, str)):
        raise InputError(f"args['{name}'] is a {type(value).__name__}; it must be a number, a boolean or a string")
    if isinstance(value, bool):
        return f"{name}={'true' if value else 'false'}"
    return f"{name}={value if isinstance(value, str) else lua.number(value)}"


def command_line(command, script, args, overrides, options):
    """The words behind the program's name."""
    words = [command, os.fspath(script)]
    for name, value in (args or {}).items():
        words += ["-D", definition(name, value)]
    for name, value in (overrides or {}).items():
        text = lua.value(value, name)
        words += ["--set", f"{name}={'(' + text + ')' if text.startswith(('math', '(')) else text}"]
    return words + options


def processes_below(parent, name):
    """The processes of this name that `parent` has started."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                head, _, rest = file.read().rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == parent and head.partition("(")[2] == name[:15]:
            found.append(int(path.split("/")[2]))
    return found


def end(process, name):
    """SIGTERM: the run ends with a checkpoint. One rank that gets it tells the others; mpirun would leave them a
    second."""
    for one in processes_below(process.pid, name) or [process.pid]:
        try:
            os.kill(one, signal.SIGTERM)
            return
        except ProcessLookupError:
            continue


class Watch:
    """What a process says, while it says it."""

    def __init__(self, progress):
        self.progress = progress
        self.lines, self.warnings, self.errors, self.others = [], [], [], []
        self.folder = None
        self.run = self.runs = 1

    def heard(self, text):
        """A line of stdout."""
        port = PORT.match(text)
        if port:
            self.run, self.runs = int(port["run"]), int(port["runs"])
        step = parse_progress(text, self.run, self.runs) if text.startswith("step ") else None
        if step is not None:
            if self.progress is not None:
                self.progress(step)
            return
        folder = FOLDER.match(text)
        if folder:
            self.folder = folder["folder"]
        self.lines.append(text)

    def listen(self, stream):
        """Reads stderr, in a thread of its own, to its end."""
        for line in stream:
            text = line.rstrip("\n")
            if text.startswith("curlew: warning: "):
                self.warnings.append(text[len("curlew: warning: "):])
            elif text.startswith("curlew: "):
                self.errors.append(text[len("curlew: "):])
            elif text.startswith("warning: "):
                self.warnings.append(text[len("warning: "):])
            elif text:
                self.others.append(text)

    def message(self, code):
        if self.errors:
            return self.errors[0]
        if code is not None and code < 0:
            return f"the program was ended by signal {-code} ({signal.Signals(-code).name})"
        return self.others[-1] if self.others else f"the program ended with code {code} and said nothing"


def execute(words, environment, progress=None, cwd=None, name="curlew"):
    """Runs the program to its end and returns its Watch. Whatever is raised meanwhile, such as by Ctrl-C, first ends the
    run in good order."""
    watch = Watch(progress)
    try:  # in a session of its own: Ctrl-C is ours, and the run gets SIGTERM, which leaves a checkpoint
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, encoding="utf-8", errors="replace", env=environment, cwd=cwd,
                                   start_new_session=True)
    except OSError as error:
        raise EnvironmentFailure(f"cannot start '{words[0]}': {error.strerror}") from None
    listener = threading.Thread(target=watch.listen, args=(process.stderr,), daemon=True)
    listener.start()
    raised = None
    try:
        for line in process.stdout:
            watch.heard(line.rstrip("\n"))
        process.wait()
    except BaseException as error:  # pylint: disable=broad-exception-caught
        raised = error
        watch.progress = None
        end(process, name)
        try:
            for line in process.stdout:
                watch.heard(line.rstrip("\n"))
            process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        listener.join(10)
        process.stdout.close()
        process.stderr.close()
    if isinstance(raised, KeyboardInterrupt):
        raise errors.Interrupted(watch.message(130), 130, watch.warnings) from raised
    if raised is not None:
        raise raised
    code = process.returncode
    if code != 0:
        # mpirun ends with a code of its own where a rank ends early
        said_interrupted = any("interrupted at step" in text for text in watch.errors)
        raise errors.make(130 if said_interrupted else code, watch.message(code), watch.warnings)
    return watch


def environment_of(threads):
    environment = dict(os.environ)
    if os.path.isdir(SHARE):
        environment.setdefault("CURLEW_SHARE", SHARE)
    if threads is not None:
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise InputError(f"threads must be an integer >= 1, not {threads!r}")
        environment["OMP_NUM_THREADS"] = str(threads)
    return environment


def main():
    """The command `curlew` of a wheel with the program inside: becomes the program. `curlew plot` takes this Python."""
    environment = environment_of(None)
    environment.setdefault("CURLEW_PYTHON", sys.executable)
    program = find_program()
    try:
        os.execve(program, ["curlew", *sys.argv[1:]], environment)
    except OSError as error:
        sys.exit(f"curlew: cannot start '{program}': {error.strerror}")


def common_options(trust, lua_seconds, lua_threads):
    options = ["--trust"] if trust else []
    if lua_seconds is not None:
        options += ["--lua-seconds", str(lua_seconds)]
    if lua_threads is not None:
        options += ["--lua-threads", str(lua_threads)]
    return options


def launch(words, ranks, launcher):
    """The command line for so many processes."""
    if not isinstance(ranks, int) or isinstance(ranks, bool) or ranks < 1:
        raise InputError(f"ranks must be an integer >= 1, not {ranks!r}")
    if ranks == 1 and launcher is None:
        return words
    return [*(launcher or ["mpirun"]), "-n", str(ranks), *words]


def say_warnings(watch, level):
    for text in watch.warnings:
        python_warnings.warn(text, CurlewWarning, stacklevel=level)
