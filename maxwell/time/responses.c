/* Responses with a scheme and a step: applies the functions of a response's kind. Backends, the step limit and the
 * set-up's report call it; responses.h documents it. */
#include "maxwell/time/responses.h"

#include <math.h>

struct mx_response_scheme mx_response_scheme(enum mx_integrator integrator, double step)
{
  return (struct mx_response_scheme){
      .staggered = mx_staggered(integrator), .step = step, .bound = mx_schemes[integrator].relaxation};
}

static struct mx_medium_update medium_of(const struct mx_problem *problem, enum mx_integrator integrator,
                                         enum mx_equation equation, double step, size_t e)
{
  return mx_medium_update(integrator, equation, mx_medium_of(problem, equation, e), step);
}

bool mx_response_follow(const struct mx_problem *problem, const struct mx_response *response, size_t k,
                        enum mx_integrator integrator, double step, double followed[MX_RESPONSE_PARAMETERS])
{
  const struct mx_response_scheme scheme = mx_response_scheme(integrator, step);
  const double *own = mx_response_parameter(response, k);
  const int parameters = mx_responses[response->kind]->parameters;
  const double inertia =
      medium_of(problem, integrator, (enum mx_equation)response->of, step, (size_t)response->where[k]).inertia;
  bool same = true;
  for (int i = 0; i < parameters; i++) followed[i] = own[i];
  mx_responses[response->kind]->follow(&scheme, inertia, own, followed);
  for (int i = 0; i < parameters; i++) same = same && followed[i] == own[i];
  return same;
}

struct mx_medium_update mx_element_update(const struct mx_problem *problem, enum mx_integrator integrator,
                                          enum mx_equation equation, double step, size_t e)
{
  struct mx_medium_update update = medium_of(problem, integrator, equation, step, e);
  if (equation == MX_AMPERE && mx_rests(problem, e)) update.gain = 0;
  double followed[MX_RESPONSE_PARAMETERS];
  size_t k;
  if (problem->responses == 0 || !mx_staggered(integrator)) return update;
  const struct mx_response *response = mx_problem_poles(problem, equation, e, &k);
  if (response == NULL || mx_responses[response->kind]->share == NULL) return update;
  (void)mx_response_follow(problem, response, k, integrator, step, followed);
  const struct mx_response_scheme scheme = mx_response_scheme(integrator, step);
  const struct mx_response_share share = mx_responses[response->kind]->share(&scheme, followed);
  const double storage = mx_medium_of(problem, equation, e).storage, alone = step * storage / update.gain,
               mass = alone + share.mass;
  update.loss = (update.loss * alone + share.loss) / mass;
  update.gain = step * storage / mass;
  if (equation == MX_FARADAY && update.loss < 1) update.back = 1 / (2 - update.loss);
  return update;
}

struct mx_response_entry mx_response_prepare(const struct mx_problem *problem, const struct mx_response *response,
                                             size_t k, enum mx_integrator integrator, double step, double *coefficient)
{
  const size_t e = (size_t)response->where[k];
  const struct mx_response_scheme scheme = mx_response_scheme(integrator, step);
  const double by = mx_staggered(integrator) ? 1 : step;
  const enum mx_equation equation = (enum mx_equation)response->of;
  const struct mx_response_medium medium = {.of = response->of,
                                            .mass = step * mx_medium_of(problem, equation, e).storage /
                                                    mx_element_update(problem, integrator, equation, step, e).gain,
                                            .loss = {medium_of(problem, integrator, MX_AMPERE, step, e).loss / by,
                                                     medium_of(problem, integrator, MX_FARADAY, step, e).loss / by}};
  struct mx_response_entry entry = {0};
  double followed[MX_RESPONSE_PARAMETERS];
  (void)mx_response_follow(problem, response, k, integrator, step, followed);
  mx_responses[response->kind]->prepare(&scheme, &medium, followed, &entry, coefficient);
  return entry;
}

struct mx_response_entry mx_response_rates(const struct mx_problem *problem, const struct mx_response *response,
                                           size_t k, double *coefficient)
{
  const struct mx_response_scheme unscaled = {.staggered = false, .step = 1, .bound = INFINITY};
  const size_t e = (size_t)response->where[k];
  const struct mx_medium of_E = mx_medium_of(problem, MX_AMPERE, e), of_H = mx_medium_of(problem, MX_FARADAY, e);
  const struct mx_response_medium medium = {.of = response->of,
                                            .mass = response->of == 0 ? of_E.storage : of_H.storage,
                                            .loss = {of_E.loss / of_E.storage, of_H.loss / of_H.storage}};
  struct mx_response_entry entry = {0};
  mx_responses[response->kind]->prepare(&unscaled, &medium, mx_response_parameter(response, k), &entry, coefficient);
  return entry;
}

double mx_relaxation(const struct mx_problem *problem, size_t e)
{
  double rate = mx_relaxation_rate(problem, e);
  size_t k;
  const struct mx_response *response = mx_problem_response(problem, e, &k);
  if (response == NULL) return rate;
  if (!mx_response_has_energy(response))
    return rate + mx_responses[response->kind]->rate(problem->epsilon[e], mx_response_parameter(response, k));
  for (int i = 0; i < 2; i++) {
    response = mx_problem_poles(problem, (enum mx_equation)i, e, &k);
    if (response != NULL)
      rate += mx_responses[response->kind]->rate(mx_medium_of(problem, (enum mx_equation)i, e).storage,
                                                 mx_response_parameter(response, k));
  }
  return rate;
}

double mx_storage_at(const struct mx_problem *problem, enum mx_equation equation, size_t e, double wave_number)
{
  const double storage = mx_medium_of(problem, equation, e).storage;
  size_t k;
  const struct mx_response *response = mx_problem_poles(problem, equation, e, &k);
  if (response == NULL) return storage;
  return storage + mx_responses[response->kind]->addition(mx_response_parameter(response, k), wave_number);
}
