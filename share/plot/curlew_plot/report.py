"""One page of HTML with all that a folder holds: parameters, warnings, tables and pictures. Style and pictures are inside
the page; it loads nothing from elsewhere."""

import base64
import html
import math
import os
import time

from . import resonances
from .mesh import step_text
from .results import number
from .style import handy

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1d2429; background: #f4f5f6; margin: 0; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 28px; margin: 8px 0 2px; overflow-wrap: anywhere; } h2 { font-size: 20px; margin: 34px 0 10px; }
h3 { font-size: 15px; margin: 0 0 8px; }
nav a { margin-right: 14px; color: #0b6fb8; text-decoration: none; white-space: nowrap; } nav { margin: 12px 0; }
.status { display: inline-block; border-radius: 4px; padding: 1px 9px; font-size: 13px; color: white; background: #5c6b73; }
.done { background: #2e7d3c; } .bad { background: #b3261e; } .sub { color: #5c6b73; margin: 0; }
.card { background: white; border: 1px solid #dfe3e6; border-radius: 6px; padding: 14px 16px; margin: 12px 0; overflow-x: auto; }
.card img { max-width: 100%; max-height: 640px; height: auto; width: auto; display: block; margin: 0 auto; }
.caption { color: #5c6b73; font-size: 13px; margin: 8px 0 0; }
.warning { border-left: 4px solid #e08e0b; } .error { border-left: 4px solid #b3261e; }
.warning p, .error p { margin: 4px 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 14px; } td, th { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid #cfd5d9; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); gap: 12px; } .two .card { margin: 0; }
pre { font-size: 12.5px; line-height: 1.4; overflow-x: auto; margin: 8px 0 0; } summary { cursor: pointer; }
@media print { body { background: white; } .card { break-inside: avoid; } details { display: none; } }
"""


def text(value):
    return html.escape(str(value))


def known(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def pairs(title, rows):
    """A card with a table of names and values; rows without a value are left out."""
    rows = [(name, value) for name, value in rows if value not in (None, "")]
    if not rows:
        return ""
    body = "".join(f"<tr><td>{text(name)}</td><td>{text(value)}</td></tr>" for name, value in rows)
    return f'<div class="card"><h3>{text(title)}</h3><table>{body}</table></div>'


def grid(title, header, rows):
    head = "".join(f"<th{cell_class(name, rows, i)}>{text(name)}</th>" for i, name in enumerate(header))
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{cell_class(name, rows, i)}>{text(cell)}</td>" for i, (name, cell) in enumerate(zip(header, row))
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="card"><h3>{text(title)}</h3><table><tr>{head}</tr>{body}</table></div>'


def cell_class(_, rows, column):
    """Columns of numbers are flush right."""
    return (
        ' class="n"' if rows and all(not math.isnan(number(row[column])) or row[column] == "" for row in rows) else ""
    )


def parameters(summary):
    rate, memory = summary.get("dof_per_second"), summary.get("peak_memory_bytes")
    flux = summary.get("flux")
    what = [
        ("order", summary.get("order")),
        ("elements", summary.get("elements")),
        ("unknowns", summary.get("unknowns")),
        ("integrator", summary.get("integrator")),
        ("flux", {1: "upwind (1)", 0: "centered (0)"}.get(flux, flux)),
        ("backend", summary.get("backend")),
        ("precision", summary.get("precision")),
        ("processes", summary.get("ranks")),
        ("threads", summary.get("threads")),
    ]
    how = [
        ("steps", summary.get("steps")),
        ("simulated time", handy(summary["simulated_time"], "s") if known(summary.get("simulated_time")) else None),
        ("step and limit", step_text(summary) if known(summary.get("time_step")) else None),
        ("ended by", summary.get("stop_reason")),
        ("time loop", f"{summary['loop_seconds']:.4g} s" if known(summary.get("loop_seconds")) else None),
        ("speed", f"{rate:.3g} unknowns x steps / s" if known(rate) else None),
        ("peak memory", f"{memory / 1e6:.4g} MB" if known(memory) else None),
        (
            "energy, first and last",
            " and ".join(
                handy(summary[key], "J") for key in ("energy_first", "energy_last") if known(summary.get(key))
            ),
        ),
    ]
    return '<div class="two">' + pairs("What was run", what) + pairs("How it ran", how) + "</div>"


def s_parameter_card(summary):
    found = summary.get("s_parameters")
    if not isinstance(found, dict):
        return ""

    def at(key, form):
        value, where = found.get(key), found.get(key + "_at")
        return None if not known(value) else form.format(value) + (f" at {handy(where, 'Hz')}" if known(where) else "")

    return pairs(
        "How far S-parameters can be trusted",
        [
            ("frequencies", found.get("frequencies")),
            ("of them left out", found.get("left_out") or None),
            ("energy left at the end", at("energy_left_decibel", "{:.1f} dB of what came in")),
            ("estimated error", at("error", "{:.2g}")),
            ("largest gain", at("largest_gain", "{:.6g}")),
            ("largest asymmetry", at("largest_asymmetry", "{:.2g}")),
            ("power that is missing", at("missing_power", "{:.2g}")),
        ],
    )


def resonance_card(run):
    rows = resonances.read(run)
    if not rows:
        return ""
    return grid(
        "Resonances",
        ["name", "frequency (Hz)", "Q", "error", "amplitude", "record", "seen", "doubt"],
        [
            [
                row["name"],
                f"{row['frequency']:.9g}",
                f"{row['Q']:.5g}",
                f"{row['error']:.2g}",
                f"{row['amplitude']:.4g}",
                row["record"],
                f"{row['seen']} of {row['records']}",
                row["doubt"],
            ]
            for row in rows
        ],
    )


def mesh_card(run):
    """The log's lines on mesh, step and pace."""
    kept = [
        line
        for line in run.log
        if line.split(" ", 1)[0] in ("mesh", "problem", "time", "pace", "layer", "open", "memory")
    ]
    if not kept:
        return ""
    return '<div class="card"><h3>Mesh and step, from the log</h3><pre>' + text("\n".join(kept)) + "</pre></div>"


def image(picture, content, kind):
    """A card with the picture inside."""
    mime = "image/svg+xml" if kind == "svg" else "image/png"
    data = base64.b64encode(content).decode("ascii")
    caption = f'<p class="caption">{text(picture.caption)}</p>' if picture.caption else ""
    return (
        f'<div class="card"><h3>{text(picture.title)}</h3><img alt="{text(picture.title)}" '
        f'src="data:{mime};base64,{data}">{caption}</div>'
    )


def lines_card(kind, title, lines):
    if not lines:
        return ""
    body = "".join(f"<p>{text(line)}</p>" for line in lines)
    return f'<div class="card {kind}"><h3>{text(title)}</h3>{body}</div>'


def head(run):
    summary = run.summary
    status = summary.get("status", "no summary.json")
    mark = "done" if status == "done" else "bad" if status in ("blew up", "failed") else ""
    when = ""
    if run.has("summary.json"):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(os.path.getmtime(run.path("summary.json"))))
    version = (summary.get("versions") or {}).get("curlew", "")
    name = summary.get("name") or os.path.basename(os.path.abspath(run.folder))
    return (
        f'<h1>{text(name)}</h1><p class="sub"><span class="status {mark}">{text(status)}</span> '
        f"{text(when)} · curlew {text(version)}</p>"
    )


EXTRA = {
    "S-parameters": lambda run: s_parameter_card(run.summary),
    "Resonances": resonance_card,
    "Mesh and step": mesh_card,
}
ORDER = (
    "S-parameters",
    "Far field",
    "Resonances",
    "Fields",
    "Records",
    "Spectra",
    "Lines and planes",
    "Energy",
    "Mesh and step",
    "Run",
)


def page(run, made, kind):
    """The HTML of a run and its pictures, [(picture, bytes)]."""
    sections = []
    for name in ORDER:
        body = EXTRA[name](run) if name in EXTRA else ""
        body += "".join(image(picture, content, kind) for picture, content in made if picture.section == name)
        if body:
            sections.append((name, body))
    links = "".join(f'<a href="#{name.lower().replace(" ", "-")}">{text(name)}</a>' for name, _ in sections)
    errors = [run.summary["error"]] if run.summary.get("error") else []
    parts = [
        head(run),
        f"<nav>{links}</nav>",
        lines_card("error", "The run ended with an error", errors),
        lines_card("warning", "Warnings of the run", run.warnings),
        lines_card("warning", "Left out of this page", run.errors + run.notes),
        parameters(run.summary),
    ]
    parts += [f'<h2 id="{name.lower().replace(" ", "-")}">{text(name)}</h2>{body}' for name, body in sections]
    if run.log:
        parts.append(
            '<h2>Log</h2><details class="card"><summary>log.txt</summary><pre>'
            + text("\n".join(run.log))
            + "</pre></details>"
        )
    title = text(run.summary.get("name") or "curlew")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><!-- made by curlew --><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{title}</title><style>{STYLE}</style></head>\n<body><main>'
        + "\n".join(part for part in parts if part)
        + "</main></body></html>\n"
    )
