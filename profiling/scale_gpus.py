#!/usr/bin/python3
"""Weak and strong scaling of the cuda backend over the GPUs of one machine, and the smallest problem that is worth several.

    scale_gpus.py                                  # 100e6 unknowns a GPU, and 400e6 on all of them; orders 2 to 4
    scale_gpus.py --cards 1,2,4,8 --transport staged --csv staged.csv
    scale_gpus.py --study smallest --cards 4       # where efficiency falls below 0.8

Every line is `curlew bench` on a grid of cells (one block a GPU, all alike), one rank a GPU: unknowns a second of all GPUs,
efficiency against the fewest GPUs of the same study, and the time a step in which the slowest GPU waited for others. Exit code 1: something did not run.
"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

COLUMNS = ("study", "cards", "order", "unknowns", "unknowns_a_card", "gdof_per_second", "efficiency", "step_ms",
           "exposed_ms", "exposed", "mb_sent", "transport")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--study", default="weak,strong", help="of weak, strong, smallest (default: %(default)s)")
    add("--cards", default="1,2,4", help="default: %(default)s; the first is what others are compared with")
    add("--order", default="2,3,4")
    add("--weak", default="100e6", metavar="N", help="unknowns a GPU (default: %(default)s)")
    add("--strong", default="400e6", metavar="N", help="unknowns of all (default: %(default)s)")
    add("--sizes", default="0.5e6,1e6,2e6,4e6,8e6,16e6,32e6", help="smallest: unknowns a GPU (default: %(default)s)")
    add("--flux", default="upwind")
    add("--precision", default="double")
    add("--integrator", default="leapfrog")
    add("--transport", default="auto")
    add("--seconds", default="0.5", help="that every case is measured for at least (default: %(default)s)")
    add("--share-gpus", action="store_true", help="more ranks than GPUs, to try the script")
    add("--backend", default="cuda")
    add("--curlew", default="curlew")
    add("--mpirun", default="mpirun")
    add("--mpirun-option", action="append", default=[], metavar="OPTION", help="such as --mpirun-option=--allow-run-as-root")
    add("--csv", metavar="FILE")
    return parser.parse_args()


def bench(options, cards, unknowns, orders):
    """The results of one start of the bench, by order; None if it did not run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        command = [options.mpirun, "-n", str(cards), "--bind-to", "none", *options.mpirun_option, options.curlew, "bench",
                   "--backend", options.backend, "--mesh", "grid", "--order", ",".join(orders), "--unknowns",
                   f"{unknowns:.0f}", "--flux", options.flux, "--precision", options.precision, "--integrator",
                   options.integrator, "--transport", options.transport, "--seconds", options.seconds, "--quiet",
                   "--json", path, *(["--share-gpus"] if options.share_gpus else [])]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not os.path.exists(path):
            print(f"{cards} cards, {unknowns:.3g} unknowns: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
            return None
        with open(path, encoding="utf-8") as file:
            return {str(result["order"]): result for result in json.load(file)["results"]}


def cases(options):
    """(study, cards, unknowns), those that are compared with first in their study."""
    cards = [int(n) for n in options.cards.split(",")]
    studies = options.study.split(",")
    for n in cards:
        if "weak" in studies:
            yield "weak", n, n * float(options.weak), float(options.weak)
        if "strong" in studies:
            yield "strong", n, float(options.strong), float(options.strong)
    if "smallest" in studies:
        for size in (float(size) for size in options.sizes.split(",")):
            for n in sorted({1, *cards}):
                yield "smallest", n, n * size, size


def row(study, cards, order, result, first):
    rate = result["dof_per_second"]
    base_rate, base_cards = first
    step, exposed = result["seconds_per_step"], result.get("halo_seconds_per_step", 0.0)
    return dict(zip(COLUMNS, (
        study, cards, order, result["unknowns"], result["unknowns"] / cards, 1e-9 * rate,
        rate / base_rate * base_cards / cards, 1e3 * step, 1e3 * exposed, exposed / step,
        1e-6 * result.get("halo_bytes_per_step", 0), result.get("transport", "-"))))


def show(line):
    print(f"{line['study']:<9} {line['cards']:>5} {line['order']:>5} {line['unknowns']:>11.4g} "
          f"{line['unknowns_a_card']:>11.4g} {line['gdof_per_second']:>9.2f} {line['efficiency']:>10.3f} "
          f"{line['step_ms']:>9.4f} {line['exposed_ms']:>10.4f} {100 * line['exposed']:>7.2f}% {line['mb_sent']:>8.3f} "
          f"{line['transport']}", flush=True)


def main():
    options = parse_arguments()
    if shutil.which(options.mpirun) is None:
        print(f"{options.mpirun} is not there; --mpirun names another", file=sys.stderr)
        return 1
    print("study     cards order    unknowns      a card   GDoF/s efficiency   ms/step exposed/ms exposed  MB sent transport")
    known, first, lines, failed = {}, {}, [], False
    for study, cards, unknowns, key in cases(options):
        if (cards, unknowns) not in known: # a weak and a strong study may meet
            known[cards, unknowns] = bench(options, cards, unknowns, options.order.split(","))
        results = known[cards, unknowns]
        failed = failed or results is None
        for order, result in (results or {}).items():
            base = first.setdefault((study, order, key), (result["dof_per_second"], cards))
            lines.append(row(study, cards, order, result, base))
            show(lines[-1])
    if options.csv is not None:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
