#!/usr/bin/python3
"""The scattering efficiency of a sphere of refractive index 2 for 41 values of ka from 2 to 6: mean error and processor
time. time_to_accuracy.py PROGRAM [NAME=VALUE ...] passes -D NAME=VALUE on."""
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reference  # noqa: E402

C0 = 299792458.0
GIVEN = {"epsilon": "4", "from": "2", "to": "6", "points": "41", "order": "4", "C": "0.42", "S": "0.8", "H": "1.35", "R": "1.75", "wall": "open",
         "reflection": "-50", "stop": "160"}


def main():
    given = {**GIVEN, **dict(text.split("=", 1) for text in sys.argv[2:])}
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "run")
        arguments = [sys.argv[1], "run", os.path.join(HERE, "case.lua"), "--quiet", "--output", output]
        for name, value in given.items():
            arguments += ["-D", f"{name}={value}"]
        subprocess.run(arguments, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        table = np.genfromtxt(os.path.join(output, "far_field", "far_powers.csv"), delimiter=",", names=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    exact = np.array([reference.efficiencies(2 * np.pi * hertz / C0, 2)[0] for hertz in table["frequency"]])
    error = np.abs(table["scattering"] / np.pi / exact - 1)
    print(f"mean error {100 * error.mean():.2f} %, largest {100 * error.max():.2f} %, {used.ru_utime + used.ru_stime:.1f} "
          "processor seconds")


if __name__ == "__main__":
    main()
