/* Writes the results of the bench: a table on the terminal, and a JSON file with all numbers and a description of the
 * machine. bench.c calls it. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/text.h"
#include "maxwell/app/bench.h"
#include "maxwell/backend/backend.h"
#include "maxwell/version.h"

static const char *const precision_names[] = {"double", "single"};

/* ---- the table */

void mx_bench_print_machine(const struct mx_bench_machine *machine, int threads)
{
  printf("machine   %s, %d processors, %d thread%s, load %.2f, %s\n", machine->processor, machine->processors, threads,
         threads > 1 ? "s" : "", machine->load, machine->date);
  printf("caches   ");
  for (int i = 0; i < machine->caches; i++)
    printf("%s L%d %s %zu kB", i > 0 ? "," : "", machine->cache[i].level, machine->cache[i].type,
           machine->cache[i].bytes / 1024);
  printf("\nsoftware  curlew %s, %s, %s\n", CURLEW_VERSION, machine->compiler, machine->system);
}

void mx_bench_print_ceilings(const struct mx_bench_ceilings *ceilings, int threads)
{
  printf("copy      %.1f GB/s read and written (%s, arrays of %.0f MB); one thread %.1f; arrays of %.0f MB, as the "
         "fields: %.1f\n",
         1e-9 * ceilings->copy, ceilings->copy_kind, 1e-6 * (double)ceilings->array, 1e-9 * ceilings->copy_one,
         1e-6 * (double)ceilings->fields_array, 1e-9 * ceilings->copy_fields);
  printf(
      "peak      %.1f GFLOP/s of multiply-adds in double precision, %.1f in single (%s), %d thread%s; clock %.2f GHz\n",
      1e-9 * ceilings->peak[0], 1e-9 * ceilings->peak[1], ceilings->instructions, threads, threads > 1 ? "s" : "",
      1e-9 * ceilings->clock);
  const struct mx_ceilings *card = &ceilings->card;
  if (card->name[0] != '\0')
    printf("card      %s, %.1f GB: copy %.1f GB/s (arrays of %.0f MB), %.1f (arrays of %.0f MB); peak %.1f GFLOP/s in "
           "double precision, %.1f in single\n",
           card->name, 1e-9 * (double)card->memory, 1e-9 * card->copy, 1e-6 * (double)card->array,
           1e-9 * card->copy_fields, 1e-6 * (double)card->fields_array, 1e-9 * card->peak[MX_DOUBLE],
           1e-9 * card->peak[MX_SINGLE]);
}

void mx_bench_print_header(void)
{
  printf(
      "\np  elements  unknowns  integrator  precision  backend    threads     DoF/s  spread   evals/s    GB/s  GFLOP/s"
      "  floor  cached  limit  cycles  x reference\n");
}

void mx_bench_print_result(const struct mx_bench_result *r)
{
  double dofs = (double)r->unknowns / r->seconds;
  char ratio[24] = "-", cycles[24] = "-";
  if (r->cycles > 0) snprintf(cycles, sizeof cycles, "%.0f", r->cycles);
  if (r->ratio > 0) snprintf(ratio, sizeof ratio, "%.1f", r->ratio);
  printf("%d %9zu %9zu  %-10s  %-9s  %-9s %8d %9.3g %6.1f%% %9.3g %7.1f %8.1f  %5.3f  %6.3f  %-5s %7s %12s\n", r->order,
         r->elements, r->unknowns, mx_integrator_names[r->integrator], precision_names[r->precision],
         mx_backends[r->backend]->name, r->threads, dofs, 100 * (r->longest - r->shortest) / r->seconds,
         dofs * mx_schemes[r->integrator].evaluations, 1e-9 * r->bytes / r->seconds, 1e-9 * r->flops / r->seconds,
         r->floor / r->seconds, r->cached_floor / r->seconds, r->bytes_limit ? "bytes" : "flops", cycles, ratio);
  if (r->ranks > 1)
    printf("  %d ranks: halo %.4f ms of %.4f ms a step exposed (%.2f %%), %.3f MB a step sent by a rank%s%s\n",
           r->ranks, 1e3 * r->halo_seconds, 1e3 * r->seconds, 100 * r->halo_seconds / r->seconds, 1e-6 * r->halo_bytes,
           r->transport != NULL ? ", " : "", r->transport != NULL ? r->transport : "");
  (void)fflush(stdout); /* a long run shows its rows as they come */
}

void mx_bench_print_gain_header(void)
{
  printf("\np  elements  unknowns  flux  precision  backend    threads  slowest    step  shorter steps    part    core"
         "  counted  measured  spread  of counted  fit, s\n");
}

void mx_bench_print_gain(const struct mx_bench_gain *g)
{
  const double all = (double)g->elements;
  char steps[8 * MX_LEVELS_MAX] = "none";
  for (int i = 0, used = 0; i < g->levels; i++)
    used += snprintf(steps + used, sizeof steps - (size_t)used, "%s%d", i > 0 ? " x " : "", g->m[i]);
  printf("%d %9zu %9zu %5g  %-9s  %-9s %8d %8.3g %7.3g  %-13s", g->order, g->elements, g->unknowns, g->alpha,
         precision_names[g->precision], mx_backends[g->backend]->name, g->threads, g->slowest, g->step / g->single_step,
         steps);
  if (g->levels > 0)
    printf(" %6.2f%% %6.2f%% %8.2f %9.2f %6.1f%% %11.2f", 100 * (double)g->work[1].elements / all,
           100 * (double)g->work[1].core / all, g->counted, g->measured, 100 * (g->most - g->least) / g->measured,
           g->measured / g->counted);
  else printf(" %7s %7s %8s %9s %7s %11s", "-", "-", "-", "-", "-", "-");
  printf(" %7.2f\n", g->fit_seconds);
  (void)fflush(stdout);
}

/* ---- JSON */

/* "key": value, with what separates it from the one before. */
static void key(FILE *file, const char *before, const char *name) { fprintf(file, "%s\"%s\": ", before, name); }

static void string(FILE *file, const char *before, const char *name, const char *value)
{
  key(file, before, name);
  dg_json_string(file, value);
}

static void number(FILE *file, const char *before, const char *name, double value)
{
  key(file, before, name);
  dg_json_number(file, value);
}

static void write_machine(FILE *file, const struct mx_bench_machine *machine)
{
  static const char *const next = ",\n    ";
  string(file, ",\n  \"machine\": {\n    ", "processor", machine->processor);
  number(file, next, "processors", machine->processors);
  key(file, next, "caches");
  fputc('[', file);
  for (int i = 0; i < machine->caches; i++) {
    number(file, i > 0 ? ", {" : "{", "level", machine->cache[i].level);
    string(file, ", ", "type", machine->cache[i].type);
    number(file, ", ", "bytes", (double)machine->cache[i].bytes);
    fputc('}', file);
  }
  fputc(']', file);
  number(file, next, "memory_bytes", (double)machine->memory);
  string(file, next, "system", machine->system);
  string(file, next, "compiler", machine->compiler);
  number(file, next, "load", machine->load);
  fputs("\n  }", file);
}

static void write_ceilings(FILE *file, const char *name, const struct mx_bench_ceilings *ceilings)
{
  static const char *const next = ",\n    ";
  key(file, ",\n  ", name);
  number(file, "{\n    ", "copy_bytes_per_second", ceilings->copy);
  number(file, next, "copy_bytes_per_second_one_thread", ceilings->copy_one);
  string(file, next, "copy_kind", ceilings->copy_kind);
  number(file, next, "copy_array_bytes", (double)ceilings->array);
  number(file, next, "copy_bytes_per_second_field_size", ceilings->copy_fields);
  number(file, next, "field_size_array_bytes", (double)ceilings->fields_array);
  number(file, next, "double_flops_per_second", ceilings->peak[MX_DOUBLE]);
  number(file, next, "single_flops_per_second", ceilings->peak[MX_SINGLE]);
  string(file, next, "instructions", ceilings->instructions);
  number(file, next, "clock_cycles_per_second", ceilings->clock);
  const struct mx_ceilings *card = &ceilings->card;
  if (card->name[0] != '\0') {
    key(file, next, "card");
    string(file, "{", "name", card->name);
    number(file, ", ", "memory_bytes", (double)card->memory);
    number(file, next, "copy_bytes_per_second", card->copy);
    number(file, ", ", "copy_array_bytes", (double)card->array);
    number(file, next, "copy_bytes_per_second_field_size", card->copy_fields);
    number(file, ", ", "field_size_array_bytes", (double)card->fields_array);
    number(file, next, "double_flops_per_second", card->peak[MX_DOUBLE]);
    number(file, ", ", "single_flops_per_second", card->peak[MX_SINGLE]);
    fputc('}', file);
  }
  fputs("\n  }", file);
}

static void write_result(FILE *file, const char *before, const struct mx_bench_result *r)
{
  static const char *const next = ", ";
  double dofs = (double)r->unknowns / r->seconds;
  number(file, before, "order", r->order);
  string(file, next, "integrator", mx_integrator_names[r->integrator]);
  string(file, next, "precision", precision_names[r->precision]);
  string(file, next, "backend", mx_backends[r->backend]->name);
  string(file, next, "instructions", r->instructions);
  number(file, next, "threads", r->threads);
  number(file, ",\n     ", "elements", (double)r->elements);
  number(file, next, "unknowns", (double)r->unknowns);
  number(file, next, "batches", r->batches);
  number(file, next, "steps_per_batch", (double)r->steps);
  number(file, ",\n     ", "seconds_per_step", r->seconds);
  number(file, next, "seconds_per_step_shortest", r->shortest);
  number(file, next, "seconds_per_step_longest", r->longest);
  number(file, ",\n     ", "dof_per_second", dofs);
  number(file, next, "evaluations_per_second", dofs * mx_schemes[r->integrator].evaluations);
  number(file, next, "bytes_per_step", r->bytes);
  number(file, next, "flops_per_step", r->flops);
  number(file, ",\n     ", "bytes_per_second", r->bytes / r->seconds);
  number(file, next, "flops_per_second", r->flops / r->seconds);
  number(file, next, "floor_seconds_per_step", r->floor);
  number(file, ",\n     ", "fraction_of_floor", r->floor / r->seconds);
  number(file, next, "fraction_of_cached_floor", r->cached_floor / r->seconds);
  string(file, next, "limit", r->bytes_limit ? "bytes" : "flops");
  number(file, next, "cycles_per_element_and_equation", r->cycles > 0 ? r->cycles : NAN);
  number(file, next, "ratio_to_reference", r->ratio > 0 ? r->ratio : NAN);
  number(file, ",\n     ", "memory_bytes_per_unknown", r->memory);
  number(file, next, "ranks", r->ranks);
  if (r->ranks > 1) {
    number(file, ",\n     ", "halo_seconds_per_step", r->halo_seconds);
    number(file, next, "halo_bytes_per_step", r->halo_bytes);
    if (r->transport != NULL) string(file, next, "transport", r->transport);
  }
  number(file, ",\n     ", "mesh_seconds", r->mesh_seconds);
  number(file, next, "setup_seconds", r->setup_seconds);
  fputc('}', file);
}

static void write_gain(FILE *file, const char *before, const struct mx_bench_gain *g)
{
  static const char *const next = ", ";
  number(file, before, "order", g->order);
  number(file, next, "flux", g->alpha);
  string(file, next, "precision", precision_names[g->precision]);
  string(file, next, "backend", mx_backends[g->backend]->name);
  number(file, next, "threads", g->threads);
  number(file, next, "ranks", g->ranks);
  number(file, ",\n     ", "elements", (double)g->elements);
  number(file, next, "unknowns", (double)g->unknowns);
  number(file, next, "slowest_over_median", g->slowest);
  key(file, ",\n     ", "levels");
  fputc('[', file);
  for (int i = 0; i < g->levels; i++) {
    number(file, i > 0 ? ", {" : "{", "shorter_steps", g->m[i]);
    number(file, next, "elements", (double)g->work[i + 1].elements);
    number(file, next, "core_elements", (double)g->work[i + 1].core);
    fputc('}', file);
  }
  fputc(']', file);
  number(file, ",\n     ", "single_step_metres", g->single_step);
  number(file, next, "step_metres", g->step);
  number(file, next, "counted_gain", g->counted);
  number(file, next, "measured_gain", g->measured);
  if (g->levels > 0) {
    number(file, ",\n     ", "measured_gain_least", g->least);
    number(file, next, "measured_gain_most", g->most);
    number(file, next, "repeats", g->repeats);
    number(file, ",\n     ", "seconds_per_single_step", g->single_seconds);
    number(file, next, "seconds_per_step", g->seconds);
  }
  number(file, ",\n     ", "mesh_seconds", g->mesh_seconds);
  number(file, next, "fit_seconds", g->fit_seconds);
  fputc('}', file);
}

static void write_gains(FILE *file, const struct mx_bench_report *report)
{
  number(file, ",\n  ", "ratio", report->options->levels);
  fputs(",\n  \"gains\": [", file);
  for (size_t i = 0; i < report->gains->count; i++)
    write_gain(file, i > 0 ? ",\n    {" : "\n    {", &report->gains->gain[i]);
  fputs("\n  ]\n}\n", file);
}

static void write_all(FILE *file, const void *what)
{
  const struct mx_bench_report *report = what;
  string(file, "{\n  ", "program", "curlew bench");
  string(file, ",\n  ", "version", CURLEW_VERSION);
  string(file, ",\n  ", "date", report->machine->date);
  number(file, ",\n  ", "threads", report->threads);
  if (report->gains == NULL) number(file, ",\n  ", "flux", report->options->alpha);
  write_machine(file, report->machine);
  if (report->gains != NULL) {
    write_gains(file, report);
    return;
  }
  write_ceilings(file, "ceilings", report->before);
  write_ceilings(file, "ceilings_after", report->after);
  fputs(",\n  \"results\": [", file);
  for (size_t i = 0; i < report->list->count; i++)
    write_result(file, i > 0 ? ",\n    {" : "\n    {", &report->list->result[i]);
  fputs("\n  ]\n}\n", file);
}

int mx_bench_write_json(const struct mx_bench_report *report, struct dg_error *err)
{
  return dg_file_write(report->options->json, write_all, report, err);
}
