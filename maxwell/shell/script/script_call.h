/* Calls of one function of a script at many places, in one state. Private to the script reader. */
#pragma once

#include "maxwell/shell/script/script_state.h"

struct mx_calls {
  const struct mx_script_function *function;
  struct mx_places at;
  double *out; /* [at.count][at.components] */
};

/* Calls [first, last) of them in the state of `script`, which is that of the function or a copy. An error is that of
 * the first that has one. */
int mx_call_part(struct mx_script *script, const struct mx_calls *calls, size_t first, size_t last,
                 struct dg_error *err) DG_MUST_USE;
/* One call of a function that returns true or false; `what` names it in messages ("time.finish"). */
int mx_call_answer(const struct mx_script_function *function, const char *what, int inputs, const double *in,
                   bool *answer, struct dg_error *err) DG_MUST_USE;
