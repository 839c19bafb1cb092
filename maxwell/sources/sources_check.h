/* Set-ups of sources that cannot be meant: surfaces that are not closed, waves that go the wrong way. Private to
 * sources*.c, but for what maxwell/touch asks of waves and walls.
 */
#pragma once

#include "maxwell/sources/sources.h"

/* The scene of a check. All checks are collective; their errors are DG_INPUT with the script's place. */
struct mx_source_check {
  const struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct mx_config *config;
  const struct dg_mesh *mesh;
};

/* Checks the surface of total and scattered field with interface `index`; choice[entities]: index of the interface, or
 * -1.
 *
 * Inside, E = incident + scattered; outside the scattered field alone: the tangential fields jump by the incident ones.
 * E less the incident field is then continuous and obeys Maxwell's equations on both sides, provided that the jump is
 * on every face between the region and the rest. Where the surface ends on the outer boundary, the wall goes from the
 * total to the scattered field: both obey its condition only if the incident field alone does, so that a wall there
 * must be a plane of symmetry of the wave (PEC along the tangential E = 0, PMC along H = 0, or a wall of an impedance
 * that the wave matches). Errors: a face of the region's border that is not on the surface; a wall at the surface's rim
 * whose condition the wave does not obey. */
int mx_check_total_field(const struct mx_source_check *check, size_t index, const int *choice,
                         struct dg_error *err) DG_MUST_USE;
/* Checks the plane waves of boundaries. DG_INPUT for a wave that leaves through all of its faces, or runs along them,
 * and that no other boundary lets in: it would do nothing. */
int mx_check_plane_waves(const struct mx_source_check *check, struct dg_error *err) DG_MUST_USE;

/* How far a wave alone is from obeying a wall's condition, 0 to 1: the tangential part of (E - Zw H x n)/(1 + Zw) for
 * |E| = 1, n the wall's normal and Zw its impedance over that of the medium. */
double mx_wave_misfit(const struct mx_plane_wave *wave, const double n[3], double impedance);
/* The impedance of the wall at a face of the boundary over that of the medium, and the wall's kind as scripts have it.
 */
double mx_wave_wall(const struct mx_source_check *check, size_t e, int f, const char **name);
/* Says whether both are one wave. Without an origin each would begin by itself. */
bool mx_same_wave(const struct mx_plane_wave *a, const struct mx_plane_wave *b);
