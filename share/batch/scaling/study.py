"""Makes a study: a folder with study.json (settings and points), the job's template, and for a built-in study the script.

STUDY/study.json, STUDY/job, STUDY/points/NAME/{job.sh, job_id, job.out, run_1/, run_1.log, run_1.exit, run_2/, ...}
"""
import json
import os
import re
import shlex
import shutil

from scaling.common import MachineError, UserError, integers, nodes, positive, read_json, words, write

MAPPINGS = ("socket", "numa", "l3cache", "none")
INTEGRATORS = ("leapfrog", "lsrk", "rk4")
LAUNCHERS = ("mpirun", "srun")
# Keys of the script that are options here: each may be set once.
OWN_KEYS = {"order": "--order", "backend": "--backend", "precision": "--precision", "time.steps": "--steps",
            "time.integrator": "--integrator", "mesh.size": "--mesh-size"}


def box(elements):
    """(intervals along x, y, z, tetrahedra to expect) of the nearly cubic box of Gmsh's tetrahedra that comes closest to
    a number of them. The count is a fit to boxes of 4 to 61 intervals a side (Gmsh 4.8), good to 3 % from 8 on."""
    def expected(sides):
        mean = sum(sides) / 3
        return sides[0] * sides[1] * sides[2] * (4.42 + 3.5 / mean + 18 / mean**2)

    side = 2
    while expected((side + 1,) * 3) < elements:
        side += 1
    sides = min(((side,) * 3, (side + 1, side, side), (side + 1, side + 1, side), (side + 1,) * 3),
                key=lambda s: abs(expected(s) - elements))
    return (*sides, round(expected(sides)))


def point_settings(settings):
    """Every combination, in the order of the table of results."""
    sizes = settings["elements"] or settings["unknowns"] or settings["mesh_size"] or [None]
    for order in settings["order"] or [None]:
        for size in sizes:
            for mapping in settings["mapping"]:
                for threads in settings["threads"]:
                    for ranks in settings["ranks"]:
                        yield order, size, mapping, threads, ranks


def points(settings):
    """What is run, one dictionary a job; `options` are those of curlew."""
    made = []
    for order, size, mapping, threads, ranks in point_settings(settings):
        point = {"ranks": ranks, "threads": threads, "mapping": mapping, "order": order, "size": size}
        options = [f"--set=order={order}"] if order else []
        name = [f"p{order}"] if order else []
        scale = ranks if settings["kind"] == "weak" else 1
        if settings["mesh_size"]:
            options.append(f"--set=mesh.size={size * scale ** (-1 / 3):.9g}")
            name.append(f"h{size:g}")
        elif size:
            wanted = scale * (size if settings["elements"] else size / (6 * nodes(order)))
            nx, ny, nz, expected = box(wanted)
            if expected < ranks:
                raise UserError(f"{wanted:.0f} elements cannot be split into {ranks} ranks")
            point["elements_expected"] = expected
            # A hair above 1/nx: Gmsh rounds the number of intervals of an edge up.
            options += ["-D", "lx=1", "-D", f"ly={ny / nx:.12g}", "-D", f"lz={nz / nx:.12g}", "-D",
                        f"size={(1 + 1e-6) / nx:.12g}"]
            name.append(f"{'k' if settings['elements'] else 'u'}{size:g}".replace("+", ""))
        name += [f"r{ranks}", f"t{threads}", mapping]
        for key in ("steps", "integrator", "precision", "backend"):
            if settings[key]:
                known = {"steps": "time.steps", "integrator": "time.integrator"}
                options.append(f"--set={known.get(key, key)}={settings[key]}")
        for definition in settings["define"]:
            options += ["-D", definition]
        options += [f"--set={assignment}" for assignment in settings["set"]]
        point.update(name="_".join(name), options=options)
        made.append(point)
    return made


def program(given, here):
    """The absolute path of curlew."""
    candidates = [given] if given else [os.path.join(here, "curlew"), shutil.which("curlew"), os.path.join(
        here, "..", "..", "build", "release", "maxwell", "curlew")]
    for path in candidates:
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    if given:
        raise UserError(f"--curlew: there is no program '{given}'")
    raise UserError("there is no curlew beside this program nor in PATH; name it with --curlew")


def settings_of(options, here):
    """The options of `make`, checked, as they stand in study.json."""
    if options.script:
        if options.elements or options.unknowns:
            raise UserError("--elements and --unknowns are for the built-in cavity; with --script use --mesh-size")
        if not os.path.isfile(options.script):
            raise UserError(f"there is no script '{options.script}'")
        if options.kind == "weak" and not options.mesh_size:
            raise UserError("weak scaling of a script needs --mesh-size: the size at one rank")
    else:
        if bool(options.elements) == bool(options.unknowns):
            raise UserError("give one of --elements and --unknowns, or a --script")
        for value, name in ((options.mesh_size, "--mesh-size"), (options.define, "-D")):
            if value:
                raise UserError(f"{name} needs a --script; the built-in cavity takes --elements or --unknowns")
    if options.gpus and options.backend not in (None, "cuda"):
        raise UserError(f"--gpus is for --backend cuda, not {options.backend}")
    for assignment in options.set:
        key = assignment.partition("=")[0]
        if key in OWN_KEYS:
            raise UserError(f"--set {key}: use {OWN_KEYS[key]}")
    settings = {
        "kind": options.kind,
        "script": os.path.abspath(options.script) if options.script else None,
        "elements": integers(options.elements, "--elements", 1, 10**10) if options.elements else None,
        "unknowns": integers(options.unknowns, "--unknowns", 1, 10**13) if options.unknowns else None,
        "mesh_size": [positive(word, "--mesh-size") for word in options.mesh_size.split(",")]
                     if options.mesh_size else None,
        "order": integers(options.order, "--order", 1, 8) if options.order else None if options.script else [3],
        "ranks": integers(options.ranks, "--ranks", 1, 10**6),
        "threads": integers(options.threads, "--threads", 1, 4096),
        "mapping": words(options.mapping, "--mapping", MAPPINGS),
        "steps": integers(options.steps, "--steps", 1, 10**9)[0],
        "repetitions": integers(options.repetitions, "--repetitions", 1, 1000)[0],
        "integrator": words(options.integrator, "--integrator", INTEGRATORS)[0] if options.integrator else None,
        "precision": words(options.precision, "--precision", ("double", "single"))[0] if options.precision else None,
        "backend": options.backend or ("cuda" if options.gpus else None),
        "gpus": options.gpus or None,
        "define": options.define,
        "set": options.set,
        "curlew": program(options.curlew, here),
        "launcher": words(options.launcher, "--launcher", LAUNCHERS)[0],
        "launcher_options": options.launcher_options,
        "ranks_per_node": integers(options.ranks_per_node, "--ranks-per-node", 1, 4096)[0]
                          if options.ranks_per_node else None,
        "time": options.time,
        "sbatch": options.sbatch,
        "setup": options.setup,
    }
    if not re.fullmatch(r"(\d+-)?\d+(:\d+){0,2}", options.time):
        raise UserError(f"--time must look like minutes, hours:minutes:seconds or days-hours, not '{options.time}'")
    if settings["launcher"] == "srun":
        for mapping in settings["mapping"]:
            if mapping in ("numa", "l3cache"):
                raise UserError(f"--mapping {mapping} needs --launcher mpirun: srun knows only what the cluster's slurm.conf "
                                "calls a socket")
    for name, value in [(f"--sbatch {word}", word) for word in options.sbatch]:
        if not value.startswith("-"):
            raise UserError(f"{name}: an option of sbatch starts with '-', as in --sbatch=--partition=NAME")
    return settings


def load(folder):
    """The manifest of a study."""
    manifest = read_json(os.path.join(folder, "study.json"))
    if manifest is None or manifest.get("program") != "curlew-scaling":
        raise UserError(f"'{folder}' is not a study: there is no study.json that curlew-scaling wrote")
    return manifest


def make(options, here, data):
    folder, settings = options.study, settings_of(options, here)
    path = os.path.join(folder, "study.json")
    if os.path.exists(path):
        old = load(folder)["settings"]
        for key, value in settings.items():
            if old.get(key) != value:
                raise UserError(f"'{folder}' is a study with other parameters: {key} is {json.dumps(old.get(key))}, not "
                                f"{json.dumps(value)}; choose another folder")
        print(f"{folder}: the study is there already, with the same parameters")
        return 0
    if os.path.isdir(folder) and os.listdir(folder):
        raise UserError(f"'{folder}' is not empty and is no study; choose another folder")
    made = points(settings)
    template = options.template or os.path.join(data, "job.slurm")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(template, encoding="utf-8") as file:
            text = file.read()
        if settings["script"] is None:
            for name in ("cavity.lua", "cavity.geo"):
                shutil.copyfile(os.path.join(data, name), os.path.join(folder, name))
    except OSError as error:
        kind = UserError if options.template and error.filename == template else MachineError
        raise kind(f"'{error.filename}': {error.strerror}") from error
    write(os.path.join(folder, "job"), text)
    write(path, json.dumps({"program": "curlew-scaling", "version": 1, "settings": settings, "points": made}, indent=1) + "\n")
    print(f"{folder}: {len(made)} points of {settings['repetitions']} repetitions; the job's template is {folder}/job")
    for point in made:
        about = f", about {point['elements_expected']} elements" if "elements_expected" in point else ""
        print(f"  {point['name']}: {point['ranks']} x {point['threads']}{about}")
    return 0


def launch(settings, point, local, oversubscribe):
    """The command that starts the ranks of a point, without curlew's own words."""
    ranks, threads, mapping = point["ranks"], point["threads"], point["mapping"]
    words_ = []
    if local or settings["launcher"] == "mpirun":
        words_ = ["mpirun", "-n", str(ranks)]
        if oversubscribe:
            words_ += ["--oversubscribe", "--bind-to", "none"]
        elif mapping == "none":
            words_ += ["--bind-to", "none"]
        else:
            words_ += ["--map-by", f"{mapping}:PE={threads}", "--bind-to", "core"]
    else:
        # Slurm 22.05: srun no longer takes the job's --cpus-per-task by itself.
        words_ = ["srun", "--mpi=pmix", f"--ntasks={ranks}", f"--cpus-per-task={threads}"]
        words_ += ["--gpu-bind=none"] if settings.get("gpus") else []
        words_ += ["--cpu-bind=none"] if mapping == "none" else ["--distribution=block:cyclic", "--cpu-bind=cores"]
    if not local:
        words_ += settings["launcher_options"]
    return shlex.join(words_)


def job(folder, manifest, point, local=False, oversubscribe=False):
    """The job script of a point: the template of the study with its words filled in."""
    settings = manifest["settings"]
    script = settings["script"] or os.path.abspath(os.path.join(folder, "cavity.lua"))
    bound = point["mapping"] != "none" and not oversubscribe
    options = list(settings["sbatch"])
    if settings.get("gpus"):
        # Every rank sees all GPUs of its node and takes its own, so that MPI can copy from one to another.
        options += ["--gpus-per-task=1", "--gpu-bind=none"]
    if settings["ranks_per_node"]:
        per_node = min(settings["ranks_per_node"], point["ranks"])
        options += [f"--nodes={-(-point['ranks'] // per_node)}", f"--ntasks-per-node={per_node}"]
    values = {
        "NAME": point["name"],
        "RANKS": str(point["ranks"]),
        "THREADS": str(point["threads"]),
        "TIME": settings["time"],
        "SBATCH": "\n".join(f"#SBATCH {option}" for option in options),
        "SETUP": "\n".join(settings["setup"]),
        # Ranks that are not bound to cores of their own would all bind their threads to the same first ones.
        "OMP": "OMP_PLACES=cores OMP_PROC_BIND=close" if bound else "OMP_PROC_BIND=false",
        "REPETITIONS": " ".join(str(i + 1) for i in range(settings["repetitions"])),
        "LAUNCH": launch(settings, point, local, oversubscribe),
        "CURLEW": shlex.join([settings["curlew"], "run", script, *point["options"]]),
    }
    path = os.path.join(folder, "job")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise MachineError(f"cannot read '{path}': {error.strerror}") from error

    def value(match):
        if match[1] not in values:
            raise UserError(f"'{path}' has the word @{match[1]}@, which is unknown (there are {', '.join(values)})")
        return values[match[1]]

    return re.sub(r"@([A-Z_]+)@", value, text)
