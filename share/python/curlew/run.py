"""curlew.run and curlew.check: the program's two commands as functions."""
import os
import re

from . import program
from .errors import Interrupted
from .results import Results


def with_progress(overrides, every):
    """Asks for lines of progress unless the caller has set them."""
    overrides = dict(overrides or {})
    if not any(name == "output.progress" or name.startswith("output.progress.") for name in overrides):
        overrides["output.progress.every"] = every
    return overrides


def run(script, args=None, set=None, out=None, ranks=1, threads=None, backend=None, progress=None, *,
        restart=False, remesh=False, trust=False, profile=False, lua_seconds=None, lua_threads=None,
        progress_every=0.5, launcher=None, cwd=None):
    """Runs a script with the program `curlew` and returns its Results.

    script    path of the Lua script
    args      dict of what -D sets: numbers, booleans, strings
    set       dict of keys of the simulation: {"order": 3, "output.probes.1.every": 2}; lists and dicts are tables,
              None removes a key
    out       output folder; None: the simulation's name, in cwd
    ranks     processes, started by `launcher` (["mpirun"]); threads: of each; backend: its name
    progress  True prints lines on stderr; a function is called with a Progress every progress_every seconds. What it
              raises ends the run, with a checkpoint, and comes out of run
    restart   goes on from the last checkpoint in `out`

    Warnings of the program are CurlewWarning. Errors are InputError, EnvironmentFailure, BlewUp, ProgramBug,
    Interrupted or Killed (errors.py). Ctrl-C lets the step end, leaves a checkpoint, and raises Interrupted.
    """
    overrides = dict(set or {})
    if backend is not None:
        overrides["backend"] = backend
    if progress is not None and progress is not False:
        overrides = with_progress(overrides, progress_every)
        progress = program.print_progress if progress is True else progress
    else:
        progress = None
    options = program.common_options(trust, lua_seconds, lua_threads)
    options += [word for word, wanted in (("--restart", restart), ("--remesh", remesh), ("--profile", profile)) if wanted]
    if out is not None:
        out = os.path.abspath(os.path.join(cwd or "", os.fspath(out)))
        os.makedirs(os.path.dirname(out), exist_ok=True)
        options += ["--output", out]
    name = program.find_program()
    words = [name, *program.command_line("run", script, args, overrides, options)]
    watch = program.execute(program.launch(words, ranks, launcher), program.environment_of(threads), progress, cwd,
                            os.path.basename(name))
    program.say_warnings(watch, 3)
    results = Results(os.path.join(cwd or "", out or watch.folder))
    results.warnings = watch.warnings
    return results


class Check:
    """What `curlew check` says. `lines` are pairs of a head and a text; check["mesh"] are the texts behind a head.
    Attributes are None where the program does not say them."""

    NUMBERS = {
        "elements": (r"mesh\s.*?(\d+) tetrahedra", int),
        "order": (r"problem\s+order (\d+)", int),
        "unknowns": (r"problem\s.*?(\d+) unknowns", int),
        "steps": (r"time\s+(\d+) steps", int),
        "time_step": (r"time\s+\d+ steps of (\S+) s", float),
        "stability_limit": (r"time\s.*stability limit (\S+) s", float),
        "seconds": (r"(?:run|pace)\s+(?:about|at most) (\S+) s", float),
    }

    def __init__(self, watch):
        self.text = "\n".join(watch.lines) + "\n"
        self.warnings = watch.warnings
        self.lines = [tuple((line.split(None, 1) + ["", ""])[:2]) for line in watch.lines]
        for name, (pattern, kind) in self.NUMBERS.items():
            found = re.search("^" + pattern, self.text, re.M)
            setattr(self, name, kind(found.group(1)) if found else None)

    def __getitem__(self, head):
        return [text for first, text in self.lines if first == head]

    def __repr__(self):
        return self.text


def check(script, args=None, set=None, *, ranks=1, threads=None, backend=None, trust=False, lua_seconds=None,
          lua_threads=None, launcher=None, cwd=None):
    """Reads the script, makes the mesh, and says what a run would take; it makes the first steps of it, and leaves nothing. Returns a Check; the
    errors are those of run."""
    overrides = dict(set or {})
    if backend is not None:
        overrides["backend"] = backend
    name = program.find_program()
    words = [name, *program.command_line("check", script, args, overrides,
                                         program.common_options(trust, lua_seconds, lua_threads))]
    watch = program.execute(program.launch(words, ranks, launcher), program.environment_of(threads), None, cwd,
                            os.path.basename(name))
    program.say_warnings(watch, 3)
    return Check(watch)


__all__ = ["run", "check", "Check", "Interrupted"]
