/* Makes and releases the list of sources, one for each term of a problem. sources_build.c and port_build.c add to it;
 * see source_list.h. */
#include "maxwell/sources/source_list.h"

#include <string.h>

#include "libdg/base/memory.h"

size_t mx_source_nodes(const struct mx_source_list *list, const struct mx_term *term)
{
  return (size_t)(term->kind == MX_CURRENT ? list->problem->ref->Np : list->problem->ref->Nf);
}

size_t mx_source_numbers(const struct mx_term *term, size_t points)
{
  switch (term->values) {
  case MX_ONE_NUMBER:
    return 1;
  case MX_NUMBER_A_NODE:
    return points;
  case MX_VECTOR_A_NODE:
    return 3 * points;
  }
  return 0;
}

int mx_source_add(struct mx_source_list *list, const struct mx_new_term *wanted, struct mx_term **term,
                  struct mx_source **source, struct dg_error *err)
{
  struct mx_problem *problem = list->problem;
  if (dg_grow(&problem->term, problem->terms + 1, sizeof *problem->term, err) != 0 ||
      dg_grow(&list->source, list->count + 1, sizeof *list->source, err) != 0)
    return err->code;
  *term = &problem->term[problem->terms++];
  *source = &list->source[list->count++];
  (*term)->kind = wanted->kind;
  (*term)->values = wanted->values;
  (*term)->count = wanted->count;
  (*source)->factor = 1;
  (*source)->points = wanted->count * mx_source_nodes(list, *term);
  size_t numbers = mx_source_numbers(*term, (*source)->points);
  char *what;
  if (dg_copy_string(&what, wanted->what, err) != 0) return err->code;
  (*source)->what = what;
  if (DG_NEW((*term)->where, wanted->count, err) != 0 || DG_NEW((*source)->now, numbers, err) != 0 ||
      DG_NEW((*source)->before, numbers, err) != 0 ||
      ((*term)->values == MX_VECTOR_A_NODE && DG_NEW((*source)->next, numbers, err) != 0))
    return err->code;
  return 0;
}

void mx_source_list_release(struct mx_source_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    struct mx_source *source = &list->source[i];
    char *what;
    memcpy(&what, &source->what, sizeof what); /* the struct shows a const pointer, but the list owns the text */
    dg_free(what);
    dg_free(source->lag);
    dg_free(source->x);
    dg_free(source->sheet);
    dg_free(source->now);
    dg_free(source->before);
    dg_free(source->next);
    dg_free(source->called);
    dg_free(source->table_time);
    dg_free(source->table_value);
  }
  dg_free(list->source);
  *list = (struct mx_source_list){0};
}
