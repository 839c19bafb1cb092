/* The key of a point along a Hilbert curve in three dimensions. mesh_build.c sorts elements by it. Source: J. Skilling,
 * Programming the Hilbert curve, AIP Conf. Proc. 707 (2004) 381. */
#include "libdg/mesh/hilbert.h"

uint64_t dg_hilbert_key(const uint32_t x[3])
{
  uint32_t t[3] = {x[0], x[1], x[2]};
  const uint32_t top = UINT32_C(1) << (DG_HILBERT_BITS - 1);
  /* Undo the reflections and exchanges of every level, coarse to fine. */
  for (uint32_t q = top; q > 1; q >>= 1) {
    uint32_t p = q - 1;
    for (int i = 0; i < 3; i++) {
      if (t[i] & q) {
        t[0] ^= p;
      } else {
        uint32_t swap = (t[0] ^ t[i]) & p;
        t[0] ^= swap;
        t[i] ^= swap;
      }
    }
  }
  /* Gray code. */
  t[1] ^= t[0];
  t[2] ^= t[1];
  uint32_t mask = 0;
  for (uint32_t q = top; q > 1; q >>= 1)
    if (t[2] & q) mask ^= q - 1;
  for (int i = 0; i < 3; i++) t[i] ^= mask;
  /* The transposed index: bit b of t[0], t[1], t[2] are three successive bits of the key. */
  uint64_t key = 0;
  for (int b = DG_HILBERT_BITS - 1; b >= 0; b--)
    for (int i = 0; i < 3; i++) key = key << 1 | (t[i] >> b & 1);
  return key;
}
