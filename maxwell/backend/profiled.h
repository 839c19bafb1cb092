/* A backend whose every call is a phase of a profile; a run with `--profile` puts it around its own. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/shell/profile.h"

/* The tables of a backend that is watched. */
struct mx_profiled {
  struct mx_backend_ops ops;
  struct mx_card_ops card;
};

/* Puts a watch around a backend: *backend becomes one that passes all calls on to the old one, which it owns from now
 * on, and notes their times in profile, as the old one does of its parts; *tables are those of the new one and stay
 * where they are. */
int mx_profile_backend(struct mx_backend **backend, struct mx_profiled *tables, const struct mx_backend_ops *inner,
                       struct mx_profile *profile, struct dg_error *err) DG_MUST_USE;
