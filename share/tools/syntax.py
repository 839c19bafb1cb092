#!/usr/bin/env python3
"""Shows every C source of a build to its compiler, without compiling it: warnings are errors there.

usage: syntax.py COMPILE_COMMANDS JOBS
"""
import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def look(entry):
    """The compiler's complaint about one source, or an empty text."""
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        words = words[1:]
    at = words.index("-o")
    words = words[:at] + words[at + 2:] + ["-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)
    return done.stderr + done.stdout if done.returncode else ""


def main():
    """0 if the compiler accepts all sources."""
    with open(sys.argv[1], encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if entry["file"].endswith(".c")]
    if not entries:
        print("syntax.py: no sources")
        return 1
    with ThreadPoolExecutor(int(sys.argv[2])) as pool:
        complaints = [text for text in pool.map(look, entries) if text]
    print("\n".join(complaints) if complaints else f"{len(entries)} sources")
    return 1 if complaints else 0


sys.exit(main())
