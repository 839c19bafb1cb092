/* The list of names that a run is going to write; see plan.h. */
#include "maxwell/shell/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

enum { NAME = 512 };

/* ---- the list */

static int add(char ***list, size_t *count, const char *name, struct dg_error *err)
{
  if ((*count & (*count + 1)) == 0 && dg_grow(list, 2 * *count + 2, sizeof **list, err) != 0) return err->code;
  if (dg_copy_string(&(*list)[*count], name, err) != 0) return err->code;
  ++*count;
  return 0;
}

int mx_plan_file(struct mx_plan *plan, struct dg_error *err, const char *format, ...)
{
  char name[NAME];
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  return add(&plan->file, &plan->files, name, err);
}

int mx_plan_pattern(struct mx_plan *plan, struct dg_error *err, const char *format, ...)
{
  char name[NAME];
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  return add(&plan->pattern, &plan->patterns, name, err);
}

void mx_plan_folder(struct mx_plan *plan, const char *folder, bool later)
{
  for (size_t i = 0; i < plan->folders; i++)
    if (strcmp(plan->folder[i], folder) == 0) return;
  DG_BUG_IF(plan->folders == sizeof plan->folder / sizeof *plan->folder, "too many folders");
  plan->later[plan->folders] = later;
  plan->folder[plan->folders++] = folder;
}

static int by_name(const void *a, const void *b)
{
  const char *const *x = a, *const *y = b;
  return strcmp(*x, *y);
}

/* Sorting and searching take no null pointer, not even for an empty list. */
void mx_plan_sort(struct mx_plan *plan)
{
  if (plan->files > 0) qsort(plan->file, plan->files, sizeof *plan->file, by_name);
}

void mx_plan_release(struct mx_plan *plan)
{
  for (size_t i = 0; i < plan->files; i++) dg_free(plan->file[i]);
  for (size_t i = 0; i < plan->patterns; i++) dg_free(plan->pattern[i]);
  dg_free(plan->file);
  dg_free(plan->pattern);
  *plan = (struct mx_plan){0};
}

/* ---- looking names up */

/* Says whether the name fits the pattern. *step becomes the number at '$', or stays as it was. */
static bool fits(const char *pattern, const char *name, long *step)
{
  for (; *pattern != '\0'; pattern++) {
    if (*pattern != '#' && *pattern != '@' && *pattern != '$') {
      if (*name++ != *pattern) return false;
      continue;
    }
    const size_t digits = strspn(name, *pattern == '@' ? "0123456789abcdef" : "0123456789");
    if (digits == 0) return false;
    if (*pattern == '$') *step = strtol(name, NULL, 10);
    name += digits;
  }
  return *name == '\0';
}

long mx_plan_step(const struct mx_plan *plan, const char *name)
{
  for (size_t i = 0; i < plan->patterns; i++) {
    long step = -1;
    if (fits(plan->pattern[i], name, &step) && step >= 0) return step;
  }
  return -1;
}

bool mx_plan_has(const struct mx_plan *plan, const char *name)
{
  char whole[NAME];
  const char *found = whole;
  const size_t length = strlen(name), ending = 5;
  long step;
  if (length >= sizeof whole) return false;
  snprintf(whole, sizeof whole, "%s", name);
  if (length > ending && (strcmp(name + length - ending, ".part") == 0 || strcmp(name + length - ending, ".room") == 0))
    whole[length - ending] = '\0';
  if (plan->files > 0 && bsearch(&found, plan->file, plan->files, sizeof *plan->file, by_name) != NULL) return true;
  for (size_t i = 0; i < plan->patterns; i++)
    if (fits(plan->pattern[i], whole, &step)) return true;
  return false;
}
