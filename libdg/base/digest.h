/* Digests of data: to notice that something is not what it was, by accident, not by intent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The digest of `bytes` of data behind what `before` is the digest of (0: nothing). It differs for certain when a
 * single word of 64 bits does, else with probability 1 - 2^-64. Some GB a second. */
uint64_t dg_digest(uint64_t before, const void *data, size_t bytes);
