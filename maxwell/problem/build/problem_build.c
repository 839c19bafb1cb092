/* Builds the tables of a problem from what the user wrote. The set-up and the bench call it; see problem_build.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "maxwell/problem/build/problem_build.h"
#include "maxwell/problem/layer.h"
#include "maxwell/terms/element_terms.h"
#include "maxwell/terms/face_terms.h"
#include "maxwell/response/pole_rows.h"
#include "maxwell/model/selectors.h"

static const double pi = 3.14159265358979323846;

static const struct mx_selector *material_selector(const struct mx_config *config, size_t i)
{
  return &config->material[i].where;
}

static const struct mx_selector *boundary_selector(const struct mx_config *config, size_t i)
{
  return &config->boundary[i].where;
}

/* Evaluates a material parameter of one element. */
static int evaluate(const struct mx_scalar *scalar, const char *what, bool may_be_zero, const double x[3],
                    double *value, struct dg_error *err)
{
  *value = scalar->value;
  if (scalar->function == NULL) return 0;
  const double place[1][3] = {{x[0], x[1], x[2]}};
  const struct mx_places at = {.what = what, .count = 1, .x = place, .components = 1};
  if (mx_function_values(scalar->function, &at, value, err) != 0) return err->code;
  if (*value > MX_LARGEST || (!may_be_zero && *value > 0 && *value < MX_SMALLEST))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "%s must be at least %g and at most %g, but the function gave %g at (%g, %g, %g) m",
                   MX_AT(scalar->where), what, may_be_zero ? 0.0 : MX_SMALLEST, MX_LARGEST, *value, x[0], x[1], x[2]);
  if (*value > 0 || (may_be_zero && *value == 0)) return 0;
  return dg_fail(err, DG_INPUT, MX_PLACE "%s must be %s 0, but the function gave %g at (%g, %g, %g) m",
                 MX_AT(scalar->where), what, may_be_zero ? "at least" : "greater than", *value, x[0], x[1], x[2]);
}

/* The parameters of a material: the script's key, the places in config and problem, and the factor from its unit to
 * ours. */
enum { PARAMETERS = 4 };
static const struct parameter {
  const char *key;
  size_t config, problem; /* offsets of a struct mx_scalar, and of an array by element */
  bool may_be_zero;
  double factor;
} parameters[PARAMETERS] = {
#define PARAMETER(key, array, may_be_zero, factor)                                                                     \
  {                                                                                                                    \
#key, offsetof(struct mx_material_config, key), offsetof(struct mx_problem, array), may_be_zero, factor            \
  }
    PARAMETER(epsilon_r, epsilon, false, 1),
    PARAMETER(mu_r, mu, false, 1),
    PARAMETER(sigma, sigma, true, MX_ETA0),
    PARAMETER(sigma_m, sigma_m, true, 1 / MX_ETA0),
#undef PARAMETER
};

static const struct mx_scalar *scalar_of(const struct mx_material_config *material, int i)
{
  return (const struct mx_scalar *)(const void *)((const char *)material + parameters[i].config);
}

static double *array_of(const struct mx_problem *problem, int i)
{
  double *array;
  memcpy(&array, (const char *)problem + parameters[i].problem, sizeof array);
  return array;
}

/* Writes the names of a material's parameters for messages. */
static void name_parameters(const struct mx_material_config *material, char what[PARAMETERS][200])
{
  char name[128];
  mx_selector_name(&material->where, name, sizeof name);
  for (int i = 0; i < PARAMETERS; i++) snprintf(what[i], sizeof what[i], "materials.%s.%s", name, parameters[i].key);
}

/* The place at which an element's medium is asked for. An element of a layer has the medium of the one from which it
 * grew, so that media go on unchanged across the layer. */
static void place_of_medium(const struct dg_mesh *mesh, size_t e, double x[3])
{
  if (mesh->origin != NULL) memcpy(x, mesh->origin[e], 3 * sizeof *x);
  else dg_geometry_barycentre(mesh, e, x);
}

/* Checks that the functions of materials give the same values again: value[K] of a parameter. */
static int repeat_functions(const struct mx_problem *problem, const struct mx_assignment *assignment,
                            const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  double(*x)[3] = NULL, *value = NULL;
  if (DG_NEW(x, problem->K, err) != 0 || DG_NEW(value, problem->K, err) != 0) goto fail;
  for (size_t m = 0; m < config->materials; m++) {
    const struct mx_material_config *material = &config->material[m];
    char what[PARAMETERS][200];
    name_parameters(material, what);
    for (int i = 0; i < PARAMETERS; i++) {
      const struct mx_scalar *scalar = scalar_of(material, i);
      size_t count = 0;
      if (scalar->function == NULL) continue;
      for (size_t e = 0; e < problem->K; e++) {
        if (assignment->material[e] != (int)m) continue;
        place_of_medium(mesh, e, x[count]);
        value[count++] = array_of(problem, i)[e];
      }
      const struct mx_places at = {.what = what[i], .count = count, .x = (const double(*)[3])x, .components = 1};
      if (mx_function_repeat(scalar->function, &at, value, err) != 0) goto fail;
    }
  }
fail:
  dg_free(x);
  dg_free(value);
  return err->code;
}

static int assign_materials(struct mx_problem *problem, struct mx_assignment *assignment,
                            const struct mx_config *config, const struct dg_mesh *mesh, int *choice,
                            struct dg_error *err)
{
  if (mx_choose(choice, config, mesh, "materials", 3, config->materials, material_selector, err) != 0) return err->code;
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim != 3 || mesh->entity[i].count == 0 || choice[i] >= 0) continue;
    const char *group = mesh->entity[i].groups > 0 ? mesh->group[mesh->entity[i].group[0]].name : "";
    return dg_fail(
        err, DG_INPUT, MX_PLACE "volume %d%s%s%s of the mesh has no material; add it to materials, or a default",
        MX_AT(config->materials_where), mesh->entity[i].tag, group[0] ? " (group '" : "", group, group[0] ? "')" : "");
  }
  int named = -1; /* the material in `what`; neighbours on the curve mostly share one */
  char what[PARAMETERS][200];
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_material_config *material = &config->material[choice[mesh->volume[e]]];
    double x[3];
    assignment->material[e] = choice[mesh->volume[e]];
    if (assignment->material[e] != named) name_parameters(material, what);
    named = assignment->material[e];
    place_of_medium(mesh, e, x);
    for (int i = 0; i < PARAMETERS; i++)
      if (evaluate(scalar_of(material, i), what[i], parameters[i].may_be_zero, x, &array_of(problem, i)[e], err) != 0)
        return err->code;
  }
  if (repeat_functions(problem, assignment, config, mesh, err) != 0) return err->code;
  for (int i = 0; i < PARAMETERS; i++)
    for (size_t e = 0; e < problem->K && parameters[i].factor != 1; e++)
      array_of(problem, i)[e] *= parameters[i].factor;
  for (size_t e = 0; e < problem->K; e++) { /* in natural units sigma/epsilon is w tan(delta)/c0 */
    const struct mx_material_config *material = &config->material[assignment->material[e]];
    if (material->loss_at > 0)
      problem->sigma[e] = problem->epsilon[e] * 2 * pi * material->loss_at * material->loss_tangent / MX_C0;
  }
  return 0;
}

/* Gives elements of media with tensors their place in the problem's list; every rank makes all of it. */
static int assign_tensors(struct mx_problem *problem, const struct mx_assignment *assignment,
                          const struct mx_config *config, struct dg_error *err)
{
  static const double one[MX_TENSOR_NUMBERS] = {1, 0, 0, 1, 0, 1};
  int32_t *place;
  size_t count = 0;
  for (size_t m = 0; m < config->materials; m++) count += mx_has_tensor(&config->material[m]);
  if (count == 0) return 0;
  if (mx_problem_add_tensors(problem, count, err) != 0 || DG_NEW(place, config->materials, err) != 0) return err->code;
  count = 0;
  for (size_t m = 0; m < config->materials; m++) {
    const struct mx_material_config *material = &config->material[m];
    if (!mx_has_tensor(material)) continue;
    for (int i = 0; i < 2; i++)
      (void)mx_tensor_shape(&problem->shape[count], i, material->tensor[i].given ? material->tensor[i].number : one);
    place[m] = (int32_t)++count;
  }
  for (size_t e = 0; e < problem->K; e++) problem->tensor[e] = place[assignment->material[e]];
  dg_free(place);
  return 0;
}

/* The kind that has room for the poles of a field in a material, an enum mx_response_kind; -1: there are none. */
static int kind_of_poles(const struct mx_poles_config *poles)
{
  int states = 0;
  for (size_t i = 0; i < poles->count; i++) states += mx_pole_config_states(&poles->pole[i]);
#define FITS(KIND, PREFIX, STATES)                                                                                     \
  if (states > 0 && states <= (STATES)) return KIND;
  MX_POLE_LIST(FITS)
#undef FITS
  return -1;
}

/* Writes the poles of a material, of this density, as the parameters of an entry of a kind: rad/s become 1/m. */
static int make_poles(const struct mx_material_config *material, double density, int of, int kind, double *parameter,
                      struct dg_error *err)
{
  const struct mx_poles_config *poles = &material->poles[of];
  const struct mx_scalar *loss = of == 0 ? &material->sigma : &material->sigma_m;
  char name[128];
  static const int powers[3][MX_POLE_NUMBERS] = {{1, 1, 0, 0}, {2, 1, 0, 0}, {1, 2, 1, 2}};
  parameter[MX_POLES_COUNT] = (double)poles->count;
  for (size_t i = 0; i < poles->count; i++) {
    const struct mx_pole_config *pole = &poles->pole[i];
    double *to = parameter + MX_POLES_FIRST + MX_POLES_EACH * i;
    *to++ = (double)pole->form;
    for (int n = 0; n < MX_POLE_NUMBERS; n++) to[n] = pole->number[n] / pow(MX_C0, powers[pole->form][n]);
  }
  if (density != 1) mx_poles_scale(parameter, density);
  if (loss->function == NULL) parameter[MX_POLES_JOINT] = of == 0 ? loss->value * MX_ETA0 : loss->value / MX_ETA0;
  if (mx_poles_join(parameter, mx_responses[kind]->states)) return 0;
  mx_selector_name(&material->where, name, sizeof name);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE
                 "materials.%s: its poles are on the edge of amplifying: a little more loss makes them passive",
                 MX_AT(material->where.where), name);
}

_Static_assert((int)MX_POLES_MOST == (int)MX_POLE_STATES && (int)MX_POLE_IS_REAL == (int)MX_POLE_REAL &&
                   (int)MX_POLE_IS_DRUDE == (int)MX_POLE_DRUDE && (int)MX_POLE_IS_PAIR == (int)MX_POLE_PAIR,
               "a material's poles are those of a response");

/* Says whether an element with that density has poles of this kind. */
static bool has_kind(const struct mx_material_config *material, double density, int of, int kind)
{
  return density > 0 && kind_of_poles(&material->poles[of]) == kind;
}

/* Adds the poles of a field of all materials of a kind, made[materials][MX_POLE_PARAMETERS] with the density 1;
 * density[K]. */
static int assign_kind(struct mx_problem *problem, const struct mx_assignment *assignment,
                       const struct mx_config *config, const double *density, int of, int kind,
                       double (*made)[MX_POLE_PARAMETERS], struct dg_error *err)
{
  struct mx_response *response = NULL;
  size_t materials = 0, count = 0, k = 0;
  for (size_t m = 0; m < config->materials; m++) {
    if (kind_of_poles(&config->material[m].poles[of]) != kind) continue;
    if (make_poles(&config->material[m], 1, of, kind, made[m], err) != 0) return err->code;
    materials++;
  }
  if (materials == 0) return 0;
  for (size_t e = 0; e < problem->K; e++)
    count += has_kind(&config->material[assignment->material[e]], density[e], of, kind);
  if (mx_problem_add_response(problem, (enum mx_response_kind)kind, of, count, &response, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    const int m = assignment->material[e];
    if (!has_kind(&config->material[m], density[e], of, kind)) continue;
    double *parameter = mx_response_parameter(response, k);
    response->where[k++] = (int32_t)e;
    if (density[e] == 1) memcpy(parameter, made[m], (size_t)mx_responses[kind]->parameters * sizeof(double));
    else if (make_poles(&config->material[m], density[e], of, kind, parameter, err) != 0) return err->code;
  }
  return 0;
}

/* Adds the poles of all materials: one response for all media in which a field has as many states. */
static int assign_poles(struct mx_problem *problem, const struct mx_assignment *assignment,
                        const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  double(*made)[MX_POLE_PARAMETERS] = NULL, *density = NULL;
  if (DG_NEW(made, config->materials, err) != 0 || DG_NEW(density, problem->K, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_material_config *material = &config->material[assignment->material[e]];
    char name[128], what[200];
    double x[3];
    if (material->density.function != NULL) mx_selector_name(&material->where, name, sizeof name);
    else name[0] = '\0';
    snprintf(what, sizeof what, "materials.%s.density", name);
    place_of_medium(mesh, e, x);
    if (evaluate(&material->density, what, true, x, &density[e], err) != 0) goto fail;
  }
  for (int i = 0; i < 2 * MX_RESPONSE_KINDS; i++)
    if (assign_kind(problem, assignment, config, density, i / MX_RESPONSE_KINDS, i % MX_RESPONSE_KINDS, made, err) != 0)
      break;
fail:
  dg_free(density);
  dg_free(made);
  return err->code;
}

/* Refuses the key of a surface inside the domain, which is not a boundary, instead of ignoring it. */
static int refuse_inner_surfaces(const struct mx_config *config, const struct dg_mesh *mesh, const int *choice,
                                 const size_t *outer, struct dg_error *err)
{
  char name[128];
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim != 2 || choice[i] < 0 || mesh->entity[i].count == outer[i]) continue;
    const struct mx_boundary_config *boundary = &config->boundary[choice[i]];
    if (boundary->where.is_default) continue;
    mx_selector_name(&boundary->where, name, sizeof name);
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "boundaries.%s: %zu of the %zu faces of surface %d lie inside the domain, where there is no "
                   "boundary condition; only outer surfaces have one",
                   MX_AT(boundary->where.where), name, mesh->entity[i].count - outer[i], mesh->entity[i].count,
                   mesh->entity[i].tag);
  }
  return 0;
}

/* Refuses an open wall from which no layer has grown, and a periodic side that ends, as a mesh has that somebody else
 * has made. */
static int refuse_bare(const struct mx_config *config, const struct dg_mesh *mesh, size_t e, int chosen,
                       struct dg_error *err)
{
  const struct mx_boundary_config *boundary = &config->boundary[chosen];
  char name[128];
  double x[3];
  mx_selector_name(&boundary->where, name, sizeof name);
  dg_geometry_barycentre(mesh, e, x);
  if (boundary->kind == MX_PERIODIC)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "boundaries.%s: the face near (%g, %g, %g) m is not joined with one of the opposite side; "
                            "the set-up of a run joins them (maxwell/periods/periods.h)",
                   MX_AT(boundary->where.where), name, x[0], x[1], x[2]);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "boundaries.%s: no layer has grown from this open wall near (%g, %g, %g) m; the set-up of a "
                          "run grows it (maxwell/setup/open_layer.h)",
                 MX_AT(boundary->where.where), name, x[0], x[1], x[2]);
}

/* Sums counts over all ranks. */
static int sum_counts(struct dg_comm *comm, size_t n, size_t *count, struct dg_error *err)
{
  int64_t *sum;
  if (comm == NULL) return 0;
  if (DG_NEW(sum, n, err) != 0) return err->code;
  for (size_t i = 0; i < n; i++) sum[i] = (int64_t)count[i];
  if (dg_comm_reduce_int(comm, DG_SUM, n, sum, err) == 0)
    for (size_t i = 0; i < n; i++) count[i] = (size_t)sum[i];
  dg_free(sum);
  return err->code;
}

static int assign_boundaries(struct mx_problem *problem, struct mx_assignment *assignment,
                             const struct mx_config *config, const struct dg_mesh *mesh, int *choice, size_t *outer,
                             struct dg_error *err)
{
  if (mx_choose(choice, config, mesh, "boundaries", 2, config->boundaries, boundary_selector, err) != 0)
    return err->code;
  int fallback = MX_DEFAULT_PEC; /* faces that lie on no surface of the model can only have the default */
  for (size_t i = 0; i < config->boundaries; i++)
    if (config->boundary[i].where.is_default) fallback = (int)i;
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      int surface = mesh->surface[e][f];
      assignment->boundary[e][f] = MX_NOT_BOUNDARY;
      if (surface >= 0 && (mesh->neighbour[e][f] < 0 || dg_mesh_is_wall(mesh, e, f))) outer[surface]++;
      if (mesh->neighbour[e][f] >= 0) continue;
      int chosen = surface >= 0 && choice[surface] >= 0 ? choice[surface] : fallback;
      assignment->boundary[e][f] = chosen;
      if (chosen == MX_DEFAULT_PEC) assignment->default_pec_faces++;
      if (chosen >= 0 && ((config->boundary[chosen].kind == MX_OPEN_WALL && !dg_mesh_in_layer(mesh, e)) ||
                          config->boundary[chosen].kind == MX_PERIODIC))
        return refuse_bare(config, mesh, e, chosen, err);
    }
  if (sum_counts(problem->comm, mesh->entities, outer, err) != 0 ||
      sum_counts(problem->comm, 1, &assignment->default_pec_faces, err) != 0)
    return err->code;
  return refuse_inner_surfaces(config, mesh, choice, outer, err);
}

static const struct mx_selector *interface_selector(const struct mx_config *config, size_t i)
{
  return &config->interface[i].where;
}

/* Assigns surfaces to interfaces. Conducting sheets are walls on both sides of their faces. */
static int assign_interfaces(struct mx_assignment *assignment, const struct mx_config *config,
                             const struct dg_mesh *mesh, struct dg_error *err)
{
  const int *interface = assignment->interface;
  if (mx_choose(assignment->interface, config, mesh, "interfaces", 2, config->interfaces, interface_selector, err) != 0)
    return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      int surface = mesh->surface[e][f];
      if (surface < 0 || interface[surface] < 0 || mesh->neighbour[e][f] < 0) continue;
      if (mx_interface_is_wall(config->interface[interface[surface]].kind)) assignment->boundary[e][f] = MX_SHEET;
    }
  return 0;
}

/* The medium of an element for the flux: its impedance without losses and with them.
 *
 * A wave that enters a good conductor has become a current before it has crossed a fraction of an element. The far side
 * of the face is then nearly a conducting wall, and not the vacuum that epsilon alone would make it. If it were that
 * vacuum, the penalty on the jump of H, which is large where the skin is thinner than an element, would drive H into
 * the metal and take its energy. Likewise a medium with losses of H is nearly a magnetic wall. */
struct flux_side {
  double medium, lossy;
  bool layered; /* in a perfectly matched layer */
};

static struct flux_side flux_side(const struct mx_problem *problem, const struct mx_assignment *assignment, size_t e)
{
  const struct mx_medium of_E = mx_medium_of(problem, MX_AMPERE, e), of_H = mx_medium_of(problem, MX_FARADAY, e);
  const double epsilon = of_E.storage, mu = of_H.storage, *scale = problem->face_scale[e];
  const double height = 1 / fmax(fmax(scale[0], scale[1]), fmax(scale[2], scale[3])), medium = sqrt(mu / epsilon);
  const int nodes = problem->ref->order + 1;
  /* The time to cross, about a step. It is rounded to a power of two, since backends keep a table of the different
   * fluxes. */
  const double crossing = exp2(round(log2(height * sqrt(epsilon * mu) / (nodes * nodes))));
  return (struct flux_side){medium,
                            medium * fmax(1, of_H.loss / mu * crossing) / fmax(1, of_E.loss / epsilon * crossing),
                            assignment->layer[e] >= 0};
}

/* The alpha of a face. An open one is upwind, since what it absorbs is physics and not a choice of flux. So are those
 * in a layer and its faces to the inside: waves that the mesh does not resolve, which a layer need not absorb, end
 * there. */
static double face_alpha(const struct mx_config *config, bool open, bool layered)
{
  return open || layered ? 1 : config->alpha;
}

/* The flux between two elements. The penalty on E within a conductor is no larger than beside a wall; a larger one
 * would limit the step. The same holds for H in its counterpart. */
static struct mx_face_flux inner_flux(struct flux_side own, struct flux_side other, double alpha)
{
  struct mx_face_flux flux = mx_face_flux(own.lossy, other.lossy, alpha);
  flux.e_penalty = fmin(flux.e_penalty, 2 * alpha / (own.medium + other.medium));
  flux.h_penalty = fmin(flux.h_penalty, 2 * alpha / (1 / own.medium + 1 / other.medium));
  return flux;
}

static void set_inner_flux(struct mx_problem *problem, const struct mx_face_place *place, struct flux_side own,
                           struct flux_side other, size_t e, int f)
{
  if (!mx_face_term_between(problem, place, e, f, own.medium, other.medium))
    problem->flux[e][f] = inner_flux(own, other, face_alpha(place->config, false, own.layered || other.layered));
}

/* Sets neighbour codes and flux weights of every face but those of the halo. */
static void connect(struct mx_problem *problem, const struct mx_face_place *place)
{
  const struct mx_assignment *assignment = place->assignment;
  const struct mx_config *config = place->config;
  for (size_t e = 0; e < problem->K; e++) {
    double own = sqrt(problem->mu[e] / problem->epsilon[e]);
    for (int f = 0; f < 4; f++) {
      int32_t code = place->mesh->neighbour[e][f];
      if (mx_face_term_parts(problem, place, e, f, code)) continue;
      if (code >= 0 && assignment->boundary[e][f] != MX_SHEET) {
        if ((size_t)code / 4 >= problem->K) continue;
        set_inner_flux(problem, place, flux_side(problem, assignment, e),
                       flux_side(problem, assignment, (size_t)code / 4), e, f);
      } else {
        int index = assignment->boundary[e][f];
        const enum mx_boundary_kind kind = index >= 0 ? config->boundary[index].kind : MX_PEC;
        const double given = index >= 0 ? config->boundary[index].impedance / MX_ETA0 : 0;
        const bool open = index >= 0 && mx_boundary_is_open(&config->boundary[index]);
        problem->flux[e][f] =
            mx_face_flux(own, mx_wall_impedance(kind, given, own), face_alpha(config, open, assignment->layer[e] >= 0));
        mx_face_term_wall(problem, place, e, f);
        code = open ? MX_GHOST - 1 - (int32_t)problem->open_faces++ : MX_GHOST;
      }
      problem->neighbour[e][f] = code;
    }
  }
}

/* Sets those of the faces of the halo. The rank beyond a face knows the medium there. */
static int connect_halo(struct mx_problem *problem, const struct mx_face_place *place, struct dg_error *err)
{
  const struct mx_assignment *assignment = place->assignment;
  const struct dg_halo *halo = problem->halo;
  struct flux_side *own = NULL, *other = NULL; /* [faces] */
  if (halo == NULL) return 0;
  if (DG_NEW(own, halo->faces, err) != 0 || DG_NEW(other, halo->faces, err) != 0) goto fail;
  for (size_t i = 0; i < halo->faces; i++) {
    size_t e = (size_t)halo->send[i] / 4;
    own[i] = flux_side(problem, assignment, e);
  }
  if (dg_halo_swap(halo, problem->comm, sizeof *own, own, other, err) != 0) goto fail;
  for (size_t i = 0; i < halo->faces; i++) {
    size_t e = (size_t)halo->send[i] / 4, f = (size_t)halo->send[i] % 4;
    const int32_t beyond = 4 * (int32_t)(problem->K + i) + halo->receive[i] % 4;
    if (mx_face_term_parts(problem, place, e, (int)f, beyond)) continue;
    if (assignment->boundary[e][f] == MX_SHEET) continue; /* a wall for both sides */
    set_inner_flux(problem, place, own[i], other[i], e, (int)f);
    problem->neighbour[e][f] = beyond;
  }
fail:
  dg_free(own);
  dg_free(other);
  return err->code;
}

int mx_problem_init(struct mx_problem *problem, struct mx_assignment *assignment, const struct mx_config *config,
                    const struct dg_mesh *mesh, const struct dg_geometry *geometry, const struct dg_reference *ref,
                    const struct mx_ranks *ranks, struct dg_error *err)
{
  return mx_problem_init_layered(problem, assignment, config, mesh, geometry, ref, NULL, NULL, ranks, err);
}

int mx_problem_init_layered(struct mx_problem *problem, struct mx_assignment *assignment,
                            const struct mx_config *config, const struct dg_mesh *mesh,
                            const struct dg_geometry *geometry, const struct dg_reference *ref,
                            const double *temperature, const struct mx_layers *layers, const struct mx_ranks *ranks,
                            struct dg_error *err)
{
  size_t K = mesh->K, *outer = NULL;
  int *choice = NULL;
  *assignment = (struct mx_assignment){0};
  if (mx_problem_alloc(problem, ref, K, err) != 0) return err->code;
  problem->global = mesh->global;
  problem->paired = mesh->paired;
  if (ranks != NULL) {
    problem->comm = ranks->comm;
    problem->halo = &ranks->halo;
    problem->ghosts = ranks->halo.faces;
    if (problem->ghosts > 0) mx_problem_set_inner(problem, mesh->interior);
  }
  if (DG_NEW(assignment->material, K, err) != 0 || DG_NEW(assignment->boundary, K, err) != 0 ||
      DG_NEW(assignment->layer, K, err) != 0 || DG_NEW(assignment->absorber, K, err) != 0 ||
      DG_NEW(choice, mesh->entities, err) != 0 || DG_NEW(outer, mesh->entities, err) != 0 ||
      DG_NEW(assignment->interface, mesh->entities, err) != 0)
    goto fail;
#define COPY(type, name, numbers) memcpy(problem->name, geometry->name, K * sizeof *problem->name);
  MX_GEOMETRY_ARRAYS(COPY)
#undef COPY
  if (mesh->curved > 0) {
    if (mx_problem_add_curves(problem, mesh->geometry, mesh->curved, err) != 0) goto fail;
    memcpy(problem->curves.where, mesh->curve, mesh->curved * sizeof *mesh->curve);
    memcpy(problem->curves.shape, mesh->shape, mesh->curved * dg_shape_nodes(mesh->geometry) * sizeof *mesh->shape);
  }
  if (assign_materials(problem, assignment, config, mesh, choice, err) != 0) goto fail;
  if (mx_assign_warm(problem, assignment, config, temperature, err) != 0) goto fail;
  if (assign_tensors(problem, assignment, config, err) != 0) goto fail;
  if (assign_poles(problem, assignment, config, mesh, err) != 0) goto fail;
  if (mx_assign_turning(problem, assignment, config, err) != 0) goto fail;
  if (mx_assign_layers(problem, assignment, layers, mesh, err) != 0) goto fail;
  if (assign_boundaries(problem, assignment, config, mesh, choice, outer, err) != 0) goto fail;
  if (assign_interfaces(assignment, config, mesh, err) != 0) goto fail;
  if (mx_refuse_media(problem, assignment, config, mesh, err) != 0) goto fail;
  if (mx_face_terms_make(problem, config, err) != 0) goto fail;
  const struct mx_face_place place = {assignment, config, mesh};
  connect(problem, &place);
  if (connect_halo(problem, &place, err) != 0 || mx_problem_list_faces(problem, err) != 0) goto fail;
  dg_free(choice);
  dg_free(outer);
  return 0;
fail:
  dg_free(choice);
  dg_free(outer);
  mx_problem_release(problem);
  mx_assignment_release(assignment);
  return err->code;
}
