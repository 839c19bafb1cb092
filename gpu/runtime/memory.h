/* Memory of the card, and pinned memory of the host, that lives as long as its owner. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* Blocks of one of the two kinds; {0} at first. Release with the function of that kind. */
struct gpu_memory {
  size_t count;
  void **block;
  size_t bytes;
};

/* Allocates memory of the card, not zeroed. DG_ENVIRONMENT: the message says how much was wanted for what, and how much
 * is free. */
int gpu_new(struct gpu_memory *card, void *pointer, size_t bytes, const char *what, struct dg_error *err) DG_MUST_USE;
/* Allocates memory of the card and copies an array of the host there. */
int gpu_new_copy(struct gpu_memory *card, void *pointer, const void *host, size_t bytes, const char *what,
                 struct dg_error *err) DG_MUST_USE;
/* Allocates pinned memory of the host. */
int gpu_new_pinned(struct gpu_memory *pinned, void *pointer, size_t bytes, struct dg_error *err) DG_MUST_USE;
void gpu_release_card(struct gpu_memory *card);
void gpu_release_pinned(struct gpu_memory *pinned);
