/* What becomes of a face with a term: walls with a state on boundaries and interfaces, by a row for each kind of them
 * in the script, and resistive sheets. The building of a problem calls it: face_terms.h. */
#include "maxwell/terms/face_terms.h"

#include <math.h>

#include "maxwell/model/media/skin_fit.h"
#include "maxwell/model/selectors.h"
#include "maxwell/terms/skins.h"

static const double pi = 3.14159265358979323846;

void mx_metal_band(const struct mx_config *config, const struct mx_metal_config *metal, double band[2])
{
  const double decades = 2;
  band[0] = metal->band[0], band[1] = metal->band[1];
  if (band[1] > 0) return;
  band[1] = mx_highest_frequency(config);
  band[0] = band[1] / pow(10, decades);
}

/* Finds the band in rad/s, or fails. */
static int find_band(const struct mx_config *config, const struct mx_metal_config *metal, const char *section,
                     const struct mx_selector *where, double band[2], struct dg_error *err)
{
  char name[128];
  mx_metal_band(config, metal, band);
  for (int i = 0; i < 2; i++) band[i] *= 2 * pi;
  if (band[1] > 0) return 0;
  mx_selector_name(where, name, sizeof name);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "%s.%s: 'band' is missing, and no waveform of a source says the band in which the metal is "
                          "wanted (for example: band = { 1e9, 1e10 })",
                 MX_AT(where->where), section, name);
}

/* From ohms and rad/s, the ohms times `factor`. */
static void make_natural(struct mx_skin *skin, double factor)
{
  skin->direct *= factor / MX_ETA0;
  for (size_t k = 0; k < skin->poles; k++) {
    skin->resistance[k] *= factor / MX_ETA0;
    skin->transfer[k] *= factor / MX_ETA0;
    skin->rate[k] /= MX_C0;
  }
}

double mx_graphene_drude(double potential, double temperature)
{
  const double e = 1.602176634e-19, boltzmann = 1.380649e-23, hbar = 1.054571817e-34, kT = boltzmann * temperature,
               x = potential * e / kT;
  return e * e * kT / (pi * hbar * hbar) * (x + 2 * log1p(exp(-x)));
}

static int make_wall(struct mx_skin *skin, const struct mx_config *config, size_t i, struct dg_error *err)
{
  const struct mx_boundary_config *boundary = &config->boundary[i];
  const struct mx_metal_config *metal = &boundary->metal;
  const double mu = MX_MU0 * metal->mu_r;
  double band[2];
  if (find_band(config, metal, "boundaries", &boundary->where, band, err) != 0) return err->code;
  (void)mx_skin_fit(band[0], band[1], mx_metal_rough(mu, metal->sigma, metal->roughness), skin);
  make_natural(skin, sqrt(mu / metal->sigma));
  return 0;
}

double mx_metal_fit_error(const struct mx_config *config, const struct mx_problem *problem, size_t boundary,
                          double from, double to)
{
  const struct mx_metal_config *metal = &config->boundary[boundary].metal;
  const double mu = MX_MU0 * metal->mu_r;
  struct mx_skin skin = problem->metal[boundary];
  for (size_t k = 0; k < skin.poles; k++) { /* as they were fitted, in ohms over sqrt(mu/sigma) and rad/s */
    skin.resistance[k] *= MX_ETA0 / sqrt(mu / metal->sigma);
    skin.rate[k] *= MX_C0;
  }
  return mx_skin_error(from, to, mx_metal_rough(mu, metal->sigma, metal->roughness), &skin);
}

static int make_sheet(struct mx_skin *skin, const struct mx_config *config, size_t i, struct dg_error *err)
{
  const struct mx_interface_config *interface = &config->interface[i];
  const struct mx_metal_config *metal = &interface->metal;
  double band[2];
  if (find_band(config, metal, "interfaces", &interface->where, band, err) != 0) return err->code;
  (void)mx_sheet_fit(MX_MU0 * metal->mu_r, metal->sigma, metal->thickness, band[0], band[1], skin);
  make_natural(skin, 1);
  return 0;
}

static int make_graphene(struct mx_skin *skin, const struct mx_config *config, size_t i, struct dg_error *err)
{
  const struct mx_graphene_config *graphene = &config->interface[i].graphene;
  *skin = (struct mx_skin){.poles = 1,
                           .kind = MX_SKIN_FILM,
                           .drude = mx_graphene_drude(graphene->potential, graphene->temperature) * MX_ETA0 / MX_C0,
                           .damping = 1 / (graphene->relaxation * MX_C0)};
  return err->code;
}

/* The boundaries and interfaces of a script that have a state, and what their skin is; i: which of them. */
typedef int make_skin(struct mx_skin *skin, const struct mx_config *config, size_t i, struct dg_error *err);

static make_skin *boundary_maker(const struct mx_config *config, size_t i)
{
  static make_skin *const makers[] = {[MX_METAL_WALL] = make_wall};
  const size_t kind = (size_t)config->boundary[i].kind;
  return kind < sizeof makers / sizeof *makers ? makers[kind] : NULL;
}

static make_skin *interface_maker(const struct mx_config *config, size_t i)
{
  static make_skin *const makers[] = {[MX_METAL_SHEET] = make_sheet, [MX_GRAPHENE] = make_graphene};
  const size_t kind = (size_t)config->interface[i].kind;
  return kind < sizeof makers / sizeof *makers ? makers[kind] : NULL;
}

int mx_face_terms_make(struct mx_problem *problem, const struct mx_config *config, struct dg_error *err)
{
  const size_t boundaries = config->boundaries, all = boundaries + config->interfaces;
  size_t count = 0;
  for (size_t i = 0; i < all; i++)
    count += (i < boundaries ? boundary_maker(config, i) : interface_maker(config, i - boundaries)) != NULL;
  if (count == 0) return 0;
  if (mx_problem_add_metals(problem, all, err) != 0) return err->code;
  for (size_t n = 0; n < all; n++) { /* interfaces first: so their errors are told */
    const size_t place = (n + boundaries) % all, i = place < boundaries ? place : place - boundaries;
    make_skin *const make = place < boundaries ? boundary_maker(config, i) : interface_maker(config, i);
    if (make != NULL && make(&problem->metal[place], config, i, err) != 0) return err->code;
  }
  return 0;
}

/* ---- faces */

/* The interface of face f of element e; NULL: there is none, or the face has no other side. */
static const struct mx_interface_config *interface_at(const struct mx_face_place *place, size_t e, int f)
{
  const int surface = place->mesh->surface[e][f], key = surface >= 0 ? place->assignment->interface[surface] : -1;
  return key >= 0 && place->mesh->neighbour[e][f] >= 0 ? &place->config->interface[key] : NULL;
}

/* The place of its skin in mx_problem.metal; -1: it has none. */
static ptrdiff_t skin_of_interface(const struct mx_face_place *place, const struct mx_interface_config *interface)
{
  const struct mx_config *config = place->config;
  if (interface == NULL || interface_maker(config, (size_t)(interface - config->interface)) == NULL) return -1;
  return (ptrdiff_t)config->boundaries + (interface - config->interface);
}

static void set_skin(struct mx_problem *problem, ptrdiff_t skin, size_t e, int f, double own, double other)
{
  const struct mx_skin *numbers = &problem->metal[skin];
  problem->skin[e][f] = 1 + (int32_t)skin;
  problem->flux[e][f] = mx_skin_row(numbers)->flux(numbers, own, other);
}

bool mx_face_term_parts(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f, int32_t beyond)
{
  const ptrdiff_t skin = skin_of_interface(place, interface_at(place, e, f));
  if (skin < 0 || !mx_skin_is_wall(&problem->metal[skin])) return false;
  const bool again = problem->skin[e][f] != 0;
  if (again || (size_t)beyond / 4 < problem->K) problem->far[e][f] = 1 + beyond;
  if (again) return true;
  set_skin(problem, skin, e, f, 0, 0);
  problem->neighbour[e][f] = MX_GHOST - 1 - (int32_t)problem->open_faces++;
  return true;
}

void mx_face_term_wall(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f)
{
  const int boundary = place->assignment->boundary[e][f];
  if (boundary >= 0 && boundary_maker(place->config, (size_t)boundary) != NULL) set_skin(problem, boundary, e, f, 0, 0);
}

bool mx_face_term_between(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f, double own,
                          double other)
{
  const struct mx_interface_config *interface = interface_at(place, e, f);
  const ptrdiff_t skin = skin_of_interface(place, interface);
  if (skin >= 0) {
    set_skin(problem, skin, e, f, own, other);
    return true;
  }
  if (interface == NULL || interface->kind != MX_RESISTIVE_SHEET) return false;
  problem->flux[e][f] = mx_sheet_flux(own, other, MX_ETA0 / interface->resistance, &problem->sheet[e][f]);
  return true;
}
