"""A folder as a run leaves it, and checks that are counted: for check_plot_reading.py and check_plot_run.py.

Exits 77 (skipped) when python3-matplotlib is not installed.
"""

import json
import os
import sys

try:
    import numpy as np
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "plot_run.py")
sys.path.insert(0, os.path.join(HERE, ".."))
from curlew_plot.results import ResultError  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def refuses(what, function, *arguments):
    try:
        function(*arguments)
    except ResultError as error:
        check(what in str(error) and "\n" not in str(error), f"'{error}' instead of '{what}'")
        return
    check(False, f"no error, but '{what}' was expected")


def write(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return path


def table(names, *columns):
    return ",".join(names) + "\n" + "".join(",".join(f"{value:.10g}" for value in row) + "\n" for row in zip(*columns))


def result(folder):
    """A folder as a run leaves it: a pulse at a probe, a ringing voltage, one port, a pattern over ground."""
    t = np.arange(400) * 1e-11
    pulse = np.exp(-(((t - 1e-9) / 1e-10) ** 2))
    ringing = np.exp(-t / 3e-9) * np.cos(2 * np.pi * 2e9 * t)
    zero = 0 * t
    write(
        folder,
        "probes/p.csv",
        table(["time", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"], t, pulse, 1e-9 * pulse, zero, zero, zero, pulse / 377),
    )
    write(folder, "probes/silent.csv", table(["time", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"], t, *[zero] * 6))
    write(folder, "polarisations/core.csv", table(["time", "Px", "Py", "Pz", "Jx", "Jy", "Jz"], t, *[ringing] * 6))
    write(folder, "voltages/gap.csv", table(["time", "voltage"], t, ringing))
    write(
        folder,
        "energy.csv",
        table(["step", "time", "electric", "magnetic", "total"], np.arange(400), t, pulse, pulse, 2 * pulse),
    )
    f = np.linspace(1e9, 3e9, 21)
    write(
        folder,
        "voltages/gap_spectrum.csv",
        table(["frequency", "voltage_re", "voltage_im"], f, 1e-9 + 0 * f, f * 1e-19),
    )
    s = 0.5 * np.exp(-2j * np.pi * f * 1e-9)
    write(
        folder, "sparameters.csv", table(["frequency", "S11_re", "S11_im", "error"], f, s.real, s.imag, 0.001 + 0 * f)
    )
    write(
        folder,
        "resonances.csv",
        "name,frequency,decay,Q,amplitude,phase,error,record,seen,records,doubt\n"
        'm,2e9,1e8,62.8,1,0,1e-6,gap.voltage,1,1,\nm,3e9,1e5,9e4,0.01,0,1e-3,gap.voltage,1,1,"weak, and <short>"\n',
    )
    theta, phi = np.meshgrid(np.arange(0, 181, 15.0), np.arange(0, 360, 30.0), indexing="ij")
    gain = np.where(theta <= 90, 10 - theta / 10 - (phi >= 180), -200)
    rows = [np.concatenate([column.ravel()] * 2) for column in (theta, phi, gain)]
    hertz = np.repeat([1e9, 2e9], theta.size)
    nan = np.nan + hertz
    write(
        folder,
        "far_field/a.csv",
        table(
            ["frequency", "theta", "phi", "directivity", "gain", "realised_gain", "axial_ratio", "rcs"],
            hertz,
            *rows[:2],
            rows[2],
            nan,
            nan,
            nan,
            nan,
        ),
    )
    write(
        folder,
        "far_field/a_powers.csv",
        table(
            [
                "frequency",
                "radiated",
                "integral",
                "accepted",
                "incident",
                "efficiency",
                "total_efficiency",
                "directivity",
                "theta",
                "phi",
                "scattering",
                "absorption",
                "extinction",
                "forward",
            ],
            [1e9, 2e9],
            *[[1, 1]] * 4,
            [0.5, 1],
            [0.25, 0.9],
            [10, 10],
            *[[0, 0]] * 2,
            *[[np.nan] * 2] * 4,
        ),
    )
    along, times = np.linspace(0, 1, 11), np.arange(20) * 1e-10
    tt, xx = (a.ravel() for a in np.meshgrid(times, along, indexing="ij"))
    o = 0 * tt
    write(
        folder,
        "lines/l.csv",
        table(
            ["time", "x", "y", "z", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"],
            tt,
            xx,
            o,
            o,
            o,
            o,
            np.sin(20 * xx - 1e10 * tt),
            o,
            o,
            o,
        ),
    )
    write(folder, "log.txt", "mesh      box.geo: 9 tetrahedra\nwarning: beware of <this> & that\ndone      400 steps\n")
    write(
        folder,
        "summary.json",
        json.dumps(
            {
                "name": "a<b>&c",
                "status": "done",
                "order": 1,
                "elements": 9,
                "time_step": 1e-11,
                "stability_limit": 1.25e-11,
                "steps": 400,
                "simulated_time": 4e-9,
                "seconds": {"meshing": 1.5, "stepping": 3, "snapshots": 9},
                "versions": {"curlew": "0.1.0"},
                "s_parameters": {
                    "frequencies": 21,
                    "left_out": 0,
                    "error": 0.001,
                    "largest_gain": 0.5,
                    "largest_gain_at": 2e9,
                },
            }
        ),
    )


def finish():
    """The exit code."""
    print(f"{len(failures)} failures")
    return 1 if failures else 0
