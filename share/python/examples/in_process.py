"""A simulation in this process, with a Python function as current source; and what that costs beside Lua.

    python3 share/python/examples/in_process.py [--measure]

A box of 1 m with conducting walls is driven by a current in all of it, Jz = sin(pi x) sin(pi y) cos(2 pi f t). The
field that follows is known, since the shape is that of the first mode (w0 = sqrt(2) pi c0):

    Ez = -sin(pi x) sin(pi y) (w0 sin(w0 t) - w sin(w t)) / (epsilon0 (w0^2 - w^2))

The example checks a probe against it. --measure compares the seconds of the current as a Python function with those of the same in Lua.
"""
import sys
import time

import numpy as np

import curlew

F = 150e6  # Hz of the current; the box rings at 212 MHz
LUA = """function(x, y, z, t)
  return 0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) * math.cos(2 * math.pi * 150e6 * t)
end"""


def current(x, y, z, t):
    """A/m^2 at places x, y, z (arrays) and the time t: three numbers or arrays."""
    return 0, 0, np.sin(np.pi * x) * np.sin(np.pi * y) * np.cos(2 * np.pi * F * t)


def scene(drive, size, steps):
    """The simulation as a dict: the keys are those of simulation { } in a script."""
    return {
        "name": "driven",
        "mesh": {"file": "cavity.geo", "size": size, "parameters": {"L": 1.0}},
        "order": 3,
        "time": {"steps": steps},
        "materials": {"inside": {"epsilon_r": 1}},
        "boundaries": {"walls": {"kind": "pec"}},
        "sources": [{"region": "inside", "current": drive}],
        "output": {"probes": [{"name": "centre", "at": [0.4, 0.5, 0.5]}]},
    }


def exact(t):
    """Ez at the probe, V/m."""
    c0, eta0 = 299792458, 376.730313668
    w0, w = c0 * np.sqrt(2) * np.pi, 2 * np.pi * F
    shape = np.sin(np.pi * 0.4) * np.sin(np.pi * 0.5)
    return -shape * c0 * eta0 * (w0 * np.sin(w0 * t) - w * np.sin(w * t)) / (w0 ** 2 - w ** 2)


def seconds(simulation, steps):
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        simulation.advance(steps)
        best = min(best, time.perf_counter() - began)
    return best / steps


def measure(folder):
    for size in (0.3, 0.19):
        result = {}
        for name, drive in (("none", None), ("Python", current), ("Lua", curlew.Lua(LUA))):
            table = scene(drive, size, 100)
            if drive is None:
                del table["sources"]
            with curlew.Simulation(table, folder=folder, lua_threads=1) as simulation:
                nodes = simulation.elements * simulation.nodes
                result[name] = seconds(simulation, 30)
        ratio = result["Python"] / result["Lua"]
        print(f"{nodes} nodes: a step takes {1e3 * result['none']:.3f} ms without a current, "
              f"{1e3 * result['Python']:.3f} ms with Python's, {1e3 * result['Lua']:.3f} ms with Lua's: "
              f"{ratio:.2f} times")
        if nodes > 10000 and ratio > 1.2:
            sys.exit("a Python function may cost 1.2 times what Lua's does")


def main():
    folder = curlew.__path__[0] + "/../../../examples/01_cavity"
    if "--measure" in sys.argv:
        measure(folder)
        return
    with curlew.Simulation(scene(current, 0.3, 400), folder=folder) as simulation:
        while simulation.steps_done < simulation.steps:
            simulation.advance(100)
            print(f"t = {1e9 * simulation.time:.2f} ns, energy {sum(simulation.energy()):.3e} J")
        record = simulation.records["probes/centre"]
    error = np.abs(record["Ez"] - exact(record["time"])).max() / np.abs(exact(record["time"])).max()
    print(f"Ez at the probe differs from the closed form by {error:.1e} of its largest value")
    if error > 5e-3:
        sys.exit("that is too much")


if __name__ == "__main__":
    main()
