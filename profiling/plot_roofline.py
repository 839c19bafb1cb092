#!/usr/bin/python3
"""Draws what `curlew bench --json` measured as a roofline: speed over arithmetic intensity, under the ceilings of the
same run.

    plot_roofline.py results/2026-01-31.json -o roofline.png

Left leapfrog, right lsrk: a point for every order, precision and backend, with the order beside it. The intensity is
that of the floor (flops and bytes that the method needs), so a point's height over the roof is its fraction of the
floor. Needs Debian's python3-matplotlib. Exit codes: 0 done, 2 a wrong file, 3 a module is missing or the picture
cannot be written.
"""
import argparse
import json
import os
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter
except ImportError as error:
    print(f"plot_roofline: {error}; it needs Debian's python3-matplotlib, and /usr/bin/python3", file=sys.stderr)
    sys.exit(3)

COLOURS = {"double": "#1f5fa8", "single": "#c8571b"}
MARKERS = {"cpu": "o", "reference": "x", "cuda": "s"}
KEYS = ("order", "integrator", "precision", "backend", "bytes_per_step", "flops_per_step", "flops_per_second",
        "fraction_of_floor", "unknowns")


def stop(code, message):
    print(f"plot_roofline: {message}", file=sys.stderr)
    sys.exit(code)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            bench = json.load(file)
    except OSError as error:
        stop(2, f"cannot read '{path}': {error.strerror}")
    except ValueError as error:
        stop(2, f"'{path}' is not JSON: {error}")
    if not isinstance(bench, dict) or bench.get("program") != "curlew bench" or not bench.get("results"):
        stop(2, f"'{path}' was not written by curlew bench, or holds no results")
    missing = [key for key in KEYS if key not in bench["results"][0]]
    if missing:
        stop(2, f"'{path}' has no {', '.join(missing)} in its results")
    return bench


def intensity(result):
    return result["flops_per_step"] / result["bytes_per_step"]


def draw_roof(axes, ceilings, limits):
    """min(peak, intensity times bandwidth) for both precisions; the slope is common."""
    bandwidth = ceilings["copy_bytes_per_second"]
    for precision, colour in COLOURS.items():
        peak = ceilings[f"{precision}_flops_per_second"]
        knee = peak / bandwidth
        axes.plot([limits[0], knee, limits[1]], [limits[0] * bandwidth / 1e9, peak / 1e9, peak / 1e9], color=colour,
                  linewidth=1.5, zorder=1)
        axes.annotate(f"{peak / 1e9:.0f} GFLOP/s {precision}", (limits[1], peak / 1e9), xytext=(-4, 4), color=colour,
                      textcoords="offset points", horizontalalignment="right", fontsize=9)
    axes.annotate(f"copy {bandwidth / 1e9:.1f} GB/s", (1.1 * limits[0], 3 * limits[0] * bandwidth / 1e9), fontsize=9,
                  color="0.3")


def draw_points(axes, results):
    for backend in sorted({result["backend"] for result in results}):
        for precision, colour in COLOURS.items():
            line = sorted((r for r in results if r["backend"] == backend and r["precision"] == precision),
                          key=lambda r: r["order"])
            if not line:
                continue
            x, y = [intensity(r) for r in line], [r["flops_per_second"] / 1e9 for r in line]
            shares = [r["fraction_of_floor"] for r in line]
            axes.plot(x, y, color=colour, linewidth=0.6, alpha=0.5, zorder=2)
            axes.plot(x, y, MARKERS.get(backend, "^"), color=colour, markersize=6, zorder=3,
                      label=f"{backend}, {precision}: {min(shares):.2f} to {max(shares):.2f} of the floor")
            for result, at_x, at_y in zip(line, x, y):
                above = precision == "single"
                axes.annotate(f"p{result['order']}", (at_x, at_y), xytext=(0, 6 if above else -13), fontsize=8,
                              textcoords="offset points", horizontalalignment="center", color=colour)


def draw(bench, path):
    results, ceilings, machine = bench["results"], bench["ceilings"], bench["machine"]
    where = f"{machine['processor']}, {bench['threads']} threads, {ceilings['instructions']}"
    if all(result["backend"] == "cuda" for result in results):  # alone, they have the roof of their card
        ceilings = ceilings["card"]
        where = ceilings["name"]
    integrators = [name for name in ("leapfrog", "lsrk") if any(r["integrator"] == name for r in results)]
    figure, panels = plt.subplots(1, len(integrators), figsize=(6.6 * len(integrators), 5.6), squeeze=False,
                                  sharey=True)
    spread = [intensity(r) for r in results]
    limits = (min(spread) / 1.6, max(max(spread), ceilings["single_flops_per_second"] /
                                     ceilings["copy_bytes_per_second"]) * 1.6)
    top = max(ceilings["single_flops_per_second"] / 1e9, max(r["flops_per_second"] for r in results) / 1e9) * 1.7
    bottom = min(min(r["flops_per_second"] for r in results) / 1e9,
                 limits[0] * ceilings["copy_bytes_per_second"] / 1e9) / 3
    for axes, integrator in zip(panels[0], integrators):
        draw_roof(axes, ceilings, limits)
        draw_points(axes, [r for r in results if r["integrator"] == integrator])
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=(bottom, top), title=integrator,
                 xlabel="flops / byte, as the floor counts them")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(
            FuncFormatter(lambda value, _: f"{value:g}" if f"{value:.0e}"[0] in "25" else ""))
        axes.tick_params(axis="x", which="minor", labelsize=8)
        axes.grid(which="both", linewidth=0.3, alpha=0.5)
        axes.legend(loc="lower right", fontsize=8)
    panels[0][0].set_ylabel("GFLOP/s, as the floor counts them")
    unknowns = min(r["unknowns"] for r in results)
    figure.suptitle(f"{where}; at least {unknowns / 1e6:.2g} million unknowns; curlew {bench['version']}, "
                    f"{bench['date'][:10]}",
                    fontsize=10)
    figure.tight_layout()
    try:
        figure.savefig(path, dpi=110)
    except (OSError, ValueError) as error:
        stop(3, f"cannot write '{path}': {getattr(error, 'strerror', None) or error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("json", help="written by curlew bench --json")
    parser.add_argument("-o", "--output", help="the picture (default: beside the JSON file, .png)")
    options = parser.parse_args()
    bench = read(options.json)
    draw(bench, options.output or os.path.splitext(options.json)[0] + ".png")


if __name__ == "__main__":
    main()
