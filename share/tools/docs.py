#!/usr/bin/env python3
"""Checks documents and comments: docs.py [ROOT].

Seven rules, each with a line for what breaks it:
  - a source of libdg, maxwell and gpu begins with a comment: what it does, who calls it, where the method comes from;
  - a relative link in a *.md file leads to a file, and its #anchor to a heading of that file;
  - a path such as libdg/ref/dense.h or share/doc/design/time.md, in a document or a source, exists (or is made from
    PATH.in);
  - a source that a comment or a page of share/doc mentions by its name alone (stability.c, cpu/fused.h) exists;
  - a document that a source of the program mentions by its bare name (time.md) is one of share/doc or share/doc/design;
  - the table of folders in share/doc/design.md has the folders of the table MAY in layers.py, no more and no fewer;
  - share/doc/manual.md mentions every key that a rule of maxwell/model reads.

ctest runs it as `check_docs`. Exit code 0, or 1 with a line for each violation.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import layers  # noqa: E402

SOURCES = (".c", ".h", ".cu", ".cuh", ".in", ".py", ".lua", ".txt", ".cmake")
PROGRAM = re.compile(r"\.(?:cu\.in|cuh|cu|c|h)$")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
PATH = re.compile(r"(?<![\w./-])((?:libdg|maxwell|gpu|share|examples|validation|profiling)/"
                  r"[\w./-]*\.(?:cu\.in|cuh|cu|c|h|md|py|lua|geo))(?![\w*])")
NAMED = re.compile(r'(?<![\w/.<"*$}-])((?:[a-z_0-9]+/)*[a-z0-9][a-z_0-9]*\.(?:cuh|cu|c|h))(?![\w"*.])')
OTHERS = {"lua.c", "assert.h", "silo.h", "linux/landlock.h"}  # files of others that comments mention
KEY = re.compile(r'\{"(\w+)",\s*(?:mx_)?read_\w+')
PAGE = re.compile(r"(?<![\w./-])([\w-]+\.md)\b")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(text):
    """The anchors of a document's headings, as hosts of repositories make them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check_heads(sources):
    for path, text in sources.items():
        if path.startswith(("libdg/", "maxwell/", "gpu/")) and PROGRAM.search(path) and not text.startswith("/* "):
            yield f"{path} does not begin with a comment: say in two to six lines what it does and who calls it"


def check_links(documents):
    for path, text in documents.items():
        for match in LINK.finditer(text):
            target, _, anchor = match.group(1).partition("#")
            if ":" in target:
                continue
            at = f"{path}:{line_of(text, match.start())}"
            other = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(other):
                yield f"{at}: the link leads to {other}, which does not exist"
            elif anchor and other.endswith(".md") and anchor not in anchors(read(other)):
                yield f"{at}: {other} has no heading for #{anchor}"


def check_paths(texts):
    for path, text in texts.items():
        for match in PATH.finditer(text):
            made = os.path.exists(match.group(1) + ".in") or "NAME" in match.group(1)
            if not made and not os.path.exists(match.group(1)):
                yield f"{path}:{line_of(text, match.start())}: {match.group(1)} does not exist"


def check_names(texts):
    """Names of sources without the folders that they begin with."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    ends = {"/".join(path.removesuffix(".in").split("/")[i:]) for path in listed for i in range(path.count("/") + 1)}
    for path, text in texts.items():
        program = path.startswith(("libdg/", "maxwell/", "gpu/")) and PROGRAM.search(path)
        if not (program or path.startswith("share/doc/")) or "/tests/" in path or "/fuzz/" in path:
            continue
        for match in NAMED.finditer(text):
            if match.group(1) not in ends | OTHERS:
                yield f"{path}:{line_of(text, match.start())}: there is no source {match.group(1)}"


def check_pages(sources, documents):
    pages = {os.path.basename(path) for path in documents if path.startswith("share/doc/")} | {"README.md"}
    for path, text in sources.items():
        if not path.startswith(("libdg/", "maxwell/", "gpu/")):
            continue
        for match in PAGE.finditer(text):
            if match.group(1) not in pages:
                yield f"{path}:{line_of(text, match.start())}: there is no page {match.group(1)} in share/doc"


def check_folders(documents):
    listed = set(re.findall(r"^\| `((?:libdg|maxwell|gpu)/[\w/]+)` \|", documents["share/doc/design.md"], re.M))
    for folder in sorted(set(layers.MAY) - listed):
        yield f"share/doc/design.md: the table of folders lacks {folder}: give it a line"
    for folder in sorted(listed - set(layers.MAY)):
        yield f"share/doc/design.md: the table of folders has {folder}, which layers.py does not know: take it out"


def check_keys(sources, documents):
    manual = documents["share/doc/manual.md"]
    for path, text in sources.items():
        for match in KEY.finditer(text) if path.startswith("maxwell/model/") else ():
            if not re.search(rf"\b{match.group(1)}\b", manual):
                yield f"{path}:{line_of(text, match.start())}: share/doc/manual.md lacks the key {match.group(1)}"


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    listed = [path for path in listed if os.path.isfile(path)]
    documents = {path: read(path) for path in listed if path.endswith(".md")}
    sources = {path: read(path) for path in listed if path.endswith(SOURCES)}
    lines = [*check_heads(sources), *check_links(documents), *check_paths(documents), *check_paths(sources),
             *check_names(documents), *check_names(sources), *check_pages(sources, documents),
             *check_folders(documents), *check_keys(sources, documents)]
    good = f"{len(documents)} documents and {len(sources)} sources: what they say of each other is so"
    print("\n".join(lines) if lines else good)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
