/* Responses on the card (maxwell/response/response.h): the functions that the host calls. States have rows like fields.
 * The row of state q of entry k is row k * states + q. Nodes are in the card's order. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/response/response.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpu_response {
  enum mx_response_kind kind;
  int states, of_E;    /* as in mx_response_ops */
  int layer;           /* the kind acts on E and H */
  size_t coefficients; /* of an entry */
  size_t count;
  const int32_t *where;    /* [count] elements */
  const void *coefficient; /* [count][coefficients] */
  const void *barycentric; /* layers: [Np][4] of the nodes */
  void *now;               /* the state between steps; the arrays below are for Runge-Kutta only */
  void *registers;         /* of low-storage schemes */
  void *stage, *sum;       /* of schemes that add up sums */
};

/* Takes field `of`, 0: E, 1: H, and its states along, behind a step of leapfrog. */
gpuError_t gpu_step_response(const struct gpu_tables *tables, const struct gpu_response *response, int of, void *field,
                             gpuStream_t stream);

/* Adds the response to a stage, behind the rates: with registers of low storage, or with sums. to += step du, also += b
 * step du. `to` is the stage's register of the field, laid out as gpu_register_at has it where there are tiles; `also`
 * is a field and may be NULL. */
struct gpu_response_stage {
  double step, a, b;    /* low storage */
  double weight, next;  /* sums, both times the step */
  int first, last;      /* stage of a step with sums */
  const void *field[2]; /* E, H: whose rates are taken */
  void *to[2], *also[2];
};
gpuError_t gpu_stage_response(const struct gpu_tables *tables, const struct gpu_response *response,
                              const struct gpu_response_stage *stage, gpuStream_t stream);

/* Rows to[k * rows + row] = factor[k][0] field + sum over q of factor[k][1 + q] state q, for all entries of a pole: the
 * states at the start, and the vectors of energies and losses. */
struct gpu_response_vector {
  const double *factor; /* [count][1 + MX_POLE_STATES] */
  const void *field;
  int rows, row;
  void *to;
};
gpuError_t gpu_combine_response(const struct gpu_tables *tables, const struct gpu_response *response,
                                const struct gpu_response_vector *vector, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
