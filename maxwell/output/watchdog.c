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

void mx_watchdog_init(struct mx_watchdog *watchdog, const struct mx_setup *setup)
{
  *watchdog = (struct mx_watchdog){
      .setup = setup, .every = setup->config->watchdog.every, .first = NAN, .last = NAN, .least = NAN};
  if (watchdog->every == 0) watchdog->every = AUTOMATIC_EVERY;
}

bool mx_watchdog_due(const struct mx_watchdog *watchdog, long n)
{
  return n % watchdog->every == 0 || n == watchdog->setup->steps;
}

static void find_causes(const struct mx_setup *setup, char *text, size_t size)
{
  const char *unstable = mx_schemes[setup->config->time.integrator].unstable;
  if (unstable != NULL)
    (void)snprintf(text, size, "%s amplifies every undamped wave; use leapfrog, rk4 or lsrk", unstable);
  else
    (void)snprintf(text, size, "%s",
                   setup->config->precision == MX_SINGLE
                       ? "values beyond the range of single precision, or a time step at the very edge of stability"
                       : "initial fields near the largest number there is, or a time step at the very edge of "
                         "stability (lower time.cfl)");
}

int mx_watchdog_stop(const struct mx_watchdog *watchdog, struct mx_backend *backend, long n, struct dg_error *err)
{
  const struct mx_setup *setup = watchdog->setup;
  struct mx_field_check check;
  if (setup->ops->check(backend, &check, err) != 0) return err->code;
  /* The rank with the worst field says where that is; the others end with its message. */
  double own = check.finite ? check.largest : INFINITY, worst = own;
  if (dg_comm_reduce(setup->comm, DG_MAX, 1, &worst, err) != 0) return err->code;
  int64_t here = dg_mesh_global(&setup->mesh, check.element), first = own == worst ? here : INT64_MAX;
  if (dg_comm_reduce_int(setup->comm, DG_MIN, 1, &first, err) != 0) return err->code;
  if (own != worst || first != here) return dg_comm_agree(setup->comm, err);
  const struct mx_selector *where = &setup->config->material[setup->assignment.material[check.element]].where;
  char material[128], causes[160];
  mx_selector_name(where, material, sizeof material);
  find_causes(setup, causes, sizeof causes);
  double x[3];
  dg_geometry_barycentre(&setup->mesh, check.element, x);
  return dg_fail(
      err, DG_BLEW_UP,
      "the solution blew up: %s at step %ld (t = %.6g s); %s element %llu at (%g, %g, %g) m in material '%s'; "
      "likely causes: %s",
      watchdog->alarm, n, setup->step * (double)n, check.finite ? "largest field in" : "first such value in",
      (unsigned long long)setup->mesh.tag[check.element], x[0], x[1], x[2], material, causes);
}

/* Behind the sources energy cannot grow either. What they still do is below `audible`. A lumped element gives back what
 * it has stored, which is no energy of a field: with one nothing follows. */
static void look_behind(struct mx_watchdog *watchdog, double total, double t)
{
  const struct mx_setup *setup = watchdog->setup;
  if (setup->quiet.what == NULL || !(t >= setup->quiet.silent) || setup->sources.ports.elements > 0) return;
  if (!(total >= watchdog->least)) watchdog->least = total;
  if (!(total > audible * watchdog->peak) || !(total > rise * watchdog->least)) return;
  if (total > setup->config->watchdog.growth * watchdog->least)
    snprintf(watchdog->alarm, sizeof watchdog->alarm, "behind the sources the energy grew from %.3g J to %.3g J",
             watchdog->least, total);
  else if (!watchdog->warned)
    dg_log_warning(
        setup->log,
        "behind the sources the energy grew from %.3g J to %.3g J by t = %.4g s, which nothing explains: do not "
        "trust this run (a time step at the edge of stability? try a lower time.cfl)",
        watchdog->least, total, t);
  watchdog->warned = true;
}

int mx_watchdog_look(struct mx_watchdog *watchdog, struct mx_backend *backend, double t, struct dg_error *err)
{
  double energy[2];
  if (watchdog->setup->ops->energy(backend, &energy[0], &energy[1], err) != 0 ||
      dg_comm_reduce(watchdog->setup->comm, DG_SUM, 2, energy, err) != 0)
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
  double size = fmax(total, MX_EPSILON0 * electric), bound = watchdog->setup->config->watchdog.growth * watchdog->first;
  /* Leapfrog's total can stay an invariant while a mode explodes: the electric part, a square, cannot. */
  if (watchdog->setup->sources.list.count == 0 && size > bound) {
    snprintf(watchdog->alarm, sizeof watchdog->alarm, "the energy is %.3g J, the initial one was %.3g J", size,
             watchdog->first);
    return 0;
  }
  if (total > watchdog->peak) watchdog->peak = total;
  if (watchdog->setup->config->output.resonances > 0 && t >= watchdog->setup->ringing && total > watchdog->ringing)
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
  if (watchdog->setup->config->output.resonances > 0) {
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
  const struct mx_setup *setup = watchdog->setup;
  if (isfinite(setup->quiet.ended) && t < setup->quiet.ended) return NAN;
  if (setup->config->output.resonances == 0) return mx_watchdog_decibel(watchdog);
  if (t < setup->patience || !(watchdog->ringing > 0)) return NAN;
  return 10 * log10(watchdog->last / watchdog->ringing);
}
