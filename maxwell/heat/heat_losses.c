/* Integrates the losses of phasors against the functions of the temperature. heat.c calls it. */
#include "maxwell/heat/heat_losses.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"
#include "maxwell/phasor/phasor_loss.h"

static const struct mx_phasor *phasor_of(const struct mx_phasors *phasors, const struct mx_heat_source *source)
{
  for (size_t i = 0; i < phasors->count; i++)
    if (strcmp(phasors->phasor[i].config->name, source->losses) == 0) return &phasors->phasor[i];
  return NULL; /* the reader of the script has found it */
}

int mx_heat_check_losses(const struct mx_heat_config *heat, const struct mx_heat_body *body,
                         const struct mx_phasors *phasors, struct dg_error *err)
{
  for (size_t i = 0; i < heat->sources; i++) {
    const struct mx_heat_source *source = &heat->source[i];
    const struct mx_phasor *phasor = source->losses != NULL ? phasor_of(phasors, source) : NULL;
    for (size_t k = 0; phasor != NULL && k < phasor->parts.count; k++)
      if (body->part[phasor->element[k]] < 0)
        return dg_fail(err, DG_INPUT,
                       MX_PLACE "heat.sources: '%s' has elements outside of the body in which heat flows; give it the "
                                "region of heat.regions",
                       MX_AT(source->where), source->losses);
  }
  return 0;
}

/* What the points of the rule see: the rule, and the values of both spaces at its points. */
struct loads {
  struct dg_rule rule;
  double *field, *heat; /* [points][Np of the fields], [points][Np of the temperature] */
  size_t fields, heats; /* those Np */
};

static int make_loads(struct loads *loads, const struct mx_heat_problem *problem, const struct dg_reference *fields,
                      struct dg_error *err)
{
  const struct dg_reference *own = &problem->space.ref;
  const int order = fields->order + (own->order + 1) / 2; /* exact to twice this degree */
  loads->fields = (size_t)fields->Np;
  loads->heats = (size_t)own->Np;
  if (dg_rule_tetrahedron(&loads->rule, order < DG_ORDER_MAX ? order : DG_ORDER_MAX, err) != 0 ||
      DG_NEW(loads->field, (size_t)loads->rule.points * loads->fields, err) != 0 ||
      DG_NEW(loads->heat, (size_t)loads->rule.points * loads->heats, err) != 0)
    return err->code;
  for (int q = 0; q < loads->rule.points; q++) {
    const double *l = loads->rule.place[q];
    dg_reference_interpolate(fields, 2 * l[1] - 1, 2 * l[2] - 1, 2 * l[3] - 1,
                             loads->field + (size_t)q * loads->fields);
    dg_reference_interpolate(own, 2 * l[1] - 1, 2 * l[2] - 1, 2 * l[3] - 1, loads->heat + (size_t)q * loads->heats);
  }
  return 0;
}

static void release_loads(struct loads *loads)
{
  dg_rule_release(&loads->rule);
  dg_free(loads->field);
  dg_free(loads->heat);
}

/* The load of an element of the body, load[heats] in W, from the phasors value[node][component] of a part. */
static void element_load(const struct loads *loads, const struct mx_heat_problem *problem,
                         const struct mx_phasor_loss *loss, size_t frequency, size_t part, size_t e,
                         const double complex *value, double *load)
{
  const size_t components = (size_t)loss->phasor->components;
  double sum = 0, density[DG_NP_MAX];
  for (size_t i = 0; i < loads->heats; i++) load[i] = 0;
  for (int q = 0; q < loads->rule.points; q++) {
    const double *l = loads->rule.place[q], place[3] = {2 * l[1] - 1, 2 * l[2] - 1, 2 * l[3] - 1};
    const double *at = loads->field + (size_t)q * loads->fields, *of = loads->heat + (size_t)q * loads->heats;
    double complex field[6] = {0};
    double x[3], t[3][3];
    for (size_t n = 0; n < loads->fields; n++)
      for (size_t c = 0; c < components; c++) field[c] += at[n] * value[n * components + c];
    dg_mesh_map(&problem->body->mesh, e, place, x, t);
    const double det =
        fabs(t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) - t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
             t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]));
    const double weight = 4.0 / 3 * loads->rule.weight[q] * det * mx_phasor_loss_at(loss, frequency, part, field);
    sum += weight;
    for (size_t i = 0; i < loads->heats; i++) load[i] += weight * of[i];
  }
  /* The rule is exact in straight elements; in others, and at high orders, the sum is made that of the losses. */
  const double power = mx_phasor_loss_of(loss, frequency, part, value, density);
  for (size_t i = 0; i < loads->heats && sum > 0; i++) load[i] *= power / sum;
}

static size_t frequency_of(const struct mx_phasor *phasor, const struct mx_heat_source *source)
{
  const struct mx_frequencies *list = &phasor->config->frequencies;
  size_t f = 0;
  while (source->frequency > 0 && f + 1 < list->count &&
         fabs(list->hertz[f] - source->frequency) > 1e-9 * source->frequency)
    f++;
  return f;
}

/* What the losses of a source are multiplied with; *power is what they are then. */
static int find_factor(const struct mx_phasor_loss *loss, const struct mx_heat_source *source, size_t frequency,
                       double *factor, double *power, struct dg_error *err)
{
  double *all;
  if (DG_NEW(all, loss->phasor->config->frequencies.count, err) != 0) return err->code;
  if (mx_phasor_loss_powers(loss, all, err) == 0) {
    *factor = source->power > 0 ? source->power / all[frequency] : source->amplitude * source->amplitude;
    *power = *factor * all[frequency];
    if (!isfinite(*factor) || !isfinite(*power))
      (void)dg_fail(err, DG_INPUT, MX_PLACE "heat.sources: the losses of '%s' are %g W, and cannot be scaled",
                    MX_AT(source->where), source->losses, all[frequency]);
  }
  dg_free(all);
  return err->code;
}

static int add_source(struct mx_heat_problem *problem, const struct mx_phasors *phasors,
                      const struct mx_heat_source *source, double *all, double *power, struct dg_log *log,
                      struct dg_error *err)
{
  const struct mx_phasor *phasor = phasor_of(phasors, source);
  const size_t frequency = frequency_of(phasor, source), Np = (size_t)problem->space.ref.Np;
  struct mx_phasor_loss loss = {0};
  struct loads loads = {0};
  double complex *value = NULL;
  double factor = 0, load[DG_NP_MAX] = {0}, *sum = problem->values;
  if (mx_phasor_loss_init(&loss, phasors, phasor, err) != 0 ||
      make_loads(&loads, problem, phasors->place.problem->ref, err) != 0 ||
      DG_NEW(value, phasor->parts.numbers, err) != 0 || find_factor(&loss, source, frequency, &factor, power, err) != 0)
    goto fail;
  memset(sum, 0, sizeof *sum * problem->space.count);
  for (size_t k = 0; k < phasor->parts.count; k++) {
    const size_t e = (size_t)problem->body->part[phasor->element[k]];
    mx_phasor_get(phasors, phasor, frequency, k, value);
    element_load(&loads, problem, &loss, frequency, k, e, value, load);
    for (size_t i = 0; i < Np; i++) sum[problem->space.number[e * Np + i]] += factor * load[i];
  }
  dg_space_sum(&problem->space, sum);
  for (size_t i = 0; i < problem->space.count; i++) all[i] += sum[i];
  if (dg_space_error(&problem->space, err) != 0) goto fail;
  dg_log_line(log, "heat      losses of '%s' at %.6g Hz: %.9g W", source->losses,
              phasor->config->frequencies.hertz[frequency], *power);
fail:
  release_loads(&loads);
  mx_phasor_loss_release(&loss);
  dg_free(value);
  return err->code;
}

int mx_heat_add_losses(struct mx_heat_problem *problem, const struct mx_phasors *phasors, double *load, double *power,
                       struct dg_log *log, struct dg_error *err)
{
  for (size_t i = 0; i < problem->heat->sources; i++) {
    power[i] = 0;
    if (problem->heat->source[i].losses != NULL &&
        add_source(problem, phasors, &problem->heat->source[i], load, &power[i], log, err) != 0)
      return err->code;
  }
  return 0;
}
