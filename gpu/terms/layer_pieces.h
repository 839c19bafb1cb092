/* Operators of perfectly matched layers for tensor cores. */
#pragma once

#include "gpu/kernels/responses.h"
#include "maxwell/backend/backend.h"

struct dg_quadrature;
/* Are there kernels for layers on tensor cores? */
bool gpu_layer_has_pieces(const struct mx_backend *backend);
/* Lays the operators of a rule out as gpu/kernels/layers/pieces.h has them; node[Np] is the reference element's node at
 * a place on the card. */
void gpu_layer_put_pieces(const struct dg_quadrature *rule, int order, bool single, const int32_t *node, void *pieces);
/* Sends them to the card: to->pieces. Does nothing without such kernels. */
int gpu_layer_pack_pieces(struct mx_backend *backend, struct gpu_response *to, const struct dg_quadrature *rule,
                          struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that these and the used coefficients take, whether or not there are such kernels. */
size_t gpu_layer_piece_bytes(int order, enum mx_response_kind kind, size_t count, size_t real);
/* Sends the used ones of coefficient[count][coefficients], numbers of the backend's precision: to->used. Does
 * nothing without such kernels, or for a kind that uses all. */
int gpu_layer_pack_used(struct mx_backend *backend, struct gpu_response *to, const void *coefficient,
                        struct dg_error *err) DG_MUST_USE;
