#!/usr/bin/env python3
"""Runs the code of the site's pages: site_blocks.py PROGRAM FOLDER [PAGE...].

Every block of code in share/doc/site is one of these; anything else is an error:
  - ```lua title="slab.lua" and the like: a file, written into the page's folder;
  - ```sh: commands, run there in the order of the page, with PROGRAM in PATH. One that fails or warns is an error;
    behind a line <!-- fails: 2 --> they must end with that code;
  - ```python without a title: a program, run there with share/python in its path;
  - ```lua without a title, behind a line <!-- with: slab.lua -->: keys of simulation { }. Three steps of slab.lua
    are made with them in place of its own. A line <!-- after: slab.lua --> instead: statements before slab.lua;
  - ```text: what the commands before it print. Each line must be among theirs, in this order, numbers apart. Behind a
    line <!-- within: 5 --> numbers agree within so many per cent, too. A line of dots stands for any others;
  - any block behind a line <!-- not run: WHY -->, which is listed and not run;
  - ``` without a language: a drawing.

Each page has a folder of its own in FOLDER, empty at the start. ctest runs it as `check_site_blocks`. Exit code 0, or
1.
"""
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGES = os.path.join(ROOT, "share", "doc", "site")
BLOCK = re.compile(r"(?:^<!-- (not run|with|after|within|fails): (.*?) -->\n\s*)?"
                   r"^```(\w*)([^\n]*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WRAPPER = """local keys = { %s }
local simulation_of = simulation
function simulation(table)
  for key, value in pairs(keys) do table[key] = value end
  return simulation_of(table)
end
dofile "%s"
"""


class Failure(Exception):
    pass


class Page:
    """The blocks of a page while they are run."""

    def __init__(self, name, program, folder):
        self.name, self.program, self.said, self.counts, self.left_out = name, program, "", {}, []
        self.folder = self.here = os.path.join(folder, name.replace("/", "_").removesuffix(".md"))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.environment = dict(
            os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"],
            CURLEW=os.path.abspath(program), PYTHONPATH=os.path.join(ROOT, "share", "python"),
            PYTHONDONTWRITEBYTECODE="1",
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
            MPLBACKEND="Agg")

    def execute(self, command, may_warn=False, code=0):
        done = subprocess.run(command, cwd=self.here, env=self.environment, capture_output=True, text=True, timeout=120,
                              check=False, stdin=subprocess.DEVNULL)
        self.said = done.stdout + done.stderr
        if done.returncode != code:
            raise Failure(f"ends with {done.returncode}:\n{self.said[-2000:]}")
        if "warning:" in self.said and not may_warn:
            raise Failure(f"warns:\n{self.said[-2000:]}")

    def write(self, name, text):
        path = os.path.join(self.here, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def shell(self, text, code):
        mark = os.path.join(self.folder, ".here")
        self.execute(["bash", "-euo", "pipefail", "-c", f"trap \"pwd >'{mark}'\" EXIT\n{text}"], code=code)
        with open(mark, encoding="utf-8") as file:
            self.here = file.read().strip()

    def lua(self, how, base, text):
        script = WRAPPER % (text, base) if how == "with" else f'{text}\ndofile "{base}"\n'
        self.write("site_block.lua", script)
        said = self.said
        self.execute([self.program, "run", "site_block.lua", "--set", "time.steps=3", "--remesh"], may_warn=True)
        self.said = said

    def compare(self, how, share, text):
        """Whether the lines are among those that were printed."""
        printed = self.said.splitlines()
        at = 0
        for line in text.splitlines():
            if not line.strip() or line.strip() == "...":
                continue
            masked = mask(line)
            while at < len(printed) and not (
                    mask(printed[at]) == masked and (how != "within" or near(line, printed[at], float(share) / 100))):
                at += 1
            if at == len(printed):
                raise Failure(f"these commands do not print '{line}':\n{self.said[-3000:]}")
            at += 1

    def run(self, match):
        how, what, language, rest, text = match.groups()
        title = re.search(r'title="([^"]+)"', rest)
        if how == "not run":
            self.left_out.append(what)
            return "not run"
        if title:
            self.write(title.group(1), text)
            return "files"
        if language == "sh":
            self.shell(text, int(what) if how == "fails" else 0)
            return "commands"
        if language == "python":
            self.execute([python(), "-c", text])
            return "Python"
        if language == "lua" and how in ("with", "after"):
            self.lua(how, what, text)
            return "keys"
        if language == "text":
            self.compare(how, what, text)
            return "outputs"
        if not language and how is None:
            return "drawings"
        raise Failure("has no title, and no line before it that says what it is")


def python():
    """A Python with NumPy: Debian's belongs to the system's."""
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def mask(line):
    return " ".join(NUMBER.sub("#", line).split())


def near(line, printed, share):
    pairs = zip(NUMBER.findall(line), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) <= share * max(abs(float(a)), abs(float(b))) for a, b in pairs)


def run_page(name, program, folder):
    """Runs a page; returns lines about what was wrong, what was left out, and what was done."""
    with open(os.path.join(PAGES, name), encoding="utf-8") as file:
        text = file.read()
    page, wrong, begin = Page(name, program, folder), [], time.monotonic()
    if text.count("\n```") + text.startswith("```") != 2 * len(list(BLOCK.finditer(text))):
        wrong.append(f"share/doc/site/{name}: a block does not end, or is indented")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(3)) + 1
        try:
            what = page.run(match)
            page.counts[what] = page.counts.get(what, 0) + 1
        except (Failure, OSError, subprocess.SubprocessError) as error:
            wrong.append(f"share/doc/site/{name}:{line}: this block {error}")
            break
    left_out = [f"  not run, {name}: {why}" for why in page.left_out]
    done = ", ".join(f"{count} {what}" for what, count in sorted(page.counts.items()))
    return wrong, left_out, f"{time.monotonic() - begin:6.1f} s  {name}: {done or 'no code'}"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: site_blocks.py PROGRAM FOLDER [PAGE...]")
    program, folder, names = *map(os.path.abspath, sys.argv[1:3]), sys.argv[3:]
    if not names:
        names = sorted(os.path.relpath(os.path.join(root, file), PAGES) for root, _, files in os.walk(PAGES)
                       for file in files if file.endswith(".md"))
    bad, left_out = [], []
    for name in names:
        wrong, left, done = run_page(name, program, folder)
        print(done, flush=True)
        print("".join(line + "\n" for line in wrong), end="", flush=True)
        bad += wrong
        left_out += left
    print(f"{len(left_out)} blocks were not run:" if left_out else "all blocks were run", *left_out, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
