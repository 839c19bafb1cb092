"""A plane wave in a conductor: attenuation and phase constant, skin depth. README.md says what and why."""
import os

import numpy as np

from lib import plots
from lib.runner import C0, EPSILON0

MU0 = 1 / (EPSILON0 * C0**2)

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "case.lua")
TITLE = "Plane wave in a conductor"
DEPTHS = np.array([0.02, 0.05, 0.08])
BAND = (0.2e9, 1.0e9)
# name, epsilon_r, sigma, sigma_m, what is required of alpha; the last has equal loss angles, and the impedance of vacuum
MEDIA = (("1 S/m", 1.0, 1.0, 0.0, 1e-2), ("0.2 S/m, epsilon_r 4", 4.0, 0.2, 0.0, 1e-2),
         ("0.05 S/m, equal loss angles", 1.0, 0.05, 0.05 * MU0 / EPSILON0, 1e-3))
SHOWN = 0.5e9


def exact(epsilon, sigma, sigma_m, hertz):
    """alpha and beta of exp(-alpha x) cos(omega t - beta x): k = beta - j alpha."""
    omega = 2 * np.pi * hertz
    k = omega / C0 * np.sqrt(epsilon - 1j * sigma / (omega * EPSILON0)) * np.sqrt(1 - 1j * sigma_m / (omega * MU0))
    return -k.imag, k.real


def transform(time, values, hertz):
    return np.exp(-2j * np.pi * hertz[:, None] * time[None, :]) @ values * (time[1] - time[0])


def measured(run, hertz):
    """Slopes over the depth of the logarithm of the size and of the phase, straight lines through all probes."""
    records = [run.probe(f"depth{i + 1}") for i in range(len(DEPTHS))]
    spectra = np.array([transform(record["time"], record["Ez"], hertz) for record in records])
    # from probe to probe, the phase turns by less than half a turn in the band
    phase = np.angle(spectra[0]) + np.cumsum(np.vstack([np.zeros(len(hertz)), np.angle(spectra[1:] / spectra[:-1])]),
                                             axis=0)
    return -np.polyfit(DEPTHS, np.log(np.abs(spectra)), 1)[0], -np.polyfit(DEPTHS, phase, 1)[0]


def run(context, table):
    hertz = np.linspace(*BAND, 161)
    shown = int(np.argmin(np.abs(hertz - SHOWN)))
    jobs = [(medium, integrator) for medium in MEDIA for integrator in ("leapfrog", "lsrk")]

    def one(job):
        (name, epsilon, sigma, sigma_m, _), integrator = job
        folder = f"{integrator}_{name.replace(' ', '_').replace('/', '_').replace(',', '')}"
        run = context.run(SCRIPT, folder, integrator=integrator, epsilon=epsilon, sigma=sigma, sigma_m=sigma_m,
                          order=4 if context.full else 3, size=0.02 if context.full else 0.03)
        return measured(run, hertz)

    panels, errors = [], []
    for (medium, integrator), (alpha, beta) in zip(jobs, context.each(one, jobs)):
        true_alpha, true_beta = exact(*medium[1:4], hertz)
        head = f"{medium[0]}, {integrator}"
        table.at_most(f"{head}: largest error of alpha(f)", np.abs(alpha / true_alpha - 1).max(), medium[4])
        table.at_most(f"{head}: largest error of beta(f)", np.abs(beta / true_beta - 1).max(), 1e-2)
        table.near(f"{head}: skin depth at {hertz[shown] / 1e9:g} GHz", 1e3 / alpha[shown],
                   1e3 / true_alpha[shown], 1e-2, "mm", 4)
        f = hertz / 1e9
        if integrator == "leapfrog":
            panels.append((medium[0], "frequency, GHz", "1/m", "linear",
                           [("alpha exact", f, true_alpha, "k-"), ("beta exact", f, true_beta, "k--"),
                            ("alpha", f[::8], alpha[::8], "C0o"), ("beta", f[::8], beta[::8], "C1s")]))
        colour = f"C{len(errors) // 2}"
        errors += [(f"alpha, {head}", f, np.abs(alpha / true_alpha - 1), colour + "-"),
                   (f"beta, {head}", f, np.abs(beta / true_beta - 1), colour + "--")]
    panels.append(("relative error", "frequency, GHz", "", "log", errors))
    picture = plots.lines(context.path("conductor.png"), panels, "Attenuation and phase constant in conductors")
    return {"pictures": [picture], "text": "From the records of Ez at depths of 20, 50 and 80 mm in a conductor 0.4 m "
                                           "thick; the skin depth is 1/alpha."}
