/* The beginning and the end of a simulation of libcurlew.so, its functions, and its run with output. The caller's
 * program, or Python's ctypes, calls this; curlew.h is the manual. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "libdg/io/store.h"
#include "libdg/ref/dense.h"
#include "maxwell/capi/guard.h"
#include "maxwell/capi/stepped.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/run/run.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/version.h"

int curlew_api(void) { return CURLEW_API; }

const char *curlew_version(void) { return CURLEW_VERSION; }

int mx_capi_give(struct curlew_error *error, const struct dg_error *err)
{
  error->code = (int)err->code;
  snprintf(error->message, sizeof error->message, "%s", err->code == DG_OK ? "" : err->message);
  if (err->code == DG_BUG)
    snprintf(error->message, sizeof error->message, "bug at %s:%d: %.1900s", err->file, err->line, err->message);
  return error->code;
}

/* ---- functions of the caller's */

/* values: of the answer. */
static int call(const struct mx_caller *caller, const char *what, size_t count, const double *x, const double *t,
                int components, size_t values, double *value, struct dg_error *err)
{
  char message[1024] = "";
  struct mx_capi_frame frame;
  /* A function that does not come to its end, such as an exception that Python can only print, has given nothing. */
  for (size_t i = 0; i < values; i++) value[i] = NAN;
  mx_capi_call(&frame, caller->simulation);
  const int failed = caller->given.values(caller->given.self, count, x, t, components, value, message, sizeof message);
  mx_capi_called(&frame);
  if (!failed) return 0;
  message[sizeof message - 1] = '\0';
  for (char *c = message; *c != '\0'; c++)
    if (*c == '\n') *c = ' '; /* errors are one line */
  return dg_fail(err, DG_INPUT, "%s: %s", what, message[0] != '\0' ? message : "the function failed");
}

static int values(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  return call(self, at->what, at->count, at->x != NULL ? *at->x : NULL, at->t, at->components,
              at->count * (size_t)at->components, value, err);
}

static int answer(void *self, const char *what, int inputs, const double *in, bool *result, struct dg_error *err)
{
  double value = 0;
  if (call(self, what, (size_t)inputs, NULL, in, 1, 1, &value, err) != 0) return err->code;
  if (isnan(value)) return dg_fail(err, DG_INPUT, "%s: the function gave no value", what);
  *result = value != 0;
  return 0;
}

static int digest(void *self, uint64_t *result, struct dg_error *err)
{
  const struct mx_caller *caller = self;
  (void)err;
  *result = caller->given.digest;
  return 0;
}

static int put_functions(struct curlew_simulation *s, const struct curlew_options *options, struct dg_error *err)
{
  if (DG_NEW(s->caller, options->functions, err) != 0) return err->code;
  s->callers = options->functions;
  for (size_t i = 0; i < s->callers; i++) {
    struct mx_caller *caller = &s->caller[i];
    caller->simulation = s;
    caller->given = options->function[i];
    caller->base = (struct mx_function){.values = values, .answer = answer, .digest = digest, .self = caller};
    if (mx_script_put(s->script, options->function[i].key, &caller->base, err) != 0) return err->code;
  }
  return 0;
}

/* ---- beginning and end */

static int load(struct curlew_simulation *s, const struct curlew_options *options, struct dg_error *err)
{
  const struct mx_limits limits = {
      .trust = options->trust != 0, .seconds = options->lua_seconds, .threads = options->lua_threads};
  struct mx_definition *pair = NULL;
  if (options->script == NULL && options->text == NULL) return dg_fail(err, DG_INPUT, "there is no script");
  if (DG_NEW(pair, options->args + options->sets, err) != 0) return err->code;
  for (size_t i = 0; i < options->args; i++)
    pair[i] = (struct mx_definition){options->arg[i].name, options->arg[i].value};
  for (size_t i = 0; i < options->sets; i++)
    pair[options->args + i] = (struct mx_definition){options->set[i].name, options->set[i].value};
  (void)!mx_script_load_text(&s->script, options->script != NULL ? options->script : "script", options->text,
                             options->args, pair, options->sets, pair + options->args, &limits, err);
  dg_free(pair); /* the script has copies */
  return err->code;
}

static void release(struct curlew_simulation *simulation)
{
  if (simulation == NULL) return;
  mx_capi_plain(simulation); /* the end of a run writes its tables */
  mx_stepped_free(simulation);
  mx_capi_end_steps(simulation);
  mx_setup_release(&simulation->setup);
  mx_config_release(&simulation->config);
  mx_script_free(simulation->script);
  dg_free(simulation->caller);
  dg_log_free(simulation->log);
  mx_capi_hosts(simulation);
  dg_free(simulation);
}

int curlew_new(struct curlew_simulation **simulation, const struct curlew_options *options, struct curlew_error *error)
{
  struct curlew_simulation *s = NULL;
  struct dg_error err = {0};
  *simulation = NULL;
  if (mx_capi_may_begin(&err) != 0) return mx_capi_give(error, &err);
  dg_store_prepare();
  if (DG_NEW(s, 1, &err) != 0) return mx_capi_give(error, &err);
  mx_capi_plain(s);
  if (dg_dense_prepare(&err) != 0 || (options->echo && dg_log_new(&s->log, 1, &err) != 0) ||
      load(s, options, &err) != 0 || put_functions(s, options, &err) != 0)
    goto fail;
  const struct mx_origin *origin = mx_script_origin(s->script);
  if (mx_config_read(&s->config, mx_measure_kinds, origin, &err) != 0) goto fail;
  if (s->config.heat != NULL) {
    (void)dg_fail(&err, DG_INPUT, "heat is computed by the program alone (curlew run): leave 'heat' out");
    goto fail;
  }
  if (mx_setup_init(&s->setup, &s->config, origin, s->log, NULL, NULL, &err) != 0) goto fail;
  mx_capi_hosts(s);
  mx_capi_add(s);
  *simulation = s;
  return mx_capi_give(error, &err);
fail:
  mx_capi_hosts(s);
  release(s);
  return mx_capi_give(error, &err);
}

int curlew_close(struct curlew_simulation *simulation, struct curlew_error *error)
{
  struct dg_error err = {0};
  if (simulation != NULL && mx_capi_remove(simulation, false, &err) == 0) release(simulation);
  return mx_capi_give(error, &err);
}

void curlew_free(struct curlew_simulation *simulation)
{
  struct dg_error err = {0};
  if (simulation != NULL && mx_capi_remove(simulation, true, &err) == 0) release(simulation);
}

void curlew_describe(const struct curlew_simulation *simulation, struct curlew_description *description)
{
  const struct mx_setup *setup = &simulation->setup;
  *description = (struct curlew_description){0};
  if (!mx_capi_look(simulation)) return;
  *description = (struct curlew_description){.elements = setup->mesh.K,
                                             .nodes = (uint64_t)setup->ref.Np,
                                             .unknowns = setup->unknowns,
                                             .steps = setup->steps,
                                             .step = setup->step,
                                             .limit = setup->limit,
                                             .measures = setup->measures.count,
                                             .order = setup->ref.order};
  mx_capi_looked(simulation);
}

const char *curlew_name(const struct curlew_simulation *simulation)
{
  if (!mx_capi_look(simulation)) return "";
  const char *name = simulation->config.name;
  mx_capi_looked(simulation);
  return name;
}

const char *curlew_backend(const struct curlew_simulation *simulation)
{
  if (!mx_capi_look(simulation)) return "";
  const char *name = simulation->setup.ops->name;
  mx_capi_looked(simulation);
  return name;
}

/* ---- a run */

bool mx_capi_ask(struct curlew_simulation *simulation, const struct curlew_run_options *options, long n, long steps,
                 double t)
{
  if (options->look != NULL) {
    struct mx_capi_frame frame;
    mx_capi_call(&frame, simulation);
    const bool goes_on = options->look(options->self, n, steps, t) != 0;
    mx_capi_called(&frame);
    if (!goes_on) return false;
  }
  return !atomic_load(&simulation->interrupted);
}

struct looker {
  struct curlew_simulation *simulation;
  struct curlew_run_options options;
};

static bool look(void *self, long n, long steps, double t)
{
  struct looker *const looker = self;
  return mx_capi_ask(looker->simulation, &looker->options, n, steps, t);
}

/* A simulation is stepped or run once. */
static int unused(const struct curlew_simulation *simulation, struct dg_error *err)
{
  if (!simulation->ran && simulation->backend == NULL) return 0;
  return dg_fail(err, DG_INPUT, "this simulation has been %s: make another one to run it",
                 simulation->ran ? "run" : "stepped");
}

int curlew_begin(struct curlew_simulation *simulation, const struct curlew_run_options *options,
                 struct curlew_error *error)
{
  struct dg_error err = {0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  if (unused(simulation, &err) == 0) {
    simulation->ran = true;
    (void)!mx_stepped_begin(simulation, options, &err);
  }
  return mx_capi_leave(simulation, error, &err);
}

int curlew_run(struct curlew_simulation *simulation, const struct curlew_run_options *options,
               struct curlew_error *error)
{
  struct looker looker = {.simulation = simulation, .options = *options};
  const struct mx_watcher watcher = {.look = look, .self = &looker};
  const struct mx_run_options how = {.resume = options->restart != 0, .keeps = true, .watcher = &watcher};
  struct mx_folder folder = {0};
  struct dg_error err = {0};
  if (mx_capi_enter(simulation, &err) != 0) return mx_capi_give(error, &err);
  if (unused(simulation, &err) != 0) return mx_capi_leave(simulation, error, &err);
  simulation->ran = true;
  const char *path = options->folder != NULL ? options->folder : simulation->config.name;
  if (mx_folder_open(&folder, path, NULL, simulation->log, &err) == 0)
    (void)!mx_run(&simulation->setup, &folder, &how, &err);
  mx_folder_close(&folder);
  return mx_capi_leave(simulation, error, &err);
}
