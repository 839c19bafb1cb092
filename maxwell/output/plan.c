/* What a run is going to write; see plan.h. The names are those of snapshot.c, output.c, measure_record.c,
 * port_output.c, checkpoint_files.c, summary.c and silo_writer.c. */
#include "maxwell/output/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

enum { NAME = 512 };

/* ---- the list */

static DG_PRINTF(4, 5) int add(char ***list, size_t *count, struct dg_error *err, const char *format, ...)
{
  char name[NAME];
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  if ((*count & (*count + 1)) == 0 && dg_grow(list, 2 * *count + 2, sizeof **list, err) != 0) return err->code;
  if (dg_copy_string(&(*list)[*count], name, err) != 0) return err->code;
  ++*count;
  return 0;
}

#define FILE_NAME(...)    add(&plan->file, &plan->files, err, __VA_ARGS__)
#define PATTERN_NAME(...) add(&plan->pattern, &plan->patterns, err, __VA_ARGS__)

static void add_folder(struct mx_plan *plan, const char *folder)
{
  for (size_t i = 0; i < plan->folders; i++)
    if (strcmp(plan->folder[i], folder) == 0) return;
  DG_BUG_IF(plan->folders == sizeof plan->folder / sizeof *plan->folder, "too many folders");
  plan->folder[plan->folders++] = folder;
}

static int add_measure(struct mx_plan *plan, const struct mx_measure_config *measure, struct dg_error *err)
{
  const char *folder = mx_measure_folders[measure->kind], *name = measure->name;
  const bool spectrum = measure->frequencies.count > 0;
  add_folder(plan, folder);
  if (measure->kind == MX_PROBE_PLANE && measure->silo) {
    if (PATTERN_NAME("%s/%.200s_#.silo", folder, name) != 0) return err->code;
    return spectrum ? PATTERN_NAME("%s/%.200s_spectrum_#.silo", folder, name) : 0;
  }
  if (FILE_NAME("%s/%.200s.csv", folder, name) != 0) return err->code;
  return spectrum ? FILE_NAME("%s/%.200s_spectrum.csv", folder, name) : 0;
}

static int add_ports(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_ports *ports = &setup->sources.ports;
  if (ports->count > 0) add_folder(plan, "ports");
  for (size_t i = 0; i < ports->count; i++)
    if (FILE_NAME("ports/%.200s.csv", mx_ports_name(ports, i)) != 0) return err->code;
  if (setup->config->output.s_parameters.count == 0) return 0;
  if (FILE_NAME("sparameters.csv") != 0) return err->code;
  return FILE_NAME("%.200s.s%zup", setup->config->name, ports->count);
}

static int by_name(const void *a, const void *b)
{
  const char *const *x = a, *const *y = b;
  return strcmp(*x, *y);
}

int mx_plan_init(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  *plan = (struct mx_plan){.folders = 3, .folder = {".", "checkpoint", "blocks"}};
  if (FILE_NAME("summary.json") != 0 || FILE_NAME("log.txt") != 0 ||
      (config->output.energy_every > 0 && FILE_NAME("energy.csv") != 0) ||
      (config->output.balance.every > 0 && FILE_NAME("balance.csv") != 0))
    return err->code;
  for (size_t i = 0; i < config->output.measures; i++)
    if (add_measure(plan, &config->output.measure[i], err) != 0) return err->code;
  if (setup->mesh_kept != NULL) add_folder(plan, "mesh");
  if (add_ports(plan, setup, err) != 0 || PATTERN_NAME("checkpoint/step_#.h5") != 0 ||
      PATTERN_NAME("checkpoint/step_#_#.h5") != 0)
    return err->code;
  if (config->output.fields.every > 0 &&
      (PATTERN_NAME("fields_#.silo") != 0 || PATTERN_NAME("blocks/fields_#_#.silo") != 0 ||
       PATTERN_NAME("blocks/mesh_@_#.silo") != 0))
    return err->code;
  qsort(plan->file, plan->files, sizeof *plan->file, by_name);
  return 0;
}

void mx_plan_release(struct mx_plan *plan)
{
  for (size_t i = 0; i < plan->files; i++) dg_free(plan->file[i]);
  for (size_t i = 0; i < plan->patterns; i++) dg_free(plan->pattern[i]);
  dg_free(plan->file);
  dg_free(plan->pattern);
  *plan = (struct mx_plan){0};
}

/* ---- is it in it? */

static bool fits(const char *pattern, const char *name)
{
  for (; *pattern != '\0'; pattern++) {
    if (*pattern != '#' && *pattern != '@') {
      if (*name++ != *pattern) return false;
      continue;
    }
    const size_t digits = strspn(name, *pattern == '#' ? "0123456789" : "0123456789abcdef");
    if (digits == 0) return false;
    name += digits;
  }
  return *name == '\0';
}

bool mx_plan_has(const struct mx_plan *plan, const char *name)
{
  char whole[NAME];
  const char *found = whole;
  const size_t length = strlen(name), ending = 5;
  if (length >= sizeof whole) return false;
  snprintf(whole, sizeof whole, "%s", name);
  if (length > ending && (strcmp(name + length - ending, ".part") == 0 || strcmp(name + length - ending, ".room") == 0))
    whole[length - ending] = '\0';
  if (bsearch(&found, plan->file, plan->files, sizeof *plan->file, by_name) != NULL) return true;
  for (size_t i = 0; i < plan->patterns; i++)
    if (fits(plan->pattern[i], whole)) return true;
  return false;
}
