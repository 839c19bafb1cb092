/* The instruction sets of the `cpu` backend, one after the other: none is tested under the name of another. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "maxwell/backend/backend.h"

static int sets_missing; /* on this machine, of those that were asked for */

/* Does the name of the kernels ("AVX-512") mean that set ("avx512")? */
static bool means(const char *name, const char *set)
{
  for (; *name != '\0'; name++)
    if (*name != '-' && tolower((unsigned char)*name) != *set++) return false;
  return *set == '\0';
}

/* From now on `cpu` works with that set, until leave_instructions. False where this machine has not got it, which is
 * said once; the test fails where the machine has it and the backend refuses it, and with another one in its place. */
static bool take_instructions(const char *set)
{
  static const char *said[8];
  struct dg_error err = {0};
#ifndef CURLEW_X86 /* this build has one set, and misses none */
  if (strcmp(set, "portable") != 0) return false;
#endif
  setenv("CURLEW_SIMD", set, 1);
  if (mx_backend_cpu.available(&err) == 0) {
    if (!means(mx_backend_cpu.instructions(), set))
      fail_msg("%s in the place of %s", mx_backend_cpu.instructions(), set);
    return true;
  }
  for (int i = 0; i < sets_missing; i++)
    if (strcmp(said[i], set) == 0) return false;
#ifdef CURLEW_X86
  if ((strcmp(set, "avx2") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ||
      (strcmp(set, "avx512") == 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")))
    fail_msg("the machine has %s, the backend says: %s", set, err.message);
#endif
  if (strcmp(set, "portable") == 0) fail_msg("%s", err.message);
  said[sets_missing++] = set;
  print_message("skipped: %s\n", err.message);
  return false;
}

static void leave_instructions(void) { unsetenv("CURLEW_SIMD"); }

/* The exit code of a program with so many failed tests: 77, skipped, where all is well but for a set that is missing.
 */
static int code_of_sets(int failed) { return failed == 0 && sets_missing > 0 ? 77 : failed; }
