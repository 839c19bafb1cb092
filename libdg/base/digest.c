/* A digest of 64 bits over four lanes, so that a processor works on several words at a time. Files of arrays, ledgers,
 * tables and mesh parcels are checked with it. The digest finds accidents; it is no protection against a forger. */
#include "libdg/base/digest.h"

#include <string.h>

/* Odd constants with bits all over (the fractional part of the golden ratio, and primes near it). */
#define FIRST  UINT64_C(0x9e3779b97f4a7c15)
#define SECOND UINT64_C(0xc2b2ae3d27d4eb4f)

static uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

/* Mixes a word into the state. The result is one-to-one in each of the arguments, so that a word that differs makes the
 * state differ for good. */
static uint64_t mix(uint64_t state, uint64_t word)
{
  state = rotate((state ^ word) * FIRST, 29);
  return state ^ (state >> 32);
}

uint64_t dg_digest(uint64_t before, const void *data, size_t bytes)
{
  enum { LANES = 4, WORD = sizeof(uint64_t) };
  const unsigned char *from = data;
  uint64_t lane[LANES] = {before ^ FIRST, before ^ SECOND, before + FIRST, before + SECOND}, word[LANES];
  size_t left = bytes;
  for (; left >= sizeof word; left -= sizeof word, from += sizeof word) {
    memcpy(word, from, sizeof word);
    for (int i = 0; i < LANES; i++) lane[i] = rotate((lane[i] ^ word[i]) * FIRST, 29);
  }
  uint64_t state = mix(before, bytes);
  for (int i = 0; i < LANES; i++) state = mix(state, lane[i]);
  while (left > 0) {
    size_t here = left < WORD ? left : WORD;
    word[0] = 0;
    memcpy(word, from, here);
    state = mix(state, word[0]);
    from += here;
    left -= here;
  }
  return mix(state * SECOND, SECOND);
}
