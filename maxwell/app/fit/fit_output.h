/* What `curlew fit` prints and writes. Private to maxwell/app/fit. */
#pragma once

#include <stdio.h>

#include "maxwell/app/fit/fit_options.h"

enum { MX_FIT_TITLE = 64 };

/* A fit as it is told: a conductivity and a negative real pole are a Drude term together. */
struct mx_fit_told {
  const struct mx_fit_command *command;
  const struct mx_fit_data *data;
  const struct mx_fit_result *result;
  char name[MX_FIT_TITLE];  /* of the material: that of the table, as a name in Lua */
  struct mx_fit_model rest; /* without the Drude terms */
  size_t drudes;
  struct {
    double omega_p, gamma; /* rad/s */
  } drude[MX_FIT_POLES];
};

void mx_fit_tell(struct mx_fit_told *told, const struct mx_fit_command *command, const struct mx_fit_data *data,
                 const struct mx_fit_result *result);
/* As writers of dg_file_write: `told` is a struct mx_fit_told. */
void mx_fit_write_lua(FILE *file, const void *told);
void mx_fit_write_json(FILE *file, const void *told);
void mx_fit_write_csv(FILE *file, const void *told);
