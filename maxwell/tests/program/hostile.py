#!/usr/bin/python3
"""Hostile geometries and scripts: hostile.py PROGRAM [--all | NAME...] runs every n-th case, all of them, or those whose
names contain a NAME.

None may start a program, read or write a file outside of its folder and the output, reach a network, or show what it must
not read. The witness is strace, which lists the system calls that the kernel carried out, of the program and of all that
it starts; without it, files and folders are compared before and after, which does not see what was read."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor

import hostile_cases
from harness import Failure, expect, fingerprint

WORKERS = int(os.environ.get("CURLEW_TEST_WORKERS", "2"))
EVERY = 5
CALLS = ("execve execveat open openat openat2 creat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat "
         "symlink symlinkat mknod mknodat chmod fchmodat chown lchown fchownat truncate utimensat connect bind ptrace mount "
         "chdir").split()
OPEN = re.compile(r'^(?:open|openat|openat2|creat)\((?:[^"<]*(?:<[^>]*>)?, )?"((?:[^"\\]|\\.)*)"(.*)\) += \d+(?:<(.*)>)?(?:\(deleted\))?$')
PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
SYSTEM = ("/lib/", "/lib64/", "/usr/", "/etc/ld.so.", "/etc/localtime", "/sys/devices/system/", "/proc/cpuinfo",
          "/proc/meminfo", "/proc/mounts", "/dev/null", "/dev/urandom", "/dev/zero")
OWN = re.compile(r"/proc/(?:self|\d+)/(?:fd|oom_score_adj|status|maps|mounts|mountinfo|stat|statm|cgroup)$|/sys/fs/cgroup/"
                 # Sanitizers look at themselves when a program starts.
                 + (r"|/proc/\d+/(?:cmdline|environ)$" if "ASAN_OPTIONS" in os.environ else ""))


class Witness:
    """Looks at what strace has written for one case."""

    def __init__(self, root, program, reads):
        self.root = os.path.realpath(root)
        self.programs = {os.path.realpath(program), os.path.join(os.path.dirname(os.path.realpath(program)), "curlew-mesh")}
        share = os.environ.get("CURLEW_SHARE", "")
        self.reads = [os.path.join(self.root, "case"), os.path.join(self.root, "out"), os.path.realpath(share or "/usr"),
                      *(os.path.join(self.root, name) for name in reads)]

    def below(self, path, folder):
        return path == folder or path.startswith(folder + "/")

    def may_read(self, path):
        return (path == self.root or any(self.below(path, folder) for folder in self.reads) or path.startswith(SYSTEM)
                or OWN.match(path) or re.search("/share/(lua|geo)(/|$)", path) or path in self.programs or self.rehearses(path))

    def may_write(self, path):
        return (self.below(path, os.path.join(self.root, "out")) or OWN.match(path) or path == "/dev/null"
                or self.rehearses(path))

    def rehearses(self, path):
        """The folder that `check` makes for itself, and removes."""
        return re.match(re.escape(self.root) + r"/\.curlew-check-\w{6}(/|$)", path)

    def full(self, path):
        return os.path.normpath(os.path.join(self.root, path))

    def opened(self, line):
        found = OPEN.match(line)
        expect(found, f"the test cannot read what strace says: {line}")
        path, flags = found.group(3) or self.full(found.group(1)), found.group(2)
        if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", flags) or line.startswith("creat("):
            expect(self.may_write(path), f"it wrote: {line}")
        elif "O_PATH" not in flags:  # with it nothing of the file is seen
            expect(self.may_read(path), f"it read: {line}")

    def look(self, line):
        if line.startswith(("---", "+++")) or re.search(r"\) += (-1|\?)", line):
            return
        call = line.split("(", 1)[0]
        expect(call in CALLS, f"the test cannot read what strace says: {line}")
        names = PATH.findall(line)
        if call in ("open", "openat", "openat2", "creat"):
            self.opened(line)
        elif call in ("execve", "execveat"):
            expect(os.path.realpath(self.full(names[0])) in self.programs, f"it started a program: {line}")
        elif call in ("connect", "bind", "ptrace", "mount", "chdir"):
            raise Failure(f"it called: {line}")
        else:
            for name in names:
                expect(self.may_write(self.full(name)), f"it changed: {line}")


def fill(case, root):
    for name, content in case["files"].items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = content if isinstance(content, bytes) else content.encode()
        with open(path, "wb") as file:
            file.write(content.replace(b"@ROOT@", root.encode()))
    for name, target in case["links"].items():
        os.symlink(target, os.path.join(root, name))


def check_words(case, root, code, text):
    expect(code in case["codes"], f"exit code {code}, not one of {case['codes']}: {text.strip()}")
    says = case["says"].replace("@ROOT@", os.path.realpath(root))
    expect(says in text, f"'{says}' is not in: {text.strip()}")
    expect(hostile_cases.SECRET not in text, f"it shows the secret: {text.strip()}")
    errors = [line for line in text.splitlines() if line.startswith("curlew: ") and "warning: " not in line]
    expect(len(errors) == (1 if code else 0), f"{len(errors)} lines of errors: {text.strip()}")


def check_files(root, before):
    for name, mark in before.items():
        expect(fingerprint(root).get(name) == mark, f"{name} was changed")
    for name in set(fingerprint(root)) - set(before):
        expect(name.split("/")[0] in ("out", "trace"), f"{name} was made")
    for folder, _, names in os.walk(os.path.join(root, "out")):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                expect(hostile_cases.SECRET.encode() not in file.read(), f"the secret is in {name}")


def run_case(program, case, strace):
    with tempfile.TemporaryDirectory(prefix="curlew_test_") as root:
        fill(case, root)
        os.mkdir(os.path.join(root, "trace"))
        before = fingerprint(root)
        command = [program, *case["arguments"]]
        if strace:
            command = [strace, "--seccomp-bpf", "-ff", "-y", "-qq", "-s", "8192", "-o", os.path.join(root, "trace", "of"),
                       "-e", "trace=" + ",".join("?" + call for call in CALLS), *command]
        try:
            done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
                                  env={**os.environ, "HOME": os.path.join(root, "home"), "OMP_NUM_THREADS": "1",
                                       "CURLEW_TEST_ENVIRONMENT": hostile_cases.SECRET})
        except subprocess.TimeoutExpired:
            raise Failure("still running after 120 s") from None
        check_words(case, root, done.returncode, (done.stdout + done.stderr).decode(errors="replace"))
        check_files(root, before)
        if not strace:
            return
        witness, lines = Witness(root, program, case["reads"]), 0
        for name in os.listdir(os.path.join(root, "trace")):
            with open(os.path.join(root, "trace", name), encoding="utf-8", errors="replace") as file:
                for line in file:
                    witness.look(line.rstrip("\n"))
                    lines += 1
        expect(lines > 10, "strace has seen nothing")


def attempt(program, case, strace):
    try:
        run_case(program, case, strace)
    except Failure as failure:
        return str(failure)
    except Exception:  # a broken test is a failed one, and the others still run
        return traceback.format_exc()
    return None


def find_strace():
    """strace, if it may look at other processes here."""
    path = shutil.which("strace")
    works = path and subprocess.run([path, "--seccomp-bpf", "-f", "-o", "/dev/null", "true"], check=False,
                                    capture_output=True).returncode == 0
    return path if works else None


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    cases = hostile_cases.CASES
    repeated = {case["name"] for case in cases if sum(case["name"] == other["name"] for other in cases) > 1}
    if repeated:
        sys.exit(f"names of cases are given twice: {sorted(repeated)}")
    if not wanted:
        cases = cases[::EVERY]
    elif wanted != ["--all"]:
        cases = [case for case in cases if any(part in case["name"] for part in wanted)]
    strace, failed = find_strace(), 0
    with ThreadPoolExecutor(WORKERS) as pool:
        for case, why in zip(cases, pool.map(lambda case: attempt(program, case, strace), cases)):
            if why:
                failed += 1
                print(f"FAILED: {case['name']}: {why}")
    print(f"{len(cases)} of {len(hostile_cases.CASES)} cases, {failed} failed; "
          + ("strace was the witness" if strace else "there is no strace: files were compared"))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
