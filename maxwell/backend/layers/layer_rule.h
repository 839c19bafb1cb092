/* What the kernels of perfectly matched layers on the host need, for every precision and instruction set
 * (layer_kernel.h). The void pointers are arrays of the precision.
 *
 * A layer's states live at the points of the rule of integration (libdg/ref/rule.h), [directions][3][Nq] a field. Its
 * filters are worked there and their result is projected. maxwell/response/layer.h says why. */
#pragma once

#include <stddef.h>

#include "libdg/ref/rule.h"
#include "maxwell/response/response.h"

enum {
  MX_LAYER_RUN = 8, /* rows of a matrix that are worked on at a time */
  /* the most points, in whole runs */
  MX_LAYER_POINTS = (DG_RULE_POINTS_MAX + MX_LAYER_RUN - 1) / MX_LAYER_RUN * MX_LAYER_RUN
};

/* Rows that kernels write are aligned to a run of the widest type. */
#define MX_LAYER_ALIGN _Alignas(64)

/* The matrices of the rule, for all layers: runs of rows, [runs][columns][MX_LAYER_RUN], zero where rows are missing;
 * and where an element's field has its numbers: node i of component c is number i * by_node + c * by_component. */
struct mx_layer_rule {
  size_t Np, Nq, by_node, by_component;
  void *at, *project; /* runs of points with columns of nodes, and the other way round */
  void *barycentric;  /* [4][Nq] of the points */
};

/* One field of an entry of a layer, `of` 0: E, 1: H; c: the entry's coefficients; now[directions][3][Nq]: its states.
 */
struct mx_layer_kernels {
  /* Steps the states and the field. */
  void (*step)(enum mx_response_kind kind, const struct mx_layer_rule *rule, int of, const void *c, void *now,
               void *field);
  /* Gives the rates of the states, rate[directions][3][Nq], and what they add to that of the field,
   * added[3][MX_LAYER_POINTS], aligned, of which Np count. */
  void (*rate)(enum mx_response_kind kind, const struct mx_layer_rule *rule, int of, const void *c, const void *now,
               const void *field, void *rate, void *added);
  /* Poles: steps the states now[states][numbers] and the field[numbers] of an entry. */
  void (*poles)(enum mx_response_kind kind, size_t numbers, const void *c, void *now, void *field);
};

/* They stand in maxwell/backend/layers, one file an instruction set. */
extern const struct mx_layer_kernels mx_layers_portable_double, mx_layers_portable_single;
extern const struct mx_layer_kernels mx_layers_avx2_double, mx_layers_avx2_single;
extern const struct mx_layer_kernels mx_layers_avx512_double, mx_layers_avx512_single;
