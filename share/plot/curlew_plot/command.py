"""The command line of `curlew plot DIR`: which pictures, where to, and what is said about it."""

import argparse
import logging
import os
import sys
import traceback

from curlew_outputs import OutputError
from .results import ResultError, Run, WriteError

DONE, INPUT, ENVIRONMENT, BUG, INTERRUPTED = 0, 2, 3, 70, 130
KINDS = (
    "energy",
    "records",
    "spectra",
    "sparameters",
    "resonances",
    "far_field",
    "lines",
    "planes",
    "fields",
    "mesh",
    "run",
)
LIST = ".made_by_curlew_plot"  # in the folder of pictures: those of an earlier run are removed


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        print(f"curlew: plot: {message}; see curlew plot --help", file=sys.stderr)
        sys.exit(INPUT)


EXAMPLES = """\
examples:
  curlew plot cavity                                      every picture, into cavity/plots
  curlew plot cavity --report                             and the page cavity/report.html
  curlew plot horn --only far_field --frequency 10e9
  curlew plot patch --only fields --field Ez --plane z=0.0016

A single file has options of its own, which --help behind its name shows:
  curlew plot cavity/probes/corner.csv --y Ez -o Ez.png
  curlew plot cavity/fields_000250.silo --field Ez --plane z=0.5 -o Ez.png
  curlew plot horn/far_field/pattern.csv --quantity gain --phi 0 90 -o cuts.png
"""


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no frequency: a number > 0, in Hz")
    return value


def plane(text):
    axis, equals, value = text.replace(" ", "").partition("=")
    try:
        height = float(value)
    except ValueError:
        height = float("nan")
    if axis not in ("x", "y", "z") or not equals or not abs(height) < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no plane; write x=, y= or z= and metres, such as z=0.5")
    return "xyz".index(axis), height


def kinds(text):
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in KINDS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of {', '.join(KINDS)}")
    return names


def parse(arguments):
    parser = OneLineParser(
        prog="curlew plot",
        description="Draws what a run has left in its folder.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", help="the output folder of a run")
    parser.add_argument(
        "--report",
        action="store_true",
        help="write the page DIR/report.html, too; nothing in it is loaded " "from elsewhere",
    )
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    parser.add_argument("--only", type=kinds, metavar="KIND,...", help=", ".join(KINDS))
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="where pictures and report go; without, DIR/plots and DIR"
    )
    parser.add_argument("--frequency", type=positive, metavar="HZ", help="of far fields: the nearest one in the file")
    parser.add_argument("--field", help="of snapshots: Ez, or E and H for their length")
    parser.add_argument("--plane", type=plane, metavar="z=METRES", help="of snapshots")
    parser.add_argument("--step", type=int, help="of snapshots")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors and warnings")
    return parser.parse_args(arguments)


def modules(chosen):
    """The modules of pictures in the order of the report; matplotlib is loaded here."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # which writes about its cache
    from . import energy, far_field, fields, lines, mesh, planes, records, resonances, spectra, sparameters, timing

    table = {
        "energy": energy,
        "records": records,
        "spectra": spectra,
        "sparameters": sparameters,
        "resonances": resonances,
        "far_field": far_field,
        "lines": lines,
        "planes": planes,
        "fields": fields,
        "mesh": mesh,
        "run": timing,
    }
    return [table[name] for name in KINDS if chosen is None or name in chosen]


def say(options, line):
    try:
        if not options.quiet:
            print(line, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # nothing is flushed to it at the end
        raise WriteError(f"cannot write to standard output: {error.strerror}") from None


def draw(run, options, folder):
    """Writes every picture; returns [(picture, its bytes)] for the report."""
    from . import style

    made, known = [], listed(folder)
    for module in modules(options.only):
        for picture in module.pictures(run, options):
            content = style.render(picture, options.format)
            picture.figure = None
            path = os.path.join(folder, f"{picture.name}.{options.format}")
            style.write(path, content, known=os.path.basename(path) in known)
            made.append((picture, content))
            say(options, path)
    return made


def listed(folder):
    """The pictures of earlier calls."""
    try:
        with open(os.path.join(folder, LIST), encoding="utf-8") as file:
            return [os.path.basename(name) for name in file.read().split("\n") if name]
    except OSError:
        return []


def forget(folder, names):
    """Removes pictures of an earlier call that this one did not make, and notes which ones there are."""
    from . import style

    path = os.path.join(folder, LIST)
    for name in set(listed(folder)) - set(names):
        try:
            os.remove(os.path.join(folder, name))
        except OSError:
            pass
    style.write(path, "".join(name + "\n" for name in sorted(names)).encode(), known=True)


def tell(run):
    """What was left out, and what could not be read."""
    for line in run.notes:
        print(f"curlew: warning: {line}", file=sys.stderr)
    for line in run.errors:
        print(f"curlew: {line}", file=sys.stderr)


def work(options):
    run = Run(options.folder)
    from . import report, style

    folder = options.output or run.path("plots")
    made = draw(run, options, folder)
    if not made and not options.report and not run.errors:
        tell(run)
        raise ResultError(
            f"'{options.folder}' has nothing to draw yet"
            if options.only is None
            else f"'{options.folder}' has nothing of {', '.join(options.only)} to draw"
        )
    if options.only is None and made:
        forget(folder, [f"{picture.name}.{options.format}" for picture, _ in made])
    if options.report:
        path = os.path.join(options.output or options.folder, "report.html")
        style.write(path, report.page(run, made, options.format).encode())
        say(options, path)
    tell(run)
    return INPUT if run.errors else DONE


def of_one_file(arguments):
    """The program that draws a single file with options of its own, or None: plot_slice for a snapshot, plot_pattern for a
    far field unless columns are named, plot_csv for any table."""
    name = arguments[0] if arguments else ""
    ending = os.path.splitext(name)[1]
    if ending not in (".csv", ".silo", ".hdf") or os.path.isdir(name):
        return None
    if ending != ".csv":
        import plot_slice

        return plot_slice
    if "--y" not in arguments and is_pattern(name):
        import plot_pattern

        return plot_pattern
    import plot_csv

    return plot_csv


def is_pattern(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().startswith("frequency,theta,phi,")
    except OSError:
        return False


def main(arguments):
    program = of_one_file(arguments)
    if program is not None:
        sys.argv = [program.__name__ + ".py", *arguments]
        return program.main()
    options = parse(arguments)
    try:
        return work(options)
    except (ResultError, OutputError) as error:
        print(f"curlew: {error}", file=sys.stderr)
        return INPUT
    except WriteError as error:
        print(f"curlew: {error}", file=sys.stderr)
        return ENVIRONMENT
    except ImportError as error:
        print(f"curlew: plot: {error}; install python3-numpy and python3-matplotlib", file=sys.stderr)
        return ENVIRONMENT
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        return ENVIRONMENT
    except MemoryError:
        print("curlew: plot: out of memory", file=sys.stderr)
        return ENVIRONMENT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        print("curlew: bug in curlew plot, see above", file=sys.stderr)
        return BUG
