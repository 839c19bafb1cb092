#!/usr/bin/python3
"""Runs the validation cases and says whether curlew's physical claims hold.

Needs Debian's python3-numpy, python3-matplotlib and python3-silo (hence /usr/bin/python3). Exit code: 0 when all
passes, 1 when anything fails, 77 when a Python package is missing.
"""
import argparse
import dataclasses
import importlib.util
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CASES = ("convergence", "spectrum", "energy", "material_jump", "step_limit", "plane_wave", "dipole",
         "total_field", "conductor", "debye", "dispersive", "current_sheet", "power", "waveguide", "coax", "antenna",
         "patterns", "layer", "mie", "curved", "plasmon", "lines", "resonances")
sys.path[:0] = [HERE, os.path.join(ROOT, "share", "plot")]
sys.dont_write_bytecode = True

try:
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
    import Silo  # noqa: F401
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-matplotlib, python3-silo; run with /usr/bin/python3)")
    sys.exit(77)
from lib import publish, report  # noqa: E402
from lib.runner import Context, RunFailed  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="all orders and the finest meshes: about 25 minutes")
    parser.add_argument("--curlew", metavar="PATH", default=os.path.join(ROOT, "build/release/maxwell/curlew"),
                        help="the program (default: build/release/maxwell/curlew of this checkout)")
    parser.add_argument("--bisect", metavar="PATH", help="the program of the case step_limit (default: the one in "
                        "the same build folder)")
    parser.add_argument("--case", metavar="NAME", action="append", choices=CASES,
                        help=f"only this case, repeatable: {', '.join(CASES)}")
    parser.add_argument("--output", metavar="DIR", default="validation_output", help="default: %(default)s")
    parser.add_argument("--backend", metavar="NAME", help="runs all with this backend (default: the best one)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="simulations at the same time (default 1)")
    parser.add_argument("--ranks", metavar="N", type=int, default=1, help="starts every simulation on N processes, with "
                        "mpirun (default 1: without)")
    parser.add_argument("--publish", action="store_true",
                        help="also write share/doc/validation.md and its pictures from what is in DIR")
    options = parser.parse_args()
    options.curlew = os.path.abspath(options.curlew)
    if options.bisect is None:
        build = os.path.dirname(os.path.dirname(options.curlew))
        options.bisect = os.path.join(build, "validation", "curlew_bisect")
    for path in (options.curlew, options.bisect):
        if not os.access(path, os.X_OK):
            parser.error(f"there is no program '{path}' (build it, or use --curlew and --bisect)")
    return options


def load(name):
    spec = importlib.util.spec_from_file_location(f"case_{name}", os.path.join(HERE, name, "case.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_case(name, options):
    """The rows and the page of one case; what stops a case is a failed row and does not stop the others."""
    context = Context(options.curlew, os.path.abspath(options.bisect), os.path.abspath(options.output), options.full,
                      options.jobs, options.backend, options.ranks)
    table = report.Table(name)
    module = load(name)
    begin = time.monotonic()
    try:
        page = module.run(context, table)
    except (RunFailed, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        table.equal("the case ran to its end", "no", "yes")
        page = {"pictures": [], "text": f"Stopped: {error}"}
    page.update(name=name, title=module.TITLE, full=options.full, seconds=time.monotonic() - begin,
                rows=[dataclasses.asdict(row) for row in table.rows])
    publish.save(options.output, page)
    return page


def main():
    options = arguments()
    os.makedirs(options.output, exist_ok=True)
    print(report.heading())
    pages = [run_case(name, options) for name in CASES if options.case is None or name in options.case]
    rows = [report.Row(**row) for page in pages for row in page["rows"]]
    failed = [row for row in rows if row.passed is False]
    # the page also holds cases that were run into the same folder before
    pages = publish.load(options.output, CASES)
    result = os.path.join(options.output, "results.md")
    publish.write_page(result, pages, "")
    if options.publish:
        publish.publish(os.path.join(ROOT, "share", "doc"), pages)
    seconds = sum(page["seconds"] for page in pages if options.case is None or page["name"] in options.case)
    required = sum(row.passed is not None for row in rows)
    print(f"{required - len(failed)} of {required} checks passed in {seconds:.0f} s; {result}")
    for row in failed:
        print("FAILED", report.line(row))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
