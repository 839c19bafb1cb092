/* Which frequencies a mesh holds, with the index that its media have there: poles, tensors, gyrotropic media, ferrites
 * and losses are taken at the frequency.
 *
 * An element counts as a cell of a grid whose diagonal is its longest edge h. With the wave number k of a wave in its
 * medium, complex where the medium takes from it, the cell holds the wave by z = |k| h/sqrt(3): the leading term of the
 * relative error of the numerical wave number of order p is
 *
 *   (p!/(2p)!)^2 z^(2p + 2)/(2 (2p + 1)),
 *
 * and waves with z above about 2p + 1 are not carried at all (M. Ainsworth, J. Comput. Phys. 198 (2004) 106). A wave
 * that decays is a polynomial in an element by the same powers of |k|. A medium that throws nearly all of a wave back
 * (a conductor) is left out where waves travel: outside of it, its inside does not matter.
 *
 * All ranks have the same tables, so that asking is not collective. Elements in layers do not count. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/problem.h"

/* The error of the wave number from which a wave counts as not held, as a share of a wavelength in each wavelength. It
 * is that of the coarsest element; most elements of a mesh are smaller by a third, and their errors by 2^-(p + 1). */
#define MX_HELD 0.1

/* The coarsest element of a kind in a material. */
struct mx_mesh_cell;

struct mx_mesh_worth {
  int order;
  size_t cells;
  struct mx_mesh_cell *cell; /* [cells] */
  size_t materials;
  double *share; /* [materials] the mean error of waves in a material over that in its coarsest element */
};

/* Looks at all elements. Collective. Release in any case. */
int mx_mesh_worth_init(struct mx_mesh_worth *worth, const struct mx_problem *problem,
                       const struct mx_assignment *assignment, const struct dg_mesh *mesh, size_t materials,
                       struct dg_error *err) DG_MUST_USE;
void mx_mesh_worth_release(struct mx_mesh_worth *worth);

/* The largest z at a frequency (Hz); *material, which may be NULL, gets the material of that cell, -1: there is none.
 */
double mx_mesh_load(const struct mx_mesh_worth *worth, double hertz, int *material);
/* The same in one material alone, conductors included; 0: the mesh has none of it. */
double mx_mesh_load_in(const struct mx_mesh_worth *worth, double hertz, int material);
/* The error of the wave number at a frequency, in a mean over the volume of the material in which that of the coarsest
 * element is largest: a wave adds up the errors on its way. At most 1. */
double mx_mesh_mean_error(const struct mx_mesh_worth *worth, double hertz);
/* Points per wavelength at a frequency on the coarsest element: an element of order p has p intervals between nodes
 * along an edge. */
double mx_mesh_points(const struct mx_mesh_worth *worth, double hertz, int *material);
/* The z at which the wave number is wrong by this share, and up to which a wave is carried. */
double mx_load_held(int order, double error);
double mx_load_carried(int order);
/* The frequency (Hz) up to which all waves are below that z, at most `most`; resonances of media that are narrower than
 * a thousandth of a decade are passed over. */
double mx_mesh_highest(const struct mx_mesh_worth *worth, double load, double most);
