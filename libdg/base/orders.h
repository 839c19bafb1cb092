/* The polynomial orders, and the sizes that follow from them. */
#pragma once

#define DG_ORDER_MIN 1
#define DG_ORDER_MAX 8

/* Every order of the program, for tables and for instantiating a body per order:
 *   #define CASE(p) case p: return kernel(p, ...);
 *   switch (order) { DG_ORDERS(CASE) } */
#define DG_ORDERS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

#define DG_NP(p)  (((p) + 1) * ((p) + 2) * ((p) + 3) / 6) /* nodes of a tetrahedron */
#define DG_NF(p)  (((p) + 1) * ((p) + 2) / 2)             /* nodes of a face */
#define DG_NP_MAX DG_NP(DG_ORDER_MAX)
#define DG_NF_MAX DG_NF(DG_ORDER_MAX)
