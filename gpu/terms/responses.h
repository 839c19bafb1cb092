/* Responses on the card: poles, gyrotropic terms, ferrites, layers. */
#pragma once

#include "gpu/kernels/responses.h"
#include "maxwell/backend/backend.h"

/* A response (responses.c). */
struct gpu_own_response {
  struct gpu_response at;
  double *start;         /* of the card: [states][count][2], factors of the field */
  double *energy, *loss; /* of the card: [squares][count][2 + states], [losses][count][2 + states]: squares */
  double *energy_weight; /* of the card: [squares][count], twice their signs */
  int squares;           /* of an energy */
  int losses;            /* the most squares of a loss */
  double *sign;          /* of the host: [losses][count] of these squares */
  void *vector;          /* of the card: rows [count], what is observed */
};

int gpu_pack_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_responses(struct mx_backend *backend);
/* The bytes of the card that the responses take. */
size_t gpu_response_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);
/* Sets the states at t = 0, from E. */
int gpu_start_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Sets those that act on the vector of leapfrog's H, which is half a step before t = 0. */
int gpu_start_vector_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Lets the responses take their step: behind all else that a step of leapfrog does to field `of`, 0: E, 1: H, or behind
 * the rates and sources of a stage of Runge-Kutta. */
int gpu_step_responses(struct mx_backend *backend, int of, void *field, struct dg_error *err) DG_MUST_USE;
int gpu_stage_responses(struct mx_backend *backend, const struct gpu_response_stage *stage,
                        struct dg_error *err) DG_MUST_USE;
/* Adds twice the stored energies of the responses of a field, 0: E, 1: H, to the parts of a sum, on the card. */
int gpu_add_response_energies(struct mx_backend *backend, int of, double *part, struct dg_error *err) DG_MUST_USE;
/* Adds the responses' losses in the elements to *loss. */
int gpu_response_losses(struct mx_backend *backend, size_t count, const int32_t *element, double *loss,
                        struct dg_error *err) DG_MUST_USE;
