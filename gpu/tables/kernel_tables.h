/* The tables of the kernels: geometry, media, fluxes, operators. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_pack_tables(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Has an equation media that are tensors? It then has six numbers an element of its own. */
bool gpu_applies_tensors(const struct mx_problem *problem, int equation);
/* Splits a number into a sum of two numbers of eleven bits, which is what tensor cores take of a float. */
void gpu_split_number(double x, float two[2]);
/* Lists the pieces of faces for the nodes face_node[4][Nf] of a component: piece[4][count] and packed[4][Nf] as
 * gpu_tables has them. Returns the count, which is that of the face with the most; the other faces name their last
 * piece again. Both arrays may be NULL. */
size_t gpu_list_pieces(int order, const int32_t *face_node, uint8_t *piece, int32_t *packed);
/* May a half step of leapfrog overwrite its field? It may not with a penalty between elements, and not where H has
 * losses: H of half a step ago cannot then be worked out from the new one without a growth of rounding errors by
 * exp(loss dt/mu). */
bool gpu_works_in_place(const struct mx_problem *problem, const struct mx_backend_options *options);
