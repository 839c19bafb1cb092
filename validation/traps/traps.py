#!/usr/bin/env python3
"""Plausible mistakes whose answers would be wrong: every one must end with a warning or an error that names the key.

    traps.py CURLEW [NAME ...] [--write]

A trap is a file beside this one, NAME.lua or NAME.sh (which finds the program in $CURLEW). Its first comments say
  mistake: what the user did, in one sentence
  cost:    how far off the answer would be, as it was measured
  key:     the key or option that the message must name
  ends:    warning or error
  says:    a regular expression that the message must match (optional)
  command: what runs a script: check (the default) or run, with further arguments
The same file with the mistake mended, -D mended=1 or $MENDED=1, must end well and without that message: a warning
that always comes is worth nothing. --write writes the page README.md from the files.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIELDS = {"mistake", "cost", "key", "ends", "says", "command"}


def read(path):
    """The fields of a trap. A comment that begins with two more spaces goes on with the field before it."""
    mark = "--" if path.suffix == ".lua" else "#"
    fields, last = {"command": "check"}, None
    for line in path.read_text().splitlines():
        if not line.startswith(mark):
            if fields.keys() - {"command"}:
                break
            continue
        text = line[len(mark):].removeprefix("!").rstrip()
        found = re.match(r" ([a-z]+): (.*)", text)
        if found and found[1] in FIELDS:
            last = found[1]
            fields[last] = found[2]
        elif last and text.startswith("   "):
            fields[last] += " " + text.strip()
    missing = {"mistake", "cost", "key", "ends"} - fields.keys()
    if missing or fields["ends"] not in ("warning", "error"):
        raise SystemExit(f"traps.py: {path.name}: fields are missing or wrong: {missing or fields['ends']}")
    return fields


def start(program, path, fields, mended, folder):
    """Runs a trap; returns its exit code and what it says."""
    environment = {**os.environ, "CURLEW": program, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
    environment.setdefault("CURLEW_CHECK_SECONDS", "0.02")  # its seconds are no trap's
    environment.pop("MENDED", None)
    if path.suffix == ".sh":
        line = ["bash", str(path)]
        if mended:
            environment["MENDED"] = "1"
    else:
        words = fields["command"].split()
        line = [program, words[0], str(path), *words[1:], *(["-D", "mended=1"] if mended else [])]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stderr + done.stdout


def messages(text, kind):
    return [line for line in text.splitlines() if (f"{kind}: " in line if kind == "warning" else line.startswith("curlew"))]


def fitting(text, fields):
    """The lines that are the trap's message."""
    return [line for line in messages(text, fields["ends"])
            if fields["key"] in line and re.search(fields.get("says", ""), line)]


def judge(program, path):
    """What is wrong with the outcome of a trap, or None; and its message."""
    fields = read(path)
    with tempfile.TemporaryDirectory() as folder:
        code, text = start(program, path, fields, False, folder)
    lines = fitting(text, fields)
    if not lines:
        return f"exit code {code}, and no {fields['ends']} names '{fields['key']}':\n{text}", ""
    if (code == 0) != (fields["ends"] == "warning"):
        return f"exit code {code} with a {fields['ends']}:\n{text}", ""
    with tempfile.TemporaryDirectory() as folder:
        code, text = start(program, path, fields, True, folder)
    if code != 0 or fitting(text, fields):
        return f"the mended form has exit code {code} and says:\n{text}", ""
    return None, lines[0]


def page(rows):
    text = ["# Traps", "",
            "Mistakes that are easily made, and whose answers would be wrong by more than 1 %. Each is a file in this folder; each ends",
            "with a warning or an error that names the key, and the same script without the mistake ends without it.", "",
            "    validation/traps/traps.py build/release/maxwell/curlew           # runs all of them",
            "    validation/traps/traps.py build/release/maxwell/curlew --write   # and writes this page", "",
            "| trap | the mistake | what it would cost | it ends with | key |", "|---|---|---|---|---|"]
    for path, fields in rows:
        cells = [f"[{path.stem}]({path.name})", fields["mistake"], fields["cost"], fields["ends"], f"`{fields['key']}`"]
        text.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    (HERE / "README.md").write_text("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("curlew", type=Path)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    paths = [path for path in sorted([*HERE.glob("*.lua"), *HERE.glob("*.sh")])
             if not options.name or path.stem in options.name]
    program = str(options.curlew.resolve())
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TRAPS_JOBS", "1"))) as pool:
        for path, (problem, line) in zip(paths, pool.map(lambda path: judge(program, path), paths)):
            failed += problem is not None
            print(f"{path.stem}: FAILED: {problem}" if problem else f"{path.stem}: {line}", flush=True)
    if options.write and not options.name:
        page([(path, read(path)) for path in paths])
    print(f"{len(paths) - failed} of {len(paths)} traps end with a line that says why")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
