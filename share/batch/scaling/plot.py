"""Draws a study: speed-up, efficiency, DoF/s, communication."""
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullLocator  # noqa: E402

COLOURS = ("#1f5fa8", "#c8571b", "#2a8a4a", "#7a3b9a", "#8a6d1f", "#b02a4c", "#3f3f3f", "#1b9aaa")
MARKERS = "osD^vP*X"


def labels(keys, settings):
    """What tells the series apart, and nothing else."""
    per_rank = " a rank" if settings["kind"] == "weak" and not settings["mesh_size"] else ""
    unit = " elements" if settings["elements"] else " unknowns" if settings["unknowns"] else " mesh size"
    parts = {0: lambda v: f"order {v}", 1: lambda v: f"{v:,}{unit}{per_rank}", 2: str,
             3: lambda v: f"{v} thread{'s' if v > 1 else ''}"}
    differ = [i for i in range(4) if len({key[i] for key in keys}) > 1]
    return {key: ", ".join(parts[i](key[i]) for i in differ if key[i] is not None) for key in keys}


def rank_axis(axes, ranks):
    """Powers of two look even; every number of ranks that was run is a tick, as far as there is room."""
    axes.set_xscale("log", base=2)
    shown = sorted(ranks)
    while len(shown) > 9:
        shown = shown[::2]
    axes.set_xticks(shown)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0f}"))
    axes.set_xlim(min(ranks) / 1.15, max(ranks) * 1.15)
    axes.set_xlabel("ranks")
    axes.grid(color="0.9")
    axes.set_axisbelow(True)


def draw(lines, missing, settings, title):
    """The picture as PNG. lines: {(order, size, mapping, threads): rows}; missing: rows to be named below."""
    weak = settings["kind"] == "weak"
    figure, panels = plt.subplots(2, 3, figsize=(13, 7.6))
    speedup, efficiency, rate, share, halo, step = panels.flat
    ranks = {row["ranks"] for line in lines.values() for row in line}
    names = labels(list(lines), settings)
    for i, (key, line) in enumerate(lines.items()):
        x = [row["ranks"] for row in line]
        style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i // len(COLOURS) % len(MARKERS)], "markersize": 5,
                 "linewidth": 1.6, "label": names[key]}
        ideal = {"color": style["color"], "linestyle": ":", "linewidth": 1.2}
        first = line[0]
        speedup.plot(x, [row["speedup"] for row in line], **style)
        efficiency.plot(x, [100 * row["efficiency"] for row in line], **style)
        rate.plot(x, [row["dof_per_second"] for row in line], **style)
        rate.plot(x, [first["dof_per_second"] * n / first["ranks"] for n in x], **ideal)
        share.plot(x, [100 * row["halo_share"] for row in line], **style)
        halo.plot(x, [1e6 * row["halo_seconds_per_step"] for row in line], **style)
        step.errorbar(x, [1e3 * row["step_seconds"] for row in line],
                      yerr=[[1e3 * (row["loop_seconds"] - row["loop_seconds_min"]) / row["steps"] for row in line],
                            [1e3 * (row["loop_seconds_max"] - row["loop_seconds"]) / row["steps"] for row in line]],
                      capsize=3, **style)
        step.plot(x, [1e3 * first["step_seconds"] * (1 if weak else first["ranks"] / n) for n in x], **ideal)
        if "model_step_seconds" in first:
            dashed = {"color": style["color"], "linestyle": "--", "linewidth": 1.2}
            step.plot(x, [1e3 * row["model_step_seconds"] for row in line], **dashed)
            halo.plot(x, [1e6 * row["model_halo_seconds_per_step"] for row in line], **dashed)
    x = sorted(ranks)
    speedup.plot(x, x, color="black", linestyle=":", linewidth=1.2, label="ideal")
    efficiency.axhline(100, color="black", linestyle=":", linewidth=1.2)
    for axes, what in ((speedup, "scaled speed-up" if weak else "speed-up"), (efficiency, "efficiency, %"), (rate, "DoF/s"),
                       (share, "halo, % of the time loop"), (halo, "halo, µs a step"), (step, "ms a step")):
        rank_axis(axes, ranks)
        axes.set_title(what, fontsize=11)
    for axes in (speedup, rate):
        axes.set_yscale("log", base=10 if axes is rate else 2)
    speedup.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    if min(row["step_seconds"] for line in lines.values() for row in line) > 0 and not weak:
        step.set_yscale("log")
    for axes in (efficiency, share, halo):
        axes.set_ylim(bottom=0)
    efficiency.set_ylim(top=max(105, efficiency.get_ylim()[1]))
    dashes = "; dashed: the model" if any("model_step_seconds" in line[0] for line in lines.values()) else ""
    plain = f"{settings['kind']} scaling, median of {settings['repetitions']}; dotted: ideal{dashes}"
    figure.suptitle(title or plain, fontsize=12)
    bottom = 0.03 if missing else 0.0
    if len(lines) > 1:
        handles, texts = speedup.get_legend_handles_labels()
        figure.legend(handles, texts, loc="lower center", bbox_to_anchor=(0.5, bottom), ncol=min(len(handles), 4),
                      frameon=False)
    if missing:
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        figure.text(0.99, 0.005, f"not done: {', '.join(row['name'] for row in missing[:6])}{more}", color="#b00020",
                    fontsize=9, ha="right", va="bottom")
    rows = -(-(len(lines) + 1) // 4) if len(lines) > 1 else 0
    figure.tight_layout(rect=(0, bottom + 0.01 + 0.028 * rows, 1, 0.97))
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    plt.close(figure)
    return content.getvalue()
