#!/usr/bin/env python3
"""Runs checks of sources, and remembers those that passed: a source that did not change is not looked at again.

usage: once.py JOBS syntax BUILD                shows every C source of a build to its compiler; warnings are errors there
       once.py JOBS tidy BUILD TIDY             shows the sources that standard input names, one a line, to clang-tidy
       once.py JOBS compile                     runs the compilers' commands on standard input, one a line

A check that passed leaves a stamp: the digest of its command, of the compiler's version and of every file of this tree
that the source includes. Stamps are kept in $XDG_CACHE_HOME/curlew-checks (default ~/.cache) for 30 days.
"""
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

STAMPS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "curlew-checks"
KEPT_DAYS = 30
TREE = os.getcwd()


@lru_cache(maxsize=None)
def version(tool):
    """What a tool says of itself."""
    done = subprocess.run([tool, "--version"], capture_output=True, check=False)
    return done.stdout


@lru_cache(maxsize=None)
def digest_of_file(path):
    """The digest of a file's bytes."""
    return hashlib.sha256(Path(path).read_bytes()).digest()


def without(words, *names):
    """A command without the options named and their values (-o FILE), and without those that have none (-c)."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == "-o":
            skip = "-o" in names
        elif word not in names:
            kept.append(word)
    return kept


def included(words, folder):
    """The files that a compiler's command reads, none of the system's headers; None if the compiler does not say."""
    with tempfile.NamedTemporaryFile("r", suffix=".d", encoding="utf-8") as file:
        # hipcc writes the rule and then fails, since it looks for a rule of each of its compilations.
        subprocess.run([*without(words, "-o", "-c", "-fsyntax-only", "-Werror"), "-MM", "-MF", file.name], cwd=folder,
                       capture_output=True, check=False)
        rule = file.read().replace("\\\n", " ")
    if ":" not in rule:
        return None
    return [os.path.join(folder, name) for name in rule.split(":", 1)[1].split()]


def stamp_of(check, words, folder, more):
    """The path of a check's stamp, or None if what it reads is not known."""
    files = included(words, folder)
    if files is None:
        return None
    text = hashlib.sha256()
    for part in [*without(check, "-o"), *without(words, "-o"), *more]:
        text.update(part.replace(TREE, "").encode() + b"\0")
    for tool in sorted({check[0], words[0]}):
        text.update(version(tool))
    for name in sorted(set(files)):
        text.update(digest_of_file(name))
    return STAMPS / text.hexdigest()


def run(job):
    """Runs one check, unless it passed before. Returns its complaint (empty: none) and whether it was run."""
    check, words, folder, more = job
    stamp = stamp_of(check, words, folder, more)
    if stamp is not None and stamp.exists():
        stamp.touch()
        return "", False
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"{shlex.join(check)}\n{done.stdout}{done.stderr}", True
    if stamp is not None:
        stamp.touch()
    return "", True


def commands(build):
    """The commands of a build's C sources: {source: (words, folder)}."""
    found = {}
    for entry in json.loads(Path(build, "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        if words[0].endswith("ccache"):
            words = words[1:]
        if entry["file"].endswith(".c"):
            found.setdefault(os.path.realpath(entry["file"]), (words, entry["directory"]))
    return found


def jobs_of(kind, arguments):
    """The checks: (command to run, compiler's command of the source, folder, other text that the outcome depends on)."""
    lines = [line.strip() for line in sys.stdin if line.strip()] if kind != "syntax" else []
    if kind == "compile":
        return [(shlex.split(line), shlex.split(line), TREE, []) for line in lines]
    sources = commands(arguments[0])
    if kind == "syntax":
        return [([*without(words, "-o", "-c"), "-fsyntax-only"], words, folder, []) for words, folder in sources.values()]
    build, tidy = arguments
    jobs = []
    for line in lines:
        words, folder = sources[os.path.realpath(line)]
        check = [tidy, "-p", os.path.realpath(build), "--quiet", "--warnings-as-errors=*", os.path.realpath(line)]
        jobs.append((check, words, folder, [Path(".clang-tidy").read_text(encoding="utf-8")]))
    return jobs


def main():
    """0 if every check passed."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    for stamp in STAMPS.iterdir():
        if time.time() - stamp.stat().st_mtime > KEPT_DAYS * 86400:
            stamp.unlink(missing_ok=True)
    jobs = jobs_of(sys.argv[2], sys.argv[3:])
    if not jobs:
        print("once.py: nothing to check")
        return 1
    with ThreadPoolExecutor(int(sys.argv[1])) as pool:
        outcomes = list(pool.map(run, jobs))
    complaints = [text for text, _ in outcomes if text]
    print("\n".join(complaints) if complaints else
          f"{len(jobs)} checks passed, {sum(not new for _, new in outcomes)} of them before")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
