/* The table of responses, and their lists: allocation, release, search. problem.c makes the lists;
 * response.h explains responses. */
#include "maxwell/response/response.h"

#include "libdg/base/memory.h"

#define DECLARE(kind, prefix, ...) extern const struct mx_response_ops prefix##_response;
MX_RESPONSE_LIST(DECLARE)
#undef DECLARE

#define ROW(kind, prefix, ...) [kind] = &prefix##_response,
const struct mx_response_ops *const mx_responses[MX_RESPONSE_KINDS] = {MX_RESPONSE_LIST(ROW)};
#undef ROW

int mx_response_init(struct mx_response *response, enum mx_response_kind kind, int of, size_t count,
                     struct dg_error *err)
{
  *response = (struct mx_response){.kind = kind, .of = of, .count = count};
  if (DG_NEW(response->where, count, err) != 0 ||
      DG_NEW(response->parameter, count * (size_t)mx_responses[kind]->parameters, err) != 0)
    mx_response_release(response);
  return err->code;
}

void mx_response_release(struct mx_response *response)
{
  dg_free(response->where);
  dg_free(response->parameter);
  *response = (struct mx_response){0};
}

ptrdiff_t mx_response_find(const struct mx_response *response, size_t element)
{
  size_t low = 0, high = response->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((size_t)response->where[middle] < element) low = middle + 1;
    else high = middle;
  }
  return low < response->count && (size_t)response->where[low] == element ? (ptrdiff_t)low : -1;
}
