/* Gmsh in its own process: start, options, meshing, end.
 *
 * Gmsh keeps values given on its command line (-setnumber, the only way that 4.8 has to set a constant without a ONELAB
 * name) until its process ends, and sets OpenMP's number of threads for the whole of it. */
#include "libdg/mesh/gmsh/gmsh_session.h"

#include <errno.h>
#include <gmshc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "libdg/mesh/load/complete.h"
#include "libdg/mesh/load/format.h"
#include "libdg/mesh/gmsh/gmsh_calls.h"
#include "libdg/mesh/gmsh/gmsh_generate.h"
#include "libdg/mesh/gmsh/gmsh_names.h"
#include "libdg/mesh/gmsh/gmsh_reader.h"
#include "libdg/mesh/gmsh/sandbox.h"

#define GMSH_AT_LEAST(major, minor)                                                                                    \
  (GMSH_API_VERSION_MAJOR > (major) || (GMSH_API_VERSION_MAJOR == (major) && GMSH_API_VERSION_MINOR >= (minor)))

/* ---- start, stop, messages ---- */

static void start(int argc, char **argv, int *failed)
{
#if GMSH_AT_LEAST(4, 9) /* 4.9 added `run`: start the whole application */
  gmshInitialize(argc, argv, 0, 0, failed);
#else
  gmshInitialize(argc, argv, 0, failed);
#endif
}

/* Hands over Gmsh's messages. Gmsh is not ended: the end of the process takes everything away. */
static void stop(FILE *messages)
{
  char **line = NULL;
  size_t count = 0;
  int ierr;
  gmshLoggerGet(&line, &count, &ierr);
  if (ierr != 0) count = 0;
  for (size_t i = 0; i < count && messages != NULL; i++) fprintf(messages, "%s\n", line[i]);
  dg_gmsh_free_strings(line, count);
  gmshLoggerStop(&ierr);
}

static void ask_version(struct dg_model *model)
{
  char *text = NULL;
  int ierr;
  gmshOptionGetString("General.Version", &text, &ierr);
  snprintf(model->gmsh, sizeof model->gmsh, "%s", ierr == 0 && text != NULL ? text : GMSH_API_VERSION);
  gmshFree(text);
}

void dg_gmsh_get_version(struct dg_model *model)
{
  int ierr;
  start(0, NULL, &ierr);
  ask_version(model);
}

/* ---- the options of the caller ---- */

static bool is_script(const char *file) { return dg_format_by_name(file) == DG_FORMAT_SCRIPT; }

static int unknown_parameter(const struct dg_mesh_options *options, const char *name,
                             const struct dg_geo_parameters *known, struct dg_error *err)
{
  if (!is_script(options->file))
    return dg_fail(err, DG_INPUT, "mesh file '%s' takes no parameters ('%s' is given): only .geo scripts do",
                   options->file, name);
  if (known->count == 0)
    return dg_fail(err, DG_INPUT, "geometry '%s' has no parameter '%s': it has no DefineConstant", options->file, name);
  const char **names;
  if (DG_NEW(names, known->count, err) != 0) return err->code;
  for (size_t i = 0; i < known->count; i++) names[i] = known->parameter[i].name;
  int near = dg_nearest(name, names, known->count);
  (void)dg_fail(err, DG_INPUT, "geometry '%s' has no parameter '%s' (%s '%s'%s)", options->file, name,
                near >= 0 ? "did you mean" : "it has", names[near >= 0 ? near : 0],
                near >= 0          ? "?"
                : known->count > 1 ? " and others"
                                   : "");
  dg_free(names);
  return err->code;
}

static int check_options(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                         struct dg_error *err)
{
  if (!(options->unit > 0) || !isfinite(options->unit))
    return dg_fail(err, DG_INPUT, "mesh unit %g is not a positive number", options->unit);
  if (!(options->size >= 0) || !isfinite(options->size))
    return dg_fail(err, DG_INPUT, "mesh size %g is not a positive number", options->size);
  if (known->harmful != NULL && !options->trust)
    return dg_fail(err, DG_INPUT,
                   "geometry '%s' has %s, which starts programs or writes files: take it out, or start curlew with "
                   "--trust",
                   options->file, known->harmful);
  for (size_t i = 0; i < options->parameters; i++) {
    const bool found = dg_geo_parameters_find(known, options->parameter_name[i]) != NULL;
    if (!is_script(options->file) || (!found && !known->composed))
      return unknown_parameter(options, options->parameter_name[i], known, err);
    if (!isfinite(options->parameter_value[i]))
      return dg_fail(err, DG_INPUT, "mesh parameter '%s' is not finite", options->parameter_name[i]);
  }
  return 0;
}

static int set_parameter(const struct dg_mesh_options *options, size_t i, struct dg_error *err)
{
  double value = options->parameter_value[i];
  int failed;
  gmshOnelabSetNumber(options->parameter_name[i], &value, 1, &failed);
  return failed != 0 ? dg_gmsh_check("set the parameters of", options->file, failed, err) : 0;
}

/* Sets parameters whose names the script composes: it runs once without them, and says which names it has. */
static int set_composed(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                        struct dg_error *err)
{
  bool ran = false;
  for (size_t i = 0; i < options->parameters; i++) {
    double *value = NULL;
    size_t count = 0;
    int failed;
    if (dg_geo_parameters_find(known, options->parameter_name[i]) != NULL) continue;
    if (!ran) gmshOpen(options->file, &failed);
    if (!ran && dg_gmsh_check("read", options->file, failed, err) != 0) return err->code;
    ran = true;
    gmshOnelabGetNumber(options->parameter_name[i], &value, &count, &failed);
    gmshFree(value);
    if (failed != 0 || count == 0) return unknown_parameter(options, options->parameter_name[i], known, err);
    if (set_parameter(options, i, err) != 0) return err->code;
  }
  if (ran) {
    int failed;
    gmshClear(&failed);
  }
  return 0;
}

/* Starts Gmsh with the constants of the script on its command line; the ONELAB parameters are set afterwards. */
static int start_with_parameters(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                                 int *started, struct dg_error *err)
{
  enum { NUMBER_MAX = 32 };
  char program[] = "curlew", flag[] = "-setnumber";
  char **argv = NULL, *number = NULL;
  int argc = 0, failed = 0;
  if (DG_NEW(argv, 2 + 3 * options->parameters, err) != 0) goto fail;
  if (dg_alloc(&number, options->parameters + 1, NUMBER_MAX, err) != 0) goto fail;
  argv[argc++] = program;
  for (size_t i = 0; i < options->parameters; i++) {
    const struct dg_geo_parameter *parameter = dg_geo_parameters_find(known, options->parameter_name[i]);
    if (parameter == NULL || parameter->onelab) continue;
    snprintf(number + i * NUMBER_MAX, NUMBER_MAX, "%.17g", options->parameter_value[i]);
    argv[argc++] = flag;
    argv[argc++] = parameter->name;
    argv[argc++] = number + i * NUMBER_MAX;
  }
  start(argc, argv, &failed);
  *started = 1;
  dg_gmsh_set("General.Terminal", 0);
  dg_gmsh_set("General.AbortOnError", 0); /* the parser reads on to the end of the file; the log tells of the errors */
  gmshLoggerStart(&failed);
  if (failed != 0) (void)dg_fail(err, DG_ENVIRONMENT, "Gmsh could not be started");
  gmshOnelabClear("", &failed); /* 4.8 keeps those of the model before */
  for (size_t i = 0; i < options->parameters && err->code == DG_OK; i++) {
    const struct dg_geo_parameter *parameter = dg_geo_parameters_find(known, options->parameter_name[i]);
    if (parameter != NULL && parameter->onelab) (void)!set_parameter(options, i, err);
  }
fail:
  dg_free(argv);
  dg_free(number);
  return err->code;
}

/* Checks that Gmsh took the parameters. ONELAB parameters may have a range, choices, or be read-only; a value that was
 * not taken must not pass in silence. */
static int check_parameters(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                            struct dg_error *err)
{
  for (size_t i = 0; i < options->parameters; i++) {
    const char *name = options->parameter_name[i];
    double *value = NULL, wanted = options->parameter_value[i];
    size_t count = 0;
    int ierr;
    const struct dg_geo_parameter *parameter = dg_geo_parameters_find(known, name);
    if (parameter != NULL && !parameter->onelab) continue;
    gmshOnelabGetNumber(name, &value, &count, &ierr);
    if (ierr == 0 && count > 0 && value[0] != wanted)
      (void)dg_fail(err, DG_INPUT,
                    "geometry '%s' changes parameter '%s' from %.9g to %.9g: it is out of range or "
                    "read-only",
                    options->file, name, wanted, value[0]);
    gmshFree(value);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

/* ---- meshing ---- */

/* Does the model have volumes that Gmsh can mesh? Those that a mesh file brings do not count. */
static int has_geometry(const int *entity, size_t count)
{
  for (size_t i = 0; i < count; i += 2) {
    char *type = NULL;
    int ierr;
    gmshModelGetType(3, entity[i + 1], &type, &ierr);
    int discrete = ierr != 0 || strncmp(type, "Discrete", 8) == 0 || strncmp(type, "Partition", 9) == 0;
    gmshFree(type);
    if (!discrete) return 1;
  }
  return 0;
}

/* Gmsh 4.8 numbers elements anew when it saves those of groups only, but not in its list of ghost cells. */
static int blame_ghosts(enum dg_format_kind kind, struct dg_error *err)
{
  if (kind == DG_FORMAT_MESH && strstr(err->message, "No element with tag") != NULL)
    dg_context(err, "its list of ghost cells ($GhostElements) names elements that it has not: save it without "
                    "Mesh.PartitionCreateGhostCells, or with Mesh.SaveAll = 1");
  return err->code;
}

static int open_and_mesh(struct dg_model *model, const struct dg_mesh_options *options,
                         const struct dg_geo_parameters *known, bool *generated, struct dg_error *err)
{
  const enum dg_format_kind kind = dg_format_by_name(options->file);
  dg_model_phase(model, 'r');
  int failed, *volume = NULL;
  size_t count = 0;
  if (set_composed(options, known, err) != 0) return err->code;
  gmshOpen(options->file, &failed);
  if (dg_gmsh_check("read", options->file, failed, err) != 0) return blame_ghosts(kind, err);
  if (check_parameters(options, known, err) != 0) return err->code;
  if (kind == DG_FORMAT_GEOMETRY && dg_gmsh_join_solids(model, options, err) != 0) return err->code;
  if (kind != DG_FORMAT_MESH && dg_gmsh_name_groups(model, err) != 0) return err->code;
  gmshModelGetEntities(&volume, &count, 3, &failed);
  *generated = !dg_gmsh_has_elements(3, -1) && has_geometry(volume, count);
  if (*generated) (void)!dg_gmsh_generate(model, options, volume, count, err);
  else if (options->size > 0 && dg_gmsh_has_elements(3, -1))
    (void)dg_fail(err, DG_INPUT, "mesh size %g has no effect: '%s' holds a mesh, not a geometry", options->size,
                  options->file);
  gmshFree(volume);
  return err->code;
}

int dg_gmsh_load(struct dg_model *model, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  enum dg_format_kind kind;
  struct dg_geo_parameters known = {0};
  int started = 0;
  bool generated = false;
  if (dg_format_check(options->file, options->trust, &kind, err) != 0 ||
      dg_mesh_file_complete(options->file, err) != 0 || dg_geo_parameters_init(&known, options->file, err) != 0 ||
      check_options(options, &known, err) != 0)
    goto fail;
  if (start_with_parameters(options, &known, &started, err) != 0) goto fail;
  ask_version(model);
  dg_sandbox_arm();
  if (open_and_mesh(model, options, &known, &generated, err) != 0) goto fail;
  dg_model_phase(model, 'h');
  if (dg_gmsh_read(model, options, part, generated, err) != 0 ||
      (generated && dg_gmsh_improve(model, options, err) != 0))
    dg_context(err, "in mesh '%s'", options->file);
fail:
  if (started) stop(options->messages);
  dg_geo_parameters_release(&known);
  return err->code;
}
