/* Position along a Hilbert curve: points that are near on the curve are near in space. */
#pragma once

#include <stdint.h>

#define DG_HILBERT_BITS 20 /* per direction; three of them fit into 63 bits */

/* Index along the curve of the cell x[3] of a grid of 2^DG_HILBERT_BITS cells a direction.
 * Source: J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004) 381. */
uint64_t dg_hilbert_key(const uint32_t x[3]);
