#!/usr/bin/env python3
"""Checks that the house keeps its order: layers.py [ROOT] reads the C and CUDA sources.

Eight rules, each with a line on how to mend what breaks it:
  - a folder includes headers of itself and of the folders that MAY names for it, all of which stand above it in the
    table, so arrows point one way;
  - no circle between units (a unit is x.h with x.c, and private headers such as x_state.h);
  - no circle of calls between the sources of a folder with more than FEW of them, but in the folders of CALL_CIRCLES;
  - a header declares functions of one source, but for SHARED_HEADERS, a list that only shrinks;
  - a folder has at most MOST sources side by side;
  - a library that belongs behind one seam (ONLY) is included there alone;
  - an integrator is named (INTEGRATOR) where it is described or chosen; others ask what its step is like;
  - a kind of term, such as a sheet or a film, is named (KIND) in the folder of terms and where scripts are read.

Tests and fuzzers may include what they test. Exit code 0, or 1 with a line for each violation.
"""
import collections
import os
import re
import subprocess
import sys

MOST = 24  # sources and headers in a folder, tests aside

# Folder: what it may include besides itself. A name ending in * stands for all folders that begin with it.
MAY = {
    "libdg/base/machine": "",
    "libdg/base": "libdg/base/machine",
    "libdg/comm": "libdg/base",
    "libdg/files": "libdg/base",
    "libdg/ref": "libdg/base",
    "libdg/mesh": "libdg/base libdg/comm",
    "libdg/mesh/draft": "libdg/base libdg/mesh libdg/ref",
    "libdg/mesh/parts": "libdg/base libdg/comm libdg/mesh",
    "libdg/mesh/grow": "libdg/base libdg/mesh",
    "libdg/mesh/find": "libdg/base libdg/comm libdg/mesh libdg/mesh/parts",
    "libdg/mesh/load": "libdg/base libdg/mesh libdg/mesh/parts",
    "libdg/mesh/gmsh": "libdg/base libdg/mesh libdg/mesh/draft libdg/mesh/load libdg/mesh/parts",
    "libdg/geometry": "libdg/base libdg/mesh",
    "libdg/field": "libdg/base libdg/comm libdg/mesh libdg/ref",
    "libdg/solve": "libdg/base libdg/comm libdg/field libdg/ref",
    "libdg/plane": "libdg/base libdg/mesh libdg/ref",
    "libdg/halo": "libdg/base libdg/comm libdg/mesh",
    "libdg/io": "libdg/base libdg/comm libdg/files libdg/halo libdg/mesh libdg/ref",
    "libdg/io/silo": "libdg/base libdg/comm libdg/files libdg/geometry libdg/io libdg/mesh libdg/ref",
    "libdg/io/vtkhdf": "libdg/base libdg/comm libdg/files libdg/geometry libdg/io libdg/mesh libdg/ref",
    # What follows knows no field.
    "maxwell/shell": "libdg/base libdg/comm libdg/files libdg/io",
    "maxwell/shell/hooks": "libdg/base",
    "maxwell/shell/script/world": "libdg/base maxwell/shell maxwell/shell/hooks",
    "maxwell/shell/script": "libdg/base maxwell/shell maxwell/shell/hooks maxwell/shell/script/world",
    "maxwell/shell/script/command": "libdg/base maxwell/shell/script/world",
    "maxwell/shell/rules": "libdg/base libdg/comm maxwell/shell",
    "maxwell/shell/turns": "libdg/base maxwell/shell",
    "maxwell/fit": "libdg/base libdg/ref",
    # The solver.
    "maxwell/model": "libdg/base libdg/io libdg/mesh maxwell/shell maxwell/shell/rules",
    "maxwell/model/media": "libdg/base maxwell/model maxwell/shell maxwell/shell/rules",
    "maxwell/response": "libdg/base",
    "maxwell/model/heat": "libdg/base maxwell/model maxwell/shell maxwell/shell/rules",
    "maxwell/problem": "libdg/base libdg/comm libdg/geometry libdg/halo libdg/mesh* libdg/ref maxwell/model maxwell/model/media "
                       "maxwell/response maxwell/shell",
    "maxwell/time": "libdg/base maxwell/model maxwell/problem maxwell/response",
    "maxwell/backend/frame": "libdg/base libdg/ref maxwell/problem",
    "maxwell/terms": "libdg/base libdg/comm libdg/mesh libdg/ref maxwell/backend/frame maxwell/model maxwell/model/media maxwell/problem "
                     "maxwell/response maxwell/time",
    "maxwell/terms/host": "maxwell/response",
    "maxwell/problem/build": "libdg/base libdg/comm libdg/geometry libdg/mesh libdg/ref maxwell/model maxwell/problem maxwell/response "
                             "maxwell/terms",
    # What written numbers are worth: everything that measures may ask it.
    "maxwell/worth": "libdg/base libdg/comm libdg/mesh maxwell/problem maxwell/response maxwell/shell maxwell/time",
    "maxwell/backend": "libdg/base libdg/comm maxwell/problem maxwell/response maxwell/shell maxwell/time maxwell/terms",
    "maxwell/backend/layers": "libdg/ref maxwell/response",
    "maxwell/backend/squares": "libdg/base libdg/ref maxwell/backend/frame",
    "maxwell/operator": "libdg/base libdg/comm libdg/ref maxwell/backend maxwell/problem maxwell/response "
                        "maxwell/time maxwell/terms",
    "maxwell/levels": "libdg/base libdg/ref maxwell/backend maxwell/operator maxwell/problem maxwell/shell maxwell/terms maxwell/time",
    "maxwell/limit": "libdg/base libdg/ref maxwell/levels maxwell/terms/rates maxwell/operator maxwell/problem maxwell/time maxwell/terms",
    "maxwell/backend/reference": "libdg/base libdg/comm maxwell/backend maxwell/backend/layers maxwell/operator maxwell/problem maxwell/shell "
                                 "maxwell/time maxwell/terms maxwell/terms/host",
    "maxwell/backend/cpu": "libdg/base libdg/comm maxwell/backend maxwell/backend/frame maxwell/backend/layers "
                           "maxwell/backend/squares maxwell/problem maxwell/shell maxwell/time maxwell/terms maxwell/terms/host",
    "maxwell/sources/faces": "libdg/base libdg/comm libdg/mesh* libdg/ref maxwell/model maxwell/problem",
    "maxwell/sources/tem": "libdg/base libdg/comm libdg/mesh libdg/plane libdg/ref libdg/solve maxwell/model maxwell/model/media "
                           "maxwell/problem maxwell/sources/faces",
    "maxwell/sources": "libdg/base libdg/comm libdg/mesh* libdg/ref maxwell/backend maxwell/model maxwell/problem "
                       "maxwell/shell maxwell/sources/faces maxwell/sources/tem maxwell/time",
    "maxwell/step": "libdg/base maxwell/backend maxwell/levels maxwell/shell maxwell/sources maxwell/time",
    "maxwell/measure": "libdg/base libdg/io libdg/mesh* libdg/ref maxwell/backend maxwell/backend/frame maxwell/model "
                       "maxwell/problem maxwell/response maxwell/shell maxwell/shell/rules maxwell/time maxwell/worth maxwell/terms",
    "maxwell/transform": "libdg/base libdg/comm maxwell/backend maxwell/model maxwell/shell maxwell/sources maxwell/worth",
    "maxwell/far": "libdg/base libdg/comm libdg/halo libdg/mesh libdg/ref maxwell/backend maxwell/model "
                   "maxwell/problem maxwell/shell maxwell/sources maxwell/time maxwell/transform maxwell/worth",
    "maxwell/phasor": "libdg/base libdg/base/machine libdg/comm libdg/mesh libdg/mesh/parts libdg/ref maxwell/backend maxwell/measure maxwell/model "
                      "maxwell/problem maxwell/response maxwell/shell maxwell/sources maxwell/transform maxwell/worth",
    "maxwell/worth/asked": "libdg/base libdg/comm libdg/geometry libdg/mesh libdg/ref maxwell/far maxwell/measure maxwell/model maxwell/phasor "
                           "maxwell/problem maxwell/sources maxwell/transform maxwell/worth maxwell/terms",
    "maxwell/statics": "libdg/base libdg/comm libdg/field libdg/mesh libdg/ref libdg/solve maxwell/model maxwell/problem maxwell/shell",
    "maxwell/resonance": "libdg/base libdg/ref maxwell/measure maxwell/model maxwell/shell maxwell/time maxwell/worth",
    # A run.
    "maxwell/periods": "libdg/base libdg/halo libdg/mesh maxwell/model maxwell/shell",
    "maxwell/touch": "libdg/base libdg/comm libdg/geometry libdg/mesh maxwell/far maxwell/measure maxwell/model maxwell/problem maxwell/sources "
                     "maxwell/sources/faces",
    "maxwell/scene": "libdg/base libdg/mesh libdg/ref maxwell/backend maxwell/far maxwell/levels maxwell/measure maxwell/model maxwell/phasor maxwell/problem "
                     "maxwell/resonance maxwell/shell maxwell/sources maxwell/statics maxwell/worth*",
    "maxwell/session": "libdg/base libdg/comm libdg/files libdg/io libdg/mesh maxwell/scene maxwell/shell maxwell/shell/rules",
    "maxwell/setup/reports": "libdg/base libdg/geometry maxwell/model maxwell/scene maxwell/time",
    "maxwell/setup": "libdg/* maxwell/backend maxwell/far maxwell/levels maxwell/limit maxwell/measure maxwell/model maxwell/model/heat maxwell/operator "
                     "maxwell/periods maxwell/phasor maxwell/problem maxwell/resonance maxwell/scene maxwell/setup/reports maxwell/shell maxwell/sources maxwell/statics maxwell/step maxwell/time maxwell/touch maxwell/worth* maxwell/terms maxwell/problem/build",
    "maxwell/output/powers": "libdg/base libdg/comm libdg/ref maxwell/backend maxwell/backend/frame maxwell/operator maxwell/problem "
                             "maxwell/response maxwell/time",
    "maxwell/terms/rates": "libdg/base libdg/comm libdg/ref maxwell/backend maxwell/operator maxwell/output/powers maxwell/problem "
                           "maxwell/response maxwell/terms maxwell/time",
    "maxwell/record": "libdg/* maxwell/backend maxwell/backend/frame maxwell/measure maxwell/model maxwell/operator maxwell/output/powers "
                      "maxwell/phasor maxwell/problem maxwell/scene maxwell/shell maxwell/shell/hooks maxwell/terms maxwell/terms/rates",
    "maxwell/output/ports": "libdg/base maxwell/record maxwell/scene maxwell/setup maxwell/shell",
    "maxwell/output": "libdg/* maxwell maxwell/backend maxwell/measure maxwell/model maxwell/model/heat maxwell/output/ports maxwell/problem maxwell/record "
                      "maxwell/resonance maxwell/scene maxwell/setup maxwell/shell maxwell/shell/hooks maxwell/sources maxwell/sources/tem maxwell/time maxwell/worth*",
    "maxwell/heat": "libdg/* maxwell/model maxwell/model/heat maxwell/model/media maxwell/output maxwell/phasor maxwell/problem maxwell/record maxwell/session maxwell/shell maxwell/shell/turns",
    "maxwell/hooks": "libdg/base libdg/comm libdg/files maxwell/measure maxwell/model maxwell/output maxwell/output/ports maxwell/record maxwell/scene maxwell/setup "
                     "maxwell/shell maxwell/shell/hooks maxwell/sources",
    "maxwell/checkpoint": "libdg/base libdg/comm libdg/files libdg/io libdg/mesh maxwell/backend maxwell/backend/frame "
                          "maxwell/hooks maxwell/output maxwell/output/ports maxwell/problem maxwell/scene maxwell/session maxwell/shell maxwell/terms",
    "maxwell/run": "libdg/base maxwell maxwell/backend maxwell/checkpoint maxwell/heat maxwell/hooks maxwell/model maxwell/model/heat maxwell/output maxwell/output/ports "
                   "maxwell/problem maxwell/scene maxwell/session maxwell/setup maxwell/statics maxwell/step maxwell/shell maxwell/sources",
    "maxwell/check": "libdg/* maxwell/backend maxwell/heat maxwell/levels maxwell/measure maxwell/model maxwell/model/heat maxwell/output maxwell/problem maxwell/record maxwell/run "
                     "maxwell/scene maxwell/setup maxwell/statics maxwell/step maxwell/shell maxwell/sources maxwell/time maxwell/worth",
    "maxwell/app": "libdg/* maxwell maxwell/backend maxwell/check maxwell/heat maxwell/levels maxwell/limit maxwell/measure maxwell/output maxwell/problem "
                   "maxwell/app/outputs maxwell/fit maxwell/run maxwell/setup maxwell/shell* maxwell/step maxwell/problem/build",
    "maxwell/app/outputs": "libdg/base",
    "maxwell/capi": "libdg/base libdg/geometry libdg/io libdg/mesh libdg/ref maxwell maxwell/measure maxwell/output "
                    "maxwell/problem maxwell/run maxwell/setup maxwell/statics maxwell/step maxwell/shell maxwell/shell/script",
    # The card.
    "gpu/runtime": "libdg/base libdg/comm",
    "gpu/kernels": "gpu/runtime libdg/base maxwell/backend/frame maxwell/problem maxwell/response",
    "gpu/kernels/curved": "gpu/kernels libdg/base",
    "gpu/kernels/layers": "gpu/kernels libdg/base maxwell/response",
    "gpu/kernels/levels": "gpu/kernels",
    "gpu/kernels/skins": "gpu/kernels maxwell/backend/frame maxwell/terms",
    "gpu/elliptic": "gpu/kernels gpu/runtime libdg/base libdg/comm libdg/field libdg/solve",
    "gpu/core": "gpu/kernels gpu/runtime libdg/base libdg/comm maxwell/backend maxwell/backend/frame maxwell/problem maxwell/shell maxwell/time maxwell/terms",
    "gpu/tables": "gpu/core gpu/kernels gpu/runtime libdg/base maxwell/backend maxwell/backend/frame maxwell/problem maxwell/time",
    "gpu/terms": "gpu/core gpu/kernels gpu/kernels/layers gpu/kernels/skins gpu/runtime gpu/tables libdg/base libdg/comm maxwell/backend maxwell/backend/frame "
                 "maxwell/problem maxwell/time maxwell/terms",
    "gpu/watch": "gpu/core gpu/kernels gpu/runtime gpu/terms libdg/base libdg/comm maxwell/backend maxwell/backend/frame maxwell/problem "
                 "maxwell/time",
    "gpu/host": "gpu/core gpu/elliptic gpu/kernels gpu/kernels/levels gpu/runtime gpu/tables gpu/terms gpu/watch libdg/base libdg/comm "
                "maxwell/backend maxwell/backend/frame maxwell/problem maxwell/time maxwell/terms",
}

# What is behind a seam: (header, the folder that may include it, why).
ONLY = [
    ("gmshc.h", "libdg/mesh/gmsh", "only curlew-mesh links Gmsh"),
    ("lua.h", "maxwell/shell/script", "the solver knows no script"),
    ("silo.h", "libdg/io/silo", "snapshots have other writers, too"),
    ("harminv.h", "maxwell/resonance", "it is loaded by name when it is wanted"),
    ("mpi.h", "libdg/comm", "ranks talk through libdg/comm/comm.h"),
    ("cuda_runtime.h", "gpu/runtime", "gpu/runtime/runtime.h has what CUDA and HIP share"),
]

# Kinds of terms are named in their own folders. The files of the second list still name them: it shall become shorter.
KIND = re.compile(r"\bmx_\w*?(?:skin|film|sheet|ferrite|graphene)\w*|\bMX_(?:SKIN|FERRITE|STATE_OF_SKINS)\w*|"
                  r"\b(?:skin|sheet)_faces?\b|mx_responses\[[^\n]*\]->layer\b|->(?:skin|sheet)\[")
NAMES_KINDS = ("maxwell/model", "maxwell/terms", "maxwell/response", "gpu/terms", "gpu/kernels/skins")
STILL_NAMES_KINDS = """
    maxwell/measure/loss.c maxwell/operator/operator_body.h maxwell/output/powers/powers.c maxwell/problem/flux.h
    maxwell/problem/problem.c maxwell/problem/problem.h maxwell/setup/setup_mesh.c
""".split()

INTEGRATOR = re.compile(r"\bMX_(?:LEAPFROG|RK4|LSRK|EULER)\b")
NAMES_INTEGRATORS = ("maxwell/model", "maxwell/time", "maxwell/app")

FEW = 2  # sources of a folder between which calls may go round
CALL_CIRCLES = {"maxwell/capi", "maxwell/heat"}

# Headers that declare functions of several sources today.
SHARED_HEADERS = set("""
gpu/elliptic/kernels.h
gpu/kernels/curves.h
gpu/kernels/kernels.h
libdg/comm/comm.h
libdg/field/elliptic.h
libdg/files/ledger.h
libdg/mesh/curve.h
libdg/mesh/load/gmsh_model.h
libdg/mesh/mesh.h
libdg/mesh/parts/msh_parts.h
libdg/mesh/parts/partition.h
maxwell/app/bench.h
maxwell/capi/curlew.h
maxwell/capi/guard.h
maxwell/capi/stepped.h
maxwell/check/survey.h
maxwell/far/far_field.h
maxwell/heat/heat_work.h
maxwell/model/config.h
maxwell/model/config_read.h
maxwell/phasor/phasors.h
maxwell/record/recorder.h
maxwell/response/pole_rows.h
maxwell/shell/rules/rules.h
maxwell/sources/faces/port_shape.h
maxwell/sources/port.h
maxwell/sources/port_state.h
maxwell/sources/sources.h
maxwell/touch/touch_work.h
maxwell/transform/running.h
maxwell/worth/asked/asked.h
""".split())

SOURCE = re.compile(r"\.(?:cu\.in|cuh|cu|c|h)$")
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)  # and strings
# Functions that other sources may call, at the beginning of a line.
BEGINNING = r"^(?!static\b|typedef\b|return\b|else\b)[A-Za-z_][\w \t*]*?[ *](\w+)\s*\("
DEFINED = re.compile(BEGINNING + r"[^;{}]*?\)\s*\n?\{", re.M)
DECLARED = re.compile(BEGINNING + r"(?!\*)", re.M)
CALLED = re.compile(r"\b([a-z]\w+)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


class Source:
    """A file: what it includes by "" and by <>, its text, and its code, which is that without comments and strings."""

    def __init__(self, text):
        lines = INCLUDE.findall(text)
        self.own = [own for own, _ in lines if own]
        self.others = [other for _, other in lines if other]
        self.text = text
        self.code = COMMENT.sub("", text)


def read_sources():
    """{path: Source} of all sources but tests and fuzzers."""
    listed = subprocess.run(["git", "ls-files", "libdg", "maxwell", "gpu"], capture_output=True, text=True, check=True)
    found = {}
    for path in listed.stdout.split():
        if not SOURCE.search(path) or "/tests/" in path or "/fuzz/" in path or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            found[path] = Source(file.read())
    return found


def check_arrows(sources):
    for path, source in sources.items():
        folder = os.path.dirname(path)
        if folder not in MAY:
            yield f"{path}: the folder {folder} is not in the table MAY of share/tools/layers.py: give it a place there"
            continue
        for header in source.own:
            other = os.path.dirname(header)
            if other == folder or any(other == may or may.endswith("*") and other.startswith(may[:-1])
                                      for may in MAY[folder].split()):
                continue
            yield (f"{path} includes {header}, but {folder} must not know {other}: move the code that needs it up, "
                   f"hand it over as a value or a function, or move what both need down")


def units(sources):
    """{path: unit}: x.c and x.h are one; a header without a source of its own belongs to the longest unit that its
    name begins with."""
    stems = {path: SOURCE.sub("", path) for path in sources}
    with_source = {stem for path, stem in stems.items() if not path.endswith((".h", ".cuh"))}
    unit = {}
    for path, stem in stems.items():
        unit[path] = stem
        while stem not in with_source and "_" in os.path.basename(stem):
            stem = stem.rsplit("_", 1)[0]
            if stem in with_source or stem + ".h" in sources:
                unit[path] = stem
    return unit


def circles_of(arrows):
    """The circles of {from: {to}}, each a sorted list: Tarjan's strongly connected components."""
    index, low, stack, circles = {}, {}, [], []

    def visit(at):
        index[at] = low[at] = len(index)
        stack.append(at)
        for to in arrows.get(at, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == index[at]:
            part = stack[stack.index(at):]
            del stack[stack.index(at):]
            if len(part) > 1:
                circles.append(sorted(part))

    sys.setrecursionlimit(10000)
    for at in list(arrows):
        if at not in index:
            visit(at)
    return circles


def check_circles(sources):
    unit = units(sources)
    arrows = collections.defaultdict(set)
    for path, source in sources.items():
        arrows[unit[path]] |= {unit[header] for header in source.own if header in unit} - {unit[path]}
    for circle in circles_of(arrows):
        yield (f"circle: {' '.join(circle)}: put what two of them share into a unit of its own below both, or hand "
               f"it over as an argument")


def functions(sources):
    """{function: the source that defines it}, of those that others may call."""
    return {name: path for path, source in sources.items() if path.endswith((".c", ".cu"))
            for name in DEFINED.findall(source.code)}


def check_calls(sources):
    where = functions(sources)
    count = collections.Counter(os.path.dirname(path) for path in sources if path.endswith((".c", ".cu")))
    arrows = collections.defaultdict(set)
    for path, source in sources.items():
        folder = os.path.dirname(path)
        if count[folder] <= FEW or not path.endswith((".c", ".cu")):
            continue
        arrows[path] = {where[name] for name in set(CALLED.findall(source.code)) if name in where
                        and os.path.dirname(where[name]) == folder} - {path}
    found = circles_of(arrows)
    for circle in found:
        if os.path.dirname(circle[0]) not in CALL_CIRCLES:
            yield (f"circle of calls: {' '.join(circle)}: move what one of them is called back for to a file of its "
                   f"own, or hand it over as a function")
    for folder in sorted(CALL_CIRCLES - {os.path.dirname(circle[0]) for circle in found}):
        yield f"calls in {folder} go round no more: take it out of CALL_CIRCLES in share/tools/layers.py"


def check_headers(sources):
    where = functions(sources)
    shared = set()
    for path, source in sources.items():
        if not path.endswith(".h"):
            continue
        homes = sorted({where[name] for name in DECLARED.findall(source.code) if name in where})
        if len(homes) > 1:
            shared.add(path)
            if path not in SHARED_HEADERS:
                yield f"{path} declares functions of {' and '.join(homes)}: give each source a header"
    for path in sorted(SHARED_HEADERS - shared):
        yield f"{path} declares functions of one source: take it out of SHARED_HEADERS in share/tools/layers.py"


def check_sizes(sources):
    count = collections.Counter(os.path.dirname(path) for path in sources)
    for folder, number in sorted(count.items()):
        if number > MOST:
            yield f"{folder} has {number} sources side by side, more than {MOST}: find the two rooms that it is"


def check_seams(sources):
    for path, source in sources.items():
        for header, folder, why in ONLY:
            if header in source.others and not os.path.dirname(path).startswith(folder):
                yield f"{path} includes <{header}>, which belongs to {folder} alone: {why}"


def check_integrators(sources):
    for path, source in sources.items():
        if os.path.dirname(path) in NAMES_INTEGRATORS:
            continue
        found = INTEGRATOR.search(source.text)
        if found:
            yield (f"{path} names {found.group(0)}: ask maxwell/time/schedule.h for the property that is meant "
                   f"(mx_staggered), or give it one")


def check_kinds(sources):
    for path in sources:
        if path.startswith(NAMES_KINDS):
            continue
        with open(path, encoding="utf-8") as file:
            found = KIND.search(file.read())
        if found and path not in STILL_NAMES_KINDS:
            yield (f"{path} names {found.group(0)}: walk over the rows of maxwell/terms, or give them the property that "
                   f"is meant")
        if not found and path in STILL_NAMES_KINDS:
            yield f"{path} names no kind of term any more: take it off STILL_NAMES_KINDS"


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    sources = read_sources()
    checks = (check_arrows, check_circles, check_calls, check_headers, check_sizes, check_seams, check_integrators, check_kinds)
    lines = [line for check in checks for line in check(sources)]
    print("\n".join(lines) if lines else f"{len(sources)} sources in {len(MAY)} folders: all arrows point down")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
