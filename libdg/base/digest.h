/* Digests of data, which show that data were changed by accident. They do not protect against intent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The digest of `bytes` of data that follow on data with the digest `before` (0: no data). Two digests differ for
 * certain when a single word of 64 bits differs, else with probability 1 - 2^-64. Some GB a second. */
uint64_t dg_digest(uint64_t before, const void *data, size_t bytes);
