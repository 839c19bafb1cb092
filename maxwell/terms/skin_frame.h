/* Currents of metal walls and films (maxwell/terms/skins.h) along the edges t1 and t2 of their faces (frame.h): what
 * skin_points.h takes, and the way from Cartesian components and back. */
#pragma once

#include <stdbool.h>

#include "maxwell/backend/frame/frame.h"
#include "maxwell/terms/skins.h"

/* What a pole of a sheet has for the other face's current: n[2], Q_k and what each face stores over I_k.I'_k. */
void mx_sheet_numbers(const struct mx_skin *skin, size_t q, double n[2]);
/* Of face f of a straight element: turn[3] as mx_skin_turn has it, and product[3], 11 12 22, whose sums with components
 * along t1 and t2 are the products of tangential vectors, times the Jacobian of the face. */
void mx_skin_face(const struct mx_problem *problem, size_t e, size_t f, double turn[3], double product[3]);
/* Turns currents value[vectors][3][Nf] on face f of element e: Cartesian ones to those of a backend whose traces are
 * tangential (MX_WITH_ALONG), or back. */
void mx_turn_currents(const struct mx_problem *problem, size_t e, size_t f, size_t vectors, bool to_cartesian,
                      double *value);
