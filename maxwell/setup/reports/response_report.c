/* Logs the responses: a line a material, for `curlew run` and `curlew check`. setup_build.c calls it once the step is
 * known. */
#include "maxwell/setup/reports/response_report.h"

#include <float.h>
#include <math.h>

#include "maxwell/model/selectors.h"
#include "maxwell/time/responses.h"

/* Values of a material over all ranks. They are maxima: a material's entries are alike but for a permittivity that
 * varies. */
enum {
  KIND,
  TOUCHED,
  SLOWED,
  ANSWER, /* the fastest relaxation times the length of the run */
  OWN,
  FOLLOWED = OWN + MX_POLE_PARAMETERS,
  VALUES = FOLLOWED + MX_POLE_PARAMETERS
};

static void look(const struct mx_scene *scene, size_t material, enum mx_equation equation, double value[VALUES])
{
  const struct mx_problem *problem = scene->problem;
  const struct mx_config *config = scene->config;
  const double run = scene->step * (double)scene->steps * MX_C0;
  for (size_t e = 0; e < problem->K; e++) {
    size_t k;
    double followed[MX_RESPONSE_PARAMETERS];
    const struct mx_response *response =
        scene->assignment->material[e] == (int)material ? mx_problem_poles(problem, equation, e, &k) : NULL;
    if (response == NULL) continue;
    value[KIND] = 1 + (double)response->kind;
    if (!mx_response_follow(problem, response, k, config->time.integrator, scene->step * MX_C0, followed))
      value[SLOWED] = 1;
    value[ANSWER] =
        fmax(value[ANSWER], run * mx_responses[response->kind]->rate(mx_medium_of(problem, equation, e).storage,
                                                                     mx_response_parameter(response, k)));
    for (int i = 0; i < mx_responses[response->kind]->parameters; i++) {
      value[OWN + i] = fmax(value[OWN + i], mx_response_parameter(response, k)[i]);
      value[FOLLOWED + i] = fmax(value[FOLLOWED + i], followed[i]);
    }
    for (int f = 0; f < 4; f++) {
      const int wall = scene->assignment->boundary[e][f];
      if (wall >= 0 && config->boundary[wall].kind == MX_ABSORBING) value[TOUCHED] = 1;
    }
  }
}

/* Warns of what is most likely not meant. Until its end a run changes a field by about the relaxation times its length:
 * a response with less than `least` of that is one whose time has the wrong unit. */
static void warn(const struct mx_scene *scene, const char *name, const char *own, const double value[VALUES])
{
  const double least = 1e-3;
  if (value[TOUCHED] > 0)
    dg_log_warning(scene->log,
                   "an absorbing wall touches '%s', which has %s: it absorbs as epsilon_r and mu_r alone would have "
                   "it, and reflects what sees others; let losses take the wave before the wall",
                   name, own);
  if (value[ANSWER] < least)
    dg_log_warning(scene->log,
                   "materials.%s has %s, which takes %.3g times as long to answer as the run, which ends at %.4g s: it "
                   "does nothing. Are its times in seconds (debye), its frequencies in rad/s (drude, lorentz)?",
                   name, own, 1 / value[ANSWER], scene->step * (double)scene->steps);
}

static int report(const struct mx_scene *scene, size_t material, enum mx_equation equation, struct dg_error *err)
{
  const char *magnetic = equation == MX_FARADAY ? "magnetic: " : "";
  char name[128], own[96], followed[96];
  double value[VALUES] = {0};
  for (int i = OWN; i < VALUES; i++) value[i] = -DBL_MAX; /* the poles' numbers may be negative */
  look(scene, material, equation, value);
  if (dg_comm_reduce(scene->comm, DG_MAX, VALUES, value, err) != 0) return err->code;
  if (value[KIND] == 0) return 0;
  const struct mx_response_ops *ops = mx_responses[(int)value[KIND] - 1];
  mx_selector_name(&scene->config->material[material].where, name, sizeof name);
  ops->describe(value + OWN, own, sizeof own);
  ops->describe(value + FOLLOWED, followed, sizeof followed);
  if (value[SLOWED] == 0) dg_log_line(scene->log, "response  %s: %s%s", name, magnetic, own);
  else
    dg_log_line(scene->log, "response  %s: %s%s, faster than a step, which it does not limit: it counts as %s", name,
                magnetic, own, followed);
  warn(scene, name, own, value);
  return 0;
}

int mx_report_responses(const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t m = 0; m < scene->config->materials; m++)
    if (report(scene, m, MX_AMPERE, err) != 0 || report(scene, m, MX_FARADAY, err) != 0) return err->code;
  return 0;
}
