/* Losses: the power that conductivity takes in a region. The backend integrates it. The table at the end of this file
 * is the kind; kinds.c lists it. */
#include "libdg/base/memory.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/selectors.h"
#include "maxwell/response/ferrite.h"

struct region {
  bool damped; /* there is a ferrite with damping, on any rank */
  size_t elements;
  int32_t *element; /* [elements] */
};

/* Does the medium of an element take power? Its conductivity does, and so do poles. */
static bool takes_power(const struct mx_problem *problem, size_t e)
{
  if (mx_relaxation_rate(problem, e) > 0) return true;
  for (size_t r = 0; r < problem->responses; r++)
    if (mx_response_has_energy(&problem->response[r]) && mx_response_find(&problem->response[r], e) >= 0) return true;
  return false;
}

/* Has the element a ferrite with damping? */
static bool is_damped(const struct mx_problem *problem, size_t e)
{
  size_t k;
  const struct mx_response *response = mx_problem_poles(problem, MX_FARADAY, e, &k);
  return response != NULL && response->kind == MX_FERRITE && mx_response_parameter(response, k)[MX_FERRITE_ALPHA] > 0;
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  const struct dg_mesh *mesh = scene->mesh;
  struct region *own;
  const struct mx_selector *on = &measure->config->on;
  int64_t found[2] = {0, 0}; /* elements that take power, ferrites with damping */
  if (DG_NEW(own, 1, err) != 0) return err->code;
  measure->own = own;
  if (mx_check_selector(mesh, "output.losses", on, 3, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) own->elements += mx_selector_fit(on, mesh, (size_t)mesh->volume[e]) > 0;
  if (DG_NEW(own->element, own->elements, err) != 0) return err->code;
  for (size_t e = 0, k = 0; e < mesh->K; e++) {
    if (mx_selector_fit(on, mesh, (size_t)mesh->volume[e]) == 0) continue;
    own->element[k++] = (int32_t)e;
    found[0] += takes_power(problem, e);
    found[1] += is_damped(problem, e);
  }
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 2, found, err) != 0) return err->code;
  own->damped = found[1] > 0;
  if (found[0] == 0)
    dg_log_warning(scene->log, "output.losses: nothing in the region of '%s' has losses; its power stays zero",
                   measure->config->name);
  return 0;
}

static int check(const struct mx_measure *measure, struct dg_error *err)
{
  const struct region *own = measure->own;
  if (own->damped && !mx_staggered(measure->options.integrator))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.losses: '%s' has a ferrite with damping, whose losses only leapfrog knows: take "
                            "integrator = \"leapfrog\", or a region without it",
                   MX_AT(measure->config->where), measure->config->name);
  return 0;
}

static int take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct region *own = measure->own;
  (void)problem, (void)scratch;
  if (ops->loss(backend, own->elements, own->element, part, err) != 0) return err->code;
  *part /= MX_ETA0;
  return 0;
}

static size_t memory(const struct mx_measure *measure, const struct mx_problem *problem)
{
  const struct region *own = measure->own;
  (void)problem;
  return own->elements * sizeof *own->element;
}

static void release(struct mx_measure *measure) { dg_free(((struct region *)measure->own)->element); }

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"load\""),
    {"region", mx_read_region, MX_MEASURE(on), .expected = "the name of a volume group, or the tag of a volume",
     .example = "region = \"load\""},
};
const struct mx_measure_kind mx_losses = {
    .reads = {.key = "losses",
              .title = "Power lost in",
              .list = "a list, as in losses = { { name = \"load\", region = \"load\" } }",
              .item = "a table, as in { name = \"load\", region = \"load\" }",
              .rules = MX_COUNT(rules),
              .rule = rules},
    .columns = "power",
    .init = init,
    .release = release,
    .check = check,
    .take = take,
    .memory = memory,
};
