"""Runs curlew and reads what it wrote."""
import json
import math
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from silo_reader import Snapshot

C0 = 299792458.0
MU0 = 1.25663706212e-6
EPSILON0 = 1 / (MU0 * C0 * C0)
ETA0 = MU0 * C0


class RunFailed(Exception):
    """curlew ended with an error; the message holds what it said."""


class Run:
    """The output folder of one simulation."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            self.summary = json.load(file)

    def _csv(self, name):
        return np.genfromtxt(os.path.join(self.folder, name), delimiter=",", names=True)

    def probe(self, name):
        """Columns time, Ex .. Hz by name."""
        return self._csv(os.path.join("probes", name + ".csv"))

    def table(self, folder, name):
        """folder/name.csv, columns by name: what fluxes, losses, voltages, currents, ports, lines and spectra write."""
        return self._csv(os.path.join(folder, name + ".csv"))

    def s_parameters(self):
        """frequency, and S11, S21, ... as complex numbers by name."""
        table = self._csv("sparameters.csv")
        names = [name[:-3] for name in table.dtype.names if name.endswith("_re")]
        return table["frequency"], {name: table[name + "_re"] + 1j * table[name + "_im"] for name in names}

    def energy(self):
        """Columns step, time, electric, magnetic, total by name."""
        return self._csv("energy.csv")

    def snapshot(self):
        """The last snapshot, and not a short run's first one."""
        steps = self.summary["steps"]
        snapshot = Snapshot(os.path.join(self.folder, f"fields_{steps:06d}.silo"))
        if snapshot.cycle != steps:
            raise RunFailed(f"'{snapshot.path}' says step {snapshot.cycle}")
        return snapshot

    def forget_snapshots(self):
        for name in os.listdir(self.folder):
            if name.endswith(".silo"):
                os.remove(os.path.join(self.folder, name))
        shutil.rmtree(os.path.join(self.folder, "blocks"), ignore_errors=True)  # of several ranks


class Context:
    """What a case gets: the program, where to write, how much to do."""

    def __init__(self, curlew, bisect, output, full, jobs, backend=None, ranks=1):
        self.curlew, self.bisect, self.output, self.full, self.jobs = curlew, bisect, output, full, jobs
        self.backend, self.ranks = backend, ranks

    def path(self, *names):
        path = os.path.join(self.output, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def command(self, arguments):
        """Standard output of a program that must succeed."""
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise RunFailed(f"{' '.join(arguments)}\nended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def run(self, script, name, **defines):
        """Runs `script` with -D for every define; the output goes to output/runs/name."""
        folder = self.path("runs", name)
        launcher = ["mpirun", "-n", str(self.ranks)] if self.ranks > 1 else []
        arguments = [*launcher, self.curlew, "run", script, "--quiet", "--output", folder]
        if self.backend is not None:
            arguments += ["--set", f"backend={self.backend}"]
        for key, value in defines.items():
            arguments += ["-D", f"{key}={value!r}" if isinstance(value, float) else f"{key}={value}"]
        self.command(arguments)
        run = Run(folder)
        if run.summary["ranks"] != self.ranks:
            raise RunFailed(f"'{folder}' was computed on {run.summary['ranks']} ranks, not on {self.ranks}")
        return run

    def step_to(self, script, name, time, fraction, **defines):
        """Number and size of steps that end at `time` and are at most `fraction` of the stability limit, which a run
        of one step tells."""
        limit = self.run(script, name + "_limit", steps=1, **defines).summary["stability_limit"]
        steps = math.ceil(time / (fraction * limit))
        return {"steps": steps, "step": time / steps}

    def each(self, function, items):
        """[function(item)], on several processors when --jobs says so."""
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))
