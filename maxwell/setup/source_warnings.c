/* Warnings before a run: waveforms that are zero in the run or begin with a jump, and energy at frequencies that mesh
 * or step do not resolve, or at which a material is not known. The set-up calls it once sources are prepared. */
#include "maxwell/setup/source_warnings.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"
#include "maxwell/model/waveform_energy.h"

/* The part of a waveform's energy at frequencies at which some cell of the mesh has a load above this one. The index of
 * media changes with frequency, so that this need not be all above one frequency. */
static double energy_beyond(const struct mx_mesh_worth *worth, const struct mx_waveform_energy *spectrum, double load)
{
  enum { CELLS = 1000 };
  const double rest = 1e-4;
  size_t last = spectrum->bins;
  double above = 0, beyond = 0;
  while (last > 1 && above + spectrum->power[last - 1] <= rest * spectrum->total) above += spectrum->power[--last];
  const size_t each = (last + CELLS - 1) / CELLS;
  for (size_t first = 0, end; first < last; first = end) {
    end = first + each < last ? first + each : last;
    if (!(mx_mesh_load(worth, 0.5 * (double)(first + end) * spectrum->width, NULL) > load)) continue;
    for (size_t b = first; b < end; b++) beyond += spectrum->power[b];
  }
  if (mx_mesh_load(worth, (double)last * spectrum->width, NULL) > load) beyond += above;
  return spectrum->total > 0 ? beyond / spectrum->total : 0;
}

int mx_source_use(const struct mx_scene *scene, const struct mx_source *source, struct mx_waveform_use *use,
                  struct dg_error *err)
{
  double first = INFINITY;
  for (size_t i = 0; source->lag != NULL && i < source->points; i++) first = fmin(first, source->lag[i]);
  if (dg_comm_reduce(scene->comm, DG_MIN, 1, &first, err) != 0) return err->code;
  *use = (struct mx_waveform_use){.shift = source->delay + (isfinite(first) ? first : 0),
                                  .end = scene->step * (double)scene->steps,
                                  .step = scene->step};
  return 0;
}

static void warn_of_time(const struct mx_scene *scene, const struct mx_source *source,
                         const struct mx_waveform_energy *s, const struct mx_waveform_use *use)
{
  const double nothing = 1e-3, sudden = 0.02; /* shares of the waveform's largest value */
  if (s->largest == 0) {
    dg_log_warning(scene->log, "%s: its waveform is zero at all times: it does nothing", source->what);
    return;
  }
  if (s->peak <= nothing * s->largest)
    dg_log_warning(
        scene->log,
        "%s: its waveform begins behind the end of the run, which is at %.4g s (it is late by %.4g s): it does "
        "nothing",
        source->what, use->end, use->shift);
  else if (s->jump > sudden * s->largest)
    dg_log_warning(
        scene->log,
        "%s: its waveform has %.3g of its largest value when the run begins: it starts with a jump, which has "
        "all frequencies. Move the origin of the wave against its direction, or give it a delay",
        source->what, s->jump / s->largest);
}

static int judge_spectrum(const struct mx_scene *scene, const struct mx_source *source,
                          const struct mx_waveform_energy *s, struct dg_error *err)
{
  const struct mx_mesh_worth *worth = scene->worth;
  const double nyquist = 0.5 / scene->step, nonsense = 0.5, most = 0.5, lost = 0.01;
  const double resolved = mx_load_held(worth->order, MX_HELD), carried = mx_load_carried(worth->order);
  const double beyond = mx_waveform_energy_above(s, nyquist), poor = energy_beyond(worth, s, resolved);
  const double dead = energy_beyond(worth, s, carried), top = s->width * (double)s->bins;
  char material[128] = "default";
  int of;
  if (s->total == 0) return 0;
  if (beyond > nonsense)
    return dg_fail(
        err, DG_INPUT,
        "%s: %.3g %% of the energy of its waveform lies above %.4g Hz, which is the most that steps of %.4g s "
        "can tell: it cannot be followed. Make elements smaller, or choose another waveform",
        source->what, 100 * beyond, nyquist, scene->step);
  if (poor <= most && dead <= lost) return 0;
  const double highest = mx_mesh_highest(worth, resolved, top);
  (void)mx_mesh_load(worth, highest * 1.0024, &of);
  if (of >= 0) mx_selector_name(&scene->config->material[of].where, material, sizeof material);
  mx_doubt(scene->doubts, scene->log, MX_DOUBT_MESH, "sources", source->what,
           "%s: %.3g %% of the energy of its waveform lies above %.4g Hz, where the coarsest element (material "
           "'%s') has waves wrong by more than 10 %% of a wavelength each, and %.3g %% above %.4g Hz, which "
           "it does not carry; make elements smaller, the order higher, or the waveform slower",
           source->what, 100 * poor, highest, material, 100 * dead, mx_mesh_highest(worth, carried, top));
  return 0;
}

/* Warns of materials that are known in a range in which the waveform has little of its energy. A static field below all
 * ranges, the mean of a pulse, is part of its energy, too. */
static void judge_range(const struct mx_scene *scene, const struct mx_source *source,
                        const struct mx_waveform_energy *s)
{
  const double few = 0.05;
  for (size_t i = 0; i < scene->config->materials && s->total > 0; i++) {
    const struct mx_material_config *material = &scene->config->material[i];
    const double *valid = material->valid;
    char name[128];
    if (valid[1] == 0) continue;
    const double below = fmax(0, 1 - mx_waveform_energy_above(s, valid[0])),
                 above = mx_waveform_energy_above(s, valid[1]);
    if (below + above <= few) continue;
    mx_selector_name(&material->where, name, sizeof name);
    dg_log_warning(
        scene->log,
        "%s: %.3g %% of the energy of its waveform lies below %.4g Hz and %.3g %% above %.4g Hz, where material "
        "'%s' is not known to be what the script says%s%s%s",
        source->what, 100 * below, valid[0], 100 * above, valid[1], name, material->source != NULL ? " (" : "",
        material->source != NULL ? material->source : "", material->source != NULL ? ")" : "");
  }
}

/* Finds the largest value that a function of x, y, z and t gives at some of its places and times, and the largest
 * tangential part of the values on faces. A function that fails will be an error of the run, at its step. */
static int try_function(const struct mx_scene *scene, size_t index, double most[2], struct dg_error *err)
{
  enum { PLACES = 8, TIMES = 4 };
  const struct mx_source *source = &scene->sources->list.source[index];
  const struct mx_term *term = &scene->problem->term[index];
  const size_t nodes = source->points / (term->count > 0 ? term->count : 1);
  struct dg_error failed = {0};
  most[0] = most[1] = 0;
  for (int i = 0; i < PLACES * TIMES && source->points > 0 && failed.code == DG_OK; i++) {
    const size_t k = (size_t)(i % PLACES) * (source->points - 1) / (PLACES - 1);
    const int instant = i / PLACES + 1;
    const double t = scene->step * (double)scene->steps * instant / (TIMES + 1);
    const struct mx_places at = {.what = source->what,
                                 .count = 1,
                                 .x = (const double(*)[3])source->x + k,
                                 .t = &t,
                                 .components = 3,
                                 .trial = true};
    double v[3] = {0, 0, 0}, normal = 0, square = 0;
    if (mx_function_values(source->function, &at, v, &failed) != 0) break;
    for (int c = 0; c < 3; c++) square += v[c] * v[c];
    if (term->kind == MX_JUMP) {
      const double *n = scene->problem->normal[term->where[k / nodes] / 4][term->where[k / nodes] % 4];
      normal = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
    }
    most[0] = fmax(most[0], sqrt(square));
    most[1] = fmax(most[1], sqrt(fmax(0, square - normal * normal)));
  }
  double reduced[3] = {most[0], most[1], failed.code != DG_OK};
  if (dg_comm_reduce(scene->comm, DG_MAX, 3, reduced, err) != 0) return err->code;
  for (int i = 0; i < 2; i++) most[i] = reduced[2] > 0 ? 1 : reduced[i]; /* the values are unknown: no warning */
  return 0;
}

static int suspect_function(const struct mx_scene *scene, size_t index, struct dg_error *err)
{
  double most[2]; /* the script's rounding leaves some 1e-9 of a tangential part */
  if (try_function(scene, index, most, err) != 0) return err->code;
  if (most[0] == 0)
    dg_log_warning(scene->log, "%s: its function gives zero wherever and whenever it was tried",
                   scene->sources->list.source[index].what);
  else if (most[1] <= 1e-6 * most[0])
    dg_log_warning(
        scene->log,
        "%s: what its function gives is normal to the surface wherever it was tried, and only the tangential "
        "part acts",
        scene->sources->list.source[index].what);
  return 0;
}

/* Warns of dipoles that are given twice: they add up. A copy stands near its original in a script. */
static void warn_of_twins(const struct mx_scene *scene)
{
  const struct mx_config *config = scene->config;
  const size_t near = 50; /* thousands of dipoles come from a loop, and must not take the square of their number */
  for (size_t i = 0; i < config->sources; i++)
    for (size_t j = i > near ? i - near : 0; j < i; j++) {
      const struct mx_source_config *one = &config->source[i], *other = &config->source[j];
      bool same = one->shape == MX_DIPOLE && other->shape == MX_DIPOLE && one->drive.delay == other->drive.delay &&
                  mx_waveform_same(&one->drive.waveform, &other->drive.waveform);
      for (int c = 0; c < 3 && same; c++) same = one->at[c] == other->at[c] && one->moment[c] == other->moment[c];
      if (!same) continue;
      dg_log_warning(scene->log,
                     "sources[%zu] is sources[%zu] once more, with the same place, moment and waveform: the two add up",
                     i + 1, j + 1);
      break;
    }
}

/* What of the output hears waves that the mesh cannot hold for as long as nothing damps them; NULL: nothing. Currents
 * in the volume drive such waves at any resolution. Resonances hear those of the initial fields, too. */
static const char *hears_the_mesh(const struct mx_config *config)
{
  if (config->output.resonances > 0) return "output.resonances finds it";
  if (config->sources == 0) return NULL;
  if (config->output.far_fields > 0) return "output.far_field has it";
  if (config->output.spectra > 0) return "output.spectra has it";
  for (size_t i = 0; i < config->output.measures; i++)
    if (config->output.measure[i].frequencies.count > 0) return "'frequencies' of measurements have it";
  return NULL;
}

static void warn_of_flux(const struct mx_scene *scene)
{
  const struct mx_config *config = scene->config;
  const char *what = hears_the_mesh(config);
  if (what == NULL || config->alpha >= MX_FLUX_DAMPS) return;
  dg_log_warning(scene->log,
                 "flux = %g lets what the mesh cannot hold ring on, and %s; flux = \"damped\" (0.3) damps it, with "
                 "four fifths of the step or more",
                 config->alpha, what);
}

int mx_suspect(const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_sources *sources = scene->sources;
  warn_of_twins(scene);
  warn_of_flux(scene);
  for (size_t i = 0; i < sources->list.count; i++) {
    const struct mx_source *source = &sources->list.source[i];
    struct mx_waveform_energy spectrum = {0};
    struct mx_waveform_use use = {0};
    if (source->function != NULL && suspect_function(scene, i, err) != 0) return err->code;
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (mx_source_use(scene, source, &use, err) != 0) return err->code;
    if (mx_waveform_energy_init(&spectrum, &source->waveform, &use, err) == 0) {
      warn_of_time(scene, source, &spectrum, &use);
      judge_range(scene, source, &spectrum);
      (void)!judge_spectrum(scene, source, &spectrum, err);
    }
    mx_waveform_energy_release(&spectrum);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}
