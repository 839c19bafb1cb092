"""The pictures of the results page."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.ticker  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402


def save(figure, path):
    figure.savefig(path, dpi=100, bbox_inches="tight")
    plt.close(figure)
    return path


def convergence(path, curves, panels, title, ylabel="L2 error, V/m (H times $\\eta_0$)"):
    """curves: (panel, field, order, sizes, errors, slope)."""
    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.8), sharey=True, squeeze=False)
    for axis, panel in zip(axes[0], panels):
        for _, field, order, sizes, errors, slope in (c for c in curves if c[0] == panel):
            axis.loglog(sizes, errors, "o-" if field == "E" else "s--", color=f"C{order - 1}", markersize=4,
                        label=f"p={order} {field}: {slope:.2f}")
        axis.set_title(panel)
        axis.set_xlabel("h = (number of elements)$^{-1/3}$")
        axis.grid(True, which="major", alpha=0.4)
        for which in (axis.xaxis.set_major_formatter, axis.xaxis.set_minor_formatter):
            which(matplotlib.ticker.FormatStrFormatter("%g"))
        axis.tick_params(axis="x", which="both", labelsize=7)
        axis.legend(fontsize=7, ncol=3, title="order p, field: fitted rate", title_fontsize=7, loc="upper center",
                    bbox_to_anchor=(0.5, -0.14))
    axes[0][0].set_ylabel(ylabel)
    figure.suptitle(title)
    return save(figure, path)


def spectrum(path, panels, title):
    """panels: (name, frequency, power, exact lines with labels, unit divisor, unit)."""
    figure, axes = plt.subplots(len(panels), 1, figsize=(8, 3.2 * len(panels)), squeeze=False)
    for axis, (name, frequency, power, lines, divisor, unit) in zip(axes[:, 0], panels):
        decibel = 10 * np.log10(power / power.max() + 1e-30)
        axis.plot(frequency / divisor, decibel, color="C0", linewidth=1)
        for value, label in lines:
            axis.axvline(value / divisor, color="C3", linewidth=0.8, linestyle="--")
            axis.text(value / divisor, 4, label, rotation=60, fontsize=7, color="C3", ha="left", va="bottom")
        axis.set_xlim(frequency[0] / divisor, frequency[-1] / divisor)
        axis.set_ylim(max(-100, decibel.min()), 3)
        axis.set_xlabel(f"frequency, {unit}")
        axis.set_ylabel("power, dB")
        axis.set_title(name, fontsize=9, pad=34)
        axis.grid(alpha=0.3)
    figure.suptitle(title)
    figure.tight_layout()
    return save(figure, path)


def lines(path, panels, title):
    """panels: (name, x label, y label, 'linear' or 'log', [(label, x, y, style)])."""
    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2), squeeze=False)
    for axis, (name, xlabel, ylabel, scale, curves) in zip(axes[0], panels):
        for label, x, y, style in curves:
            axis.plot(x, y, style, label=label, linewidth=1, markersize=4)
        axis.set_yscale(scale)
        if xlabel == "order":
            axis.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1))
        axis.set_title(name, fontsize=10)
        axis.set_xlabel(xlabel)
        axis.set_ylabel(ylabel)
        axis.grid(alpha=0.3)
        if any(label for label, *_ in curves):
            axis.legend(fontsize=7)
    figure.suptitle(title)
    figure.tight_layout()
    return save(figure, path)
