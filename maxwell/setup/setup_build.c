/* Builds a set-up in order: backend, mesh, tables, sources, measurements, step; and logs it. main.c calls
 * mx_setup_init. */
#include "maxwell/setup/setup_build.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <omp.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/limit/stability.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/model/selectors.h"
#include "maxwell/phasor/phasor_sar.h"
#include "maxwell/problem/build/problem_build.h"
#include "maxwell/setup/reports/conductor_report.h"
#include "maxwell/setup/drawn_layers.h"
#include "maxwell/setup/reports/layer_report.h"
#include "maxwell/setup/quiet.h"
#include "maxwell/setup/reports/response_report.h"
#include "maxwell/setup/slow_elements.h"
#include "maxwell/setup/source_warnings.h"
#include "maxwell/terms/face_reports.h"
#include "maxwell/setup/local_steps.h"
#include "maxwell/touch/touch.h"

/* Says whether all ranks can work with this backend, each on a card of its own if it wants one. The answer is no where
 * a card is missing. All else that hinders a backend is an error, lest a slower one take its place in silence. */
static int can_serve(const struct mx_setup *setup, const struct mx_backend_ops *ops, bool *can, struct dg_error *err)
{
  struct dg_error why = {0};
  int64_t here = ops->available(&why) == 0;
  if (!here && !ops->card->present) {
    *err = why;
    return err->code;
  }
  if (dg_comm_reduce_int(setup->comm, DG_MIN, 1, &here, err) != 0) return err->code;
  *can = here && ops->card->take(setup->comm, setup->config->gpu.share, &why) == 0;
  if (here && !*can) dg_log_line(setup->log, "backend   not %s: %s", ops->name, why.message);
  return dg_comm_poll(setup->comm, err);
}

int mx_setup_choose_backend(struct mx_setup *setup, struct dg_error *err)
{
  const char *name = setup->config->backend;
  const char *names[32];
  size_t count = 0;
  for (; mx_backends[count] != NULL && count < 32; count++) names[count] = mx_backends[count]->name;
  for (size_t i = 0; i < count; i++) {
    bool can = false;
    if (strcmp(name, "auto") == 0) {
      if (can_serve(setup, mx_backends[i], &can, err) != 0) return err->code;
      if (!can) continue;
    } else if (strcmp(name, names[i]) != 0) {
      continue;
    } else if (mx_backends[i]->available(err) != 0) {
      return dg_context(err, "needed by backend = \"%s\"", name);
    } else if (mx_backends[i]->card->take(setup->comm, setup->config->gpu.share, err) != 0) {
      return err->code;
    }
    setup->ops = mx_backends[i];
    return 0;
  }
  for (const char *const *missing = mx_backends_missing; *missing != NULL; missing += 2)
    if (strcmp(name, *missing) == 0)
      return dg_fail(err, DG_ENVIRONMENT, MX_PLACE "backend = \"%s\" is not in this build (curlew info lists them)",
                     MX_AT(setup->config->backend_where), name);
  char known[256] = "\"auto\"", hint[80] = "";
  size_t used = strlen(known);
  for (size_t i = 0; i < count && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, ", \"%s\"", names[i]);
  int nearest = dg_nearest(name, names, count);
  if (nearest >= 0) snprintf(hint, sizeof hint, " (nearest: \"%s\")", names[nearest]);
  return dg_fail(err, DG_INPUT, MX_PLACE "there is no backend \"%s\"%s; this build has %s",
                 MX_AT(setup->config->backend_where), name, hint, known);
}

/* Refuses a step beyond the limit, or so near to it that the search for the limit cannot tell. */
static int refuse_step(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const double most = setup->certain * setup->limit, cautious = 0.95;
  if (config->time.step > setup->limit)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "time.step = %.6g s is beyond the stability limit of this mesh, order, flux and integrator, "
                   "%.6g s; use \"auto\" or at most %.4g of that",
                   MX_AT(config->time.step_where), setup->step, setup->limit, setup->certain);
  if (config->time.step > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "time.step = %.6g s is nearer to the stability limit, %.6g s, than the search for it is exact; use "
                   "\"auto\" or at most %.4g of the limit",
                   MX_AT(config->time.step_where), setup->step, setup->limit, setup->certain);
  if (config->time.cfl > cautious)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "time.cfl = %g is nearer to the stability limit than the search for it is exact; use at most %.4g",
                   MX_AT(config->time.where), config->time.cfl, floor(1e4 * setup->certain) / 1e4);
  dg_log_warning(setup->log, "the search for the stability limit is exact to %.2g only: the step is %.4g of the limit",
                 1 - setup->certain, setup->certain);
  setup->step = most;
  return 0;
}

/* Says whether the step is that of the checkpoint with which the run goes on: another end would shorten an automatic
 * one otherwise. What else changes the step changes the automatic one, too. */
static bool keeps_step(const struct mx_setup *setup, double widest)
{
  const struct mx_step_plan *plan = &setup->plan;
  const bool again = setup->config->heat != NULL && setup->config->heat->coupled; /* has many runs */
  return plan->step > 0 && !again && setup->config->time.step == 0 && plan->step <= widest * (1 + 1e-9) &&
         fabs(plan->widest - widest) <= 1e-9 * widest;
}

/* The number of steps. An automatic step shrinks a little so that the run ends exactly at `stop`. */
static int count_steps(struct mx_setup *setup, bool kept, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  setup->steps = config->time.steps;
  if (setup->steps > 0) return 0;
  double count = ceil(config->time.stop / setup->step * (1 - 1e-12));
  if (count > 1e15)
    return dg_fail(err, DG_INPUT, MX_PLACE "time.stop = %g s takes %.3g steps of %g s: too many to count",
                   MX_AT(config->time.stop_where), config->time.stop, count, setup->step);
  setup->steps = (long)count;
  if (config->time.step == 0 && !kept) setup->step = config->time.stop / count;
  return 0;
}

static void report_steps(const struct mx_setup *setup, bool kept)
{
  const struct mx_config *config = setup->config;
  const double count = (double)setup->steps, end = setup->step * count, past = end / config->time.stop - 1;
  if (config->time.steps > 0) return;
  if (count > 1e9)
    dg_log_warning(setup->log, MX_PLACE "time.stop = %g takes %.3g steps of %.3g s: is it meant in seconds?",
                   MX_AT(config->time.stop_where), config->time.stop, count, setup->step);
  if (kept && past > 1e-9)
    dg_log_line(setup->log, "time      the checkpoint's step, with which the run ends at %.6g s, behind time.stop",
                end);
}

/* Finds the first step that is stable with the levels of the set-up, of those that are a little shorter. */
static int shorten(struct mx_setup *setup, double widest, bool kept, bool *holds, struct dg_error *err)
{
  static const double shorter = 0.97, least = 0.7;
  double tried = INFINITY;
  *holds = false;
  for (double part = 1; part >= least && !*holds; part *= shorter) {
    setup->step = part * widest;
    if (count_steps(setup, kept, err) != 0) return err->code;
    if (setup->step == tried) continue;
    tried = setup->step;
    if (mx_setup_fit_levels(setup, holds, err) != 0) return err->code;
    if (kept) break;
  }
  return 0;
}

/* The step and the number of steps; with fewer levels where more are not stable. */
static int fit_steps(struct mx_setup *setup, bool kept, struct dg_error *err)
{
  const double start = setup->step;
  double widest = start;
  bool holds;
  if (shorten(setup, start, kept, &holds, err) != 0) return err->code;
  while (!holds && setup->levels.count > 0) {
    const int fewer = setup->levels.count - 1;
    mx_setup_drop_levels(setup);
    widest = setup->config->time.cfl * setup->limit;
    if (mx_setup_levels(setup, fewer, &widest, err) != 0) return err->code;
    if (setup->levels.count > 0 && shorten(setup, kept ? start : widest, kept, &holds, err) != 0) return err->code;
  }
  if (holds) return 0;
  setup->step = fmin(start, setup->config->time.cfl * setup->limit);
  return count_steps(setup, false, err);
}

int mx_setup_choose_step(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const char *unstable = mx_schemes[config->time.integrator].unstable;
  if (unstable != NULL && config->time.step == 0)
    return dg_fail(err, DG_INPUT, MX_PLACE "time.step must be given for the %s integrator: it has no automatic step",
                   MX_AT(config->time.where), mx_integrator_names[config->time.integrator]);
  setup->certain = 1;
  if (unstable != NULL) {
    dg_log_warning(setup->log, "%s is for tests: no stability limit is checked, the run may blow up", unstable);
  } else {
    struct mx_stability stability;
    if (mx_stability_limit(&stability, &setup->problem, config->time.integrator, 0, err) != 0) return err->code;
    setup->limit = mx_ports_limit(&setup->sources.ports, stability.limit, setup->log) / MX_C0;
    setup->certain = 1 - stability.error;
    setup->limit_elements = stability.elements;
    setup->limit_clustered = stability.clustered;
    setup->limit_applications = stability.applications;
    setup->single_limit = setup->limit;
  }
  setup->step = config->time.step > 0 ? config->time.step : config->time.cfl * setup->limit;
  if (unstable == NULL && setup->step > setup->certain * setup->limit && refuse_step(setup, err) != 0) return err->code;
  double widest = setup->step;
  const int most = config->time.levels == 0 ? MX_LEVELS_MAX : config->time.levels - 1;
  if (mx_setup_levels(setup, most, &widest, err) != 0) return err->code;
  const bool kept = keeps_step(setup, widest);
  setup->step = kept ? setup->plan.step : widest;
  if (fit_steps(setup, kept, err) != 0) return err->code;
  report_steps(setup, kept);
  if (most < 1 && mx_setup_suggest_levels(setup, err) != 0) return err->code;
  setup->plan = (struct mx_step_plan){setup->step, widest};
  return 0;
}

static void report_defaults(const struct mx_setup *setup)
{
  if (setup->assignment.default_pec_faces > 0)
    dg_log_line(setup->log, "boundary  %zu of %zu boundary faces have no key in boundaries: perfect electric conductor",
                setup->assignment.default_pec_faces, setup->mesh.whole.boundary_faces);
}

/* Leapfrog's states of H belong to half steps, which the balance would have to fetch besides. */
static int check_balance(const struct mx_setup *setup, struct dg_error *err)
{
  for (size_t m = 0; m < setup->config->materials && setup->config->output.balance.every > 0; m++)
    if (mx_staggered(setup->config->time.integrator) && setup->config->material[m].poles[1].count > 0)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.balance does not take poles of mu_r (magnetic = ...) with leapfrog: take "
                              "integrator = \"lsrk\" or \"rk4\", or output.energy, which counts them",
                     MX_AT(setup->config->material[m].where.where));
  for (size_t m = 0; m < setup->config->materials && setup->config->output.balance.every > 0; m++)
    if (setup->config->material[m].ferrite.given)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.balance does not take ferrites: take output.energy, which counts what they store",
                     MX_AT(setup->config->material[m].where.where));
  return 0;
}

/* Refuses other sources beside S-parameters, which are those of the ports only if nothing else drives the fields. */
static int check_s_parameters(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const struct mx_ports *ports = &setup->sources.ports;
  const char *where = config->output.s_parameters_where;
  size_t terms = 0, driven = 0;
  if (config->output.s_parameters.count == 0) return 0;
  for (size_t i = 0; i < setup->sources.list.count; i++) terms += !setup->sources.list.source[i].port;
  for (size_t i = 0; i < ports->count; i++) driven += mx_ports_driven(ports, i);
  if (driven == 0)
    return dg_fail(err, DG_INPUT, MX_PLACE "output.s_parameters needs a port with a waveform; there is none",
                   MX_AT(where));
  if (terms > 0 || mx_has_initial_fields(config))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.s_parameters is for fields that only ports drive, and there are %s besides",
                   MX_AT(where), terms > 0 ? "other sources" : "initial fields");
  return 0;
}

/* Checks frequencies once the step is known: samples in time must tell them apart, and ports need an impedance there.
 */
static int check_frequencies(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_frequencies *frequencies = &setup->config->output.s_parameters;
  const struct mx_ports *ports = &setup->sources.ports;
  const char *where = setup->config->output.s_parameters_where;
  for (size_t f = 0; f < frequencies->count; f++) {
    const double hertz = frequencies->hertz[f];
    if (2 * hertz * setup->step > 1)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "output.s_parameters cannot tell %.6g Hz: with a step of %.6g s frequencies go up to %.6g "
                     "Hz",
                     MX_AT(where), hertz, setup->step, 0.5 / setup->step);
    for (size_t i = 0; i < ports->count; i++) {
      const double size = cabs(mx_ports_impedance(ports, i, hertz));
      if (size == 0 || !isfinite(size))
        return dg_fail(err, DG_INPUT,
                       MX_PLACE
                       "output.s_parameters: at %.6g Hz the mode of port '%s' has no impedance (neither at 0 Hz "
                       "nor at its cut-off); take a frequency beside it",
                       MX_AT(where), hertz, mx_ports_name(ports, i));
    }
  }
  return 0;
}

/* Says how much the flux takes of resonances, in the mean over what is not an absorbing layer. */
static int find_grid_loss(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const double pi = 3.14159265358979323846;
  double loss[2] = {0}, middle = 0;
  if (config->output.resonances == 0) return 0;
  for (size_t i = 0; i < config->output.resonances; i++)
    middle += (config->output.resonance[i].from + config->output.resonance[i].to) / 2;
  middle /= (double)config->output.resonances;
  for (size_t e = 0; e < setup->problem.K; e++)
    if (!dg_mesh_in_layer(&setup->mesh, e)) mx_grid_loss_add(&setup->problem, e, 2 * pi * middle / MX_C0, loss);
  if (dg_comm_reduce(setup->comm, DG_SUM, 2, loss, err) != 0) return err->code;
  setup->grid_loss = mx_grid_loss_of(config->order, config->alpha, loss);
  return 0;
}

/* Warns of bands whose upper end the mesh does not hold. */
static void warn_of_bands(const struct mx_setup *setup)
{
  const struct mx_config *config = setup->config;
  for (size_t i = 0; i < config->output.resonances; i++) {
    const struct mx_resonance_config *one = &config->output.resonance[i];
    const double q = mx_grid_q(&setup->grid_loss, one->to);
    if (q >= MX_GRID_Q_HELD) continue;
    dg_log_warning(setup->log,
                   "output.resonances: '%s': the mesh is too coarse for waves of 'to' = %.4g Hz: the flux alone leaves "
                   "them a Q of about %.2g; make elements smaller, the order higher, or 'to' lower",
                   one->name, one->to, q);
  }
}

/* Checks output.resonances, and notes when it listens. */
static int check_resonances(struct mx_setup *setup, struct dg_error *err)
{
  if (find_grid_loss(setup, err) != 0) return err->code;
  const struct mx_scene all = mx_setup_scene(setup);
  const struct mx_resonance_scene scene = mx_scene_resonance_scene(&all);
  struct mx_resonances resonances;
  if (mx_resonances_init(&resonances, &scene, err) == 0) warn_of_bands(setup);
  setup->ringing = mx_resonances_begin(&resonances);
  setup->patience = mx_resonances_enough(&resonances);
  mx_resonances_release(&resonances);
  return dg_comm_agree(setup->comm, err);
}

/* Starts the threads for the script's functions, before the first one is called. With fewer than NODES nodes the calls
 * would not be shared among threads. */
static void start_lua_threads(struct mx_setup *setup)
{
  enum { NODES = 2000 };
  const struct mx_config *config = setup->config;
  bool general = config->initial.E != NULL || config->initial.H != NULL;
  for (size_t i = 0; i < config->sources; i++) general = general || config->source[i].drive.general != NULL;
  for (size_t i = 0; i < config->boundaries; i++) general = general || config->boundary[i].drive.general != NULL;
  for (size_t i = 0; i < config->interfaces; i++) general = general || config->interface[i].drive.general != NULL;
  int threads = omp_get_max_threads();
  if (setup->ops->card->present && threads > 2) threads--; /* one thread drives the card */
  if (general && setup->mesh.K * (size_t)setup->ref.Np >= NODES) (void)mx_origin_start_threads(setup->origin, threads);
}

static int make_far_fields(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_far_place place = {.config = setup->config,
                                     .problem = &setup->problem,
                                     .assignment = &setup->assignment,
                                     .mesh = &setup->mesh,
                                     .sources = &setup->sources,
                                     .step = setup->step,
                                     .steps = setup->steps,
                                     .doubts = setup->doubts,
                                     .log = setup->log};
  return mx_far_fields_init(&setup->far, &place, err);
}

static int make_phasors(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_phasor_place place = {.config = setup->config,
                                        .material = setup->assignment.material,
                                        .problem = &setup->problem,
                                        .mesh = &setup->mesh,
                                        .sources = &setup->sources,
                                        .step = setup->step,
                                        .steps = setup->steps,
                                        .doubts = setup->doubts,
                                        .log = setup->log};
  if (mx_phasors_init(&setup->phasors, &place, err) != 0) return err->code;
  for (size_t i = 0; i < setup->phasors.count; i++)
    if (mx_phasor_loss_check(&setup->phasors.phasor[i], &place, err) != 0 ||
        mx_phasor_sar_check(&setup->phasors.phasor[i], &place, err) != 0)
      return err->code;
  return 0;
}

/* Looks at what touches what it must not. */
static int check_touch(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_touch_scene scene = {.config = setup->config,
                                       .mesh = &setup->mesh,
                                       .problem = &setup->problem,
                                       .assignment = &setup->assignment,
                                       .layers = &setup->layers,
                                       .sources = &setup->sources,
                                       .far = &setup->far,
                                       .log = setup->log};
  return mx_touch(&scene, err);
}

/* Doubts what the script asks for and the run cannot know. */
static int doubt_requests(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_scene scene = mx_setup_scene(setup);
  const struct mx_asked_place place = mx_scene_asked(&scene);
  if (mx_doubt_frequencies(&place, err) != 0 || mx_doubt_near_sources(&place, err) != 0) return err->code;
  return mx_doubt_initial(&place, err);
}

/* The temperature with which materials that change with it begin: heat.temperature at the barycentres. */
static int set_temperature(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_heat_config *heat = setup->config->heat;
  const size_t K = setup->mesh.K;
  const double start = 0;
  double(*x)[3] = NULL;
  if (mx_first_warm(setup->config) == NULL || heat == NULL) return 0;
  if (DG_NEW(setup->temperature, K, err) != 0 || DG_NEW(x, K, err) != 0) goto fail;
  for (size_t e = 0; e < K; e++) {
    setup->temperature[e] = heat->start.value;
    dg_geometry_barycentre(&setup->mesh, e, x[e]);
  }
  const struct mx_places at = {
      .what = "heat.temperature", .count = K, .x = (const double(*)[3])x, .t = &start, .components = 1};
  if (heat->start.function != NULL && K > 0)
    (void)!mx_function_values(heat->start.function, &at, setup->temperature, err);
fail:
  dg_free(x);
  return err->code;
}

static void report_time(const struct mx_setup *setup)
{
  const struct mx_config *config = setup->config;
  dg_log_line(setup->log, "problem   order %d, %zu unknowns, flux %g, %s, backend %s (%s precision)", config->order,
              setup->unknowns, config->alpha, mx_integrator_names[config->time.integrator], setup->ops->name,
              config->precision == MX_DOUBLE ? "double" : "single");
  char clustered[60] = "";
  if (setup->limit_clustered > 0)
    (void)snprintf(clustered, sizeof clustered, ", and of %zu in clusters", setup->limit_clustered);
  dg_log_line(setup->log,
              "time      %ld steps of %.6g s to %.6g s; stability limit %.6g s (%d operator applications, of %zu "
              "elements%s, set-up %.2f s)",
              setup->steps, setup->step, setup->step * (double)setup->steps, setup->limit, setup->limit_applications,
              setup->limit_elements, clustered, setup->setup_seconds);
}

/* Makes all behind mesh and layers. start: mx_clock when set-up of the tables began. */
static int make_tables(struct mx_setup *setup, const struct dg_geometry *geometry, double start, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  struct mx_scene scene = mx_setup_scene(setup);
  if (mx_problem_init_layered(&setup->problem, &setup->assignment, config, &setup->mesh, geometry, &setup->ref,
                              setup->temperature, &setup->layers,
                              setup->comm != NULL || setup->mesh.paired ? &setup->ranks : NULL, err) != 0 ||
      mx_sources_init(&setup->sources, &setup->problem, &setup->assignment, config, &setup->mesh, err) != 0 ||
      mx_check_layers(&scene, err) != 0 ||
      mx_mesh_worth_init(&setup->worth, &setup->problem, &setup->assignment, &setup->mesh, config->materials, err) !=
          0 ||
      mx_measures_init(&setup->measures, &setup->problem, config, &setup->mesh, setup->log, err) != 0)
    return err->code;
  setup->unknowns = 6 * (size_t)setup->ref.Np * setup->mesh.whole.K;
  if (dg_comm_rank(setup->comm) == 0) mx_warn_entities(&setup->mesh, setup->log);
  report_defaults(setup);
  mx_report_face_terms(&setup->problem, config, setup->log);
  mx_ports_describe(&setup->sources.ports, setup->log);
  mx_ports_warn(&setup->sources.ports, &setup->sources.list, setup->log);
  mx_ports_warn_of_rods(&setup->sources.ports, config, setup->log);
  mx_ports_report_losses(&setup->sources.ports, config, setup->log);
  mx_ports_report_limits(&setup->sources.ports, config, setup->log);
  if (check_balance(setup, err) != 0 || check_s_parameters(setup, err) != 0 || mx_setup_choose_step(setup, err) != 0 ||
      check_frequencies(setup, err) != 0 || mx_measures_check_step(&setup->measures, setup->step, err) != 0 ||
      mx_sources_prepare(&setup->sources, setup->step, setup->steps, err) != 0)
    return err->code;
  scene = mx_setup_scene(setup); /* with the step */
  if (mx_suspect(&scene, err) != 0 || make_far_fields(setup, err) != 0 || check_touch(setup, err) != 0 ||
      make_phasors(setup, err) != 0 || doubt_requests(setup, err) != 0 ||
      mx_find_quiet(&setup->quiet, &scene, err) != 0 || check_resonances(setup, err) != 0)
    return err->code;
  const struct mx_backend_options options = mx_scene_backend_options(&scene);
  if (mx_measures_set_options(&setup->measures, &options, err) != 0) return err->code;
  setup->setup_seconds = mx_clock() - start;
  setup->lua_threads = mx_origin_threads(setup->origin);
  report_time(setup);
  if (mx_report_conductors(&scene, err) != 0 || mx_report_responses(&scene, err) != 0 ||
      mx_report_layers(&scene, err) != 0)
    return err->code;
  return mx_report_pace(&scene, err);
}

int mx_setup_init(struct mx_setup *setup, const struct mx_config *config, const struct mx_origin *origin,
                  struct dg_log *log, struct dg_comm *comm, const struct mx_keeping *keeping, struct dg_error *err)
{
  static const struct mx_keeping nothing = {0};
  struct dg_geometry geometry = {0};
  *setup = (struct mx_setup){.config = config, .origin = origin, .log = log, .comm = comm, .started = mx_clock()};
  if (DG_NEW(setup->doubts, 1, err) != 0 || mx_setup_choose_backend(setup, err) != 0 ||
      (keeping != NULL && keeping->restart && keeping->folder != NULL &&
       mx_checkpoint_plan(&setup->plan, keeping->folder, comm, err) != 0) ||
      mx_setup_make_mesh(setup, keeping != NULL ? keeping : &nothing, err) != 0)
    goto fail;
  if (!mx_has_fields(config)) return 0;

  double start = mx_clock();
  if (dg_reference_init(&setup->ref, config->order, err) != 0) goto fail;
  start_lua_threads(setup);
  if (dg_geometry_init(&geometry, &setup->mesh, err) != 0 || mx_drawn_layers(setup, err) != 0 ||
      mx_check_curved(setup, err) != 0 || set_temperature(setup, err) != 0 ||
      make_tables(setup, &geometry, start, err) != 0)
    goto fail;
  dg_geometry_release(&geometry);
  return 0;
fail:
  mx_setup_explain(setup, err);
  dg_geometry_release(&geometry);
  mx_setup_release(setup);
  return err->code;
}

int mx_setup_renew(struct mx_setup *setup, struct dg_error *err)
{
  struct dg_geometry geometry = {0};
  mx_setup_release_tables(setup);
  if (dg_geometry_init(&geometry, &setup->mesh, err) == 0) (void)!make_tables(setup, &geometry, mx_clock(), err);
  dg_geometry_release(&geometry);
  return err->code;
}
