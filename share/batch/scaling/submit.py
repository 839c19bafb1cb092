"""Starts the points of a study, under Slurm or here, and says how far each has come."""
import os
import shutil
import subprocess

from scaling.common import MachineError, UserError, read_json, write
from scaling.study import job, load


def point_folder(folder, point):
    return os.path.join(folder, "points", point["name"])


def queued_jobs():
    """{job: state} of this user's jobs that have not ended; None where there is no Slurm."""
    if not shutil.which("squeue"):
        return None
    done = subprocess.run(["squeue", "--me", "--noheader", "--format=%i %T"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"squeue says: {first_line(done.stderr)}")
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if " " in line)


def first_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip(" -*")]
    return lines[0] if lines else "nothing"


def job_number(folder):
    try:
        with open(os.path.join(folder, "job_id"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return None


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def wrong_run(summary, point, settings):
    """How a run that ended well differs from the point that it was to be, or None."""
    gpus = settings.get("gpus")  # on them one thread of the host works on the fields, whatever it may have
    wanted = {"ranks": point["ranks"], "threads": None if gpus else point["threads"], "order": point["order"],
              "steps": settings["steps"], "precision": settings["precision"], "integrator": settings["integrator"],
              "backend": "cuda" if gpus else None}
    for key, value in wanted.items():
        if value is not None and summary.get(key) != value:
            return f"ran with {key} {summary.get(key)} instead of {value}"
    return None


def run_fault(folder, i, point, settings):
    """What is wrong with repetition i, or None."""
    summary = read_json(os.path.join(folder, f"run_{i}", "summary.json"))
    if summary and summary.get("status") == "done":
        wrong = wrong_run(summary, point, settings)
        return f"run {i}: {wrong}" if wrong else None
    log, code = read_text(os.path.join(folder, f"run_{i}.log")), read_text(os.path.join(folder, f"run_{i}.exit")).strip()
    if summary and summary.get("error"):
        return f"run {i}: {summary['error']}"
    for line in log.splitlines():
        if line.startswith("curlew: "):
            return f"run {i}: {line[len('curlew: '):]}"
    if code not in ("", "0"):
        return f"run {i}: exit code {code}: {first_line(log)}"
    if summary:
        return f"run {i}: status \"{summary.get('status')}\", and nobody runs it"
    return f"run {i}: no summary.json" if os.path.exists(os.path.join(folder, f"run_{i}.log")) else f"run {i} was not started"


def state(study, point, settings, queued):
    """('done' | 'queued' | 'not submitted' | 'failed', why)."""
    folder = point_folder(study, point)
    faults = [fault for fault in (run_fault(folder, i + 1, point, settings) for i in range(settings["repetitions"])) if fault]
    if not faults:
        return "done", ""
    number = job_number(folder)
    if number and queued and number in queued:
        return "queued", f"job {number} is {queued[number].lower()}"
    if number is None and not os.path.exists(os.path.join(folder, "job.out")):
        return "not submitted", ""
    if number and queued is None:
        return "failed", f"{faults[0]} (no squeue could be asked about job {number})"
    out = read_text(os.path.join(folder, "job.out")).strip()  # Slurm says there why it ended a job
    return "failed", faults[0] + (f" (job.out: {out.splitlines()[-1]})" if out else "")


def cores():
    return len(os.sched_getaffinity(0))


def write_job(folder, text):
    path = os.path.join(folder, "job.sh")
    write(path, text)
    os.chmod(path, 0o755)


def clear(folder, point, settings):
    """Makes place for the repetitions that are to be run; the job leaves alone those that are done."""
    old = ["job.out", "job_id"]
    for i in range(settings["repetitions"]):
        if run_fault(folder, i + 1, point, settings):
            shutil.rmtree(os.path.join(folder, f"run_{i + 1}"), ignore_errors=True)
            old += [f"run_{i + 1}.log", f"run_{i + 1}.exit"]
    for name in old:
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def run_here(folder, point, text):
    """With bash, to its end."""
    print(f"  {point['name']}: runs", flush=True)
    write_job(folder, text)
    with open(os.path.join(folder, "job.out"), "wb") as out:
        subprocess.run(["bash", "job.sh"], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)


def sbatch(folder, point, text):
    write_job(folder, text)
    done = subprocess.run(["sbatch", "--parsable", f"--chdir={os.path.abspath(folder)}", os.path.join(folder, "job.sh")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"sbatch refuses {point['name']}: {first_line(done.stderr)}")
    number = done.stdout.strip().split(";")[0]
    write(os.path.join(folder, "job_id"), number + "\n")
    print(f"  {point['name']}: job {number}")


def submit(options):
    manifest = load(options.study)
    settings = manifest["settings"]
    if options.oversubscribe and not options.local:
        raise UserError("--oversubscribe is for --local")
    if not options.local and not options.dry_run and not shutil.which("sbatch"):
        raise MachineError("there is no sbatch in PATH: this is no machine with Slurm; --local runs the points here, "
                           "without it")
    if options.local and not options.dry_run and not shutil.which("mpirun"):
        raise MachineError("there is no mpirun in PATH")
    try:
        queued = queued_jobs()
    except MachineError:
        if not options.local and not options.dry_run:
            raise
        queued = None
    left = []
    for point in manifest["points"]:
        kind, why = state(options.study, point, settings, queued)
        if kind in ("done", "queued"):
            print(f"  {point['name']}: {why or kind}")
        else:
            left.append(point)
    crowded = {point["name"] for point in left if options.local and point["ranks"] * point["threads"] > cores()}
    if crowded and not options.oversubscribe:
        point = next(point for point in left if point["name"] in crowded)
        raise UserError(f"{point['name']} needs {point['ranks'] * point['threads']} cores, this machine has {cores()}; "
                        "--oversubscribe runs it all the same, without binding")
    for point in left:
        folder = point_folder(options.study, point)
        os.makedirs(folder, exist_ok=True)
        text = job(options.study, manifest, point, options.local, point["name"] in crowded)
        if options.dry_run:
            write_job(folder, text)
            print(f"  {point['name']}: {folder}/job.sh is written, not submitted")
            continue
        clear(folder, point, settings)
        (run_here if options.local else sbatch)(folder, point, text)
    failed = 0
    if options.local and not options.dry_run:
        for point in left:
            kind, why = state(options.study, point, settings, None)
            if kind != "done":
                failed += 1
                print(f"  {point['name']}: {kind}: {why}")
    return 1 if failed else 0
