/* Checks and logs perfectly matched layers and absorbers: layer_report.h. setup_build.c calls it. */
#include "maxwell/setup/layer_report.h"

#include <math.h>

static bool matched(const struct mx_setup *setup)
{
  for (size_t i = 0; i < setup->layers.count; i++)
    if (!setup->layers.shape[i].absorber) return true;
  return false;
}

int mx_check_layers(const struct mx_setup *setup, struct dg_error *err)
{
  if (setup->config->output.balance.every > 0 && matched(setup))
    return dg_fail(err, DG_INPUT,
                   "output.balance does not know what a perfectly matched layer takes up; leave it out of a script "
                   "with layers");
  return 0;
}

static const char *const kind[] = {"box", "sphere", "cylinder"};

/* What is summed over the ranks for a layer: its elements, and the bytes of their states. */
enum { ELEMENTS, BYTES, VALUES };

static int report(const struct mx_setup *setup, size_t layer, struct dg_error *err)
{
  const struct mx_problem *problem = &setup->problem;
  const struct mx_layer_shape *shape = &setup->layers.shape[layer];
  const struct mx_scheme *scheme = &mx_schemes[setup->config->time.integrator];
  const double real = setup->config->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  const double arrays = scheme->staggered ? 1 : scheme->sums ? 3 : 2;
  double sum[VALUES] = {0}, index = -INFINITY, sigma = 0, followed = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    for (size_t k = 0; k < response->count && mx_responses[response->kind]->layer; k++) {
      const size_t e = (size_t)response->where[k];
      double own[MX_RESPONSE_PARAMETERS];
      if (setup->assignment.layer[e] != (int)layer) continue;
      sum[ELEMENTS] += 1;
      sum[BYTES] += real * arrays * 3 * (double)mx_response_places(problem, response->kind) *
                    mx_responses[response->kind]->states;
      index = fmax(index, -sqrt(problem->epsilon[e] * problem->mu[e]));
      (void)mx_response_follow(problem, response, k, setup->config->time.integrator, setup->step * MX_C0, own);
      sigma = fmax(sigma, mx_response_parameter(response, k)[0]);
      followed = fmax(followed, own[0]);
    }
  }
  double most[] = {index, sigma, followed};
  if (dg_comm_reduce(setup->comm, DG_SUM, VALUES, sum, err) != 0 ||
      dg_comm_reduce(setup->comm, DG_MAX, 3, most, err) != 0)
    return err->code;
  const double wanted = mx_layer_sigma_max(shape, -most[0]);
  dg_log_line(setup->log,
              "layer     %s, %.4g m thick, %.0f elements, states of %.3f MB; predicted reflection %.0f dB at normal "
              "incidence%s",
              kind[shape->kind], shape->thickness, sum[ELEMENTS], 1e-6 * sum[BYTES],
              shape->reflection * most[2] / wanted, most[1] < 0.999 * wanted ? ": so few elements carry no more" : "");
  return 0;
}

/* An absorber has no states: its losses are those of its elements. */
static int report_absorber(const struct mx_setup *setup, size_t layer, struct dg_error *err)
{
  const struct mx_problem *problem = &setup->problem;
  const struct mx_layer_shape *shape = &setup->layers.shape[layer];
  double elements = 0, rate = 0;
  for (size_t e = 0; e < problem->K; e++) {
    if (setup->assignment.absorber[e] != (int)layer) continue;
    elements += 1;
    rate = fmax(rate, problem->sigma_m[e] / problem->mu[e]);
  }
  if (dg_comm_reduce(setup->comm, DG_SUM, 1, &elements, err) != 0 ||
      dg_comm_reduce(setup->comm, DG_MAX, 1, &rate, err) != 0)
    return err->code;
  dg_log_line(setup->log,
              "absorber  %s, %.4g m thick, %.0f elements, fields relax in %.3g s at its end; predicted reflection "
              "%.0f dB at normal incidence, more at an angle",
              kind[shape->kind], shape->thickness, elements, 1 / (rate * MX_C0), shape->reflection);
  return 0;
}

int mx_report_layers(const struct mx_setup *setup, struct dg_error *err)
{
  for (size_t i = 0; i < setup->layers.count; i++)
    if ((setup->layers.shape[i].absorber ? report_absorber : report)(setup, i, err) != 0) return err->code;
  return 0;
}
