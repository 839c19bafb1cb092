/* What a run of a sweep depends on, and what it has left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

/* Makes a digest of the script and of the files beside it that it, its modules and its geometries name in quotes
 * (.lua, .geo, .msh, .step, .stl, .csv and the like). DG_INPUT: the script cannot be read. */
int mx_inputs_digest(const char *script, uint64_t *digest, struct dg_error *err) DG_MUST_USE;

/* The files that a run has read, by its configuration.json: names that an argument makes among them. */
struct mx_run_inputs {
  bool known;      /* it has such a file, and all of them are there */
  bool newer;      /* one of them was changed after the run began */
  uint64_t digest; /* as of mx_inputs_digest, of all of them */
};

int mx_run_inputs_read(struct mx_run_inputs *inputs, const char *folder, struct dg_error *err) DG_MUST_USE;

/* A value of summary.json; numbers as they stand there, "nan" for null. */
struct mx_outcome_value {
  char *name, *text; /* in the outcome's text */
};

struct mx_outcome {
  char *text;
  char *status, *steps, *time, *energy; /* in the text; NULL: not there */
  size_t count;
  struct mx_outcome_value *derived; /* [count] */
};

/* Reads FOLDER/summary.json. DG_ENVIRONMENT: there is none, or it is none of this program's. Release in any case. */
int mx_outcome_read(struct mx_outcome *outcome, const char *folder, struct dg_error *err) DG_MUST_USE;
void mx_outcome_release(struct mx_outcome *outcome);
