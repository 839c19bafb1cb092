/* The one file that knows libharminv: it loads the library, scales the signal, and takes modes out of it. resonances.c
 * calls it behind the last step.
 *
 * The library ends the program where it fails (no memory, no convergence); libdg/base/emergency.h makes that one line.
 * What would make it fail, a signal that is zero or not a number, does not come so far. */
#include "maxwell/resonance/inversion.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"
#include "maxwell/resonance/fit.h"

#ifdef CURLEW_HARMINV

#include <harminv.h>

/* ---- the library ---- */

#define FUNCTION(name) __typeof__(harminv_##name) *name
static struct {
  pthread_mutex_t lock;
  bool loaded;
  FUNCTION(data_create);
  FUNCTION(data_destroy);
  FUNCTION(solve);
  FUNCTION(get_num_freqs);
  FUNCTION(get_freq);
  FUNCTION(get_decay);
  FUNCTION(get_amplitude);
  FUNCTION(get_freq_error);
} harminv = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* global as the library is */

static int load(struct dg_error *err)
{
  const struct {
    const char *name;
    void *function;
  } wanted[] = {{"harminv_data_create", &harminv.data_create},
                {"harminv_data_destroy", &harminv.data_destroy},
                {"harminv_solve", &harminv.solve},
                {"harminv_get_num_freqs", &harminv.get_num_freqs},
                {"harminv_get_freq", &harminv.get_freq},
                {"harminv_get_decay", &harminv.get_decay},
                {"harminv_get_amplitude", &harminv.get_amplitude},
                {"harminv_get_freq_error", &harminv.get_freq_error}};
  void *library = dlopen(CURLEW_HARMINV, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return dg_fail(err, DG_ENVIRONMENT, "libharminv cannot be loaded: %s", dlerror());
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(library, wanted[i].name);
    if (symbol == NULL) return dg_fail(err, DG_ENVIRONMENT, "%s has no function %s", CURLEW_HARMINV, wanted[i].name);
    memcpy(wanted[i].function, &symbol, sizeof symbol); /* C has no conversion from objects to functions */
  }
  harminv.loaded = true; /* and stays */
  return 0;
}

int mx_inversion_prepare(struct dg_error *err)
{
  if (dg_dense_prepare(err) != 0) return err->code; /* with one thread */
  pthread_mutex_lock(&harminv.lock);
  if (!harminv.loaded) (void)!load(err);
  pthread_mutex_unlock(&harminv.lock);
  return err->code;
}

/* ---- the inversion ---- */

/* Functions of the filter. About as many as the record resolves lines are right; with how many it goes best depends on
 * the record, so several densities are tried. What is too many costs the cube of its number. */
enum { MOST_FUNCTIONS = 150 };
static const double densities[] = {1.0, 0.6, 0.35};

static int functions_of(const struct mx_signal *signal, double width, double density)
{
  const double least = 16, lines = width * signal->interval * (double)signal->count;
  return (int)fmin(fmax(ceil(density * lines), least), fmin(MOST_FUNCTIONS, floor(0.5 * (double)signal->count)));
}

static int by_frequency(const void *a, const void *b)
{
  const struct mx_ringing *one = a, *other = b;
  return (one->frequency > other->frequency) - (one->frequency < other->frequency);
}

/* Takes out the modes that the library vouches for and that a record can show. */
static void take_modes(harminv_data data, const struct mx_signal *signal, struct mx_ringing *mode, size_t *count)
{
  const double unsure = 0.1, length = signal->interval * (double)signal->count, growing = -5 / length;
  const int found = harminv.get_num_freqs(data);
  for (int k = 0; k < found; k++) {
    double complex amplitude;
    harminv.get_amplitude(&amplitude, data, k);
    /* a real signal has every oscillation twice, at f and at -f, with half the amplitude each; the library's is
     * exp(-2 pi i f t) */
    const struct mx_ringing one = {.frequency = harminv.get_freq(data, k) / signal->interval,
                                   .decay = harminv.get_decay(data, k) / signal->interval,
                                   .amplitude = 2 * cabs(amplitude),
                                   .phase = -carg(amplitude),
                                   .error = harminv.get_freq_error(data, k)};
    if (one.frequency > 0 && one.error <= unsure && one.amplitude > 0 && one.decay > growing &&
        one.decay * signal->interval < 1 && isfinite(one.amplitude))
      mode[(*count)++] = one;
  }
}

/* What is left over of a record that is known to all digits, in units of its largest value squared. */
static const double exact = 1e-24;

/* A list of modes and how well they are the record. */
struct finding {
  struct mx_ringing *mode;
  size_t count;
  struct mx_fitted fitted;
  double merit; /* Schwarz's criterion: lower is better; infinite: not fitted */
};

/* Fits a finding's modes to the signal, and notes how good they are. */
static int assess(const struct mx_signal *signal, struct finding *finding, struct dg_error *err)
{
  const double N = (double)signal->count;
  if (mx_fit_modes(signal, finding->mode, &finding->count, &finding->fitted, err) != 0) return err->code;
  finding->merit = INFINITY;
  if (isfinite(finding->fitted.left))
    finding->merit = N * log(finding->fitted.left + exact) + 4 * (double)finding->count * log(N);
  return 0;
}

/* Inverts `of` with one density of functions, adds what it finds to the modes `with`, and fits them to the signal. */
static int find(const struct mx_signal *signal, const double *of, const double band[2], double density,
                const struct finding *with, struct finding *finding, struct dg_error *err)
{
  double complex *x = NULL;
  harminv_data data = NULL;
  double largest = 0;
  *finding = (struct finding){.merit = INFINITY};
  for (size_t i = 0; i < signal->count; i++) largest = fmax(largest, fabs(of[i]));
  if (!(largest > 0)) return 0;
  if (DG_NEW(x, signal->count, err) != 0) return err->code;
  for (size_t i = 0; i < signal->count; i++) x[i] = of[i] / largest;
  data = harminv.data_create((int)signal->count, x, band[0] * signal->interval, band[1] * signal->interval,
                             functions_of(signal, band[1] - band[0], density));
  harminv.solve(data);
  if (DG_NEW(finding->mode, (size_t)harminv.get_num_freqs(data) + with->count, err) != 0) goto fail;
  take_modes(data, signal, finding->mode, &finding->count);
  for (size_t i = 0; i < finding->count; i++) finding->mode[i].amplitude *= largest;
  if (with->count > 0) memcpy(finding->mode + finding->count, with->mode, with->count * sizeof *with->mode);
  finding->count += with->count;
  (void)!assess(signal, finding, err);
fail:
  harminv.data_destroy(data);
  dg_free(x);
  return err->code;
}

/* Tries whether a mode is two that are closer than the record tells apart: gives it a weak neighbour on one side.
 * *better says whether `best` has become that. */
static int split(const struct mx_signal *signal, size_t k, double side, struct finding *best, bool *better,
                 struct dg_error *err)
{
  const double weak = 1e-3, near = 0.5;
  const double length = signal->interval * (double)signal->count;
  struct finding next = {.count = best->count + 1};
  if (DG_NEW(next.mode, next.count, err) != 0) return err->code;
  memcpy(next.mode, best->mode, best->count * sizeof *best->mode);
  struct mx_ringing *other = &next.mode[best->count];
  *other = best->mode[k];
  other->frequency += side * near / length;
  other->amplitude *= weak;
  if (assess(signal, &next, err) == 0 && next.merit < best->merit && next.count > best->count) {
    dg_free(best->mode);
    *best = next;
    *better = true;
    return 0;
  }
  dg_free(next.mode);
  return err->code;
}

/* Says whether a stronger mode is so near that both may be one. */
static bool has_stronger_neighbour(const struct mx_signal *signal, const struct finding *finding, size_t k)
{
  const double near = 1 / (signal->interval * (double)signal->count);
  const struct mx_ringing *mode = finding->mode;
  for (size_t i = 0; i < finding->count; i++)
    if (i != k && fabs(mode[i].frequency - mode[k].frequency) < near && mode[i].amplitude >= mode[k].amplitude)
      return true;
  return false;
}

/* Leaves out modes beside stronger ones as long as the rest does as well without: two or three that all but cancel each
 * other can stand for one. */
static int join_all(const struct mx_signal *signal, struct finding *best, struct dg_error *err)
{
  for (size_t k = 0; k < best->count && best->count > 1; k++) {
    struct finding next = {.count = best->count - 1};
    if (!has_stronger_neighbour(signal, best, k)) continue;
    if (DG_NEW(next.mode, next.count, err) != 0) return err->code;
    for (size_t i = 0, j = 0; i < best->count; i++)
      if (i != k) next.mode[j++] = best->mode[i];
    const int status = assess(signal, &next, err);
    const bool good = status == 0 && next.merit < best->merit;
    dg_free(good ? best->mode : next.mode);
    if (good) *best = next, k = (size_t)-1; /* from the start again, with one fewer */
    if (status != 0) return status;
  }
  return 0;
}

/* Splits modes of a band as long as that makes the fit better. */
static int split_all(const struct mx_signal *signal, double from, double to, struct finding *best, struct dg_error *err)
{
  enum { MOST = 24 }; /* with more modes there is no end of pairs */
  bool better = true;
  while (better && best->count > 0 && best->count < MOST && best->fitted.left > exact) {
    better = false;
    for (size_t k = 0; k < best->count && !better; k++) {
      if (best->mode[k].frequency < from || best->mode[k].frequency > to) continue;
      for (int side = -1; side <= 1 && !better; side += 2)
        if (split(signal, k, side, best, &better, err) != 0) return err->code;
    }
  }
  return 0;
}

/* Widens the band to as much of the spectrum as the functions resolve: what is beside the band then becomes modes of
 * its own instead of errors of those within. */
static void widen(const struct mx_signal *signal, double from, double to, double band[2])
{
  const double margin = 2 / (signal->interval * (double)signal->count), highest = 0.45 / signal->interval;
  const double room = MOST_FUNCTIONS * 0.5 * margin - (to - from), side = fmax(0.5 * room, margin);
  band[0] = fmax(from - side, 0);
  band[1] = fmin(to + side, fmax(highest, to));
}

/* Finds the modes of a record whose largest value is 1: of itself, with several densities of functions, then of what
 * the best of these leaves, as long as that has any. */
static int search(const struct mx_signal *signal, const double band[2], double *rest, struct finding *best,
                  struct dg_error *err)
{
  enum { ROUNDS = 4, DENSITIES = sizeof densities / sizeof *densities };
  bool better = true;
  *best = (struct finding){.merit = INFINITY};
  for (int round = 0; round < ROUNDS && better; round++) {
    struct finding with = *best, own = *best;
    better = false;
    if (round > 0 && mx_fit_rest(signal, with.mode, with.count, &with.fitted, rest, err) != 0) return err->code;
    for (size_t i = 0; i < DENSITIES && !(own.fitted.left < exact && own.mode != NULL); i++) {
      struct finding next;
      const int status = find(signal, round > 0 ? rest : signal->value, band, densities[i], &with, &next, err);
      const bool good = status == 0 && next.mode != NULL && (own.mode == NULL || next.merit < own.merit);
      if (good && own.mode != with.mode) dg_free(own.mode);
      if (good) own = next;
      else dg_free(next.mode);
      better = better || good;
      if (status != 0) break;
    }
    if (own.mode != with.mode) dg_free(with.mode);
    *best = own;
    if (err->code != DG_OK || !isfinite(own.merit)) return err->code;
  }
  return 0;
}

int mx_invert(const struct mx_signal *signal, double from, double to, struct mx_ringing **mode, size_t *count,
              struct dg_error *err)
{
  const double outside = 3; /* errors by which a mode may be beside the band */
  double scale = 0, band[2], *scaled = NULL, *rest = NULL;
  struct finding best = {0};
  *mode = NULL;
  *count = 0;
  if (mx_inversion_prepare(err) != 0 || DG_NEW(scaled, signal->count, err) != 0 ||
      DG_NEW(rest, signal->count, err) != 0)
    goto fail;
  for (size_t i = 0; i < signal->count; i++) scale = fmax(scale, fabs(signal->value[i]));
  if (signal->count < 16 || scale == 0 || !isfinite(scale)) goto fail;
  for (size_t i = 0; i < signal->count; i++) scaled[i] = signal->value[i] / scale;
  const struct mx_signal own = {signal->count, scaled, signal->interval};
  widen(&own, from, to, band);
  if (search(&own, band, rest, &best, err) != 0 || join_all(&own, &best, err) != 0 ||
      split_all(&own, from, to, &best, err) != 0)
    goto fail;
  for (size_t i = 0; isfinite(best.merit) && i < best.count; i++) {
    const double f = best.mode[i].frequency, slack = outside * best.mode[i].error * f + 1e-12 * f;
    if (f < from - slack || f > to + slack) continue;
    best.mode[*count] = best.mode[i];
    best.mode[(*count)++].amplitude *= scale;
  }
  if (*count > 0) {
    qsort(best.mode, *count, sizeof *best.mode, by_frequency);
    *mode = best.mode;
    best.mode = NULL;
  }
fail:
  dg_free(best.mode);
  dg_free(scaled);
  dg_free(rest);
  return err->code;
}

#else /* built without the library */

int mx_inversion_prepare(struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT,
                 "this build has no libharminv, which finds resonances (Debian and Ubuntu: libharminv-dev)");
}

int mx_invert(const struct mx_signal *signal, double from, double to, struct mx_ringing **mode, size_t *count,
              struct dg_error *err)
{
  (void)signal, (void)from, (void)to;
  *mode = NULL;
  *count = 0;
  return mx_inversion_prepare(err);
}

#endif
