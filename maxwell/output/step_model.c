/* Models a step on several ranks in which only memory and messages cost time: measures both and compares. run.c calls
 * it; share/doc/scaling.md has the model. */
#include "maxwell/output/step_model.h"

#include <math.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"

enum { TRIES = 12, COPY_BYTES = 32 << 20 };

/* Bytes a second of a copy between arrays of this rank, the best of a few attempts. */
static int measure_copy(double *rate, int threads, struct dg_error *err)
{
  char *from, *to = NULL;
  double best = INFINITY;
  if (dg_alloc(&from, COPY_BYTES, 1, err) != 0 || dg_alloc(&to, COPY_BYTES, 1, err) != 0) goto fail;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    double start = mx_clock();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int piece = 0; piece < 64; piece++)
      memcpy(to + piece * (COPY_BYTES / 64), from + piece * (COPY_BYTES / 64), COPY_BYTES / 64);
    best = fmin(best, mx_clock() - start);
  }
  *rate = 2.0 * COPY_BYTES / best;
fail:
  dg_free(from);
  dg_free(to);
  return err->code;
}

/* Seconds of an exchange with the neighbours, `bytes` a face of the halo, or of one item each; the best of a few
 * attempts.
 */
static int measure_exchange(double *seconds, const struct mx_scene *scene, bool one_item, size_t bytes,
                            struct dg_error *err)
{
  const struct dg_halo *halo = &scene->ranks->halo;
  struct dg_exchange *exchange = NULL;
  struct dg_peer *peer;
  *seconds = INFINITY;
  if (DG_NEW(peer, halo->peers, err) != 0) return err->code;
  for (size_t i = 0; i < halo->peers; i++) {
    peer[i] = halo->peer[i];
    if (one_item) peer[i].send_count = peer[i].receive_count = 1;
  }
  if (dg_exchange_new(&exchange, scene->comm, halo->peers, peer, bytes, err) != 0 ||
      dg_comm_agree(scene->comm, err) != 0)
    goto fail;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    double start = mx_clock();
    if (dg_exchange_start(exchange, err) != 0 || dg_exchange_finish(exchange, err) != 0) goto fail;
    *seconds = fmin(*seconds, mx_clock() - start);
  }
fail:
  dg_exchange_free(exchange);
  dg_free(peer);
  return err->code;
}

int mx_model_init(struct mx_model *model, const struct mx_scene *scene, struct mx_backend *backend, int threads,
                  struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  const struct mx_schedule schedule = mx_schedule_of(scene->config->time.integrator, problem);
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  double real = scene->config->precision == MX_DOUBLE ? 8 : 4, faces = (double)scene->ranks->halo.faces;
  double sent = (double)scene->ops->halo_use(backend).bytes, a_stage = sent / schedule.passes, latency, whole,
         copy = INFINITY;
  size_t a_face = faces > 0 ? (size_t)(a_stage / faces) : 0;
  if (scene->ops->card->present) {
    struct mx_ceilings card;
    if (scene->ops->card->ceilings(scene->ops->memory(problem, &options), &card, err) != 0) return err->code;
    copy = card.copy;
  } else if (measure_copy(&copy, threads, err) != 0) {
    return err->code;
  }
  if (scene->ops->card->present) {
    if (scene->ops->card->time_exchange(backend, true, &latency, err) != 0 ||
        scene->ops->card->time_exchange(backend, false, &whole, err) != 0)
      return err->code;
  } else if (measure_exchange(&latency, scene, true, 8, err) != 0 ||
             measure_exchange(&whole, scene, false, a_face, err) != 0) {
    return err->code;
  }
  double unknowns = 6.0 * problem->ref->Np * (double)problem->K;
  double fields = unknowns * real * mx_field_moves(&schedule) / copy;
  double interior = problem->K > 0 ? (double)problem->set[0].end[MX_INNER] / (double)problem->K : 0;
  double halo = whole * schedule.passes, hidden = fmin(halo, interior * fields);
  double most[] = {1 / copy, latency, a_stage > 0 && whole > latency ? (whole - latency) / a_stage : 0,
                   fields,   halo,    halo - hidden};
  if (dg_comm_reduce(scene->comm, DG_MAX, sizeof most / sizeof *most, most, err) != 0) return err->code;
  *model = (struct mx_model){.copy = 1 / most[0],
                             .latency = most[1],
                             .rate = most[2] > 0 ? 1 / most[2] : 0,
                             .fields = most[3],
                             .halo = most[4],
                             .hidden = most[4] - most[5]};
  return 0;
}

void mx_model_report(const struct mx_model *model, const struct mx_scene *scene, double step, double most, double least)
{
  dg_log_line(
      scene->log,
      "model     a step of at least %.3g ms: fields %.3g ms (%.3g GB/s a rank), halo %.3g ms (%.2g us, then %.3g "
      "GB/s), %.3g of it hidden; measured %.3g ms, halo %.3g to %.3g ms",
      1e3 * (model->fields + model->halo - model->hidden), 1e3 * model->fields, 1e-9 * model->copy, 1e3 * model->halo,
      1e6 * model->latency, 1e-9 * model->rate, 1e3 * model->hidden, 1e3 * step, 1e3 * least, 1e3 * most);
}
