/* The head of a file of arrays (libdg/io/store.c), so that the programs can put any content behind a digest that fits.
 */
#pragma once

#include <inttypes.h>

#include "libdg/base/digest.h"
#include "libdg/fuzz/fuzz.h"

enum { FUZZ_HEAD = 512, FUZZ_PIECE = 1 << 18 }; /* the digest goes by pieces */

/* The file's first bytes are replaced by the head of what lies behind them. */
static inline void fuzz_seal(const char *name)
{
  static unsigned char piece[FUZZ_PIECE];
  char head[FUZZ_HEAD];
  uint64_t digest = 0;
  long long bytes = 0;
  const int file = open(name, O_RDWR);
  FUZZ_EXPECT(file >= 0 && lseek(file, FUZZ_HEAD, SEEK_SET) == FUZZ_HEAD);
  for (ssize_t got; (got = read(file, piece, sizeof piece)) > 0; bytes += got)
    digest = dg_digest(digest, piece, (size_t)got);
  memset(head, '\n', sizeof head);
  const int length =
      snprintf(head, sizeof head, "curlew store 1: %lld bytes of HDF5 follow, digest %016" PRIx64 "\n", bytes, digest);
  head[length] = '\n';
  FUZZ_EXPECT(pwrite(file, head, sizeof head, 0) == FUZZ_HEAD && close(file) == 0);
}
