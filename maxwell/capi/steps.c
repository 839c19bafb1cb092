/* A simulation of libcurlew.so step by step: what maxwell/run/loop.c does, without output, in the hands of the caller.
 *
 * Fields of one time can be looked at behind the first stages of a step (observe_stage of its scheme). A look therefore
 * begins the step, and the next advance ends it: steps are the same, bit for bit, whether somebody looks or not. */
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/capi/guard.h"
#include "maxwell/capi/stepped.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/problem/curved.h"
#include "maxwell/statics/start.h"
#include "maxwell/run/loop.h"

void mx_capi_end_steps(struct curlew_simulation *s)
{
  if (s->backend != NULL) s->setup.ops->destroy(s->backend);
  s->backend = NULL;
  for (size_t i = 0; s->kept != NULL && i < s->setup.measures.count; i++) {
    dg_free(s->kept[i].time);
    dg_free(s->kept[i].value);
  }
  dg_free(s->kept);
  s->kept = NULL;
  mx_stepper_release(&s->stepper);
}

/* Makes the backend, with the initial fields in it, when the first step or look is asked for. */
static int begin(struct curlew_simulation *s, struct dg_error *err)
{
  struct mx_setup *setup = &s->setup;
  s->scene = mx_setup_scene(setup);
  const struct mx_backend_options options = mx_scene_backend_options(&s->scene);
  const struct mx_statics_place place = mx_scene_statics(&s->scene);
  double *E = NULL, *H = NULL;
  if (s->ran) return dg_fail(err, DG_INPUT, "this simulation has been run: make another one to step it");
  if (s->failed) return dg_fail(err, DG_INPUT, "a step of this simulation has failed: make another one");
  if (s->backend != NULL) return 0;
  if (s->config.output.s_parameters.count > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "S-parameters take a run for every port: run the simulation instead of "
                            "stepping it, or leave output.s_parameters out",
                   MX_AT(s->config.output.s_parameters_where));
  if (DG_NEW(s->kept, setup->measures.count, err) != 0 ||
      setup->ops->create(&s->backend, &setup->problem, &options, err) != 0 ||
      mx_start_fields(&place, NULL, &E, &H, err) != 0 || setup->ops->upload(s->backend, E, H, err) != 0)
    goto fail;
  s->stepper = mx_stepper_of(setup->ops, s->backend, &setup->problem, options.integrator);
  if (mx_stepper_levels(&s->stepper, &setup->levels, &options, err) != 0 ||
      mx_stepper_drive(&s->stepper, &setup->sources, setup->step, setup->steps, err) != 0)
    goto fail;
  mx_stepper_place(&s->stepper, s->n);
  mx_watchdog_init(&s->watchdog, &s->scene);
fail:
  dg_free(E);
  dg_free(H);
  if (err->code != DG_OK) mx_capi_end_steps(s);
  return err->code;
}

/* Begins step n as far as fields of t_n can be looked at. */
static int observe(struct curlew_simulation *s, struct dg_error *err)
{
  if (mx_stepper_look(&s->stepper, err) != 0) {
    s->failed = true;
    return err->code;
  }
  return s->setup.ops->card->wait(s->backend, err);
}

/* Is measure i due at step n? */
static bool due(const struct curlew_simulation *s, size_t i)
{
  return s->n % s->setup.measures.measure[i].config->every == 0;
}

static int keep(struct curlew_simulation *s, size_t i, struct dg_error *err)
{
  struct mx_kept *kept = &s->kept[i];
  const size_t values = s->setup.measures.measure[i].values;
  if (kept->rows == kept->room) {
    const size_t room = kept->room == 0 ? 64 : 2 * kept->room;
    if (dg_grow(&kept->time, room, sizeof *kept->time, err) != 0 ||
        dg_grow(&kept->value, room * values, sizeof *kept->value, err) != 0)
      return err->code;
    kept->room = room;
  }
  kept->time[kept->rows] = s->setup.step * (double)s->n;
  if (mx_measure_evaluate(&s->setup.measures, i, s->setup.ops, s->backend, kept->value + kept->rows * values, err) != 0)
    return err->code;
  kept->rows++;
  return 0;
}

/* Whether measure i has this step already: it was due when somebody looked. */
static bool has(const struct curlew_simulation *s, size_t i)
{
  const struct mx_kept *kept = &s->kept[i];
  return kept->rows > 0 && kept->time[kept->rows - 1] >= s->setup.step * (double)s->n;
}

/* Lets measures and the watchdog look at the fields of t_n, if they are due. */
static int watch(struct curlew_simulation *s, struct dg_error *err)
{
  const bool guarded = mx_watchdog_due(&s->watchdog, s->n);
  bool any = guarded;
  for (size_t i = 0; i < s->setup.measures.count; i++) any = any || (due(s, i) && !has(s, i));
  if (!any) return 0;
  if (observe(s, err) != 0) return err->code;
  for (size_t i = 0; i < s->setup.measures.count; i++)
    if (due(s, i) && !has(s, i) && keep(s, i, err) != 0) return err->code;
  if (guarded && mx_watchdog_look(&s->watchdog, s->backend, s->setup.step * (double)s->n, err) != 0) return err->code;
  if (guarded && s->watchdog.alarm[0] != '\0') {
    s->failed = true;
    return mx_watchdog_stop(&s->watchdog, s->backend, s->n, err);
  }
  return 0;
}

static int advance(struct curlew_simulation *s, int64_t steps, struct dg_error *err)
{
  if (steps < 0) return dg_fail(err, DG_INPUT, "%lld steps: their number must be at least 0", (long long)steps);
  if (s->stepped != NULL) return mx_stepped_advance(s, (long)steps, err);
  if (begin(s, err) != 0) return err->code;
  if (steps > s->setup.steps - s->n)
    return dg_fail(err, DG_INPUT, "%lld more steps behind step %ld: the simulation has %ld", (long long)steps, s->n,
                   s->setup.steps);
  if (watch(s, err) != 0) return err->code;
  for (; steps > 0; steps--) {
    if (atomic_load(&s->interrupted))
      return dg_fail(err, DG_INTERRUPTED, "interrupted at step %ld of %ld", s->n, s->setup.steps);
    if (mx_stepper_advance(&s->stepper, false, err) != 0) {
      s->failed = true;
      return err->code;
    }
    s->n = s->stepper.n;
    if (watch(s, err) != 0) return err->code;
  }
  return 0;
}

int curlew_advance(struct curlew_simulation *simulation, int64_t steps, struct curlew_error *error)
{
  struct dg_error err = {0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  (void)!advance(simulation, steps, &err);
  return mx_capi_leave(simulation, error, &err);
}

void curlew_where(const struct curlew_simulation *simulation, struct curlew_position *position)
{
  *position = (struct curlew_position){0};
  if (!mx_capi_look(simulation)) return;
  mx_stepped_describe(simulation, position);
  mx_capi_looked(simulation);
}

int64_t curlew_steps_done(const struct curlew_simulation *simulation)
{
  struct curlew_position position;
  curlew_where(simulation, &position);
  return position.step;
}

double curlew_time(const struct curlew_simulation *simulation)
{
  struct curlew_description description;
  curlew_describe(simulation, &description);
  return description.step * (double)curlew_steps_done(simulation);
}

/* Does what needs the fields of this step. loop: that of a run that is stepped; NULL: there is none. */
static int with_fields(struct curlew_simulation *s, mx_capi_work work, void *what, struct curlew_error *error)
{
  struct dg_error err = {0};
  if (mx_capi_enter(s, &err) != 0) return mx_capi_give(error, &err);
  if (s->stepped != NULL) (void)!mx_stepped_look(s, work, what, &err);
  else if (begin(s, &err) == 0 && observe(s, &err) == 0) (void)!work(s, NULL, what, &err);
  return mx_capi_leave(s, error, &err);
}

static struct mx_backend *backend_of(const struct curlew_simulation *s, const struct mx_loop *loop)
{
  return loop != NULL ? loop->backend : s->backend;
}

static int give_energy(struct curlew_simulation *s, struct mx_loop *loop, void *what, struct dg_error *err)
{
  double *energy = what;
  if (s->setup.ops->energy(backend_of(s, loop), &energy[0], &energy[1], err) != 0) return err->code;
  for (int i = 0; i < 2; i++) energy[i] *= MX_EPSILON0;
  return 0;
}

int curlew_energy(struct curlew_simulation *simulation, double energy[2], struct curlew_error *error)
{
  return with_fields(simulation, give_energy, energy, error);
}

/* ---- fields */

void curlew_nodes(const struct curlew_simulation *simulation, double *x)
{
  const struct dg_mesh *mesh = &simulation->setup.mesh;
  const struct dg_reference *ref = &simulation->setup.ref;
  if (!mx_capi_look(simulation)) return;
  const size_t Np = (size_t)ref->Np;
  for (size_t e = 0; e < mesh->K; e++)
    for (size_t i = 0; i < Np; i++) {
      double place[3];
      dg_geometry_point(mesh, e, ref->r[i], ref->s[i], ref->t[i], place);
      for (size_t c = 0; c < 3; c++) x[(3 * e + c) * Np + i] = place[c];
    }
  mx_capi_looked(simulation);
}

static int give_fields(struct curlew_simulation *s, struct mx_loop *loop, void *what, struct dg_error *err)
{
  const size_t numbers = 3 * s->setup.mesh.K * (size_t)s->setup.ref.Np;
  double *const *const field = what;
  if (s->setup.ops->download(backend_of(s, loop), field[0], field[1], err) != 0) return err->code;
  for (size_t i = 0; field[1] != NULL && i < numbers; i++) field[1][i] /= MX_ETA0;
  return 0;
}

int curlew_get_fields(struct curlew_simulation *simulation, double *E, double *H, struct curlew_error *error)
{
  double *field[2] = {E, H};
  return with_fields(simulation, give_fields, field, error);
}

int curlew_set_fields(struct curlew_simulation *simulation, const double *E, const double *H,
                      struct curlew_error *error)
{
  struct curlew_simulation *s = simulation;
  struct dg_error err = {0};
  double *scaled = NULL;
  if (mx_capi_enter(s, &err) != 0) return mx_capi_give(error, &err);
  const size_t numbers = 3 * s->setup.mesh.K * (size_t)s->setup.ref.Np;
  if (s->stepped != NULL) {
    dg_fail(&err, DG_INPUT, "the fields of a run with output cannot be set: step a simulation without curlew_begin");
    goto fail;
  }
  if (begin(s, &err) != 0) goto fail;
  if (s->setup.sources.ports.functionals > 0) {
    dg_fail(&err, DG_INPUT, "fields cannot be set in a simulation with ports, whose past would not fit them");
    goto fail;
  }
  if (H != NULL) {
    if (DG_NEW(scaled, numbers, &err) != 0) goto fail;
    for (size_t i = 0; i < numbers; i++) scaled[i] = H[i] * MX_ETA0;
  }
  if (s->setup.ops->upload(s->backend, E, scaled, &err) != 0) goto fail;
  mx_stepper_place(&s->stepper, s->n); /* both fields are of t_n */
fail:
  dg_free(scaled);
  return mx_capi_leave(s, error, &err);
}

/* Samples the fields at one place inside element e. */
static int sample_one(struct curlew_simulation *s, struct mx_backend *backend, size_t e, const double bary[4],
                      double *weight, double value[6], struct dg_error *err)
{
  const double place[3] = {2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1};
  struct mx_point point = {.element = e, .weight = weight};
  double metric[9];
  dg_reference_interpolate(&s->setup.ref, place[0], place[1], place[2], weight);
  if (mx_curve_find(&s->setup.problem, e) >= 0) {
    (void)mx_element_metric(&s->setup.problem, e, place, metric);
    point.metric = metric;
  }
  return s->setup.ops->sample(backend, 1, &point, (double(*)[6])value, err);
}

struct samples {
  size_t count;
  const double (*x)[3];
  double *value; /* [count][6] */
};

static int give_samples(struct curlew_simulation *s, struct mx_loop *loop, void *what, struct dg_error *err)
{
  const struct samples *const wanted = what;
  const size_t count = wanted->count;
  double *weight = NULL, (*bary)[4] = NULL, *const value = wanted->value;
  int64_t *element = NULL;
  if (DG_NEW(weight, (size_t)s->setup.ref.Np, err) != 0 || DG_NEW(bary, count, err) != 0 ||
      DG_NEW(element, count, err) != 0 ||
      dg_mesh_locate_many(&s->setup.mesh, count, wanted->x, element, bary, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) {
    for (size_t c = 0; c < 6; c++) value[6 * i + c] = NAN;
    if (element[i] < 0) continue;
    if (sample_one(s, backend_of(s, loop), (size_t)element[i], bary[i], weight, value + 6 * i, err) != 0) goto fail;
    for (size_t c = 3; c < 6; c++) value[6 * i + c] /= MX_ETA0;
  }
fail:
  dg_free(weight);
  dg_free(bary);
  dg_free(element);
  return err->code;
}

int curlew_sample(struct curlew_simulation *simulation, size_t count, const double (*x)[3], double *value,
                  struct curlew_error *error)
{
  struct samples wanted = {.count = count, .x = x, .value = value};
  return with_fields(simulation, give_samples, &wanted, error);
}

/* ---- a run with output */

static int needs_run(const struct curlew_simulation *s, struct dg_error *err)
{
  if (s->stepped != NULL) return 0;
  return dg_fail(err, DG_INPUT, "that is for a run with output: curlew_begin has not been called");
}

/* Does what needs a run, and the fields of this step. */
static int with_run(struct curlew_simulation *s, mx_capi_work work, struct curlew_error *error)
{
  struct dg_error err = {0};
  if (mx_capi_enter(s, &err) != 0) return mx_capi_give(error, &err);
  if (needs_run(s, &err) == 0) (void)!mx_stepped_look(s, work, NULL, &err);
  return mx_capi_leave(s, error, &err);
}

static int take_snapshot(struct curlew_simulation *s, struct mx_loop *loop, void *what, struct dg_error *err)
{
  struct mx_snapshots *const snapshots = mx_output_snapshots(&loop->output);
  (void)what;
  if (s->config.output.fields.every == 0) return dg_fail(err, DG_INPUT, "snapshots need output.fields in the script");
  if (!loop->writes) return dg_fail(err, DG_INPUT, "snapshots are of the first of the runs for S-parameters");
  if (s->snapshot != loop->seen + 1 && !mx_snapshots_due(snapshots, loop->seen) &&
      mx_snapshots_take(snapshots, loop->seen, s->setup.step * (double)loop->seen, true, err) != 0)
    return err->code;
  s->snapshot = loop->seen + 1;
  return mx_snapshots_finish(snapshots, err);
}

int curlew_snapshot(struct curlew_simulation *simulation, struct curlew_error *error)
{
  return with_run(simulation, take_snapshot, error);
}

static int flush_tables(struct curlew_simulation *s, struct mx_loop *loop, void *what, struct dg_error *err)
{
  (void)s, (void)what;
  if (!loop->writes || mx_output_settle(&loop->output, err) != 0) return err->code;
  return mx_port_output_settle(&loop->port_output, err);
}

int curlew_flush(struct curlew_simulation *simulation, struct curlew_error *error)
{
  return with_run(simulation, flush_tables, error);
}

typedef int (*order)(struct curlew_simulation *simulation, struct dg_error *err);

static int of_run(struct curlew_simulation *simulation, order what, struct curlew_error *error)
{
  struct dg_error err = {0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  if (needs_run(simulation, &err) == 0) (void)!what(simulation, &err);
  return mx_capi_leave(simulation, error, &err);
}

int curlew_checkpoint(struct curlew_simulation *simulation, struct curlew_error *error)
{
  return of_run(simulation, mx_stepped_checkpoint, error);
}

int curlew_finish(struct curlew_simulation *simulation, struct curlew_error *error)
{
  return of_run(simulation, mx_stepped_finish, error);
}

int curlew_stop(struct curlew_simulation *simulation, struct curlew_error *error)
{
  return of_run(simulation, mx_stepped_stop, error);
}

/* The columns of a kind without the places, which are single letters in front. */
static const char *without_places(const char *columns)
{
  while (columns[0] != '\0' && columns[1] == ',') columns += 2;
  return columns;
}

/* The record of a measurement, with the pointers of the simulation's own. */
static int record_of(struct curlew_simulation *s, uint64_t index, struct curlew_record *record, struct dg_error *err)
{
  *record = (struct curlew_record){0};
  if (index >= s->setup.measures.count)
    return dg_fail(err, DG_INPUT, "there is no measurement %llu: the simulation has %zu", (unsigned long long)index,
                   s->setup.measures.count);
  if (s->stepped != NULL) return dg_fail(err, DG_INPUT, "the records of a run with output are in its folder");
  if (begin(s, err) != 0) return err->code;
  const struct mx_measure *measure = &s->setup.measures.measure[index];
  const struct mx_kept *kept = &s->kept[index];
  *record = (struct curlew_record){.kind = measure->kind->reads.key,
                                   .name = measure->config->name,
                                   .columns = without_places(measure->columns),
                                   .rows = kept->rows,
                                   .width = measure->values,
                                   .time = kept->time,
                                   .value = kept->value,
                                   .points = measure->x != NULL ? measure->rows : 1,
                                   .x = measure->x != NULL ? *measure->x : NULL};
  return 0;
}

int curlew_record(struct curlew_simulation *simulation, uint64_t index, struct curlew_record *record,
                  struct curlew_error *error)
{
  struct dg_error err = {0};
  *record = (struct curlew_record){0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  (void)!record_of(simulation, index, record, &err);
  return mx_capi_leave(simulation, error, &err);
}

int curlew_copy_record(struct curlew_simulation *simulation, uint64_t index, uint64_t rows, double *time, double *value,
                       double *x, struct curlew_error *error)
{
  struct curlew_record record;
  struct dg_error err = {0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  if (record_of(simulation, index, &record, &err) == 0) {
    if (rows > record.rows)
      dg_fail(&err, DG_INPUT, "there are no %llu rows: the record has %llu", (unsigned long long)rows,
              (unsigned long long)record.rows);
    else {
      if (time != NULL && rows > 0) memcpy(time, record.time, rows * sizeof *time);
      if (value != NULL && rows > 0) memcpy(value, record.value, rows * record.width * sizeof *value);
      if (x != NULL && record.x != NULL) memcpy(x, record.x, 3 * record.points * sizeof *x);
    }
  }
  return mx_capi_leave(simulation, error, &err);
}
