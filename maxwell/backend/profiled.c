/* A backend around another one: it hands every call on to the inner backend and adds its time to the profile. A run
 * with `--profile` makes it (run.c). */
#include "maxwell/backend/profiled.h"

#include "libdg/base/memory.h"

struct mx_backend {
  const struct mx_backend_ops *ops; /* table of the inner backend */
  struct mx_backend *inner;
  struct mx_profile *profile;
};

static const struct mx_cost uncounted = {0, 0};

static void destroy(struct mx_backend *backend)
{
  if (backend == NULL) return;
  backend->ops->destroy(backend->inner);
  dg_free(backend);
}

/* Calls the inner backend as a phase. A card times the phases of a stage itself. */
#define WATCHED(name, call)                                                                                            \
  do {                                                                                                                 \
    struct mx_mark mark = mx_phase_begin(backend->profile);                                                            \
    int status = backend->ops->call;                                                                                   \
    mx_phase_end(backend->profile, mark, name, uncounted);                                                             \
    return status;                                                                                                     \
  } while (0)

/* The same, and what a card does in the call is a phase of its own clock, too. */
#define OBSERVED(name, call)                                                                                           \
  do {                                                                                                                 \
    backend->ops->card->phase(backend->inner, name);                                                                   \
    struct mx_mark mark = mx_phase_begin(backend->profile);                                                            \
    int status = backend->ops->call;                                                                                   \
    mx_phase_end(backend->profile, mark, name, uncounted);                                                             \
    backend->ops->card->phase(backend->inner, NULL);                                                                   \
    return status;                                                                                                     \
  } while (0)

static int upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err)
{
  WATCHED("upload", upload(backend->inner, E, H, err));
}

static int stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                       struct dg_error *err)
{
  WATCHED("stage, rest", stage_begin(backend->inner, stage, observe, sources, err));
}

static int stage_end(struct mx_backend *backend, int stage, struct dg_error *err)
{
  WATCHED("stage, wait", stage_end(backend->inner, stage, err));
}

static int stage_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                         struct dg_error *err)
{
  WATCHED("stage, rest", card->stage_sources(backend->inner, stage, sources, err));
}

static int functionals_begin(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err)
{
  OBSERVED("observe functionals", card->functionals_begin(backend->inner, first, count, err));
}

static int functionals_end(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err)
{
  OBSERVED("observe functionals", card->functionals_end(backend->inner, first, count, value, err));
}

static int wait_for_all(struct mx_backend *backend, struct dg_error *err)
{
  WATCHED("stage, wait", card->wait(backend->inner, err));
}

static int energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err)
{
  OBSERVED("observe energy", energy(backend->inner, electric, magnetic, err));
}

static int sample(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                  struct dg_error *err)
{
  OBSERVED("observe points", sample(backend->inner, count, point, value, err));
}

static int functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                       struct dg_error *err)
{
  OBSERVED("observe functionals", functionals(backend->inner, first, count, centred, value, err));
}

static int loss(struct mx_backend *backend, size_t count, const int32_t *element, double *value, struct dg_error *err)
{
  OBSERVED("observe losses", loss(backend->inner, count, element, value, err));
}

static int download(struct mx_backend *backend, double *E, double *H, struct dg_error *err)
{
  OBSERVED("observe fields", download(backend->inner, E, H, err));
}

static int snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err)
{
  OBSERVED("observe fields", card->snapshot_buffers(backend->inner, count, E, H, got, err));
}

static int snapshot_begin(struct mx_backend *backend, size_t buffer, struct dg_error *err)
{
  OBSERVED("observe fields", card->snapshot_begin(backend->inner, buffer, err));
}

/* Hands the call on without a phase: another thread makes it. */
static int snapshot_fetch(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err)
{
  return backend->ops->card->snapshot_fetch(backend->inner, buffer, E, H, err);
}

static int monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                       struct dg_error *err)
{
  OBSERVED("observe points", card->monitor_new(backend->inner, what, rows, monitor, err));
}

static int monitor_take(struct mx_backend *backend, size_t monitor, size_t row, struct dg_error *err)
{
  OBSERVED("observe points", card->monitor_take(backend->inner, monitor, row, err));
}

static int monitor_fetch(struct mx_backend *backend, size_t monitor, size_t rows, double *value, struct dg_error *err)
{
  OBSERVED("observe points", card->monitor_fetch(backend->inner, monitor, rows, value, err));
}

static int face_sums_new(struct mx_backend *backend, const struct mx_face_sums *what, size_t *number,
                         struct dg_error *err)
{
  OBSERVED("observe sums", card->face_sums_new(backend->inner, what, number, err));
}

static int point_sums_new(struct mx_backend *backend, const struct mx_point_sums *what, size_t *number,
                          struct dg_error *err)
{
  OBSERVED("observe sums", card->point_sums_new(backend->inner, what, number, err));
}

static int sums_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err)
{
  OBSERVED("observe sums", card->sums_take(backend->inner, number, row, err));
}

static int sums_add(struct mx_backend *backend, size_t number, size_t rows, const double *turn, struct dg_error *err)
{
  OBSERVED("observe sums", card->sums_add(backend->inner, number, rows, turn, err));
}

static int sums_fetch(struct mx_backend *backend, size_t number, double *sum, struct dg_error *err)
{
  OBSERVED("observe sums", card->sums_fetch(backend->inner, number, sum, err));
}

static int sums_set(struct mx_backend *backend, size_t number, const double *sum, struct dg_error *err)
{
  OBSERVED("observe sums", card->sums_set(backend->inner, number, sum, err));
}

static int check(struct mx_backend *backend, struct mx_field_check *result, struct dg_error *err)
{
  OBSERVED("watchdog", check(backend->inner, result, err));
}

static int save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err)
{
  OBSERVED("checkpoint", save(backend->inner, array, first, count, value, err));
}

static int load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
                struct dg_error *err)
{
  OBSERVED("checkpoint", load(backend->inner, array, first, count, value, err));
}

static int loaded(struct mx_backend *backend, struct dg_error *err)
{
  OBSERVED("checkpoint", loaded(backend->inner, err));
}

static void profile_inner(struct mx_backend *backend, struct mx_profile *profile)
{
  backend->ops->profile(backend->inner, profile);
}

static void card_phase(struct mx_backend *backend, const char *name)
{
  backend->ops->card->phase(backend->inner, name);
}

static int threads(const struct mx_backend *backend) { return backend->ops->threads(backend->inner); }

static struct mx_halo_use halo_use(const struct mx_backend *backend) { return backend->ops->halo_use(backend->inner); }
static size_t allocated(const struct mx_backend *backend) { return backend->ops->card->allocated(backend->inner); }

static void watch_card(struct mx_card_ops *card, const struct mx_card_ops *inner)
{
  *card = *inner;
  card->wait = wait_for_all;
  card->stage_sources = stage_sources;
  card->functionals_begin = functionals_begin;
  card->functionals_end = functionals_end;
  card->snapshot_buffers = snapshot_buffers;
  card->snapshot_begin = snapshot_begin;
  card->snapshot_fetch = snapshot_fetch;
  card->monitor_new = monitor_new;
  card->monitor_take = monitor_take;
  card->monitor_fetch = monitor_fetch;
  card->face_sums_new = face_sums_new;
  card->point_sums_new = point_sums_new;
  card->sums_take = sums_take;
  card->sums_add = sums_add;
  card->sums_fetch = sums_fetch;
  card->sums_set = sums_set;
  card->time_exchange = NULL; /* the program asks before it puts the watch around */
  card->phase = card_phase;
  card->allocated = allocated;
}

int mx_profile_backend(struct mx_backend **backend, struct mx_profiled *tables, const struct mx_backend_ops *inner,
                       struct mx_profile *profile, struct dg_error *err)
{
  struct mx_backend_ops *ops = &tables->ops;
  struct mx_backend *outer;
  if (DG_NEW(outer, 1, err) != 0) return err->code;
  *outer = (struct mx_backend){.ops = inner, .inner = *backend, .profile = profile};
  inner->profile(*backend, profile);
  *ops = *inner;
  ops->destroy = destroy;
  ops->upload = upload;
  ops->stage_begin = stage_begin;
  ops->stage_end = stage_end;
  ops->energy = energy;
  ops->sample = sample;
  ops->functionals = functionals;
  ops->loss = loss;
  ops->download = download;
  ops->check = check;
  ops->save = save;
  ops->load = load;
  ops->loaded = loaded;
  ops->threads = threads;
  ops->halo_use = halo_use;
  if (inner->card->present) {
    watch_card(&tables->card, inner->card);
    ops->card = &tables->card;
  }
  ops->create = NULL; /* the backend has been created already */
  ops->profile = profile_inner;
  *backend = outer;
  return 0;
}

void mx_profiled_inner(const struct mx_backend_ops **ops, struct mx_backend **backend)
{
  const struct mx_backend *outer = *backend;
  if ((*ops)->create != NULL) return;
  *ops = outer->ops;
  *backend = outer->inner;
}
