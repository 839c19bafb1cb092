/* A backend whose every call is a phase of a profile; a run with `--profile` puts it around its own. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/shell/profile.h"

/* The tables of a backend that is watched. */
struct mx_profiled {
  struct mx_backend_ops ops;
  struct mx_card_ops card;
};

/* Puts a watch around a backend. *backend becomes a new one, which owns the old one, hands all calls on to it, and
 * notes their times in profile. The old one notes the times of its parts there, too. *tables belong to the new backend
 * and must stay where they are. */
int mx_profile_backend(struct mx_backend **backend, struct mx_profiled *tables, const struct mx_backend_ops *inner,
                       struct mx_profile *profile, struct dg_error *err) DG_MUST_USE;
/* Takes the watch off, if there is one: for what has parts of a backend made (maxwell/levels), and watches them itself.
 */
void mx_profiled_inner(const struct mx_backend_ops **ops, struct mx_backend **backend);
