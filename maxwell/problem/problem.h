/* The problem: everything a backend needs to know, immutable once built. It has geometry, neighbours, materials and
 * fluxes per element, in the natural units of flux.h. It holds no mesh, no names and no script, so that a part of a
 * problem is a problem again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/halo/halo.h"
#include "libdg/geometry/geometry.h"
#include "libdg/ref/reference.h"
#include "maxwell/problem/flux.h"
#include "maxwell/model/media/metal.h"
#include "maxwell/model/media/tensor.h"
#include "maxwell/response/response.h"

/* Physical constants, SI (CODATA 2018). */
#define MX_C0       299792458.0
#define MX_MU0      1.25663706212e-6
#define MX_EPSILON0 (1.0 / (MX_MU0 * MX_C0 * MX_C0))
#define MX_ETA0     (MX_MU0 * MX_C0)

/* Codes of mx_problem.neighbour below zero: the ghost state beyond the face is zero. MX_GHOST - slot, slot >= 1, is an
 * open face, through which energy leaves by design (impedance, absorbing). On an open face the penalty acts on the
 * field itself, not on an error, so that leapfrog must extrapolate it in time to stay second order. */
enum { MX_GHOST = -1 };
static inline int mx_open_slot(int32_t code) { return MX_GHOST - 1 - code; } /* 0.. for open faces, else negative */

/* A source term: its places, and the part of it that does not change in time.
 *   MX_CURRENT  on elements: the right-hand side of eps dE/dt loses J (times eta0, V/m^2), N = Np nodes an element.
 *   MX_JUMP     on faces: [E] and [H] in the flux are enlarged by given values, N = Nf nodes a face: waves that enter
 *               through a wall, prescribed fields, sheets of current, the surface of total and scattered field.
 *
 * The changing part is a number for the whole term, a number a node, or a vector a node (enum mx_term_values). */
enum mx_term_kind { MX_CURRENT, MX_JUMP };
enum mx_term_values { MX_ONE_NUMBER, MX_NUMBER_A_NODE, MX_VECTOR_A_NODE };

struct mx_term {
  enum mx_term_kind kind;
  enum mx_term_values values;
  size_t count;   /* elements or faces */
  int32_t *where; /* [count] element, or 4 * element + face */
  bool open;      /* jumps: the faces are open ones */
  double *E, *H;  /* [count][3][N] factors of the number: J in E, or the parts of [E] and [H]; NULL is zero */
  bool into_H;    /* the term's vectors are (part of) [H], not [E] or J */
};

/* A linear functional of one field: the sum over i of weight[i] * field[index[i]], the field being [K][3][Np].
 * Amplitudes of modes, voltages and currents are such sums. */
struct mx_functional {
  bool magnetic; /* the field is H, else E */
  size_t count;
  size_t *index;
  double *weight;
};

/* The maps of curved elements, from which backends make what they need (curved.h). `metric` and its like hold the
 * straight element with the same vertices. */
struct mx_curves {
  int geometry;       /* order of the maps */
  size_t count;       /* curved elements */
  int32_t *where;     /* [count] elements, ascending */
  double (*shape)[3]; /* [count][dg_shape_nodes(geometry)] nodes of the maps, m (libdg/mesh/curve.h) */
};

/* The ranks that share a problem. Each has its part of the mesh. */
struct mx_ranks {
  struct dg_comm *comm;
  struct dg_halo halo;
};

/* The arrays that an element carries with it: X(type, name, numbers of an element). A new array is a line in one of
 * these lists. The lists give the members of mx_problem, allocation and release, restriction to a part, the way to rank
 * 0 (maxwell/limit) and the bytes that `curlew check` foretells.
 * Geometry is copied from the arrays of the same names in dg_geometry; the rest is filled in when the problem is built.
 */
#define MX_GEOMETRY_ARRAYS(X)                                                                                          \
  X(double, metric, [9])                                                                                               \
  X(double, jacobian, )                                                                                                \
  X(double, normal, [4][3])                                                                                            \
  X(double, face_scale, [4])

#define MX_ELEMENT_ARRAYS(X)                                                                                           \
  MX_GEOMETRY_ARRAYS(X)                                                                                                \
  X(double, epsilon, ) /* relative */                                                                                  \
  X(double, mu, )      /* relative */                                                                                  \
  X(double, sigma, )   /* times eta0, 1/m */                                                                           \
  X(double, sigma_m, ) /* over eta0, 1/m */                                                                            \
  X(bool, warm, )      /* epsilon or sigma changes with the temperature (maxwell/model/media/warm.h) */                \
  X(int32_t, tensor, ) /* 1 + the place of its tensors in mx_problem.shape; 0: it is isotropic */                      \
  X(struct mx_face_flux, flux, [4])                                                                                    \
  X(double, sheet, [4]) /* of a face on a resistive sheet: the factor of mx_sheet_flux; else 0 */                      \
  X(int32_t, skin, [4]) /* of a face on a metal wall, a sheet or a film: 1 + its place in mx_problem.metal; else 0 */  \
  X(char, depth, )      /* the levels of shorter steps whose core it is in (maxwell/levels) */

/* A set of elements that passes act on (mx_pass of maxwell/time/schedule.h), in two runs: inner elements have no
 * neighbour beyond the halo, so that they need not wait for the traces of other ranks; then the others. A backend puts
 * the straight and the curved elements of a run each together. The core is all elements, too, but in a part that takes
 * shorter steps (maxwell/levels): there it has the elements in which E changes, and comes first in each run. */
enum mx_rim { MX_INNER, MX_OUTER };
enum { MX_ALL, MX_CORE, MX_SETS };
struct mx_set {
  size_t first[2], end[2]; /* by enum mx_rim: elements first..end-1 */
};
static inline struct mx_set mx_set_of(size_t inner, size_t all)
{
  return (struct mx_set){.first = {0, inner}, .end = {inner, all}};
}

struct mx_problem {
  const struct dg_reference *ref; /* borrowed; outlives the problem */
  size_t K;                       /* elements of this rank */
  /* [K] each */
#define MX_MEMBER(type, name, numbers) type(*name) numbers;
  MX_ELEMENT_ARRAYS(MX_MEMBER)
#undef MX_MEMBER
  /* [K] 4 * element + face, or a code above. Element K + i lies beyond face i of the halo. This array and the next one
   * are not in the list above, since they name other elements. */
  int32_t (*neighbour)[4];
  /* [K] of a face on a sheet of metal, whose neighbour is an open wall: 1 + the code of its other face; else 0. */
  int32_t (*far)[4];
  struct mx_curves curves;
  size_t shapes;
  struct mx_tensor *shape; /* [shapes] the media whose epsilon or mu is a tensor; the same on all ranks */
  size_t open_faces;       /* slots 0..open_faces-1 */
  /* Faces on resistive sheets, ascending: 4 * element + face, from both sides. In a part of a problem the far side may
   * be missing: its fields are zero there. */
  size_t sheet_faces;
  int32_t *sheet_face;
  size_t metals;
  struct mx_skin *metal; /* [metals] sheets and films, too, in natural units; the same on all ranks, in all parts */
  size_t skin_faces;
  int32_t *skin_face; /* faces on metal walls, sheets and films, ascending: 4 * element + face */
  size_t terms;
  struct mx_term *term; /* [terms] */
  size_t responses;
  struct mx_response *response; /* [responses] the same ones on all ranks and in all parts, each with its own entries */
  size_t functionals;
  struct mx_functional *functional; /* [functionals] */
  /* The place of the other ranks' parts: borrowed; NULL, 0, K and NULL for one rank. The lists of terms and functionals
   * are the same on all ranks. Each rank has its own elements and faces in them, possibly none, so that the value of a
   * functional is a sum over ranks. */
  struct dg_comm *comm;
  const struct dg_halo *halo;
  size_t ghosts; /* faces of the halo */
  struct mx_set set[MX_SETS];
  const int64_t *global; /* [K] numbers of the elements in the whole mesh */
  bool paired;           /* elements 2 i and 2 i + 1 are the real and the imaginary part (libdg/mesh/sets.h) */
  struct dg_halo *own;   /* a halo that the problem owns (maxwell/limit), or NULL */
};

void mx_problem_release(struct mx_problem *problem);

/* Sets both sets to all elements, of which the first `inner` need no other rank. */
void mx_problem_set_inner(struct mx_problem *problem, size_t inner);

/* Is the element outside of the core? Its E rests. */
static inline bool mx_rests(const struct mx_problem *problem, size_t e)
{
  const struct mx_set *core = &problem->set[MX_CORE];
  return e >= core->end[MX_OUTER] || (e >= core->end[MX_INNER] && e < core->first[MX_OUTER]);
}

/* The faces of which leapfrog keeps traces of one step ago: open faces by their slots, then those on sheets. */
static inline size_t mx_kept_faces(const struct mx_problem *problem)
{
  return problem->open_faces + problem->sheet_faces;
}
/* Says whether a part of them carries a resistor, whose jumps it keeps. */
static inline bool mx_keeps_jumps(const struct mx_problem *problem) { return problem->sheet_faces > 0; }
/* Says whether a sheet, a film or a wall with a state is on the face. */
static inline bool mx_face_has_term(const struct mx_problem *problem, size_t e, int f)
{
  return problem->sheet[e][f] != 0 || problem->skin[e][f] != 0;
}
/* Returns the number of face f of element e among them; -1: none is kept. */
ptrdiff_t mx_kept_slot(const struct mx_problem *problem, size_t e, int f);
/* Returns the number of face f of element e among those on metal walls; -1: it is none of them. */
ptrdiff_t mx_skin_slot(const struct mx_problem *problem, size_t e, int f);
/* Says whether any metal is a sheet: the same on all ranks. */
bool mx_any_sheet(const struct mx_problem *problem);
/* The most poles of a metal. */
size_t mx_skin_poles(const struct mx_problem *problem);
/* Lists the faces on sheets and on metal walls, once `sheet` and `skin` are filled in. */
int mx_problem_list_faces(struct mx_problem *problem, struct dg_error *err) DG_MUST_USE;

/* An equation by the field that it changes (`own`); the other field (`other`) is under the curl. */
enum mx_equation { MX_AMPERE, MX_FARADAY }; /* E changes, H changes */

/* The medium of an element as an equation sees it:  storage d(own)/dt = +- curl other - loss own. With a tensor
 * (mx_tensor_of) both storage and loss are times its `shape`. */
struct mx_medium {
  double storage; /* epsilon or mu */
  double loss;    /* sigma or sigma_m, 1/m */
};

static inline struct mx_medium mx_medium_of(const struct mx_problem *problem, enum mx_equation equation, size_t e)
{
  if (equation == MX_AMPERE) return (struct mx_medium){problem->epsilon[e], problem->sigma[e]};
  return (struct mx_medium){problem->mu[e], problem->sigma_m[e]};
}

/* The tensors of an element, or NULL: it is isotropic. */
static inline const struct mx_tensor *mx_tensor_of(const struct mx_problem *problem, size_t e)
{
  return problem->tensor[e] > 0 ? &problem->shape[problem->tensor[e] - 1] : NULL;
}

/* The largest of an element's two relaxation rates, loss over storage, 1/m. */
static inline double mx_relaxation_rate(const struct mx_problem *problem, size_t e)
{
  const struct mx_medium E = mx_medium_of(problem, MX_AMPERE, e), H = mx_medium_of(problem, MX_FARADAY, e);
  const double of_E = E.loss / E.storage, of_H = H.loss / H.storage;
  return of_E > of_H ? of_E : of_H;
}

/* Says whether any element loses energy by this equation. */
static inline bool mx_any_loss(const struct mx_problem *problem, enum mx_equation equation)
{
  for (size_t e = 0; e < problem->K; e++)
    if (mx_medium_of(problem, equation, e).loss > 0) return true;
  return false;
}

/* Makes the problem on the elements element[count] alone (ascending, distinct); the fields elsewhere are held at zero.
 */
int mx_problem_restrict(struct mx_problem *part, const struct mx_problem *whole, size_t count, const size_t *element,
                        struct dg_error *err) DG_MUST_USE;

/* Adds `count` media with tensors, for the caller to fill. */
int mx_problem_add_tensors(struct mx_problem *problem, size_t count, struct dg_error *err) DG_MUST_USE;

/* Adds `count` metals, for the caller to fill. */
int mx_problem_add_metals(struct mx_problem *problem, size_t count, struct dg_error *err) DG_MUST_USE;

/* Adds a functional of `count` summands, with index and weight zeroed for the caller to fill. */
int mx_problem_add_functional(struct mx_problem *problem, bool magnetic, size_t count,
                              struct mx_functional **functional, struct dg_error *err) DG_MUST_USE;

/* Adds a response of `count` entries, zeroed for the caller to fill. All ranks add the same responses, each with the
 * entries of its own elements. An element has at most one layer, or poles of E and of H (of: 0 and 1). */
int mx_problem_add_response(struct mx_problem *problem, enum mx_response_kind kind, int of, size_t count,
                            struct mx_response **response, struct dg_error *err) DG_MUST_USE;

/* Is what the states of a response store part of the energy of the fields? That of a layer is not. */
static inline bool mx_response_has_energy(const struct mx_response *response)
{
  return !mx_responses[response->kind]->layer;
}
/* Finds the first response of an element, and its entry in it; NULL: there is none. */
const struct mx_response *mx_problem_response(const struct mx_problem *problem, size_t e, size_t *entry);
/* Finds the poles of the field that an equation changes. */
const struct mx_response *mx_problem_poles(const struct mx_problem *problem, enum mx_equation equation, size_t e,
                                           size_t *entry);
/* Do states of an element act on the field that an equation changes? Those of a layer act on both. */
bool mx_has_state(const struct mx_problem *problem, enum mx_equation equation, size_t e);
/* The places of an element that have states: nodes, or in a layer points of the rule of integration. */
size_t mx_response_places(const struct mx_problem *problem, enum mx_response_kind kind);

/* Allocates zeroed storage for K elements, for those who build problems by hand. Release with mx_problem_release. */
int mx_problem_alloc(struct mx_problem *problem, const struct dg_reference *ref, size_t K,
                     struct dg_error *err) DG_MUST_USE;

/* Allocates maps of `count` curved elements of that order, for the caller to fill. */
int mx_problem_add_curves(struct mx_problem *problem, int geometry, size_t count, struct dg_error *err) DG_MUST_USE;

/* Bytes of the arrays that mx_problem_alloc allocates, and of the maps of curved elements. */
size_t mx_problem_bytes(const struct mx_problem *problem);
