"""Cases of bad_input.py: output folders, full disks, limits, broken standard output and several ranks."""
import os
import re
import resource
import shutil
import subprocess

import meshes
from harness import SCRIPT, Place, check_leftovers, check_message, edited, expect, fingerprint, on_ranks

CASES = []
ROOT = os.geteuid() == 0
RUN = ("run", "input/case.lua")


def own(name):
    """A case that is a function of the program; it returns why it was skipped, if it was."""
    def add(function):
        CASES.append({"name": name, "run": function})
        return function
    return add


def refused(place, says, *arguments, code=3, folder="case", **options):
    """folder: what must not look like a result afterwards; None if it was there before and is compared."""
    before = fingerprint(place.path("input"))
    result, _, err, _ = place.run(*(arguments or RUN), **options)
    if os.environ.get("CURLEW_TEST_SHOW") == "1":
        print(result, err, end="")
    check_message(err, says)
    expect(result == code, f"exit code {result}, not {code}: {err.strip()}")
    expect(fingerprint(place.path("input")) == before, "something changed in the folder of the script")
    if folder is not None:
        check_leftovers(place.path(folder))


# ---- the output folder

@own("parent of the output folder missing")
def _(program):
    with Place(program) as place:
        refused(place, "cannot make the output folder 'no/such/folder': No such file or directory", *RUN, "--output",
                "no/such/folder")
        expect(sorted(os.listdir(place.root)) == ["input"], "something was made")


@own("output folder that cannot be written")
def _(program):
    with Place(program) as place:
        if ROOT:  # root may write everywhere but where nobody can
            refused(place, re.compile("cannot make the output folder '/proc/curlew': .*"), *RUN, "--output",
                    "/proc/curlew")
            return
        os.mkdir(place.path("locked"), 0o555)
        refused(place, "cannot write to the output folder 'locked': Permission denied", *RUN, "--output", "locked")
        refused(place, "cannot make the output folder 'locked/case': Permission denied", *RUN, "-o", "locked/case")


@own("read-only file system")
def _(program):
    if not ROOT:
        return "needs root"
    with Place(program) as place:
        os.mkdir(place.path("disk"))
        with mounted(place.path("disk"), "size=1m,ro") as why:
            if why:
                return why
            refused(place, "cannot make the output folder 'disk/case': Read-only file system", *RUN, "-o", "disk/case")
    return None


@own("file in the way of the output folder")
def _(program):
    with Place(program, {"case": "precious"}) as place:
        refused(place, "cannot make the output folder 'case': a file of that name is in the way")
        expect(place_text(place, "case") == "precious", "the file was changed")


@own("file in the way of probes")
def _(program):
    with Place(program) as place:
        place.good(*RUN)
        shutil.rmtree(place.path("case/probes"))
        place.write("case/probes", "precious")
        before = fingerprint(place.path("case"))
        refused(place, "cannot make the output folder 'case/probes': a file of that name is in the way", folder=None)
        expect(fingerprint(place.path("case")) == before, "the output of the run before was changed")
        expect(place_text(place, "case/probes") == "precious", "the file was changed")


def place_text(place, name):
    with open(place.path(name), encoding="utf-8") as file:
        return file.read()


def foreign(name, *files, stranger=None):
    @own(name)
    def _(program):
        with Place(program, {f"case/{file}": text for file, text in files}) as place:
            before = fingerprint(place.path("case"))
            holds = stranger or files[0][0].split("/")[0]
            refused(place, f"the output folder 'case' holds '{holds}' and was not made by curlew; name another one "
                    "(name = or --output)", code=2, folder=None)
            expect(fingerprint(place.path("case")) == before, "the folder was changed")


foreign("folder with foreign files", ("thesis.tex", "all my work"))
foreign("folder with files named as ours", ("energy.csv", "of another program"))
foreign("folder with foreign probes", ("probes/a.csv", "of another program"))
foreign("folder with a foreign summary", ("summary.json", '{"of": "another program"}'))


@own("the folder of the script as output")
def _(program):
    with Place(program) as place:
        refused(place, re.compile("the output folder 'input' holds '.*' and was not made by curlew; .*"), *RUN, "-o",
                "input", code=2)


@own("bad input leaves an earlier run alone")
def _(program):
    with Place(program) as place:
        place.good(*RUN)
        before = fingerprint(place.path("case"))
        refused_at = {"output.probes.1.at={9,9,9}": 2, "time.step=1": 2, "materials.nothing.sigma=1": 2}
        for setting, code in refused_at.items():
            result, _, err, _ = place.run(*RUN, "--set", setting)
            expect(result == code and err.count("\n") == 1, f"{setting}: exit code {result}: {err}")
            expect(fingerprint(place.path("case")) == before, f"--set {setting} changed the output of the run before")
        place.write("input/case.lua", edited(SCRIPT, ("0, 0, x + y", "0, 0, x.y")))
        result, _, err, _ = place.run(*RUN)
        expect(result == 2, f"exit code {result}: {err}")
        expect(fingerprint(place.path("case")) == before, "a bad function changed the output of the run before")


# ---- full disks

class mounted:
    """A tmpfs for as long as the block lasts; enters as the reason why there is none, or None."""

    def __init__(self, folder, options):
        self.folder, self.options, self.done = folder, options, False

    def __enter__(self):
        if not ROOT:
            return "needs root to mount a small disk"
        result = subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "none", self.folder], check=False,
                                capture_output=True, text=True)
        self.done = result.returncode == 0
        return None if self.done else f"cannot mount: {result.stderr.strip()}"

    def __exit__(self, *_):
        if self.done:
            subprocess.run(["umount", self.folder], check=True)


def full(name, disk, says, *settings, leave=None):
    """A run on a disk of this size, all of which but `leave` bytes is taken before."""
    @own(name)
    def _(program):
        with Place(program) as place:
            os.mkdir(place.path("disk"))
            with mounted(place.path("disk"), disk) as why:
                if why:
                    return why
                if leave is not None:
                    fill(place.path("disk/ballast"), leave)
                refused(place, says, *RUN, "-o", "disk/case", *settings, folder="disk/case")
        return None


def fill(path, leave):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(os.path.getsize(path) // 4096 * 4096 - leave)


LONG = ("--set", "time.steps=20000", "--set", "output.fields=nil")
NO_SPACE = "No space left on device"
full("disk full at the energy", "size=200k", f"cannot write 'disk/case/energy.csv': {NO_SPACE}", *LONG,
     "--set", "output.probes=nil")
full("disk full at a probe", "size=200k", f"cannot write 'disk/case/probes/inside.csv': {NO_SPACE}", *LONG,
     "--set", "output.energy=nil")
full("disk full at the first snapshot", "size=100k",
     re.compile(rf"cannot write 'disk/case/fields_000000\.silo': {NO_SPACE}.*"))
full("disk full at a later snapshot", "size=600k",
     re.compile(rf"cannot write 'disk/case/fields_00\d+\.silo': {NO_SPACE}.*"), "--set", "time.steps=400")
full("disk full at the start", "size=64k", f"cannot write 'disk/case/.curlew/files_0000': {NO_SPACE}",
     leave=0)
# Files, not bytes, run out: the disk itself, two folders, lock, ledger and summary leave none for the ledger of the run,
# or with it and two folders none for the configuration, or the log.
full("disk full at the ledger", "size=1m,nr_inodes=6", f"cannot write 'disk/case/.curlew/files_0000': {NO_SPACE}")
full("disk full at the configuration", "size=1m,nr_inodes=8", f"cannot write 'disk/case/configuration.json': {NO_SPACE}")
full("disk full at the log", "size=1m,nr_inodes=9", f"cannot write 'disk/case/log.txt': {NO_SPACE}")


@own("log that cannot be written")
def _(program):
    with Place(program) as place:
        place.good(*RUN)
        os.remove(place.path("case/log.txt"))
        os.mkdir(place.path("case/log.txt"))
        refused(place, "'case/log.txt' is a folder, which curlew did not make: remove it or name another output folder", code=2,
                folder=None)


# ---- limits

def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@own("file-size limit at a snapshot")
def _(program):
    with Place(program) as place:
        refused(place, re.compile(r"cannot write 'case/fields_000000\.silo': File too large.*"), before=limited(50000))
        expect(not [name for name in os.listdir(place.path("case")) if "silo" in name], "a piece was left")


@own("file-size limit at the energy")
def _(program):
    with Place(program) as place:
        refused(place, "cannot write 'case/energy.csv': File too large", *RUN, *LONG, "--set", "output.probes=nil",
                before=limited(100000))
        expect(place.summary()["status"] == "failed", "the summary does not say so")
        expect("energy.csv" in place.summary()["error"], "the summary does not name the file")


def short(name, file, other, steps):
    """So few rows that they are written when the file is closed: more than the limit, and less than a buffer of 4096."""
    @own(name)
    def _(program):
        with Place(program) as place:
            place.good(*RUN)  # keeps the mesh, which would be the first file that is too large
            refused(place, f"cannot write 'case/{file}': File too large", *RUN, "--set", f"time.steps={steps}", "--set",
                    "output.fields=nil", "--set", f"output.{other}=nil", before=limited(3500))
            expect(place.summary()["status"] == "failed", "the summary does not say so")


short("file-size limit at the end of the energy", "energy.csv", "probes", 40)
short("file-size limit at the end of a probe", "probes/inside.csv", "energy", 24)


@own("out of memory")
def _(program):
    """Address space enough for the libraries and not for a mesh of order 8."""
    with Place(program, {"input/box.msh": meshes.box((20, 20, 20)).text()}) as place:
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))
        if os.environ.get("ASAN_OPTIONS") is not None or os.environ.get("LSAN_OPTIONS") is not None:
            return "the address sanitizer needs more address space than the limit"
        says = (r"out of memory: \d+\.\d+ MB were asked for while \d+\.\d+ MB were in use, with 48000 elements of order 8 "
                r"here, whose fields alone take 380\.160 MB")
        refused(place, re.compile(says), *RUN, "--set", "order=8", "--set", "output={}", before=little)
    return None


# ---- environment variables

NO_SET = re.compile(r"CURLEW_SIMD = 'nonsense' is no instruction set of this build \('portable'(, '\w+')*\)"
                    r"(, needed by backend = \"cpu\")?")


@own("instruction set that there is not")
def _(program):
    """No other set takes its place, nor does another backend."""
    bad = {"environment": {"CURLEW_SIMD": "nonsense"}}
    with Place(program) as place:
        for backend in ("auto", "cpu"):
            refused(place, NO_SET, *RUN, "--set", f"backend={backend}", **bad)
            refused(place, NO_SET, "check", "input/case.lua", "--set", f"backend={backend}", **bad)
        refused(place, NO_SET, "bench", "--order", "1", "--unknowns", "10000", **bad)
        expect("not available: CURLEW_SIMD = 'nonsense' is no" in place.good("info", **bad), "curlew info is silent")
        place.good(*RUN, "--set", "backend=reference", **bad)
        place.good(*RUN, "--set", "backend=cpu", environment={"CURLEW_SIMD": ""})


@own("instruction set of another processor")
def _(program):
    """A set that the build has is taken, or refused where the processor has not got it."""
    with Place(program) as place:
        names = re.findall(r"'(\w+)'", place.good("info", environment={"CURLEW_SIMD": "?"}).split("of this build")[1])
        expect("portable" in names, f"sets {names}")
        for name in names:
            says = place.good("info", environment={"CURLEW_SIMD": name})
            if f"CURLEW_SIMD = '{name}' is beyond this processor" in says:
                refused(place, re.compile(f"CURLEW_SIMD = '{name}' is beyond this processor, which has '.*' at most"), *RUN,
                        environment={"CURLEW_SIMD": name})
            else:
                here = re.search("here: (.*)", says).group(1).lower().replace("-", "")
                expect(here == name, f"{here} in the place of {name}")


# ---- standard output, ranks

@own("standard output full")
def _(program):
    with Place(program) as place, open("/dev/full", "wb") as nowhere:
        for arguments in (RUN, ("check", "input/case.lua"), ("info",), ("--help",), ("--version",)):
            code, _, err, _ = place.run(*arguments, stdout=nowhere)
            expect(code == 3, f"{arguments[0]}: exit code {code}")
            check_message(err, re.compile(f"cannot write to standard output(: {NO_SPACE})?"))


@own("one rank under mpirun")
def _(program):
    """Runs on several are in ranks_contract.py and ranks_failure.py."""
    if shutil.which("mpirun") is None:
        return "there is no mpirun"
    with Place(program) as place:
        place.good(*RUN, **on_ranks(1))
        expect(place.summary()["ranks"] == 1, "ranks in the summary")
    return None
