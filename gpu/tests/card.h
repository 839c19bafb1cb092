/* For tests that need a card. */
#pragma once

#include <stdio.h>

#include "maxwell/backend/backend.h"

/* 77, which ctest shows as skipped, where there is none; else 0. */
static inline int no_card(void)
{
  struct dg_error err = {0};
  if (mx_backend_cuda.available(&err) == 0) return 0;
  printf("skipped: %s\n", err.message);
  return 77;
}
