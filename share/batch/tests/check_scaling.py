"""curlew-scaling without Slurm: points, messages, runs on this machine, medians, the model.

    check_scaling.py CURLEW [FOLDER]
Exits 77 (skipped) when python3-matplotlib or mpirun is missing.
"""
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
try:
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not shutil.which("mpirun"):
    print("skipped: there is no mpirun")
    sys.exit(77)
BATCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = os.path.join(BATCH, "curlew-scaling")
sys.path.insert(0, BATCH)
from scaling.model import predict, surface  # noqa: E402
from scaling.study import box  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, program=SCRIPT, environment=None):
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout, done.stderr


def refuses(code, what, *arguments, environment=None):
    found, _, message = run(*arguments, environment=environment)
    check(found == code and message.count("\n") == 1 and what in message, f"{arguments}: {found}, {message!r}")


def rows(study):
    with open(os.path.join(study, "scaling.csv"), newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def is_picture(path):
    with open(path, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n" and os.path.getsize(path) > 20000


def check_messages(folder, curlew):
    study, make = os.path.join(folder, "wrong"), ("make", os.path.join(folder, "wrong"), "--curlew", curlew)
    refuses(2, "--mapping 'core' is unknown (there are socket, numa, l3cache, none)", *make, "--elements", "500", "--ranks", "1",
            "--mapping", "socket,core")
    refuses(2, "--ranks must be a list such as 1,2,4 or 1..3, not 'two'", *make, "--elements", "500", "--ranks", "two")
    refuses(2, "--order must lie between 1 and 8, not '9'", *make, "--elements", "500", "--ranks", "1", "--order", "3,9")
    refuses(2, "--ranks '1,1' names a value twice", *make, "--elements", "500", "--ranks", "1,1")
    refuses(2, "give one of --elements and --unknowns", *make, "--ranks", "1")
    refuses(2, "100 elements cannot be split into 1000 ranks", *make, "--elements", "100", "--ranks", "1000")
    refuses(2, "there is no program '/nowhere/curlew'", *make[:2], "--curlew", "/nowhere/curlew", "--elements", "500",
            "--ranks", "1")
    refuses(2, "--set order: use --order", *make, "--elements", "500", "--ranks", "1", "--set", "order=3")
    refuses(2, "there is no script 'nowhere.lua'", *make, "--script", "nowhere.lua", "--ranks", "1")
    refuses(2, "srun knows only", *make, "--elements", "500", "--ranks", "1", "--launcher", "srun", "--mapping", "numa")
    refuses(2, "--time must look like", *make, "--elements", "500", "--ranks", "1", "--time", "soon")
    refuses(2, "is not a study", "submit", folder)
    refuses(2, "is not empty and is no study", "make", BATCH, "--curlew", curlew, "--elements", "500", "--ranks", "1")
    refuses(2, "--rate must be a number above 0, not '-1'", "predict", "--elements", "1e6", "--ranks", "8", "--rate=-1",
            "--latency", "1e-6", "--bandwidth", "1e9")
    check(not os.path.exists(study), "what is refused leaves no folder behind")


def check_runs(folder, curlew):
    """Two sizes on one rank, three repetitions, in a folder whose name has a blank."""
    study = os.path.join(folder, "a study")
    make = ("make", study, "--curlew", curlew, "--elements", "300,2000", "--ranks", "1", "--order", "2", "--steps", "20")
    code, text, message = run(*make)
    check(code == 0 and "2 points of 3 repetitions" in text, f"make: {code}, {text}{message}")
    check(run(*make)[0] == 0, "the same study again")
    refuses(2, "is a study with other parameters: steps is 20, not 30", *make[:-1], "30")
    refuses(2, "the model needs both --latency and --bandwidth", "collect", study, "--latency", "1e-6")
    refuses(3, "there is no sbatch in PATH", "submit", study, environment={"PATH": folder})
    code, text, message = run("collect", study)
    check(code == 1 and text.count("not submitted") == 2, f"nothing has run: {code}, {text}{message}")
    code, text, message = run("submit", study, "--local")
    check(code == 0 and text.count(": runs") == 2, f"submit: {code}, {text}{message}")
    code, text, message = run("collect", study, "--latency", "1e-6", "--bandwidth", "1e9")
    found = rows(study)
    check(code == 0 and len(found) == 2 and is_picture(os.path.join(study, "scaling.png")), f"collect: {code}, {text}{message}")
    for wanted, row in zip((300, 2000), found.values()):
        summaries = []
        for i in (1, 2, 3):
            with open(os.path.join(study, "points", row["name"], f"run_{i}", "summary.json"), encoding="utf-8") as file:
                summaries.append(json.load(file))
        check(row["status"] == "done" and row["detail"] == "", f"{row['name']}: {row['status']}, {row['detail']}")
        check(abs(float(row["loop_seconds"]) / statistics.median(s["loop_seconds"] for s in summaries) - 1) < 1e-5,
              f"{row['name']}: the median of three")
        check(abs(int(row["elements"]) / wanted - 1) < 0.15, f"{row['elements']} elements for {wanted}")
        check(float(row["efficiency"]) == 1 and 0.5 < float(row["measured_over_model"]) < 2, f"alone: {row}")
    # A run that was killed, and one that is not what was asked for, are found, named, and run again alone.
    first, second = (os.path.join(study, "points", name) for name in found)
    edit(os.path.join(first, "run_2", "summary.json"), status="running")
    edit(os.path.join(second, "run_3", "summary.json"), ranks=4)
    kept = os.stat(os.path.join(first, "run_1", "summary.json")).st_mtime_ns
    code, text, _ = run("collect", study)
    check(code == 1 and 'run 2: status "running", and nobody runs it' in text, f"a killed run: {code}, {text}")
    check("run 3: ran with ranks 4 instead of 1" in text and "0 of 2 points" in text, f"another number of ranks: {text}")
    check([row["status"] for row in rows(study).values()] == ["failed", "failed"], "failed rows stay in the CSV file")
    code, text, _ = run("submit", study, "--local")
    check(code == 0 and run("collect", study)[0] == 0, f"again: {code}, {text}")
    check(os.stat(os.path.join(first, "run_1", "summary.json")).st_mtime_ns == kept, "a run that is done is not run again")
    check(run("submit", study, "--local")[1].count(": done") == 2, "nothing is left to run")


def edit(path, **values):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**content, **values}, file)


def check_script(folder, curlew):
    """A script of the user's, weak: the mesh size follows the ranks; an error of curlew is passed on."""
    script, study = os.path.join(folder, "mine.lua"), os.path.join(folder, "mine")
    shutil.copy(os.path.join(BATCH, "cavity.geo"), folder)
    with open(script, "w", encoding="utf-8") as file:
        file.write("simulation { mesh = { file = 'cavity.geo', size = 1 }, order = args.p,"
                   " time = { stop = 1e-6 }, materials = { inside = {} }, boundaries = { walls = { kind = 'pec' } } }\n")
    code, text, message = run("make", study, "--curlew", curlew, "--kind", "weak", "--script", script, "--mesh-size", "0.4",
                              "--ranks", "1,8", "-D", "p=1", "--set", "time.cfl=0.5", "--steps", "3", "--repetitions", "1")
    check(code == 0, f"make: {text}{message}")
    with open(os.path.join(study, "study.json"), encoding="utf-8") as file:
        points = json.load(file)["points"]
    check(["--set=mesh.size=0.2" in point["options"] for point in points] == [False, True], f"sizes: {points}")
    if len(os.sched_getaffinity(0)) < 8:
        refuses(2, "needs 8 cores, this machine has", "submit", study, "--local")
    edit_points = [{**points[0], "options": [*points[0]["options"], "--set=nonsense=1"]}, points[0]]
    edit_points[1]["name"] += "_right"
    edit(os.path.join(study, "study.json"), points=edit_points)
    code, text, _ = run("submit", study, "--local")
    check(code == 1 and text.count("failed: run 1: ") == 1 and "nonsense" in text, f"curlew's own message: {code}, {text}")
    check(run("collect", study)[0] == 1 and [row["status"] for row in rows(study).values()] == ["failed", "done"], "one of two")


def check_arithmetic(folder, curlew):
    """Speed-up, efficiency and shares of a strong study whose summaries are written here."""
    study = os.path.join(folder, "numbers")
    run("make", study, "--curlew", curlew, "--elements", "1000", "--ranks", "2,4,16", "--repetitions", "3", "--steps", "10")
    with open(os.path.join(study, "study.json"), encoding="utf-8") as file:
        points = json.load(file)["points"]
    for point, loops in zip(points, ((8.0, 9.0, 1.0), (5.0, 4.0, 4.0))):
        for i, loop in enumerate(loops):
            path = os.path.join(study, "points", point["name"], f"run_{i + 1}")
            os.makedirs(path)
            with open(os.path.join(path, "summary.json"), "w", encoding="utf-8") as file:
                json.dump({"status": "done", "ranks": point["ranks"], "threads": 1, "order": 3, "steps": 10, "elements": 1000,
                           "unknowns": 120000, "loop_seconds": loop, "dof_per_second": 1.2e6 / loop, "peak_memory_bytes": 1,
                           "seconds": {"halo": 1.0, "meshing": 0, "setup": 0, "output": 0}, "integrator": "leapfrog",
                           "precision": "double", "backend": "cpu"}, file)
    code, text, _ = run("collect", study)
    two, four, last = rows(study).values()
    check(code == 1 and "2 of 3 points are done" in text and last["status"] == "not submitted", f"{code}, {text}")
    check((two["speedup"], two["efficiency"], two["loop_seconds"]) == ("2", "1", "8"), f"the base: {two}")
    check((four["speedup"], four["efficiency"]) == ("4", "1") and four["halo_share"] == "0.25", f"twice the ranks: {four}")
    check((four["loop_seconds_min"], four["loop_seconds_max"], four["halo_seconds_per_step"]) == ("4", "5", "0.1"), f"{four}")


def check_jobs(folder, curlew):
    """What Slurm gets: the template's words, the launcher's options, an edited template."""
    study = os.path.join(folder, "jobs")
    run("make", study, "--curlew", curlew, "--elements", "1000", "--ranks", "1,6", "--threads", "2", "--mapping", "l3cache,none",
        "--ranks-per-node", "4", "--time", "1:00:00", "--sbatch=--partition=long", "--setup", "module load openmpi")
    run("submit", study, "--dry-run")

    def job(name):
        with open(os.path.join(study, "points", name, "job.sh"), encoding="utf-8") as file:
            return file.read()

    text = job("p3_k1000_r6_t2_l3cache")
    for line in ("#SBATCH --ntasks=6\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --time=1:00:00\n", "#SBATCH --partition=long\n",
                 "#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=4\n", "\nmodule load openmpi\n",
                 "export OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=close\n",
                 "  mpirun -n 6 --map-by l3cache:PE=2 --bind-to core "):
        check(line in text, f"{line!r} in {text}")
    free = job("p3_k1000_r1_t2_none")
    check("OMP_PROC_BIND=false" in free and "#SBATCH --nodes=1\n" in free, f"not bound: {free}")
    check(subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0, "bash reads it")
    with open(os.path.join(study, "job"), "a", encoding="utf-8") as file:
        file.write("# @RANK@\n")
    refuses(2, "has the word @RANK@, which is unknown", "submit", study, "--dry-run")
    cards = os.path.join(folder, "cards")
    refuses(2, "--gpus is for --backend cuda, not cpu", "make", cards, "--curlew", curlew, "--elements", "1000", "--ranks", "2",
            "--gpus", "--backend", "cpu")
    run("make", cards, "--curlew", curlew, "--elements", "1000", "--ranks", "2", "--gpus", "--launcher", "srun")
    run("submit", cards, "--dry-run")
    with open(os.path.join(cards, "points", "p3_k1000_r2_t1_socket", "job.sh"), encoding="utf-8") as file:
        text = file.read()
    for line in ("#SBATCH --ntasks=2\n", "#SBATCH --gpus-per-task=1\n", "#SBATCH --gpu-bind=none\n",
                 "  srun --mpi=pmix --ntasks=2 --cpus-per-task=1 --gpu-bind=none ", " --set=backend=cuda "):
        check(line in text, f"{line!r} in {text}")
    check("--gpu" not in free, "no GPU where none is asked for")


def check_model():
    alone = predict(1e6, 1, 3, 1e8, 1e-6, 1e9)
    check(abs(alone["step_seconds"] - 1e6 * 120 / 1e8) < 1e-12 and alone["shared_faces"] == 0, f"one rank: {alone}")
    many = predict(1e6, 1000, 3, 1e8, 2e-6, 1e9, imbalance=1, copy=1e10, reductions=0.5)
    faces, size = 4.8 * 100, 4.8 * 100 * 2 * 10 * 8
    check(abs(many["shared_faces"] - faces) < 1e-6 and abs(many["halo_bytes_per_step"] - 2 * size) < 1e-3, f"a thousand: {many}")
    step = 1000 * 120 / 1e8 + 2 * 2 * size / 1e10 + 0.5 * 2 * 10 * 2e-6  # the interior hides 2 (20 peers x 2 us + 77 us)
    check(abs(many["step_seconds"] - step) < 1e-9 and many["exposed_seconds"] == 0, f"{many['step_seconds']}, not {step}")
    slow = predict(1e6, 1000, 3, 1e8, 2e-3, 1e9)
    check(slow["exposed_seconds"] > 0.05, f"a slow network shows: {slow}")
    check(predict(1e6, 8, 3, 1e8, 1e-6, 1e9, "lsrk")["halo_bytes_per_step"]
          == 5 * predict(1e6, 8, 3, 1e8, 1e-6, 1e9)["halo_bytes_per_step"], "lsrk sends both fields five times")
    check(abs(surface(1000, 10**9) - 480) < 1e-9 and surface(1000, 2) < 150, "surface of inner parts, and of halves")
    check(all(abs(box(n)[3] / n - 1) < 0.12 for n in range(300, 3000, 50)), "boxes of nearly every size")
    code, text, _ = run("predict", "--kind", "weak", "--elements", "1e4", "--ranks", "1,1000", "--rate", "1e8",
                        "--latency", "2e-6", "--bandwidth", "1e9")
    check(code == 0 and text.count("\n") == 3, f"predict: {code}, {text}")


def check_installed(folder):
    """Found from bin, through share/curlew/batch."""
    shutil.copytree(BATCH, os.path.join(folder, "share", "curlew", "batch"))
    os.makedirs(os.path.join(folder, "bin"))
    program = os.path.join(folder, "bin", "curlew-scaling")
    shutil.move(os.path.join(folder, "share", "curlew", "batch", "curlew-scaling"), program)
    code, text, message = run("--help", program=program)
    check(code == 0 and "predict" in text, f"installed: {code}, {message}")


def main():
    curlew = os.path.abspath(sys.argv[1])
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        check_model()
        check_messages(folder, curlew)
        check_jobs(folder, curlew)
        check_arithmetic(folder, curlew)
        check_runs(folder, curlew)
        check_script(folder, curlew)
        check_installed(folder)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
