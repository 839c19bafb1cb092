/* The phasors of a run while it runs: their elements and points, schedule, samples, and their place in checkpoints. The
 * set-up makes them and output.c drives them; phasors.h has the conventions. */
#include "maxwell/phasor/phasors.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/machine/memory_room.h"
#include "libdg/base/memory.h"
#include "maxwell/measure/points.h"
#include "maxwell/model/selectors.h"
#include "maxwell/transform/sampling.h"

enum { SOME_POINTS = 4096 }; /* of a call of the backend, about: so that what they take stays in the cache */

/* ---- parts */

/* Lists the elements of the region, or all that were drawn. */
static int find_elements(struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  const struct mx_phasor_config *config = phasor->config;
  if (config->by_region && mx_check_selector(mesh, "output.spectra", &config->on, 3, err) != 0) return err->code;
  if (DG_NEW(phasor->element, mesh->K, err) != 0 || DG_NEW(phasor->name, mesh->K, err) != 0) return err->code;
  size_t count = 0;
  for (size_t e = 0; e < mesh->K; e++) {
    if (dg_mesh_in_layer(mesh, e)) continue;
    if (config->by_region && mx_selector_fit(&config->on, mesh, (size_t)mesh->volume[e]) == 0) continue;
    phasor->element[count] = (int32_t)e;
    phasor->name[count++] = 2 * (long)dg_mesh_global(mesh, e);
  }
  phasor->nodes = (size_t)place->problem->ref->Np;
  phasor->parts.count = count;
  return 0;
}

static int find_points(struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_measure_scene scene = {.problem = place->problem, .mesh = place->mesh, .log = place->log};
  phasor->plane = (struct mx_measure){.config = &phasor->config->plane, .values = 1, .parts = 1, .rows = 1};
  if (mx_points_init(&phasor->plane, &scene, err) != 0) return err->code;
  const struct mx_measured_points *points = phasor->plane.own;
  if (!points->somewhere) return mx_points_outside(&phasor->plane, &scene, "spectrum", err);
  if (DG_NEW(phasor->name, points->inside, err) != 0) return err->code;
  for (size_t k = 0; k < points->inside; k++) phasor->name[k] = 2 * (long)points->which[k];
  phasor->nodes = 1;
  phasor->parts.count = points->inside;
  return 0;
}

/* Samples that are kept before they go to the sums. With few frequencies the sums are not larger than the samples: so
 * many that these take no more room than those. */
static size_t rows_for(size_t frequencies)
{
  const size_t least = 4, rows = 2 * frequencies;
  return rows < least ? least : rows > MX_RUNNING_ROWS ? MX_RUNNING_ROWS : rows;
}

/* Says that the sums would not fit before the system ends the run. */
static int check_room(const struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const size_t count = phasor->config->frequencies.count, numbers = phasor->parts.count * phasor->parts.numbers;
  const double bytes = (double)numbers * sizeof(double) * (double)(2 * count + rows_for(count));
  const double room = (double)dg_memory_room();
  double lacks[2] = {bytes > room ? bytes : 0, bytes > room ? -room : 0};
  if (dg_comm_reduce(place->problem->comm, DG_MAX, 1, &lacks[0], err) != 0 ||
      dg_comm_reduce(place->problem->comm, DG_MIN, 1, &lacks[1], err) != 0)
    return err->code;
  if (lacks[0] == 0) return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE
                 "output.spectra: '%s' needs %.3g GB for its sums, and %.3g GB of memory are left; ask for fewer "
                 "frequencies, for a smaller region, or only for E",
                 MX_AT(phasor->config->where), phasor->config->name, 1e-9 * lacks[0], -1e-9 * lacks[1]);
}

static int choose_every(struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_phasor_config *config = phasor->config;
  const struct mx_sampling_place sampling = {.config = place->config,
                                             .list = &place->sources->list,
                                             .step = place->step,
                                             .steps = place->steps,
                                             .doubts = place->doubts,
                                             .log = place->log};
  const struct mx_sampling_wish wish = {.key = "output.spectra",
                                        .name = config->name,
                                        .where = config->where,
                                        .frequencies = &config->frequencies,
                                        .every = config->every};
  return mx_sampling_choose(&phasor->every, &sampling, &wish, err);
}

static int new_rooms(struct mx_phasor *phasor, struct dg_error *err)
{
  const size_t some = phasor->element != NULL ? SOME_POINTS / phasor->nodes * phasor->nodes : 0;
  if (DG_NEW(phasor->point, some, err) != 0) return err->code;
  return phasor->components < 6 ? DG_NEW(phasor->sample, some > 0 ? some : phasor->parts.count, err) : 0;
}

static int init_one(const struct mx_phasor_place *place, struct mx_phasor *phasor, struct dg_error *err)
{
  const struct mx_phasor_config *config = phasor->config;
  const bool E = config->quantities & MX_QUANTITY_E, H = config->quantities & MX_QUANTITY_H;
  phasor->first = E ? 0 : 3;
  phasor->components = E && H ? 6 : 3;
  if ((config->plane.points > 0 ? find_points : find_elements)(phasor, place, err) != 0) return err->code;
  phasor->parts.numbers = phasor->nodes * (size_t)phasor->components;
  phasor->parts.name = phasor->name;
  phasor->all = (int64_t)phasor->parts.count;
  if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 1, &phasor->all, err) != 0 ||
      check_room(phasor, place, err) != 0 || choose_every(phasor, place, err) != 0 ||
      mx_phasor_norm_init(phasor, place, err) != 0 ||
      mx_running_init(&phasor->running, phasor->parts.count * phasor->parts.numbers, &config->frequencies,
                      (double)phasor->every * place->step, rows_for(config->frequencies.count), err) != 0 ||
      mx_tail_init(&phasor->tail, config->frequencies.count, config->frequencies.hertz, phasor->running.width, err) !=
          0 ||
      new_rooms(phasor, err) != 0)
    return err->code;
  dg_log_line(place->log, "spectrum '%s': %lld %s, %zu frequencies, a sample every %ld steps; sums of %.3g MB",
              config->name, (long long)phasor->all, phasor->element != NULL ? "elements" : "points",
              config->frequencies.count, phasor->every,
              16e-6 * (double)config->frequencies.count * (double)phasor->all * (double)phasor->parts.numbers);
  return 0;
}

int mx_phasors_init(struct mx_phasors *phasors, const struct mx_phasor_place *place, struct dg_error *err)
{
  const size_t count = place->config->output.spectra;
  *phasors = (struct mx_phasors){.place = *place};
  if (DG_NEW(phasors->phasor, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    phasors->phasor[i].config = &place->config->output.spectrum[i];
    phasors->count++;
    if (init_one(place, &phasors->phasor[i], err) != 0) return err->code;
  }
  return 0;
}

static void release_one(struct mx_phasor *phasor)
{
  mx_running_release(&phasor->running);
  mx_tail_release(&phasor->tail);
  mx_gathered_release(&phasor->gathered);
  if (phasor->plane.own != NULL) mx_points_release(&phasor->plane);
  dg_free(phasor->plane.own);
  dg_free(phasor->plane.x);
  dg_free(phasor->name);
  dg_free(phasor->element);
  dg_free(phasor->source);
  dg_free(phasor->ports);
  dg_free(phasor->point);
  dg_free(phasor->sample);
}

void mx_phasors_release(struct mx_phasors *phasors)
{
  for (size_t i = 0; i < phasors->count; i++) release_one(&phasors->phasor[i]);
  dg_free(phasors->phasor);
  *phasors = (struct mx_phasors){0};
}

size_t mx_phasors_memory(const struct mx_phasors *phasors)
{
  size_t bytes = 0;
  for (size_t i = 0; i < phasors->count; i++) {
    const struct mx_phasor *phasor = &phasors->phasor[i];
    bytes += mx_running_memory(&phasor->running) + phasor->parts.count * (sizeof *phasor->name + sizeof(int32_t));
    if (phasor->element == NULL) bytes += mx_points_memory(&phasor->plane, phasors->place.problem);
    else bytes += SOME_POINTS * (sizeof *phasor->point + sizeof *phasor->sample);
  }
  return bytes;
}

/* ---- while the run goes on */

/* Lists the nodes of `count` elements. */
static void list_nodes(const struct mx_phasor *phasor, size_t first, size_t count, struct mx_point *point)
{
  for (size_t k = 0; k < count; k++)
    for (size_t n = 0; n < phasor->nodes; n++)
      point[k * phasor->nodes + n] = (struct mx_point){.element = (size_t)phasor->element[first + k], .node = n};
}

static int watch_one(struct mx_phasor *phasor, const struct mx_backend_ops *ops, struct mx_backend *backend,
                     struct dg_error *err)
{
  const size_t count = phasor->parts.count * phasor->nodes;
  const struct mx_measured_points *points = phasor->plane.own;
  struct mx_point *all = NULL;
  size_t number;
  if (!ops->card->present) return 0;
  if (phasor->element != NULL) {
    if (DG_NEW(all, count, err) != 0) return err->code;
    list_nodes(phasor, 0, phasor->parts.count, all);
  }
  const struct mx_point_sums what = {.points = count,
                                     .point = phasor->element != NULL ? all : points->point,
                                     .first = (size_t)phasor->first,
                                     .components = (size_t)phasor->components,
                                     .frequencies = phasor->running.frequencies,
                                     .rows = phasor->running.most};
  if (ops->card->point_sums_new(backend, &what, &number, err) == 0)
    mx_running_on_card(&phasor->running, ops, backend, number);
  dg_free(all);
  return err->code;
}

int mx_phasors_watch(struct mx_phasors *phasors, const struct mx_backend_ops *ops, struct mx_backend *backend,
                     struct dg_error *err)
{
  for (size_t i = 0; i < phasors->count; i++)
    if (watch_one(&phasors->phasor[i], ops, backend, err) != 0) return err->code;
  return 0;
}

bool mx_phasors_ask(const struct mx_phasors *phasors, long n)
{
  for (size_t i = 0; i < phasors->count; i++)
    if (n % phasors->phasor[i].every == 0 && phasors->phasor[i].running.backend == NULL) return true;
  return false;
}

bool mx_phasors_due(const struct mx_phasors *phasors, long n)
{
  for (size_t i = 0; i < phasors->count; i++)
    if (n % phasors->phasor[i].every == 0) return true;
  return false;
}

/* Samples `count` points to to[count][components]. */
static int sample_some(const struct mx_phasor *phasor, const struct mx_backend_ops *ops, struct mx_backend *backend,
                       size_t count, const struct mx_point *point, double *to, struct dg_error *err)
{
  if (phasor->components == 6) return ops->sample(backend, count, point, (double(*)[6])to, err);
  if (ops->sample(backend, count, point, phasor->sample, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) memcpy(to + 3 * i, phasor->sample[i] + phasor->first, 3 * sizeof *to);
  return 0;
}

static int sample_one(const struct mx_phasor *phasor, const struct mx_backend_ops *ops, struct mx_backend *backend,
                      double *to, struct dg_error *err)
{
  const struct mx_measured_points *points = phasor->plane.own;
  const size_t count = phasor->parts.count, most = SOME_POINTS / phasor->nodes;
  if (phasor->element == NULL) return sample_some(phasor, ops, backend, count, points->point, to, err);
  for (size_t first = 0; first < count; first += most) {
    const size_t some = first + most < count ? most : count - first;
    list_nodes(phasor, first, some, phasor->point);
    if (sample_some(phasor, ops, backend, some * phasor->nodes, phasor->point, to + first * phasor->parts.numbers,
                    err) != 0)
      return err->code;
  }
  return 0;
}

int mx_phasors_take(struct mx_phasors *phasors, const struct mx_backend_ops *ops, struct mx_backend *backend, long n,
                    struct dg_error *err)
{
  for (size_t i = 0; i < phasors->count; i++) {
    struct mx_phasor *phasor = &phasors->phasor[i];
    struct mx_running *running = &phasor->running;
    if (n % phasor->every != 0) continue;
    double *const room = running->backend != NULL ? NULL : mx_running_room(running);
    if ((room == NULL ? mx_running_sample(running, err) : sample_one(phasor, ops, backend, room, err)) != 0)
      return err->code;
    if (room != NULL) mx_tail_add(&phasor->tail, phasors->place.step * (double)n, room, running->width);
    if (mx_running_keep(running, phasors->place.step * (double)n, n == 0 ? 0.5 : 1, err) != 0) return err->code;
  }
  return 0;
}

void mx_phasors_note_ports(struct mx_phasors *phasors)
{
  for (size_t i = 0; i < phasors->count && dg_comm_rank(phasors->place.problem->comm) == 0; i++)
    if (phasors->phasor[i].ports != NULL)
      mx_port_powers_note(phasors->phasor[i].ports, &phasors->place.sources->ports,
                          &phasors->phasor[i].config->frequencies);
}

/* ---- checkpoints and the end */

int mx_phasors_gather(struct mx_phasors *phasors, struct dg_error *err)
{
  for (size_t i = 0; i < phasors->count; i++) {
    struct mx_phasor *phasor = &phasors->phasor[i];
    struct dg_comm *comm = phasors->place.problem->comm;
    if (mx_running_gather(&phasor->running, &phasor->parts, comm, &phasor->gathered, err) != 0 ||
        mx_tail_gather(&phasor->tail, comm, err) != 0)
      return err->code;
  }
  return 0;
}

int mx_phasors_archive(struct mx_phasors *phasors, struct mx_archive *archive, struct dg_error *err)
{
  for (size_t i = 0; i < phasors->count; i++) {
    struct mx_phasor *phasor = &phasors->phasor[i];
    char name[60], ports[80], tail[80];
    (void)snprintf(name, sizeof name, "spectra/%zu", i);
    (void)snprintf(ports, sizeof ports, "%s/ports", name);
    (void)snprintf(tail, sizeof tail, "%s/tail", name);
    if (mx_sampling_archive(&phasor->every, &phasor->running, phasors->place.step, name, archive, err) != 0 ||
        mx_running_archive(&phasor->running, &phasor->parts, &phasor->gathered, name, (size_t)phasor->all, archive,
                           err) != 0 ||
        mx_tail_archive_all(&phasor->tail, tail, archive, phasors->place.problem->comm, err) != 0 ||
        (phasor->ports != NULL &&
         mx_port_powers_archive(phasor->ports, phasor->running.frequencies, ports, archive, err) != 0))
      return err->code;
  }
  return 0;
}

int mx_phasors_settle(struct mx_phasors *phasors, struct dg_error *err)
{
  struct dg_comm *comm = phasors->place.problem->comm;
  for (size_t i = 0; i < phasors->count; i++) {
    struct mx_phasor *phasor = &phasors->phasor[i];
    if (mx_running_settle(&phasor->running, err) != 0 ||
        (phasor->ports != NULL &&
         dg_comm_broadcast(comm, phasor->running.frequencies * sizeof *phasor->ports, phasor->ports, err) != 0))
      return err->code;
  }
  return 0;
}

void mx_phasor_get(const struct mx_phasors *phasors, const struct mx_phasor *phasor, size_t frequency, size_t part,
                   double complex *value)
{
  const struct mx_running *running = &phasor->running;
  const size_t numbers = phasor->parts.numbers, components = (size_t)phasor->components;
  const double *re = running->sum + 2 * frequency * running->width + part * numbers, *im = re + running->width;
  double complex factor[2];
  mx_phasor_factors(phasor, &phasors->place, frequency, factor);
  for (size_t i = 0; i < numbers; i++) {
    const bool magnetic = (size_t)phasor->first + i % components >= 3;
    value[i] = factor[magnetic] * (re[i] + I * im[i]);
  }
}
