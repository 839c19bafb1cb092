/* What a face becomes that has a term, for the building of a problem: a wall with a state, a film, or a resistive
 * sheet. A kind of boundary or of interface with a state is a line in a table of face_terms.c. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/problem.h"

struct mx_face_place {
  const struct mx_assignment *assignment;
  const struct mx_config *config;
  const struct dg_mesh *mesh;
};

/* Makes the numbers of walls with a state, one a boundary by a fit over the band, and then one an interface. */
int mx_face_terms_make(struct mx_problem *problem, const struct mx_config *config, struct dg_error *err) DG_MUST_USE;
/* Makes face f of element e one side of a sheet of metal, if it lies on one, whose other face has the code `beyond`: a
 * wall, and open, since what it takes is extrapolated in time. Call it again for the faces of the halo, whose other
 * face is another rank's. */
bool mx_face_term_parts(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f, int32_t beyond);
/* Gives a face on a boundary its state and its flux, if the boundary has one. */
void mx_face_term_wall(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f);
/* The same of a face between two media of these impedances, on a film or a resistive sheet. What they take is physics,
 * not a choice of flux: they have the exact flux, and that of the media without their losses. Returns whether it lies
 * on one. */
bool mx_face_term_between(struct mx_problem *problem, const struct mx_face_place *place, size_t e, int f, double own,
                          double other);

/* The band of a metal wall or sheet, Hz. */
void mx_metal_band(const struct mx_config *config, const struct mx_metal_config *metal, double band[2]);
/* The largest relative error with which metal wall number `boundary` is followed over from <= w <= to, rad/s. */
double mx_metal_fit_error(const struct mx_config *config, const struct mx_problem *problem, size_t boundary,
                          double from, double to);
/* The film of graphene, 1/(ohm s), from eV and K. */
double mx_graphene_drude(double potential, double temperature);
