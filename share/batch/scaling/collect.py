"""Reads what the points of a study wrote: medians over repetitions, a table, a CSV file, a picture."""
import csv
import io
import os
import statistics

from scaling.common import MachineError, UserError, positive, read_json, write
from scaling.model import EXCHANGES, predict
from scaling.study import load
from scaling.submit import point_folder, queued_jobs, state

COLUMNS = ("name", "status", "detail", "order", "size", "mapping", "threads", "ranks", "cores", "elements", "unknowns", "steps",
           "repetitions", "loop_seconds", "loop_seconds_min", "loop_seconds_max", "step_seconds", "dof_per_second", "speedup",
           "efficiency", "halo_seconds_per_step", "halo_share", "imbalance", "faces_between",
           "halo_bytes_per_step", "meshing_seconds", "setup_seconds", "output_seconds", "peak_memory_bytes", "integrator",
           "precision", "backend")
MODEL_COLUMNS = ("model_step_seconds", "model_compute_seconds", "model_halo_seconds_per_step", "model_halo_bytes_per_step",
                 "measured_over_model")


def medians(summaries):
    """One row's values from the summaries of all repetitions."""
    first, steps = summaries[0], summaries[0]["steps"]

    def median(value):
        return statistics.median(value(summary) for summary in summaries)

    loops = [summary["loop_seconds"] for summary in summaries]
    row = {key: first[key] for key in ("elements", "unknowns", "steps", "integrator", "precision", "backend", "order")}
    row.update(loop_seconds=statistics.median(loops), loop_seconds_min=min(loops), loop_seconds_max=max(loops),
               step_seconds=statistics.median(loops) / steps, dof_per_second=median(lambda s: s["dof_per_second"]),
               halo_seconds_per_step=median(lambda s: s["seconds"]["halo"]) / steps,
               halo_share=median(lambda s: s["seconds"]["halo"] / s["loop_seconds"] if s["loop_seconds"] > 0 else 0.0),
               meshing_seconds=median(lambda s: s["seconds"]["meshing"]), setup_seconds=median(lambda s: s["seconds"]["setup"]),
               output_seconds=median(lambda s: s["seconds"]["output"]),
               peak_memory_bytes=median(lambda s: s["peak_memory_bytes"]))
    part = first.get("partition")
    if part:
        row.update(imbalance=part["largest"] * first["ranks"] / first["elements"], faces_between=part["faces_between"],
                   halo_bytes_per_step=part["halo_bytes_per_step"])
    return row


def rows_of(study, manifest, queued):
    settings, rows = manifest["settings"], []
    for point in manifest["points"]:
        kind, why = state(study, point, settings, queued)
        row = {key: point[key] for key in ("name", "order", "size", "mapping", "threads", "ranks")}
        row.update(status=kind, detail=why, cores=point["ranks"] * point["threads"], repetitions=settings["repetitions"],
                   steps=settings["steps"])
        if kind == "done":
            paths = [os.path.join(point_folder(study, point), f"run_{i + 1}", "summary.json")
                     for i in range(settings["repetitions"])]
            try:
                row.update(medians([read_json(path) for path in paths]))
            except (KeyError, TypeError) as error:
                row.update(status="failed", detail=f"a summary.json without {error}")
        rows.append(row)
    return rows


def series(rows):
    """{(order, size, mapping, threads): its done rows by ascending ranks}."""
    found = {}
    for row in rows:
        if row["status"] == "done":
            found.setdefault((row["order"], row["size"], row["mapping"], row["threads"]), []).append(row)
    return {key: sorted(line, key=lambda row: row["ranks"]) for key, line in found.items()}


def compare(rows):
    """Speed-up and efficiency against the fewest ranks of the series, which count as perfect; by DoF/s, so that meshes
    of slightly different sizes can be compared. Of a weak study the speed-up is the scaled one."""
    for line in series(rows).values():
        base = line[0]
        for row in line:
            row["speedup"] = row["dof_per_second"] / base["dof_per_second"] * base["ranks"]
            row["efficiency"] = row["speedup"] / row["ranks"]


def add_model(rows, options):
    latency, bandwidth = positive(options.latency, "--latency"), positive(options.bandwidth, "--bandwidth")
    rate = positive(options.rate, "--rate") if options.rate else None
    for line in series(rows).values():
        alone = rate or line[0]["dof_per_second"] / line[0]["ranks"]
        for row in line:
            if row["integrator"] not in EXCHANGES:
                continue
            model = predict(row["elements"], row["ranks"], row["order"], alone, latency, bandwidth, row["integrator"],
                            row["precision"])
            row.update(model_step_seconds=model["step_seconds"], model_compute_seconds=model["compute_seconds"],
                       model_halo_seconds_per_step=model["halo_seconds"],
                       model_halo_bytes_per_step=model["halo_bytes_per_step"],
                       measured_over_model=row["step_seconds"] / model["step_seconds"])


def cell(value):
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def print_table(rows, with_model):
    width = max(len(row["name"]) for row in rows)
    print(f"{'point':{width}} {'elements':>9} {'ms/step':>9} {'DoF/s':>10} {'speed-up':>9} {'eff.':>7} {'halo':>7}"
          + (f" {'model ms':>9}" if with_model else ""))
    for row in rows:
        if row["status"] != "done":
            print(f"{row['name']:{width}} {row['status']}{': ' if row['detail'] else ''}{row['detail']}")
            continue
        model = f" {1e3 * row['model_step_seconds']:9.4g}" if "model_step_seconds" in row else ""
        print(f"{row['name']:{width}} {row['elements']:9d} {1e3 * row['step_seconds']:9.4g} {row['dof_per_second']:10.4g} "
              f"{row['speedup']:9.3f} {100 * row['efficiency']:6.1f}% {100 * row['halo_share']:6.2f}%{model}")


def collect(options):
    manifest = load(options.study)
    if bool(options.latency) != bool(options.bandwidth):
        raise UserError("the model needs both --latency and --bandwidth")
    if options.rate and not options.latency:
        raise UserError("--rate is for the model, which needs --latency and --bandwidth")
    try:
        queued = queued_jobs()
    except MachineError:  # the results can be read away from the cluster
        queued = None
    rows = rows_of(options.study, manifest, queued)
    compare(rows)
    if options.latency:
        add_model(rows, options)
    columns = COLUMNS + (MODEL_COLUMNS if options.latency else ())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(key)) for key in columns] for row in rows)
    path = os.path.join(options.study, "scaling.csv")
    write(path, text.getvalue())
    print_table(rows, bool(options.latency))
    missing = [row for row in rows if row["status"] != "done"]
    written = [path]
    if len(missing) < len(rows):
        try:
            from scaling.plot import draw
        except ImportError as error:
            raise MachineError(f"{path} is written, the picture is not: {error}; it needs Debian's python3-matplotlib, and "
                               "/usr/bin/python3") from error
        picture = os.path.join(options.study, "scaling.png")
        write(picture, draw(series(rows), missing, manifest["settings"], options.title))
        written.append(picture)
    print(f"{', '.join(written)}: {len(rows) - len(missing)} of {len(rows)} points are done")
    return 1 if missing else 0
