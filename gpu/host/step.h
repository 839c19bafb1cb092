/* The stages of a step. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err);
int gpu_stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                    struct dg_error *err);
int gpu_stage_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                      struct dg_error *err);
/* A pass of a part that takes shorter steps, times `scale`. */
int gpu_fine_pass(struct mx_backend *part, int equation, double scale, struct dg_error *err);
int gpu_stage_end(struct mx_backend *backend, int stage, struct dg_error *err);
