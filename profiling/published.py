#!/usr/bin/python3
"""The published study of a Gmsh-based DG solver, measured again on this machine and put beside the printed numbers.

    published.py measure --json mine.json                   # the cavity on the processors, on one thread and on all
    published.py measure --json card.json --backend cuda    # the cavity on a card; --cards 1,2: the doubled meshes, too
    published.py page mine.json card.json > published.md    # one page of all measurements
    published.py all --json mine.json > published.md        # both, processors and cards as they are there

The cavity is [0,1]^3 with conducting walls, meshed by Gmsh with elements of 0.05, 0.04 and 0.03, at orders 1 to 5, with
rk4 (as printed) and leapfrog. A number is unknowns times steps a second: a step of rk4 counts once, not each of its four
stages. The doubled meshes (188 thousand to 96 million unknowns, orders 1 to 3, leapfrog) are grids of cells, one block a
card. Source of the printed numbers: tables 4.2 and 4.3 of the thesis; figures 5.2 to 5.9, 6.2 and 6.3 print curves and
no numbers, so that the page has ours alone.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

SIZES, ORDERS = ("0.05", "0.04", "0.03"), (1, 2, 3, 4, 5)
# size: unknowns times steps a second at orders 1, 2, ..., before and after the text's own work on its kernels.
PROCESSOR = {"0.05": ((7.91e6, 6.58e6, 7.27e6), (9.08e6, 7.56e6, 8.34e6)),
             "0.04": ((7.21e6, 6.12e6, 7.04e6), (8.26e6, 7.12e6, 8.27e6)),
             "0.03": ((5.56e6, 5.17e6, 6.55e6), (6.92e6, 5.95e6, 7.42e6))}
CARD = {"0.05": ((2.75e8, 3.84e8, 3.64e8, 3.05e8, 2.55e8), (2.76e8, 4.72e8, 4.70e8, 4.24e8, 3.75e8)),
        "0.04": ((3.34e8, 3.94e8, 3.63e8, 3.06e8, 2.57e8), (3.32e8, 4.71e8, 4.75e8, 4.21e8, 3.77e8)),
        "0.03": ((3.67e8, 3.99e8, 3.64e8, 3.08e8, 2.58e8), (3.78e8, 4.79e8, 4.62e8, 4.26e8, 3.78e8))}
CARD_COPY = 653e9  # bytes a second that a TITAN V is said to copy at most; the text does not print it
DOUBLED = [188000 * 2**i for i in range(10)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("what", choices=("measure", "page", "all"))
    add("files", nargs="*", metavar="FILE", help="page: what measure has written")
    add("--json", metavar="FILE", help="measure: writes there")
    add("--backend", default="cpu", help="cpu, cuda (default: %(default)s)")
    add("--cards", default="1", help="numbers of cards for the doubled meshes (default: %(default)s: none of them)")
    add("--sizes", default=",".join(SIZES))
    add("--orders", default="1..5")
    add("--seconds", default="0.5", help="that every case is measured for at least (default: %(default)s)")
    add("--flux", default="upwind")
    add("--curlew", default="curlew")
    add("--mpirun", default="mpirun")
    options = parser.parse_args()
    if options.what == "page" and not options.files or options.what != "page" and not options.json:
        parser.error("page needs FILEs, measure and all need --json FILE")
    return options


def bench(options, *words, ranks=1):
    """What one start of the bench reports; None if it did not run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        start = [options.mpirun, "-n", str(ranks)] if ranks > 1 else []
        command = [*start, options.curlew, "bench", "--flux", options.flux, "--seconds", options.seconds, "--precision", "double",
                   "--quiet", "--json", path, *words]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not os.path.exists(path):
            print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def measure(options, backend, cards):
    """Measures the cavity on `backend`, and the doubled meshes where there are several numbers of cards."""
    found = {"machine": None, "backend": backend, "flux": options.flux, "cavity": [], "doubled": []}
    threads = [None] if backend != "cpu" else sorted({1, len(os.sched_getaffinity(0))})
    for size in options.sizes.split(","):
        for count in threads:
            report = bench(options, "--mesh", "gmsh", "--size", size, "--order", options.orders, "--integrator", "rk4,leapfrog",
                           "--backend", backend, *(["--threads", str(count)] if count else []))
            if report is None:
                return None
            found["machine"] = {"processor": report["machine"]["processor"], "date": report["date"][:10],
                                "card": (report["ceilings"].get("card") or {}).get("name", "")}
            copy = report["ceilings"]["card"]["copy_bytes_per_second"] if backend != "cpu" else report["ceilings"][
                "copy_bytes_per_second"]
            for r in report["results"]:
                found["cavity"].append({"size": size, "threads": count or 0, "copy": copy, **{key: r[key] for key in (
                    "order", "integrator", "elements", "unknowns", "dof_per_second", "seconds_per_step_shortest",
                    "seconds_per_step_longest", "seconds_per_step")}})
    for number in [int(n) for n in cards.split(",")] if cards != "1" else []:
        for unknowns in DOUBLED:
            report = bench(options, "--mesh", "grid", "--unknowns", str(unknowns), "--order", "1..3", "--integrator", "leapfrog",
                           "--backend", backend, ranks=number)
            for r in report["results"] if report else []:
                found["doubled"].append({"cards": number, "wanted": unknowns, **{key: r.get(key, 0) for key in (
                    "order", "unknowns", "dof_per_second", "seconds_per_step", "halo_seconds_per_step")}})
    return found


def has_card(options):
    """Tells whether the program can work on a card here."""
    done = subprocess.run([options.curlew, "bench", "--backend", "cuda", "--order", "1", "--unknowns", "1000", "--mesh", "grid",
                           "--seconds", "0", "--quiet"], check=False, capture_output=True)
    return done.returncode == 0


def table(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + [
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def pick(cavity, size, order, integrator, threads):
    for case in cavity:
        if (case["size"], case["order"], case["integrator"], case["threads"]) == (size, order, integrator, threads):
            return case
    return None


def cavity_rows(found, printed, threads, copy_of_text):
    """A row for each printed number, and for ours that the text has not."""
    rows = []
    for size in SIZES:
        for order in ORDERS:
            rk4, frog = (pick(found["cavity"], size, order, name, threads) for name in ("rk4", "leapfrog"))
            if rk4 is None or frog is None:
                continue
            before, after = (values[order - 1] if order <= len(values) else None for values in printed[size])
            row = [size, order, rk4["elements"], f"{before:.3g}" if before else "-", f"{after:.3g}" if after else "-",
                   f"{rk4['dof_per_second']:.3g}", f"{rk4['dof_per_second'] / after:.1f}" if after else "-"]
            if copy_of_text:
                row.append(f"{rk4['dof_per_second'] / rk4['copy'] / (after / copy_of_text):.1f}" if after else "-")
            spread = (rk4["seconds_per_step_longest"] - rk4["seconds_per_step_shortest"]) / rk4["seconds_per_step"]
            rows.append(row + [f"{frog['dof_per_second']:.3g}", f"{spread:.0%}"])
    return rows


def place_of(found):
    machine = found["machine"]
    return f"{machine['card'] + ', ' if found['backend'] != 'cpu' else ''}{machine['processor']}, {machine['date']}"


def cavity_page(found):
    text = []
    on_card = found["backend"] != "cpu"
    header = ["size", "order", "elements", "printed, before", "printed, after", "ours, rk4", "over printed"]
    header += ["the same a GB/s of copy"] if on_card else []
    header += ["ours, leapfrog", "spread"]
    for threads in sorted({case["threads"] for case in found["cavity"]}):
        where = "a card (printed: TITAN V)" if on_card else f"{threads} thread{'s' if threads > 1 else ''} (printed: processor)"
        text.append(f"### {where}: {place_of(found)}\n")
        text.append(table(header, cavity_rows(found, CARD if on_card else PROCESSOR, threads, CARD_COPY if on_card else 0)))
    return text


def worth_page(files):
    """How many cores a card is worth: its speed over that of one thread, where both were measured."""
    cards = [f for f in files if f["backend"] != "cpu"]
    cores = [f for f in files if f["backend"] == "cpu"]
    rows = []
    for order in ORDERS:
        for name in ("rk4", "leapfrog"):
            for card in cards:
                for core in cores:
                    most = max(case["threads"] for case in core["cavity"])
                    a, one, all_of = (pick(f["cavity"], "0.03", order, name, n)
                                      for f, n in ((card, 0), (core, 1), (core, most)))
                    if a and one and all_of:
                        rows.append([order, name, card["machine"]["card"], core["machine"]["processor"],
                                     f"{a['dof_per_second'] / one['dof_per_second']:.0f}",
                                     f"{a['dof_per_second'] / all_of['dof_per_second'] * most:.0f} ({most} threads)"])
    if not rows:
        return []
    return ["## How many cores a card is worth\n", "The text finds a TITAN V to be worth 64 cores. Size 0.03.\n",
            table(["order", "integrator", "card", "processor", "threads, by one", "threads, by all"], rows)]


def doubled_page(files):
    text = []
    for found in files:
        rows = []
        for case in found["doubled"]:
            one = next((c for c in found["doubled"] if c["cards"] == 1 and c["order"] == case["order"] and
                        c["wanted"] == case["wanted"]), None)
            half = next((c for c in found["doubled"] if c["cards"] == 1 and c["order"] == case["order"] and
                         c["wanted"] * case["cards"] == case["wanted"]), None)
            rate = case["dof_per_second"]
            rows.append([case["order"], case["unknowns"], case["cards"], f"{case['seconds_per_step'] * 1e6:.0f}", f"{rate:.3g}",
                         f"{case['halo_seconds_per_step'] * 1e6:.0f}" if case["cards"] > 1 else "-",
                         f"{rate / one['dof_per_second'] / case['cards']:.2f}" if one else "-",
                         f"{rate / half['dof_per_second'] / case['cards']:.2f}" if half and case["cards"] > 1 else "-"])
        if rows:
            text.append(f"### {place_of(found)}\n")
            text.append(table(["order", "unknowns", "cards", "us a step", "unknowns a second", "us waited", "strong efficiency",
                               "weak efficiency"], sorted(rows)))
    return ["## Doubled meshes on one and more cards (figures 6.2 and 6.3; two K80)\n"] + text if text else []


def page(files):
    text = ["# The published study, measured again\n",
            "Made by `profiling/published.py page`. What is printed is from tables 4.2 and 4.3 of the thesis that Curlew starts "
            "from, before and after its work on the kernels; all numbers are unknowns times steps a second in double precision. Its "
            "meshes of the same sizes have up to 15 per cent fewer elements than ours. The fluxes are "
            f"{', '.join(sorted({f['flux'] for f in files}))}. The bandwidth of a TITAN V, 653 GB/s, is its maker's.\n",
            "## The cavity (tables 4.2 and 4.3)\n"]
    for found in files:
        text += cavity_page(found)
    return "\n".join(text + worth_page(files) + doubled_page(files))


def main():
    options = parse_arguments()
    if options.what == "page":
        files = []
        for name in options.files:
            with open(name, encoding="utf-8") as file:
                files += json.load(file)
        print(page(files), end="")
        return 0
    if shutil.which(options.curlew) is None:
        print(f"published.py: there is no program '{options.curlew}' (--curlew PROGRAM)", file=sys.stderr)
        return 2
    backends = [options.backend] if options.what == "measure" else ["cpu"] + (["cuda"] if has_card(options) else [])
    files = [measure(options, backend, options.cards if backend != "cpu" else "1") for backend in backends]
    if None in files:
        return 1
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(files, file, indent=1)
        file.write("\n")
    if options.what == "all":
        print(page(files), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
