/* Nodes by orbits of the half turns (maxwell/backend/frame/symmetry.h), and the values at an orbit's nodes by sectors.
 * Quads come first, then pairs, then the fixed node. */
#pragma once

#include "gpu/kernels/layout.h"
#include "maxwell/backend/frame/symmetry.h"

template <int P> struct gpu_orbits {
  static constexpr int quads = MX_QUADS(P), pairs = MX_PAIRS(P), all = MX_SECTOR_0(P);
  static constexpr int steps = (all + 3) / 4;  /* steps of a sum over orbits, four orbits each */
  static constexpr int eights = (all + 7) / 8; /* eights of orbits of the results */
  static constexpr int face_steps = (DG_NF(P) + 3) / 4;
  /* The steps and eights of sectors 1 to 3, which have fewer where pairs are packed. */
  static constexpr bool packed = gpu_packs_pairs(P);
  static constexpr int few_steps = packed ? (quads + pairs + 3) / 4 : steps;
  static constexpr int few_eights = packed ? (quads + pairs + 7) / 8 : eights;
  __device__ static constexpr int steps_of(int s) { return s == 0 ? steps : few_steps; }
  __device__ static constexpr int eights_of(int s) { return s == 0 ? eights : few_eights; }

  /* The places of fragments (gpu/tables/kernel_tables.c): of the first one of step k from a sector along bimedian d +
   * 1, and of the one of face step k to sector s. */
  __device__ static constexpr int derivative(int k, int from, int d)
  {
    const int whole = k < few_steps ? k : few_steps;
    int at = whole * (9 * few_eights + 3 * eights) + (k - whole) * 3 * few_eights + d * few_eights;
    if (from > 0) at += 3 * few_eights + (from - 1) * (2 * few_eights + eights);
    return from > 0 && d > from - 1 ? at + eights - few_eights : at;
  }
  __device__ static constexpr int lift(int k, int s)
  {
    const int at = derivative(steps, 0, 0) + k * (eights + 3 * few_eights);
    return s == 0 ? at : at + eights + (s - 1) * few_eights;
  }
  static constexpr int fragments = few_steps * (9 * few_eights + 3 * eights) + (steps - few_steps) * 3 * few_eights +
                                   face_steps * (eights + 3 * few_eights);

  /* The place of member g of orbit o among a component's nodes. Members of pairs and of the fixed node coincide. */
  __device__ static constexpr int node(int o, int g)
  {
    if (o < quads) return g * quads + o;
    o -= quads;
    if (o >= 3 * pairs) return DG_NP(P) - 1;
    int kept_by = pairs > 0 ? o / pairs + 1 : 0;
    return 4 * quads + 2 * o + (g == 0 || g == kept_by ? 0 : 1);
  }
  /* Is member g the first of the members of orbit o at its place? */
  __device__ static constexpr bool first(int o, int g)
  {
    for (int h = 0; h < g; h++)
      if (node(o, h) == node(o, g)) return false;
    return true;
  }
  /* Does sector s have orbit o? */
  __device__ static constexpr bool has(int s, int o)
  {
    return s == 0 || o < quads || (pairs > 0 && o < quads + 3 * pairs && (o - quads) / pairs + 1 == s);
  }
};

/* Turns the values of the four members of an orbit (or of the four faces at a node of face 0) into sectors, or back. */
template <typename REAL> __device__ inline void gpu_to_sectors(REAL x[4])
{
  REAL a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
  x[0] = a + c, x[1] = a - c, x[2] = b + d, x[3] = b - d;
}
