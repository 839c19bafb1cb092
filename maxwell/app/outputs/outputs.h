/* Files that a command line names to be written: none of them takes the place of an input, or of something that this
 * program has not made. share/plot/curlew_outputs.py has the same rule and the same marks for programs in Python. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* Fails with DG_INPUT where `path` is one of the inputs (by another name, too, or a further link), a symbolic link, or
 * a file without a mark of this program's. option: for messages, "--json". NULL among the inputs is left out. What is
 * no regular file is left to those who write. */
int mx_output_check(const char *option, const char *path, size_t inputs, const char *const *input,
                    struct dg_error *err) DG_MUST_USE;
