/* Reports the slowest elements, and times a few steps to tell how long the run will take. setup_build.c calls it. */
#include "maxwell/setup/slow_elements.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/clock.h"
#include "libdg/mesh/load/format.h"
#include "maxwell/levels/work.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/model/selectors.h"
#include "maxwell/step/stepper.h"

enum { SLOWEST = 5, BINS = 4096 };
#define WARNED 4.0 /* times slower than the median */
#define SHOWN  2.0 /* above this the elements are listed */

/* ---- the slowest elements ---- */

struct slow {
  double rate, place[3], edge, quality; /* edge: the longest, m */
  uint64_t tag;
  int64_t number; /* in the whole mesh */
  int32_t entity; /* volume of the element; -1: there is no element */
  int material;   /* index into config.material */
};

/* Orders the fastest rates, which have the smallest limits, first. The order is the same for any number of ranks. */
static int slowest_first(const void *left, const void *right)
{
  const struct slow *a = left, *b = right;
  if ((a->entity < 0) != (b->entity < 0)) return a->entity < 0 ? 1 : -1;
  if (a->rate != b->rate) return a->rate > b->rate ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static double longest_edge(const struct dg_mesh *mesh, size_t e)
{
  double longest = 0;
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      const double *x = mesh->vertex[mesh->element[e][a]], *y = mesh->vertex[mesh->element[e][b]];
      longest = fmax(longest, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
  return longest;
}

/* The quality of an element: the least height over the longest edge, 1 for a regular tetrahedron. */
static double quality_of(const struct mx_problem *problem, double longest, size_t e)
{
  double widest = 0;
  for (int f = 0; f < 4; f++) widest = fmax(widest, problem->face_scale[e][f]);
  return 2 / widest / longest / sqrt(2.0 / 3.0); /* a face scale is 2 / height */
}

static struct slow describe(const struct mx_scene *scene, const double *rate, size_t e)
{
  const struct dg_mesh *mesh = scene->mesh;
  const double edge = longest_edge(mesh, e);
  struct slow slow = {.rate = rate[e],
                      .edge = edge,
                      .quality = quality_of(scene->problem, edge, e),
                      .tag = mesh->tag[e],
                      .number = dg_mesh_global(mesh, e),
                      .entity = mesh->volume[e],
                      .material = scene->assignment->material[e]};
  for (int i = 0; i < 4; i++)
    for (int b = 0; b < 3; b++) slow.place[b] += 0.25 * mesh->vertex[mesh->element[e][i]][b];
  return slow;
}

/* Finds the slowest elements of all ranks, on rank 0. */
static int find_slowest(const struct mx_scene *scene, const double *rate, struct slow slow[SLOWEST],
                        struct dg_error *err)
{
  struct slow here[SLOWEST + 1], *all = NULL;
  for (int i = 0; i <= SLOWEST; i++) here[i] = (struct slow){.entity = -1};
  for (size_t e = 0; e < scene->problem->K; e++) {
    if (here[SLOWEST - 1].entity >= 0 && rate[e] < here[SLOWEST - 1].rate) continue;
    here[SLOWEST] = describe(scene, rate, e);
    qsort(here, SLOWEST + 1, sizeof *here, slowest_first);
  }
  memcpy(slow, here, SLOWEST * sizeof *slow);
  if (scene->comm == NULL) return 0;
  if (dg_comm_gather(scene->comm, SLOWEST * sizeof *here, here, &all, NULL, err) == 0 &&
      dg_comm_rank(scene->comm) == 0) {
    qsort(all, SLOWEST * (size_t)dg_comm_size(scene->comm), sizeof *all, slowest_first);
    memcpy(slow, all, SLOWEST * sizeof *slow);
  }
  dg_free(all);
  return err->code;
}

int mx_median_rate(const struct mx_problem *problem, const double *rate, double *median, double *most,
                   struct dg_error *err)
{
  double range[2] = {0, -INFINITY}; /* the largest rate, and minus the smallest */
  int64_t *count = NULL, total = 0, below = 0;
  for (size_t e = 0; e < problem->K; e++) {
    range[0] = fmax(range[0], rate[e]);
    range[1] = fmax(range[1], -rate[e]);
  }
  if (dg_comm_reduce(problem->comm, DG_MAX, 2, range, err) != 0 || DG_NEW(count, BINS, err) != 0) return err->code;
  const double low = log(-range[1]), width = (log(range[0]) - low) / BINS;
  for (size_t e = 0; e < problem->K; e++) {
    const int bin = width > 0 ? (int)((log(rate[e]) - low) / width) : 0;
    count[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1]++;
  }
  if (dg_comm_reduce_int(problem->comm, DG_SUM, BINS, count, err) == 0) {
    for (int i = 0; i < BINS; i++) total += count[i];
    int bin = 0;
    while (bin < BINS - 1 && below + count[bin] <= total / 2) below += count[bin++];
    *median = exp(low + (bin + 0.5) * width);
    *most = range[0];
  }
  dg_free(count);
  return err->code;
}

static void report_slowest(const struct mx_scene *scene, const struct slow *slow, double median, double most)
{
  const struct dg_mesh *mesh = scene->mesh;
  const double ratio = most / median;
  dg_log_line(scene->log, "pace      the slowest element allows %.2g of the step that the median of all allows",
              1 / ratio);
  if (ratio > WARNED && dg_format_by_name(scene->config->mesh.file) == DG_FORMAT_MESH)
    dg_log_warning(scene->log,
                   "the slowest element of '%s' takes %.3g times as many steps as the median: if the geometry does not "
                   "demand it, another mesh is that much faster (Curlew repairs only meshes that it makes)",
                   scene->config->mesh.file, ratio);
  for (int i = 0; i < SLOWEST && ratio > SHOWN && slow[i].entity >= 0; i++) {
    const struct dg_entity *volume = &mesh->entity[slow[i].entity];
    const char *group = volume->groups > 0 ? mesh->group[volume->group[0]].name : "";
    char material[80];
    mx_selector_name(&scene->config->material[slow[i].material].where, material, sizeof material);
    dg_log_line(scene->log,
                "pace      %.2g: element %" PRIu64
                " at (%.5g, %.5g, %.5g) m, edges to %.2g m, quality %.2g, volume %d%s%s%s, material %s; alone it "
                "allows %.3g s",
                median / slow[i].rate, slow[i].tag, slow[i].place[0], slow[i].place[1], slow[i].place[2], slow[i].edge,
                slow[i].quality, volume->tag, group[0] != '\0' ? " (" : "", group, group[0] != '\0' ? ")" : "",
                material, scene->single_limit * most / slow[i].rate);
  }
}

/* ---- levels ---- */

/* Says how evenly ranks share the levels. */
static int report_shares(const struct mx_scene *scene, struct dg_error *err)
{
  double uneven[MX_LEVELS_MAX + 1];
  if (dg_comm_size(scene->comm) == 1) return 0;
  if (mx_levels_uneven(scene->levels, scene->comm, scene->partition->passes, uneven, err) != 0) return err->code;
  dg_log_line(scene->log, "ranks     the largest has %.1f %% more work in a step than the mean, with all levels",
              100 * (uneven[0] - 1));
  for (int i = 1; i <= scene->levels->count; i++)
    dg_log_line(scene->log, "ranks     the largest has %.1f %% more work on level %d than the mean",
                100 * (uneven[i] - 1), i + 1);
  return 0;
}

static int report_levels(const struct mx_scene *scene, struct dg_error *err)
{
  struct mx_level_work work[MX_LEVELS_MAX + 1];
  const int count = scene->levels->count;
  if (count == 0) return 0;
  if (mx_levels_work(scene->levels, scene->problem, work, err) != 0) return err->code;
  const double passes = mx_work_passes(work, count);
  dg_log_line(scene->log, "levels    1: %" PRId64 " elements, %.2g of the work of a step", work[0].elements,
              work[0].passes / passes);
  for (int i = 1; i <= count; i++)
    dg_log_line(scene->log, "levels    %d: %" PRId64 " elements, %" PRId64 " of them in the core, %.2g of the work",
                i + 1, work[i].elements, work[i].core, work[i].passes / passes);
  dg_log_line(scene->log, "levels    counted so, the run is %.2f times as fast as with one level",
              mx_work_gain(work, count, scene->config->time.cfl * scene->single_limit, scene->step));
  return report_shares(scene, err);
}

/* ---- seconds ---- */

/* Measures the seconds of a step of this problem, the best of a few. */
static int time_steps(const struct mx_scene *scene, const struct mx_problem *part, double *seconds,
                      struct dg_error *err)
{
  enum { STEPS = 6 };
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  const double begin = mx_clock(), most = 0.1;
  struct mx_backend *backend = NULL;
  *seconds = INFINITY;
  if (scene->ops->create(&backend, part, &options, err) != 0 || scene->ops->upload(backend, NULL, NULL, err) != 0)
    goto fail;
  struct mx_stepper stepper = mx_stepper_of(scene->ops, backend, part, options.integrator);
  for (int step = 0; step < STEPS && (step < 1 || mx_clock() - begin < most); step++) {
    const double start = mx_clock();
    if (mx_stepper_advance(&stepper, false, err) != 0) goto fail;
    *seconds = fmin(*seconds, mx_clock() - start);
  }
fail:
  scene->ops->destroy(backend);
  return err->code;
}

/* Estimates the seconds of all steps from those of a part of the elements. Cards are left out, since a part does not
 * fill them. Sources, measurements and output come on top. */
int mx_report_seconds(const struct mx_scene *scene, struct dg_error *err)
{
  enum { UNKNOWNS = 200000 };
  const size_t per_element = 6 * (size_t)scene->ref->Np;
  struct mx_problem part = {0};
  struct mx_level_work work[MX_LEVELS_MAX + 1];
  double *rate = NULL;
  int64_t largest = (int64_t)scene->problem->K;
  double seconds = 0;
  if (scene->ops->card->present) return 0;
  if (DG_NEW(rate, scene->problem->K, err) != 0) return err->code;
  mx_local_rates(scene->problem, !mx_staggered(scene->config->time.integrator), rate);
  if (dg_comm_reduce_int(scene->comm, DG_MAX, 1, &largest, err) != 0 ||
      mx_levels_work(scene->levels, scene->problem, work, err) != 0 ||
      mx_local_part(&part, scene->problem, UNKNOWNS / per_element, MX_PART_REGION, rate, err) != 0)
    goto fail;
  if (dg_comm_rank(scene->comm) == 0 && time_steps(scene, &part, &seconds, err) == 0) {
    const double step =
        seconds * (double)largest / (double)part.K * mx_work_passes(work, scene->levels->count) / work[0].passes;
    dg_log_line(scene->log,
                "pace      about %.3g s for the %ld steps on this machine (%.3g ms each, output not counted)",
                step * (double)scene->steps, scene->steps, 1e3 * step);
  }
fail:
  mx_problem_release(&part);
  dg_free(rate);
  return err->code;
}

int mx_report_pace(const struct mx_scene *scene, struct dg_error *err)
{
  double *rate = NULL, median = 1, most = 1;
  struct slow slow[SLOWEST];
  if (DG_NEW(rate, scene->problem->K, err) != 0) return err->code;
  mx_local_rates(scene->problem, !mx_staggered(scene->config->time.integrator), rate);
  if (mx_median_rate(scene->problem, rate, &median, &most, err) != 0 || find_slowest(scene, rate, slow, err) != 0)
    goto fail;
  report_slowest(scene, slow, median, most);
  (void)!report_levels(scene, err);
fail:
  dg_free(rate);
  return err->code;
}
