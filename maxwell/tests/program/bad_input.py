#!/usr/bin/python3
"""Wrong input of every kind: bad_input.py PROGRAM [NAME...] runs the cases whose names contain a NAME, or all.

Every case must end with its exit code and one line on stderr that says what is wrong and where, must leave no output
that looks like a result, and must not touch the script, the mesh or their folder. CURLEW_TEST_SHOW=1 prints the
messages."""
import os
import re
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import bad_environment
import bad_keys
import bad_measures
import bad_meshes
import bad_open
import bad_scripts
from harness import Failure, Place, check_leftovers, check_message, edited, expect, fingerprint, line_of
from harness import SCRIPT

SHOW = os.environ.get("CURLEW_TEST_SHOW") == "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # what is said without a GPU, on every machine
WORKERS = int(os.environ.get("CURLEW_TEST_WORKERS", "3"))


def expected_message(case, script):
    says = case["says"]
    if "at" not in case:
        return says
    line = str(line_of(script, case["at"]))
    if isinstance(says, re.Pattern):
        return re.compile(says.pattern.replace("{line}", line))
    return says.replace("{line}", line)


def run_case(program, case):
    """Raises Failure. Cases with "run" look for themselves and return a reason when they were skipped."""
    if "run" in case:
        return case["run"](program)
    script = case.get("script", SCRIPT)
    if isinstance(script, str):
        script = edited(script, *case.get("edits", ()))
    with Place(program, case.get("files"), script) as place:
        before = fingerprint(place.path("input"))
        others = set(os.listdir(place.root))
        code, out, err, _ = place.run(*case.get("arguments", ("run", "input/case.lua")),
                                            environment=case.get("environment"))
        if SHOW:
            print(f"{case['name']}: {code} {err}", end="")
        expect("traceback" not in err + out, "a traceback")
        check_message(err, expected_message(case, script))
        expect(code == case.get("code", 2), f"exit code {code}, not {case.get('code', 2)}: {err.strip()}")
        expect(fingerprint(place.path("input")) == before, "something changed in the folder of the script")
        new = set(os.listdir(place.root)) - others
        # Nothing that can be known before the first step may make a folder, let alone empty an old one.
        expect(not new, f"a run that could not start left {sorted(new)}")
        for name in others - {"input"}:
            check_leftovers(place.path(name))
    return None


def attempt(program, case):
    try:
        skipped = run_case(program, case)
    except Failure as failure:
        return "FAILED", str(failure)
    except Exception:  # a broken test is a failed one, and the others still run
        return "FAILED", traceback.format_exc()
    return ("skipped", skipped) if skipped else ("ok", "")


def main():
    program = os.path.abspath(sys.argv[1])
    modules = (bad_scripts, bad_keys, bad_measures, bad_open, bad_meshes, bad_environment)
    cases = [case for module in modules for case in module.CASES]
    names = [case["name"] for case in cases]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        sys.exit(f"names of cases are given twice: {sorted(repeated)}")
    cases = [case for case in cases if len(sys.argv) == 2 or any(part in case["name"] for part in sys.argv[2:])]
    count = {"ok": 0, "skipped": 0, "FAILED": 0}
    with ThreadPoolExecutor(WORKERS) as pool:
        for case, (result, why) in zip(cases, pool.map(lambda case: attempt(program, case), cases)):
            count[result] += 1
            if result != "ok":
                print(f"{result}: {case['name']}: {why}")
    print(f"{len(cases)} cases: {count['ok']} ok, {count['skipped']} skipped, {count['FAILED']} failed")
    if count["FAILED"] or not cases:
        return 1
    return 77 if count["ok"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
