"""The model of share/doc/scaling.md: the time of a step from sizes, speed, latency, bandwidth and the parts' surface."""
import math

from scaling.common import UserError, face_nodes, integers, nodes, positive, write

# Measured on METIS's parts of a cube, see share/doc/scaling.md: the largest part of P has IMBALANCE of the mean's
# elements, shares SURFACE_... faces with PEERS_... others, and HALO_ELEMENTS of an element a shared face.
IMBALANCE = 1.005
COPY = 3e9  # bytes/s of payload that a rank gathers from or scatters into fields
REDUCTIONS = 0.02  # a step: the watchdog looks every 50
SURFACE_INNER, SURFACE_OUTER = 4.8, 5.5
PEERS = 22
HALO_ELEMENTS = 0.92
EXCHANGES = {"leapfrog": (2, 1), "lsrk": (5, 2), "rk4": (4, 2)}  # a step: how many, with how many of the two fields
COLUMNS = ("ranks", "elements", "elements_per_rank", "shared_faces", "peers", "halo_bytes_per_step", "compute_seconds",
           "packing_seconds", "message_seconds", "exposed_seconds", "reduction_seconds", "halo_seconds", "step_seconds",
           "speedup", "efficiency", "halo_share")


def surface(per_rank, ranks):
    """Faces that the part with the most of them shares."""
    return min(SURFACE_INNER, SURFACE_OUTER * (1 - ranks ** (-1 / 3))) * per_rank ** (2 / 3)


def predict(elements, ranks, order, rate, latency, bandwidth, integrator="leapfrog", precision="double",
            imbalance=IMBALANCE, copy=COPY, reductions=REDUCTIONS):
    """One point; all seconds are those of a step. rate: DoF/s of a rank on its own; latency: s a message; bandwidth:
    bytes/s a rank, each way; copy: bytes/s; reductions: sums over all ranks, a step."""
    exchanges, fields = EXCHANGES[integrator]
    per_rank = elements / ranks * (imbalance if ranks > 1 else 1)
    compute = per_rank * 6 * nodes(order) / rate
    faces = surface(elements / ranks, ranks) if ranks > 1 else 0.0
    peers = min(ranks - 1, PEERS * (1 - ranks ** (-1 / 3)))
    size = faces * 2 * fields * face_nodes(order) * (8 if precision == "double" else 4)  # bytes an exchange
    message = peers * latency + size / bandwidth
    packing = exchanges * 2 * size / copy
    # Interior elements hide messages; those at the halo wait for them.
    interior = max(0.0, 1 - HALO_ELEMENTS * faces / per_rank) * compute / exchanges
    exposed = exchanges * max(0.0, message - interior)
    reduction = reductions * 2 * math.ceil(math.log2(ranks)) * latency
    return {"ranks": ranks, "elements": elements, "elements_per_rank": elements / ranks, "shared_faces": faces,
            "peers": peers, "halo_bytes_per_step": exchanges * size, "compute_seconds": compute,
            "packing_seconds": packing, "message_seconds": exchanges * message, "exposed_seconds": exposed,
            "reduction_seconds": reduction, "halo_seconds": packing + exposed,
            "step_seconds": compute + packing + exposed + reduction}


def table(options):
    """The rows of `predict`, and of the CSV file that it can write."""
    order = integers(options.order, "--order", 1, 8)[0]
    if bool(options.elements) == bool(options.unknowns):
        raise UserError("give one of --elements and --unknowns")
    size = (positive(options.elements, "--elements") if options.elements
            else positive(options.unknowns, "--unknowns") / (6 * nodes(order)))
    machine = {key: positive(getattr(options, key), f"--{key}")
               for key in ("rate", "latency", "bandwidth", "imbalance", "copy")}
    machine["reductions"] = 0.0 if options.reductions == "0" else positive(options.reductions, "--reductions")
    if machine["imbalance"] < 1:
        raise UserError(f"--imbalance is the largest part over the mean, at least 1, not '{options.imbalance}'")
    if options.integrator not in EXCHANGES:
        raise UserError(f"--integrator '{options.integrator}' is unknown (there are {', '.join(EXCHANGES)})")
    rows = []
    for ranks in integers(options.ranks, "--ranks", 1, 10**7):
        elements = size * (ranks if options.kind == "weak" else 1)
        if elements < ranks:
            raise UserError(f"{elements:.0f} elements cannot be split into {ranks} ranks")
        row = predict(elements, ranks, order, integrator=options.integrator, precision=options.precision, **machine)
        alone = elements * 6 * nodes(order) / machine["rate"]  # one rank with all of them
        row["speedup"] = alone / row["step_seconds"]
        row["efficiency"] = row["speedup"] / ranks
        row["halo_share"] = row["halo_seconds"] / row["step_seconds"]
        rows.append(row)
    return rows


def show(options):
    rows = table(options)
    if options.csv:
        lines = [",".join(COLUMNS)] + [",".join(f"{row[key]:.6g}" for key in COLUMNS) for row in rows]
        write(options.csv, "\n".join(lines) + "\n")
    times = ("compute", "packing", "message", "exposed", "step")
    print(f"{'ranks':>8} {'elements':>10} {'a rank':>10} {'faces':>8} {'peers':>5} {'kB/step':>9} "
          + " ".join(f"{name:>10}" for name in times) + f" {'speed-up':>9} {'eff.':>6}")
    for row in rows:
        print(f"{row['ranks']:8d} {row['elements']:10.4g} {row['elements_per_rank']:10.5g} {row['shared_faces']:8.0f} "
              f"{row['peers']:5.0f} {row['halo_bytes_per_step'] / 1e3:9.1f} "
              + " ".join(duration(row[f"{name}_seconds"]) for name in times)
              + f" {row['speedup']:9.4g} {100 * row['efficiency']:5.1f}%")
    return 0


def duration(seconds):
    for factor, unit in ((1, "s "), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:7.2f} {unit}"
    return ""
