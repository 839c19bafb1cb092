#!/usr/bin/env python3
"""Compares the keys that the program knows with those of the manual: keys.py PROGRAM [MANUAL].

`PROGRAM info --keys` prints every key of simulation { } by the rules that read it, and a script asks for those of the
waveforms. What breaks a rule is a line:
  - each key of the program is in a table of keys in the manual, in the section of its table;
  - each key in such a table is one of the program's, of that section;
  - each word that a key may have (a kind, an integrator) is in that section;
  - where both say a default, it is the same;
  - the waveforms and their keys are the same.

A table of keys is one under "Every key of simulation { }" whose first column has the head `key`, `key of a ...` or
`list`. site.py takes the reference of the site from this module. ctest runs it as `check_keys`. Exit code 0, or 1.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
MANUAL = os.path.join(ROOT, "share", "doc", "manual.md")
ASK_WAVEFORMS = """
for name in pairs(waveform) do
  local _, message = pcall(waveform[name], { qqqqqqqqqqqq = 1 })
  print("waveform", name, message:match "known: ([^)]*)", message:match "example: (.*)%)$")
end
simulation {}
"""


def program_keys(program):
    """The keys as the program prints them. Kinds of a table for which a key is the same are together under `kinds`;
    `forms` are the others."""
    keys = {}

    def same(a, b):
        return all(a[word] == b[word] for word in a if word not in ("kind", "kinds", "forms"))

    printed = subprocess.run([program, "info", "--keys"], capture_output=True, text=True, check=True).stdout
    for key in json.loads(printed):
        first = keys.setdefault(key["path"], dict(key, kinds=[], forms=[]))
        form = next((form for form in [first, *first["forms"]] if same(form, key)), None)
        if form is None:
            form = dict(key, kinds=[])
            first["forms"].append(form)
        form["kinds"].append(key["kind"])
    return keys


def program_waveforms(program):
    """{name: (keys, example)}, as the program's own messages say."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ask.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ASK_WAVEFORMS)
        said = subprocess.run([program, "check", path], capture_output=True, text=True, check=False).stdout
    for line in said.splitlines():
        words = line.split("\t")
        if words[0] == "waveform" and len(words) == 4:
            found[words[1]] = (words[2].split(", "), words[3])
    if not found:
        sys.exit("keys.py: the program says nothing of waveforms")
    return found


class Row:
    """A row of a table of the manual: its cells, and the heads of the table and headings that it stands under."""

    def __init__(self, cells, head, headings, line):
        self.cells, self.head, self.headings, self.line = cells, head, headings, line

    def keys(self):
        """The keys of the row: the code in its first cell, of a table of lists in its second."""
        return re.findall(r"`([\w.]+)(?: =[^`]*)?`", self.cells[1 if self.head[0] == "list" else 0])

    def text(self):
        return " | ".join(self.cells)


def split_row(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def manual_rows(text, section):
    """All rows of tables between the heading `## section` and the next of that level."""
    rows, headings, head, inside, fenced, listed = [], [], None, False, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else re.match(r"(#+) (.*)", line)
        if heading:
            level = len(heading.group(1))
            inside = heading.group(2).startswith(section) if level <= 2 else inside
            headings = headings[:level - 3] + [heading.group(2)] if level > 2 else []
        if not line.startswith("|") or fenced:
            head = None
        elif inside and head is None:
            head = split_row(line)
        elif inside and not set(line) <= set("|-: "):
            cells = split_row(line)
            if head[0] == "list":  # its first cell holds for the rows below, too
                listed = cells[0] = cells[0] or listed
            rows.append(Row(cells, head, list(headings), number))
    return rows


def is_key_row(row):
    return row.head[0].startswith("key") or row.head[0] == "list"


def section_roots(row, keys):
    """The first words of the paths that the section is about; none: any."""
    words = re.split(r"[ ,]+", row.headings[0]) if row.headings else []
    return [word for word in words if word in keys]


def leaf(path):
    return path.rsplit(".", 1)[-1]


def akin(row, kinds):
    """How many words the head of a table has in common with the kinds: "key of a port" and "lumped_port"."""
    words = {word for kind in kinds for word in (kind or "").split("_")}
    return len(words & set(row.head[0].split()))


def rows_of(path, rows, keys, kinds=()):
    """The rows that may tell of a key, the best one first."""
    root = path.split(".")[0]
    parts = [part for part in path.split(".") if part != "*"]
    found = []
    for row in rows:
        roots = section_roots(row, keys)
        named = row.keys()
        # A table in an entry of a list is told of in the row of that table.
        if path in named or (1 < len(parts) < 4 and leaf(path) in named and (not roots or root in roots)):
            rank = 0 if path in named else 3
            title = row.headings[-1].lower().replace(" ", "_") if row.headings else ""
            if rank and len(parts) > 2 and (title.startswith(parts[1]) or parts[1] in row.cells[0]):
                rank = 1
            elif rank and row.headings[-1] == "Measurements" and row.head[0] == "key":
                rank = 2
            elif rank and len(parts) > 2 and (len(row.headings) > 1 or row.head[0] == "list"):
                rank = 4 if root == "output" else 3
            found.append((rank, row))
    return [row for _, row in sorted(found, key=lambda pair: (pair[0], -akin(pair[1], kinds)))]


def parent_mentions(path, rows, keys):
    """Whether the row of the table that has the key tells of it, as `{ from =, to = }` does."""
    parts = [part for part in path.split(".") if part != "*"]
    for row in rows_of(path.rsplit(".", 1)[0].removesuffix(".*"), rows, keys):
        if re.search(rf"\b{parts[-1]}\b", row.text()):
            return True
    return False


def compare(keys, rows):
    """Lines about what the manual lacks, and what it has and the program does not."""
    for path, key in keys.items():
        if any(other.startswith(path + ".") for other in keys) and not rows_of(path, rows, keys):
            continue  # a table, whose keys are told
        mine = rows_of(path, rows, keys)
        if not mine and not parent_mentions(path, rows, keys):
            yield f"manual.md: no table of keys has {path}, which the program reads"
        for name in key["names"] or ():
            section = [row for row in rows if path.split(".")[0] in (section_roots(row, keys) or [path.split(".")[0]])]
            if not any(re.search(rf"[`\"]{re.escape(name)}[`\"]", row.text()) for row in section):
                yield f"manual.md: the section of {path} does not say \"{name}\", which the program takes there"
    for row in filter(is_key_row, rows):
        roots = section_roots(row, keys)
        beside = ""
        for name in row.keys():
            known = [path for path in keys if not roots or path.split(".")[0] in roots]
            if name not in keys and not any(leaf(path) == name for path in known) and beside + name not in keys:
                yield f"manual.md:{row.line}: the program knows no key {name} in {', '.join(roots) or 'simulation'}"
            beside = name.rsplit(".", 1)[0] + "." if "." in name else beside


def plain(cell):
    """The default that a cell of the manual says: a number, a boolean or a word; None where it says more."""
    word = cell.strip("`").strip('"')
    if word in ("true", "false"):
        return word == "true"
    try:
        return float(word)
    except ValueError:
        return word if re.fullmatch(r"`?\"\w+\"`?", cell) else None


def compare_defaults(keys, rows):
    """Lines about defaults that are not those of the program."""
    for path, key in keys.items():
        row = next(iter(rows_of(path, rows, keys)), None)
        if row is None or "default" not in row.head[:len(row.cells)] or len(row.keys()) != 1:
            continue
        cell, value = row.cells[row.head.index("default")], key["default"]
        if value is not None and plain(cell) is not None and plain(cell) != value:
            yield f"manual.md:{row.line}: the default of {path} is {value} and not {cell}"


def compare_waveforms(waveforms, rows):
    told = {}
    for row in rows:
        names = re.findall(r"`(\w+)`", row.cells[0])
        if not names:
            continue
        words = set(re.findall(r"`(\w+)`", row.cells[1]))
        told.setdefault(names[0], set()).update(words | set(names[1:]))
    for name in sorted(set(waveforms) ^ set(told)):
        yield f"manual.md: the waveform {name} is one of the {'program' if name in waveforms else 'manual'} only"
    for name in sorted(set(waveforms) & set(told)):
        known = set(waveforms[name][0])
        the_same = "the same" in " ".join(row.cells[1] for row in rows if f"`{name}`" in row.cells[0])
        for key in sorted(known - told[name] - {"amplitude"}):
            if not the_same:
                yield f"manual.md: the table of waveforms lacks the key {key} of {name}"
        for key in sorted(told[name] - known):
            yield f"manual.md: the waveform {name} has no key {key}"


def read_manual(path=MANUAL):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: keys.py PROGRAM [MANUAL]")
    keys, waveforms = program_keys(sys.argv[1]), program_waveforms(sys.argv[1])
    manual = read_manual(*sys.argv[2:])
    rows = manual_rows(manual, "Every key of")
    key_rows = [row for row in rows if is_key_row(row)]
    lines = [*compare(keys, key_rows), *compare_defaults(keys, key_rows),
             *compare_waveforms(waveforms, [row for row in manual_rows(manual, "Waveforms") if len(row.cells) > 2])]
    print("\n".join(lines) if lines else
          f"{len(keys)} keys and {len(waveforms)} waveforms: program and manual have the same")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
