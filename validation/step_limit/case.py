"""The automatic time step against the true limit, found by bisection. README.md says what and why."""
import os

from lib import plots

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "case.lua")
TITLE = "Automatic time step"
INTEGRATORS = ("leapfrog", "rk4", "lsrk")
MESHES = ("cube", "graded")


def one(context, mesh, order, flux, integrator):
    """Automatic step of curlew, and the bracket of the true limit of curlew_bisect, seconds."""
    run = context.run(SCRIPT, f"{mesh}_p{order}_{integrator}_{flux}", mesh=mesh + ".geo", order=order, flux=flux,
                      integrator=integrator)
    automatic = run.summary["time_step"]
    said = context.command([context.bisect, os.path.join(HERE, mesh + ".geo"), str(order), str(flux), integrator,
                            repr(automatic / 0.95)])
    elements, ratio, stable, unstable, trials = (float(word) for word in said.split(","))
    return {"elements": int(elements), "ratio": ratio, "automatic": automatic, "true": (stable * unstable) ** 0.5,
            "trials": int(trials)}


def run(context, table):
    orders = {"cube": range(1, 7), "graded": range(1, 7)} if context.full else {"cube": (1, 2, 3), "graded": (1, 2, 3)}
    jobs = [(mesh, p, flux, integrator) for mesh in MESHES for p in orders[mesh] for integrator in INTEGRATORS
            for flux in (0, 1)]
    jobs.sort(key=lambda job: -job[1])
    done = dict(zip(jobs, context.each(lambda job: one(context, *job), jobs)))
    sizes = {mesh: next(r for job, r in done.items() if job[0] == mesh) for mesh in MESHES}
    table.at_least("graded mesh: longest over shortest mean edge of an element", sizes["graded"]["ratio"], 50)
    panels = []
    for mesh in MESHES:
        curves = []
        for integrator in INTEGRATORS:
            for flux in (0, 1):
                name = f"{integrator}, {'upwind' if flux else 'centered'}"
                ratios = []
                for p in orders[mesh]:
                    result = done[mesh, p, flux, integrator]
                    ratios.append(result["automatic"] / result["true"])
                    table.within(f"{mesh}, {name}, p={p}: automatic / true", ratios[-1], 0.90, 1.00)
                curves.append((name, list(orders[mesh]), ratios, "o-" if flux else "s--"))
        curves += [("", [1, orders[mesh][-1]], [bound] * 2, "k:") for bound in (0.9, 1.0)]
        panels.append((f"{mesh}: {sizes[mesh]['elements']} elements, size ratio {sizes[mesh]['ratio']:.0f}", "order",
                       "automatic step / true limit", "linear", curves))
    picture = plots.lines(context.path("step_limit.png"), panels, "Automatic time step over the true limit")
    return {"pictures": [picture],
            "text": "The true limit is known to 1 %: the geometric mean of the largest step that stayed bounded and "
                    "the smallest that exploded. The search begins at the automatic step, so the ratios take the few "
                    "values of its grid. cfl = 0.95 is the default."}
