#!/usr/bin/python3
"""Random problems with ports: more power never leaves than comes in, and S_ij = S_ji.

random_ports.py PROGRAM [CASES [SEED]]: by default 4 cases, always the same ones. For long: random_ports.py PROGRAM 500 $RANDOM
"""
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import meshes
from harness import Failure, Place, expect
from run_contract import RUN

# Three cubes; only the one in the middle is filled, because a port needs one medium along it.
SCRIPT = """\
local function random(x, y, z, k)
  local v = math.sin(x * 12.9898 + y * 78.233 + z * 37.719 + k * 4.581 + %(seed)d) * 43758.5453
  return v - math.floor(v)
end
local function fill(k, outside, low, high)
  return function(x, y, z)
    if x < 1 or x > 2 then return outside end
    return low + (high - low) * random(x, y, z, k)
  end
end
local pulse = waveform.gaussian { %(pulse)s }
simulation {
  mesh = { file = "box.msh" }, order = %(order)d, flux = %(flux)g,
  time = { stop = 1e-6, decay = 80, integrator = "%(integrator)s", cfl = %(cfl)g },
  materials = { default = { epsilon_r = fill(1, 1, 1, %(epsilon)g), mu_r = fill(2, 1, 1, %(mu)g), sigma = fill(3, 0, 0, %(sigma)g) } },
  boundaries = { %(boundaries)s },
  output = { s_parameters = { %(frequencies)s } },
}
"""
LINE = """[1] = { kind = "lumped_port", resistance = %g, direction = { 0, 0, 1 }, number = 1, waveform = pulse },
    [2] = { kind = "lumped_port", resistance = %g, direction = { 0, 0, 1 }, number = 2, waveform = pulse },
    [3] = { kind = "pmc" }, walls = { kind = "pec" }"""
GUIDE = """[1] = { kind = "waveguide_port", axis = { 0, 1, 0 }, number = 1, waveform = pulse },
    [2] = { kind = "waveguide_port", axis = { 0, 1, 0 }, absorb = { "TE01" }, number = 2, waveform = pulse }"""


def choose(dice):
    line = dice.random() < 0.5
    return {
        "seed": dice.randrange(1000), "order": dice.choice((2, 3, 4)) if line else 4,
        "integrator": dice.choice(("leapfrog", "lsrk", "rk4")), "flux": dice.choice((0, 0.5, 1)), "cfl": 0.9,
        "epsilon": dice.uniform(1, 5), "mu": dice.choice((1, dice.uniform(1, 3))),
        "sigma": dice.choice((0, 10 ** dice.uniform(-6, 4))),
        "boundaries": LINE % (dice.uniform(20, 900), dice.uniform(20, 900)) if line else GUIDE,
        "pulse": "bandwidth = 1.2e8" if line else "f0 = 2.2e8, bandwidth = 1.4e8",
        "frequencies": "from = 1e7, to = 1e8, points = 10" if line else "from = 1.7e8, to = 2.6e8, points = 10",
    }


def attempt(program, number, case):
    # Leapfrog has an error of (w dt)^2/24, and the mode of a guide on two triangles one of its own.
    tolerance = 5e-3 if "waveguide" in case["boundaries"] else 2e-3
    try:
        with Place(program, {"input/box.msh": meshes.box((3, 1, 1)).text()}, SCRIPT % case) as place:
            code, _, err, _ = place.run(*RUN)
            expect(code == 0, f"{code}: {err}")
            quality = place.summary()["s_parameters"]
            room = tolerance + quality["error"]  # oscillations that live on are cut
            expect(0 < quality["largest_gain"] < 1 + room, f"not passive: {quality}")
            expect(quality["largest_asymmetry"] < room, f"not reciprocal: {quality}")
            return None, f"gain {quality['largest_gain']:.6f}, asymmetry {quality['largest_asymmetry']:.2g}, error {quality['error']:.2g}"
    except Failure as failure:
        return f"case {number}, {case}: {failure}", ""


def main():
    program, cases = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 25
    dice, failed = random.Random(seed), 0
    chosen = [choose(dice) for _ in range(cases)]
    with ThreadPoolExecutor(int(os.environ.get("CURLEW_TEST_WORKERS", "3"))) as pool:
        for number, (why, says) in enumerate(pool.map(lambda pair: attempt(program, *pair), enumerate(chosen))):
            print(why or f"ok: case {number}, {chosen[number]['integrator']}, order {chosen[number]['order']}: {says}", flush=True)
            failed += why is not None
    print(f"seed {seed}: {cases} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
