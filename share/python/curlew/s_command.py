"""`curlew s DIR`: the S-parameters of a run, or of a Touchstone file, as tables and files."""
import argparse
import csv
import os
import re
import sys

import numpy as np

from .errors import CurlewError
from .network import read_touchstone
from .quality import resonances
from .results import open_results

VIEWS = ("db", "phase", "ri", "delay", "vswr", "zin", "z", "y")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CurlewError(f"{message}; see curlew s --help")


def _number(text, what):
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise CurlewError(f"{what}: '{text}' is no number")
    return value


def _shifts(text):
    """{1: 0.005} of "1=5e-3,2=-1e-3"."""
    out = {}
    for part in text.split(","):
        port, equals, length = part.partition("=")
        if not equals or not re.fullmatch(r"\s*\d+\s*", port):
            raise CurlewError(f"--shift is PORT=METRES,..., as in --shift 1=5e-3,2=5e-3, not '{text}'")
        if int(port) in out:
            raise CurlewError(f"--shift names port {int(port)} twice")
        out[int(port)] = _number(length, "--shift")
    return out


def _views(text):
    views = text.split(",")
    for view in views:
        if view not in VIEWS:
            raise CurlewError(f"--show knows {', '.join(VIEWS)}, not '{view}'")
    return views


def _entries(text, network):
    """[(row, column)] of "S11,S21"; None: all."""
    if text is None:
        every = [(i, j) for j in network.ports for i in network.ports]
        return [entry for entry in every if np.isfinite(network.of(*entry)).any()] or every
    out = []
    for part in text.split(","):
        found = re.fullmatch(r"[sS](?:(\d)(\d)|(\d+)_(\d+))", part.strip())
        if not found:
            raise CurlewError(f"--only is a list such as S11,S21 (S10_1 for ports above 9), not '{text}'")
        entry = tuple(int(number) for number in found.groups() if number)
        network.of(*entry)
        out.append(entry)
    return out


def _tag(row, column):
    return f"{row}_{column}" if max(row, column) > 9 else f"{row}{column}"


def columns_of(network, views, entries):
    """{"S11_dB": [F], ...} of the views of the entries. Views of a port take the ports whose Sii is among the entries."""
    out = {}
    index = {number: i for i, number in enumerate(network.ports)}
    own = [row for row, column in entries if row == column]
    for view in views:
        if view in ("vswr", "zin"):
            values = network.vswr() if view == "vswr" else network.input_impedance()
            for number in own:
                out[f"{'VSWR' if view == 'vswr' else 'Zin'}{number}"] = values[:, index[number]]
            continue
        head, tail, values = {"db": ("S", "_dB", network.decibel), "phase": ("S", "_deg", network.phase),
                              "ri": ("S", "", lambda: network.S), "delay": ("delay", "", network.group_delay),
                              "z": ("Z", "", network.z), "y": ("Y", "", network.y)}[view]
        matrix = values()
        for row, column in entries:
            out[f"{head}{_tag(row, column)}{tail}"] = matrix[:, index[row], index[column]]
    split = {}
    for name, column in out.items():
        if np.iscomplexobj(column):
            split[f"{name}_re"], split[f"{name}_im"] = column.real, column.imag
        else:
            split[name] = column
    return split


def _print_table(head, rows, out):
    widths = [max(len(name), *(len(row[i]) for row in rows)) if rows else len(name) for i, name in enumerate(head)]
    for row in [head, *rows]:
        print("  ".join(text.rjust(width) for text, width in zip(row, widths)), file=out)


def _check(path, option, source):
    """Nothing that is there is lost, neither the input nor a file that curlew has not made."""
    from curlew_outputs import OutputError, check

    inputs = [source]
    if os.path.isdir(source):
        inputs += [os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names]
    try:
        check(path, inputs)
    except OutputError as error:
        raise CurlewError(f"--{option}: {error}") from None


def _write_csv(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def _plot(path, network, entries):
    """The pictures of `curlew plot` of this network: size and phase, and a Smith chart beside it as FILE_smith."""
    try:
        from curlew_plot import smith, sparameters
    except ImportError as error:
        raise ImportError(f"--plot needs matplotlib: {error}") from None
    values = {f"S{_tag(*entry)}": network.of(*entry) for entry in entries}
    from curlew_outputs import MADE

    made = {"metadata": {"Creator" if path.lower().endswith((".svg", ".pdf", ".eps")) else "Software": MADE}}
    sparameters.draw(network.frequency, values).savefig(path, **made)
    returned = {f"S{_tag(*entry)}": network.of(*entry) for entry in entries if entry[0] == entry[1]}
    if returned:
        smith.draw(network.frequency, returned).savefig(_smith(path), **made)


def _smith(path):
    stem, ending = os.path.splitext(path)
    return f"{stem}_smith{ending}"


def _read(path):
    if os.path.isdir(path):
        return open_results(path).network()
    return read_touchstone(path)


def _change(network, options):
    if options.band is not None:
        low, _, high = options.band.partition(":")
        network = network.band(_number(low, "--band"), _number(high, "--band"))
    if options.shift is not None:
        network = network.shifted(_shifts(options.shift))
    if options.z0 is not None:
        z0 = [_number(part, "--z0") for part in options.z0.split(",")]
        if len(z0) not in (1, len(network.ports)):
            raise CurlewError(f"--z0 is one number or one for each of the {len(network.ports)} ports, not {len(z0)}")
        if not np.isfinite(network.S).all(axis=(1, 2)).any():
            raise CurlewError("--z0 needs all of S, and it is known nowhere: every port needs a waveform")
        network = network.renormalised(z0[0] if len(z0) == 1 else z0)
    if len(network) == 0:
        raise CurlewError("there is no frequency left")
    return network


def _table(network, options, out):
    """The table of resonances or of the views, on `out` and in the CSV file."""
    if options.resonances:
        head = ["entry", "frequency", "dB", "loaded_Q", "unloaded_Q", "coupling", "misfit"]
        found = resonances(network)
        rows = [[f"S{_tag(*one.of)}", one.frequency, one.decibel, one.loaded, one.unloaded, one.coupling, one.error]
                for one in found if one.of in _entries(options.only, network)]
        text = [[row[0], f"{row[1]:.9g}", f"{row[2]:.3f}", *(f"{value:.5g}" for value in row[3:])] for row in rows]
    else:
        columns = columns_of(network, _views(options.show), _entries(options.only, network))
        head = ["frequency", *columns]
        rows = [[float(value) for value in row] for row in zip(network.frequency, *columns.values())]
        text = [[f"{row[0]:.9g}", *(f"{value:.6g}" for value in row[1:])] for row in rows]
    if options.csv is not None:
        _write_csv(options.csv, head, rows)
    if not options.quiet:
        _print_table(head, text, out)


def run(words, out):
    parser = Parser(prog="curlew s", description="S-parameters of a run, or of a Touchstone file, as tables and files.")
    parser.add_argument("path", metavar="DIR", help="folder of a run, or a Touchstone file")
    parser.add_argument("--show", default="db,phase", metavar="LIST",
                        help="columns: db, phase (degrees, unwrapped), ri (real and imaginary part), delay (group delay, "
                             "s), vswr, zin (input impedance, ohm), z, y (matrices, ohm and S); default: db,phase")
    parser.add_argument("--only", metavar="LIST", help="entries: S11,S21")
    parser.add_argument("--band", metavar="LOW:HIGH", help="frequencies, Hz")
    parser.add_argument("--shift", metavar="PORT=METRES,...",
                        help="moves reference planes into the network: takes lines of that length away (before --z0)")
    parser.add_argument("--z0", metavar="OHM,...", help="other reference impedances, one for all ports or one for each")
    parser.add_argument("--resonances", action="store_true", help="frequency and Q of dips of Sii and peaks of Sij")
    parser.add_argument("--csv", metavar="FILE", help="writes the table there, with all digits")
    parser.add_argument("--touchstone", metavar="FILE", help="writes a Touchstone file; needs one real impedance (--z0)")
    parser.add_argument("--plot", metavar="FILE", help="draws size and phase there, and the Smith chart in FILE_smith")
    parser.add_argument("-q", "--quiet", action="store_true", help="prints no table")
    options = parser.parse_args(words)
    network = _change(_read(options.path), options)
    sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "plot"))
    for option, path in (("csv", options.csv), ("touchstone", options.touchstone), ("plot", options.plot),
                         ("plot", _smith(options.plot) if options.plot else None)):
        if path is not None:
            _check(path, option, options.path)
    _table(network, options, out)
    if options.touchstone is not None:
        network.write_touchstone(options.touchstone)
    if options.plot is not None:
        _plot(options.plot, network, _entries(options.only, network))


def main(words):
    """Runs the command; returns the exit code."""
    try:
        run(words, sys.stdout)
        sys.stdout.flush()
        return 0
    except CurlewError as error:
        print(f"curlew: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"curlew: {error}", file=sys.stderr)
        return 3
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"curlew: cannot write '{error.filename}': {error.strerror}", file=sys.stderr)
        return 3
