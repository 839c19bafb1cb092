/* Warnings of what a run would do badly, before it begins: `run` and `check` say the same. */
#pragma once

#include "maxwell/setup/setup.h"

/* Warns of sources that are zero in the run or begin suddenly, and of those whose energy lies at frequencies that the
 * mesh resolves badly. DG_INPUT where most of it lies above the Nyquist frequency of the step. Once the sources are
 * prepared; collective. */
int mx_suspect(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
