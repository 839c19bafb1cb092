#!/usr/bin/python3
"""Draws columns of CSV files with a header line, such as curlew writes: records, spectra, S-parameters.

    plot_csv.py cavity/probes/corner.csv --y Ez -o Ez.png
    plot_csv.py a/probes/p.csv b/probes/p.csv --y Ex --label coarse fine -o compare.png
    plot_csv.py curves.csv --y R T "R exact" "T exact" --ylabel "of the power" -o slab.png

The abscissa is the first column unless --x names another. Columns whose name ends in 'exact' are drawn dashed and black.
--db draws 20 log10 |y|. Needs Debian's python3-numpy and python3-matplotlib.
Exit codes: 0 done, 2 a wrong file, column or option, 3 a module is missing or the picture cannot be written.
"""
import argparse
import csv
import io
import os
import sys

from curlew_outputs import MADE, OutputError, check

try:
    import numpy as np
    import curlew_plot  # noqa: F401  loads matplotlib without the settings of this folder
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    print(f"plot_csv: {error}; it needs Debian's python3-numpy and python3-matplotlib, and /usr/bin/python3",
          file=sys.stderr)
    sys.exit(3)

FORMATS = ("png", "pdf", "svg")
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
UNITS = {"time": "s", "frequency": "Hz", "frequency (Hz)": "Hz"}  # abscissae that are drawn with a prefix


class UserError(Exception):
    pass


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        print(f"plot_csv: {message} (--help shows examples)", file=sys.stderr)
        sys.exit(2)


def parse_arguments():
    parser = OneLineParser(prog="plot_csv.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", metavar="FILE.csv", nargs="+")
    parser.add_argument("--x", help="column of the abscissa (default: the first)")
    parser.add_argument("--y", nargs="+", required=True, help="columns to draw, from every file")
    parser.add_argument("--label", nargs="+", help="instead of names of columns and files, in the order drawn")
    parser.add_argument("--xlabel")
    parser.add_argument("--ylabel", default="")
    parser.add_argument("--xlim", nargs=2, type=float, help="in the unit of the file")
    parser.add_argument("--ylim", nargs=2, type=float)
    parser.add_argument("--db", action="store_true", help="20 log10 |y|")
    parser.add_argument("--title", default="")
    parser.add_argument("-o", "--output", required=True, help="the picture: .png, .pdf or .svg")
    return parser.parse_args()


def read(path):
    """The columns of a file by name, in their order."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"cannot read '{path}': {error}") from error
    if len(rows) < 2:
        raise UserError(f"'{path}' has no rows below its header")
    names = [name.strip() for name in rows[0]]
    if any(len(row) != len(names) for row in rows):
        raise UserError(f"'{path}': lines differ in their number of columns")
    try:
        values = np.array(rows[1:], dtype=float)
    except ValueError as error:
        raise UserError(f"'{path}': {error}") from error
    return dict(zip(names, values.T))


def column(table, name, path):
    if name not in table:
        raise UserError(f"'{path}' has no column '{name}' (it has {', '.join(table)})")
    return table[name]


def series(arguments):
    """(label, x, y) of everything to draw, and the name of the abscissa."""
    drawn, abscissa = [], arguments.x
    for path in arguments.files:
        table = read(path)
        abscissa = abscissa or next(iter(table))
        for name in arguments.y:
            label = name if len(arguments.files) == 1 else f"{os.path.splitext(os.path.basename(path))[0]}: {name}"
            y = column(table, name, path)
            if arguments.db:
                y = 20 * np.log10(np.maximum(np.abs(y), 1e-300))
            drawn.append([label, name, column(table, abscissa, path), y])
    if arguments.label:
        if len(arguments.label) != len(drawn):
            raise UserError(f"--label has {len(arguments.label)} names for {len(drawn)} curves")
        for curve, label in zip(drawn, arguments.label):
            curve[0] = label
    return drawn, abscissa


def prefix(largest, name):
    """Factor and unit that make the largest value of an abscissa handy."""
    if name not in UNITS:
        return 1.0, ""
    for factor, letter in PREFIXES:
        if largest >= factor:
            return 1 / factor, letter + UNITS[name]
    return 1.0, UNITS[name]


def draw(arguments):
    drawn, abscissa = series(arguments)
    largest = max(np.abs(x).max() for _, _, x, _ in drawn)
    if arguments.xlim:
        largest = max(map(abs, arguments.xlim))
    factor, unit = prefix(largest, abscissa)
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    for label, name, x, y in drawn:
        exact = name.endswith("exact")
        style = {"color": "black", "linestyle": "--", "linewidth": 1.0, "zorder": 3} if exact else {"linewidth": 1.8}
        axes.plot(x * factor, y, label=label, **style)
    plain = abscissa.split(" (")[0] if unit else abscissa
    axes.set_xlabel(arguments.xlabel or (f"{plain} ({unit})" if unit else abscissa))
    axes.set_ylabel(arguments.ylabel)
    axes.set_title(arguments.title, fontsize=11)
    if arguments.xlim:
        axes.set_xlim(*(factor * limit for limit in arguments.xlim))
    else:
        axes.margins(x=0)
    if arguments.ylim:
        axes.set_ylim(*arguments.ylim)
    axes.grid(color="0.88")
    axes.set_axisbelow(True)
    if len(drawn) > 1:
        axes.legend(frameon=False)
    return figure


def save(figure, path, kind, inputs=()):
    """The picture appears under its name only when it is complete."""
    content = io.BytesIO()
    metadata = {"png": {"Software": MADE}, "svg": {"Creator": MADE}, "pdf": {"Creator": MADE}}.get(kind)
    figure.savefig(content, format=kind, dpi=110, bbox_inches="tight", metadata=metadata)
    part = path + ".part"
    try:
        check(path, inputs)
        with open(part, "wb") as file:
            file.write(content.getvalue())
        os.replace(part, path)
    except OutputError as error:
        print(f"plot_csv: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if os.path.exists(part):
            os.remove(part)
        print(f"plot_csv: cannot write '{path}': {error.strerror}", file=sys.stderr)
        return 3
    return 0


def main():
    arguments = parse_arguments()
    try:
        kind = os.path.splitext(arguments.output)[1].lstrip(".").lower()
        if kind not in FORMATS:
            raise UserError(f"'{arguments.output}' does not end in {', '.join('.' + name for name in FORMATS)}")
        figure = draw(arguments)
    except UserError as error:
        print(f"plot_csv: {error}", file=sys.stderr)
        return 2
    return save(figure, arguments.output, kind, arguments.files)


if __name__ == "__main__":
    sys.exit(main())
