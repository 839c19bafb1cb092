/* What the log says of conductors whose relaxation a step does not resolve (time/medium.h). */
#include "maxwell/setup/conductor_report.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"

/* The largest values of all ranks. */
struct conductor {
  double loss;  /* sigma step / eps */
  double raise; /* eps' / eps */
  double skin;  /* mu sigma (distance of nodes)^2, in metres: times pi and over c0, one over a frequency */
};

static struct conductor look(const struct mx_setup *setup, size_t material)
{
  const struct mx_problem *problem = &setup->problem;
  struct conductor most = {0, 1, 0};
  for (size_t e = 0; e < problem->K; e++) {
    if (setup->assignment.material[e] != (int)material || !(problem->sigma[e] > 0)) continue;
    const double *scale = problem->face_scale[e], sigma = problem->sigma[e], epsilon = problem->epsilon[e];
    const double height = 1 / fmax(fmax(scale[0], scale[1]), fmax(scale[2], scale[3]));
    const double nodes = height / problem->ref->order, step = setup->step * MX_C0;
    const struct mx_ampere ampere = mx_ampere(setup->config->time.integrator, epsilon, sigma, step);
    most.loss = fmax(most.loss, sigma * step / epsilon);
    most.raise = fmax(most.raise, ampere.inertia / epsilon);
    most.skin = fmax(most.skin, problem->mu[e] * sigma * nodes * nodes);
  }
  return most;
}

int mx_report_conductors(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  for (size_t m = 0; m < config->materials; m++) {
    char name[128], raised[80] = "";
    struct conductor most = look(setup, m);
    double value[3] = {most.loss, most.raise, most.skin};
    if (dg_comm_reduce(setup->comm, DG_MAX, 3, value, err) != 0) return err->code;
    if (mx_step_resolves(config->time.integrator, 1, value[0], 1)) continue;
    mx_selector_name(&config->material[m].where, name, sizeof name);
    if (config->time.integrator != MX_LEAPFROG)
      snprintf(raised, sizeof raised, ", and epsilon counts as %.3g times as large", value[1]);
    dg_log_line(setup->log,
                "conductor %s: E relaxes in %.3g s, %.3g times faster than a step, which it does not limit%s; its skin "
                "is thicker than the distance of nodes below %.3g Hz",
                name, setup->step / value[0], value[0], raised, MX_C0 / (3.14159265358979323846 * value[2]));
  }
  return 0;
}
