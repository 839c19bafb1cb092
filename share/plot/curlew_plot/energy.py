"""energy.csv and balance.csv: what is stored in the domain, and where it went."""

import numpy as np

from .style import Picture, decibel, figure, handy, label, legend_beside, scale, thin, time_axis

DEPTH = 100  # dB below the largest energy that are drawn


def _plain(axes, table, names):
    """Columns in joules over time."""
    factor = time_axis(axes, table["time"])
    scaled, unit = scale(np.concatenate([table[name] for name in names]), "J")
    for name in names:
        time, values = thin(table["time"] * factor, table[name] * scaled)
        axes.plot(
            time,
            values,
            label=name,
            color="black" if name == "total" else None,
            linewidth=1.2 if name == "total" else 1.5,
        )
    axes.set_ylabel(label("energy", unit))
    legend_beside(axes)


def energy(table):
    drawn = figure(7.4, 5.0)
    upper, lower = drawn.subplots(2, 1, sharex=True)
    _plain(upper, table, ["electric", "magnetic", "total"])
    upper.set_xlabel("")
    total = table["total"]
    factor = time_axis(lower, table["time"])
    level = decibel(total / max(np.nanmax(np.abs(total)), 1e-300), 10)
    time, level = thin(table["time"] * factor, level)
    lower.plot(time, level, color="black", linewidth=1.2)
    lower.set_ylabel("total (dB of the largest)")
    least = level.min()
    if least > -0.5:  # what is kept shows no change in dB
        lower.clear()
        lower.grid(True)
        time_axis(lower, table["time"])
        lower.plot(*thin(table["time"] * factor, total / total[0] - 1), color="black", linewidth=1.2)
        lower.set_ylabel("change of the total\n(of the first)")
    else:
        lower.set_ylim(max(least, -DEPTH) * 1.05, 3)
    return Picture(
        "energy",
        "Energy in the domain",
        "Energy",
        drawn,
        f"Largest total {handy(np.nanmax(total), 'J')}, at the end {handy(total[-1], 'J')}.",
    )


def balance(table):
    drawn = figure(7.4, 5.0)
    upper, lower = drawn.subplots(2, 1, sharex=True)
    _plain(upper, table, [name for name in ("energy", "sources", "losses", "radiated", "dissipated") if name in table])
    upper.set_xlabel("")
    factor = time_axis(lower, table["time"])
    largest = max(np.abs(table["energy"]).max(), 1e-300)
    time, part = thin(table["time"] * factor, table["difference"] / largest)
    lower.plot(time, part, color="black", linewidth=1.2)
    lower.set_ylabel("difference\n(of the largest energy)")
    return Picture("balance", "Energy balance", "Energy", drawn)


def pictures(run, _):
    for name, draw in (("energy.csv", energy), ("balance.csv", balance)):
        table = run.table(run.path(name)) if run.has(name) else None
        if table is not None:
            yield draw(table)
