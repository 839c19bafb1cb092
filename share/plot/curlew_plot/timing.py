"""Where the seconds of the run went, from summary.json."""

from .style import Picture, figure

INSIDE = {"snapshots", "snapshots_behind", "sources_ahead"}  # parts of others, or beside the loop


def phases(summary):
    """(name, seconds), longest first: the profile where there is one."""
    profile = summary.get("profile")
    if isinstance(profile, dict) and profile.get("phases"):
        found = [(phase["name"], phase["seconds"]) for phase in profile["phases"]]
    else:
        found = [(name, value) for name, value in (summary.get("seconds") or {}).items() if name not in INSIDE]
    found = [(name, value) for name, value in found if isinstance(value, (int, float)) and value > 0]
    return sorted(found, key=lambda one: -one[1])[:16]


def pictures(run, _):
    found = phases(run.summary)
    if not found:
        return
    drawn = figure(7.4, 1.0 + 0.3 * len(found))
    axes = drawn.subplots()
    axes.grid(axis="y", visible=False)
    bars = axes.barh([name for name, _ in found], [value for _, value in found], color="#5c6b73", height=0.62)
    axes.bar_label(bars, labels=[f" {value:.3g}" for _, value in found], fontsize=9)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("wall clock (s)")
    yield Picture("run", "Where the time went", "Run", drawn)
