/* Responses on the card (maxwell/response/response.h): the functions that the host calls. States of poles have rows
 * like fields; the row of state q of entry k is row k * states + q. Those of layers are [count][states][3][Nq]. Nodes
 * are in the card's order. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"
#include "maxwell/response/response.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layers: entries and points that a thread has, and the most threads of a block. */
enum { GPU_LAYER_PAIR = 2, GPU_LAYER_ROWS = 3, GPU_LAYER_THREADS = 256 };

struct gpu_response {
  enum mx_response_kind kind;
  int states, of_E;    /* as in mx_response_ops */
  int layer;           /* the kind acts on E and H */
  int of;              /* poles: the field that they answer, 0: E, 1: H */
  size_t coefficients; /* of an entry */
  size_t count;
  const int32_t *where;    /* [count] elements */
  const void *coefficient; /* [count][coefficients] */
  /* Layers: points of the rule, pairs of entries of a block, barycentric coordinates [Nq][4] of the points, and the
   * matrices [Np][Nq] to the points and [Nq][Np] back, whose nodes are in the card's order. */
  int points, rows;
  const void *place, *at, *project;
  /* The same for layers/tensor.cuh: the matrices as layers/pieces.h has them, and of a layer of one direction the
   * coefficients that it uses, [count][GPU_LAYER_USED]. NULL: these kernels are not for this card or order. */
  const void *pieces, *used;
  void *now;         /* the state between steps; the arrays below are for Runge-Kutta only */
  void *registers;   /* of low-storage schemes */
  void *stage, *sum; /* of schemes that add up sums */
};

/* The bytes of shared memory that an entry of a layer takes, with points of this number. */
static inline size_t gpu_layer_bytes(int order, int points, size_t real)
{
  return 4 * real * ((size_t)DG_NP(order) + (size_t)points);
}

/* Takes field `of`, 0: E, 1: H, and its states along, behind a step of leapfrog. */
gpuError_t gpu_step_response(const struct gpu_tables *tables, const struct gpu_response *response, int of, void *field,
                             gpuStream_t stream);

/* Sets vectors that answer H at the start of leapfrog, behind the half step that takes H back from t = 0. */
gpuError_t gpu_start_vectors(const struct gpu_tables *tables, const struct gpu_response *response, void *H,
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

/* The kernels of layers of one order, by precision: double, single. Defined by layers/order.cu.in, a file an order.
 * `int`: which field. */
struct gpu_layer_order {
  gpuError_t (*step[2])(const struct gpu_tables *, const struct gpu_response *, int, void *, gpuStream_t);
  gpuError_t (*stage[2])(const struct gpu_tables *, const struct gpu_response *, int, const struct gpu_response_stage *,
                         gpuStream_t);
};
extern const struct gpu_layer_order gpu_layer_order_1, gpu_layer_order_2, gpu_layer_order_3, gpu_layer_order_4,
    gpu_layer_order_5, gpu_layer_order_6;

/* Rows to[k * rows + row] = factor[k][0] field + factor[k][1] before + sum over q of factor[k][2 + q] state q, for all
 * entries of a pole: the states at the start, and the vectors of energies and losses. */
struct gpu_response_vector {
  const double *factor; /* [count][2 + states] */
  int states;           /* how many states take part, from the first one on */
  const void *field, *before;
  int rows, row;
  void *to;
};
gpuError_t gpu_combine_response(const struct gpu_tables *tables, const struct gpu_response *response,
                                const struct gpu_response_vector *vector, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
