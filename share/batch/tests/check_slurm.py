"""A study under a real Slurm, started here: submitted, cancelled in part, submitted again, collected.

    check_slurm.py CURLEW RANKS [FOLDER]
RANKS: such as 1 or 1,2. Exits 77 (skipped) where Slurm, munge or matplotlib are not installed, or without root.
"""
import csv
import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(os.path.dirname(HERE), "curlew-scaling")
from slurm import TOOLS, Slurm, find  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    print(f"$ curlew-scaling {' '.join(arguments)}\n{done.stdout}{done.stderr}", end="", flush=True)
    return done.returncode, done.stdout, done.stderr


def rows(study):
    with open(os.path.join(study, "scaling.csv"), newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def make(study, curlew, ranks, *more):
    code, text, _ = run("make", study, "--curlew", curlew, "--ranks", ranks, "--time", "5", *more)
    check(code == 0, f"make: {code}, {text}")


def number_of(study, name):
    with open(os.path.join(study, "points", name, "job_id"), encoding="utf-8") as file:
        return file.read().strip()


def check_study(slurm, study, curlew, ranks, launcher):
    """All points of a study, from make to the picture."""
    threads = "1" if "," in ranks else "1,2" if os.cpu_count() > 1 else "1"
    make(study, curlew, ranks, "--threads", threads, "--elements", "500,2000", "--order", "2", "--steps", "50",
         "--repetitions", "2", "--launcher", launcher)
    code, text, _ = run("submit", study)
    points = len(ranks.split(",")) * len(threads.split(",")) * 2
    check(code == 0 and text.count(": job ") == points, f"{points} jobs: {code}, {text}")
    jobs = set(slurm.jobs())
    code, text, _ = run("submit", study)
    check(code == 0 and set(slurm.jobs()) <= jobs, f"jobs that wait or run are not submitted again: {code}, {text}")
    slurm.wait_for("the jobs", lambda: not slurm.jobs(), 300)
    code, text, _ = run("collect", study, "--latency", "1e-6", "--bandwidth", "5e9")
    found = rows(study)
    check(code == 0 and len(found) == points and all(row["status"] == "done" for row in found.values()), f"{launcher}: {text}")
    for name, row in found.items():
        check(row["ranks"] in ranks.split(",") and float(row["dof_per_second"]) > 0 and row["steps"] == "50", f"{name}: {row}")
    with open(os.path.join(study, "scaling.png"), "rb") as file:
        check(file.read(8) == b"\x89PNG\r\n\x1a\n" and os.path.getsize(file.name) > 20000, "the picture")


def check_cancel(slurm, study, curlew):
    """One job is cancelled while it runs, one while it waits; both are named, and they alone are submitted again."""
    make(study, curlew, "1", "--elements", "500,1000,2000", "--order", "1", "--steps", "100", "--repetitions", "4")
    run("submit", study)
    first, second, third = (f"p1_k{elements}_r1_t1_socket" for elements in (500, 1000, 2000))
    summary = os.path.join(study, "points", first, "run_1", "summary.json")
    slurm.wait_for("the first run", lambda: os.path.exists(summary) or not slurm.jobs())
    slurm.output("scancel", number_of(study, first), number_of(study, third))
    slurm.wait_for("the jobs", lambda: not slurm.jobs(), 300)
    code, text, _ = run("collect", study)
    found = {name: row["status"] for name, row in rows(study).items()}
    check(code == 1 and found == {first: "failed", second: "done", third: "failed"}, f"two of three: {code}, {found}, {text}")
    check("1 of 3 points are done" in text and text.count(" failed: run") == 2 and "CANCELLED" in text, f"listed: {text}")
    kept = number_of(study, second)
    code, text, _ = run("submit", study)
    check(code == 0 and text.count(": job ") == 2 and f"{second}: done" in text, f"the two alone again: {code}, {text}")
    slurm.wait_for("the jobs", lambda: not slurm.jobs(), 300)
    code, text, _ = run("collect", study)
    check(code == 0 and "3 of 3 points are done" in text and number_of(study, second) == kept, f"complete: {code}, {text}")


def check_refusal(study, curlew):
    make(study, curlew, "1", "--elements", "500", "--sbatch=--partition=nowhere")
    code, _, message = run("submit", study)
    check(code == 3 and message.count("\n") == 1 and "invalid partition" in message.lower(), f"sbatch's own words: {message}")
    check(run("collect", study)[0] == 1 and rows(study)["p3_k500_r1_t1_socket"]["status"] == "not submitted", "refused")


def main():
    missing = [tool for tool in TOOLS if find(tool) is None]
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        missing.append("python3-matplotlib")
    if missing or os.geteuid() != 0:
        print(f"skipped: {'no ' + ', '.join(missing) if missing else 'not root'} (Debian: slurmctld slurmd slurm-client munge)")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that daemons are stopped
    curlew, ranks = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="curlew-slurm-") as folder, Slurm(folder) as slurm:
        check_study(slurm, os.path.join(folder, "mpirun"), curlew, ranks, "mpirun")
        check_study(slurm, os.path.join(folder, "srun"), curlew, ranks, "srun")
        check_cancel(slurm, os.path.join(folder, "cancel"), curlew)
        check_refusal(os.path.join(folder, "refusal"), curlew)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
