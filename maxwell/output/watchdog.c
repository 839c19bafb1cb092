/* Checks the fields now and then: their numbers must be finite, and their energy must not run away. The time loop calls
 * it, and asks it for the message when a run blew up. */
#include "maxwell/output/watchdog.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"

/* A check of the energy costs up to half a step on processors, on a card one to two and a half. */
enum { AUTOMATIC_EVERY = 50 };

/* Behind the sources a rise by this factor gets a warning, above this part of the peak: what sources still do there is
 * far smaller. */
static const double rise = 10, audible = 1e-9;

void mx_watchdog_init(struct mx_watchdog *watchdog, const struct mx_scene *scene)
{
  *watchdog = (struct mx_watchdog){
      .scene = scene, .every = scene->config->watchdog.every, .first = NAN, .last = NAN, .least = NAN};
  if (watchdog->every == 0) watchdog->every = AUTOMATIC_EVERY;
}

bool mx_watchdog_due(const struct mx_watchdog *watchdog, long n)
{
  return n % watchdog->every == 0 || n == watchdog->scene->steps;
}

static void find_causes(const struct mx_scene *scene, char *text, size_t size)
{
  const char *unstable = mx_schemes[scene->config->time.integrator].unstable;
  if (unstable != NULL)
    (void)snprintf(text, size, "%s amplifies every undamped wave; use leapfrog, rk4 or lsrk", unstable);
  else
    (void)snprintf(text, size, "%s",
                   scene->config->precision == MX_SINGLE
                       ? "values beyond the range of single precision, or a time step at the very edge of stability"
                       : "initial fields near the largest number there is, or a time step at the very edge of "
                         "stability (lower time.cfl)");
}

int mx_watchdog_stop(const struct mx_watchdog *watchdog, struct mx_backend *backend, long n, struct dg_error *err)
{
  const struct mx_scene *scene = watchdog->scene;
  struct mx_field_check check;
  if (scene->ops->check(backend, &check, err) != 0) return err->code;
  /* The rank with the worst field says where that is; the others end with its message. */
  double own = check.finite ? check.largest : INFINITY, worst = own;
  if (dg_comm_reduce(scene->comm, DG_MAX, 1, &worst, err) != 0) return err->code;
  int64_t here = dg_mesh_global(scene->mesh, check.element), first = own == worst ? here : INT64_MAX;
  if (dg_comm_reduce_int(scene->comm, DG_MIN, 1, &first, err) != 0) return err->code;
  if (own != worst || first != here) return dg_comm_agree(scene->comm, err);
  const struct mx_selector *where = &scene->config->material[scene->assignment->material[check.element]].where;
  char material[128], causes[160];
  mx_selector_name(where, material, sizeof material);
  find_causes(scene, causes, sizeof causes);
  double x[3];
  dg_geometry_barycentre(scene->mesh, check.element, x);
  return dg_fail(
      err, DG_BLEW_UP,
      "the solution blew up: %s at step %ld (t = %.6g s); %s element %llu at (%g, %g, %g) m in material '%s'; "
      "likely causes: %s",
      watchdog->alarm, n, scene->step * (double)n, check.finite ? "largest field in" : "first such value in",
      (unsigned long long)scene->mesh->tag[check.element], x[0], x[1], x[2], material, causes);
}

/* Behind the sources energy cannot grow either. What they still do is below `audible`. A lumped element gives back what
 * it has stored, which is no energy of a field: with one nothing follows. */
static void look_behind(struct mx_watchdog *watchdog, double total, double t)
{
  const struct mx_scene *scene = watchdog->scene;
  if (scene->quiet->what == NULL || !(t >= scene->quiet->silent) || scene->sources->ports.elements > 0) return;
  if (!(total >= watchdog->least)) watchdog->least = total;
  if (!(total > audible * watchdog->peak) || !(total > rise * watchdog->least)) return;
  if (total > scene->config->watchdog.growth * watchdog->least)
    snprintf(watchdog->alarm, sizeof watchdog->alarm, "behind the sources the energy grew from %.3g J to %.3g J",
             watchdog->least, total);
  else if (!watchdog->warned)
    dg_log_warning(
        scene->log,
        "behind the sources the energy grew from %.3g J to %.3g J by t = %.4g s, which nothing explains: do not "
        "trust this run (a time step at the edge of stability? try a lower time.cfl)",
        watchdog->least, total, t);
  watchdog->warned = true;
}

int mx_watchdog_look(struct mx_watchdog *watchdog, struct mx_backend *backend, double t, struct dg_error *err)
{
  double energy[2];
  if (watchdog->scene->ops->energy(backend, &energy[0], &energy[1], err) != 0 ||
      dg_comm_reduce(watchdog->scene->comm, DG_SUM, 2, energy, err) != 0)
    return err->code;
  double electric = energy[0], magnetic = energy[1], total = MX_EPSILON0 * (electric + magnetic);
  if (!isfinite(total)) {
    snprintf(watchdog->alarm, sizeof watchdog->alarm, "NaN or infinity in the fields");
    return 0;
  }
  if (!watchdog->looked) watchdog->first = watchdog->peak = total;
  watchdog->looked = true;
  watchdog->last = total;
  /* Where nothing drives the fields, their energy cannot grow at all. The factor leaves room for the changes that
   * leapfrog's energy of a rough field may have within a step. While sources drive the fields, only numbers that are
   * not finite stop the run. */
  double size = fmax(total, MX_EPSILON0 * electric), bound = watchdog->scene->config->watchdog.growth * watchdog->first;
  /* Leapfrog's total can stay an invariant while a mode explodes: the electric part, a square, cannot. */
  if (watchdog->scene->sources->list.count == 0 && size > bound) {
    snprintf(watchdog->alarm, sizeof watchdog->alarm, "the energy is %.3g J, the initial one was %.3g J", size,
             watchdog->first);
    return 0;
  }
  if (total > watchdog->peak) watchdog->peak = total;
  if (watchdog->scene->config->output.resonances > 0 && t >= watchdog->scene->ringing && total > watchdog->ringing)
    watchdog->ringing = total;
  look_behind(watchdog, total, t);
  return 0;
}

int mx_watchdog_archive(struct mx_watchdog *watchdog, const char *name, struct mx_archive *archive,
                        struct dg_error *err)
{
  char array[60];
  double energy[] = {watchdog->first, watchdog->peak, watchdog->last, watchdog->least};
  long seen[] = {watchdog->looked, watchdog->warned};
  snprintf(array, sizeof array, "%s/looked", name);
  if (mx_archive_longs(archive, array, 2, seen, err) != 0) return err->code;
  snprintf(array, sizeof array, "%s/energy", name);
  if (mx_archive_doubles(archive, array, 4, energy, err) != 0) return err->code;
  if (watchdog->scene->config->output.resonances > 0) {
    snprintf(array, sizeof array, "%s/ringing", name);
    if (mx_archive_doubles(archive, array, 1, &watchdog->ringing, err) != 0) return err->code;
  }
  watchdog->looked = seen[0] != 0;
  watchdog->warned = seen[1] != 0;
  watchdog->first = energy[0];
  watchdog->peak = energy[1];
  watchdog->last = energy[2];
  watchdog->least = energy[3];
  return 0;
}

double mx_watchdog_decibel(const struct mx_watchdog *watchdog)
{
  if (!watchdog->looked || !(watchdog->peak > 0)) return NAN;
  return 10 * log10(watchdog->last / watchdog->peak);
}

double mx_watchdog_decay(const struct mx_watchdog *watchdog, double t)
{
  const struct mx_scene *scene = watchdog->scene;
  if (isfinite(scene->quiet->ended) && t < scene->quiet->ended) return NAN;
  if (scene->config->output.resonances == 0) return mx_watchdog_decibel(watchdog);
  if (t < scene->patience || !(watchdog->ringing > 0)) return NAN;
  return 10 * log10(watchdog->last / watchdog->ringing);
}
