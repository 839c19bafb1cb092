#!/usr/bin/env python3
"""Checks the completions against the program: check_completions.py CURLEW FOLDER (of completions.py).

What they offer, the program takes; what it takes, they offer: for every command, from the sources of maxwell/app and
share/lua/commands, and from the --help of the programs in Python. Bash is asked as it asks when somebody presses Tab;
zsh and fish read their files if they are there. Exit code 0, or 1 with a line for each difference.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ALWAYS = {"-h", "--help", "-V", "--version"}  # offered in place of a command


def ask_bash(folder, *words):
    """What bash offers for the last of the words."""
    script = (f"source '{folder}/curlew'; COMP_WORDS=({' '.join(repr(word) for word in words)}); "
              f"COMP_CWORD={len(words) - 1}; _curlew; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if line}


def source(name, folder=os.path.join("maxwell", "app")):
    with open(os.path.join(ROOT, folder, name), encoding="utf-8") as file:
        return file.read()


def options_of_sources():
    """{command: options} as the sources compare words with them, and as the programs in Python say with --help."""
    lua = os.path.join("share", "lua", "commands")
    shared = set(re.findall(r'"(--[a-z0-9-]+)"', re.search(r"option_names\[\] = \{(.*?)\};", source("options.c"), re.S)[1]))
    return {"run, check and info": shared, "bench": set(re.findall(r'"(--[a-z0-9-]+)"', source("bench_options.c"))),
            "new": set(re.findall(r'"(--[a-z0-9-]+)"', source("new.lua", lua))),
            "fit": set(re.findall(r'"(--[a-z0-9-]+)"', source("fit.lua", lua)))}


def takes(curlew, command, option):
    """Does the program know the option? What follows is wrong, so that nothing is run."""
    before = [] if command in ("bench", "info") else ["x"]
    done = subprocess.run([curlew, command, *before, option, "--nonsense", "--nonsense"], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode != 2:
        return False
    return not re.search(rf"(?:unknown option '|unexpected argument '|unrecognized arguments: ){option}", done.stderr)


def differences(curlew, folder):
    commands = ask_bash(folder, "curlew", "") - ALWAYS
    known = set(re.findall(r'\{"([a-z]+)",\s*MX_[A-Z]+\}', source("options.c"))) - {"help"}
    if commands != known:
        yield f"commands: the completions have {sorted(commands)}, options.c has {sorted(known)}"
    offered = {command: ask_bash(folder, "curlew", command, "-") for command in commands}
    for command, options in offered.items():
        for option in sorted(options):
            if not takes(curlew, command, option):
                yield f"curlew {command} does not know {option}, which the man page gives it"
    for command, options in options_of_sources().items():
        had = offered["run"] | offered["check"] | offered["info"] if "," in command else offered[command]
        for option in sorted(options - had - ALWAYS):
            yield f"curlew {command} takes {option}, which the SYNOPSIS of the man page lacks"
    for command in ("plot", "s"):
        if command in commands:
            said = subprocess.run([curlew, command, "--help"], capture_output=True, text=True, check=False).stdout
            for option in sorted(set(re.findall(r"^  (?:-\w(?: \w+)?, )?(--[a-z0-9-]+)", said, re.M)) - offered[command] - ALWAYS):
                yield f"curlew {command} takes {option}, which the SYNOPSIS of the man page lacks"


def words(folder):
    """Files and values: what bash offers behind some options."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("a.lua", "b.geo"):
            open(os.path.join(place, name), "w", encoding="utf-8").close()
        os.mkdir(os.path.join(place, "results"))
        os.chdir(place)
        kinds = {os.path.basename(path)[:-4] for path in glob.glob(os.path.join(ROOT, "share", "templates", "*.lua"))}
        for line, wanted in ((("run", ""), {"a.lua", "results"}), (("plot", ""), {"results"}),
                             (("run", "-o", ""), {"results"}), (("new", "demo", "--kind", ""), kinds),
                             (("plot", "results", "--format", ""), {"png", "svg"}), (("run", "--prof"), {"--profile"}),
                             (("bench", "--flux", "u"), {"upwind"}), (("ru",), {"run"})):
            got = ask_bash(folder, "curlew", *line)
            if got != wanted:
                yield f"curlew {' '.join(line)}<Tab> offers {sorted(got)}, not {sorted(wanted)}"
        os.chdir(folder)


def syntax(folder):
    for shell, name in (("bash", "curlew"), ("zsh", "_curlew"), ("fish", "curlew.fish")):
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", os.path.join(folder, name)], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                yield f"{shell} does not read {name}: {done.stderr.strip()}"


def main(arguments):
    curlew, folder = (os.path.abspath(word) for word in arguments)
    if shutil.which("bash") is None:
        print("skipped: there is no bash")
        return 77
    wrong = [*syntax(folder), *differences(curlew, folder), *words(folder)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
