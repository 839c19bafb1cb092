/* Writes configuration.json from the script's table and the notes that its reading made (resolved.h). run.c calls it.
 */
#include "maxwell/run/configuration.h"

#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/version.h"

static void write_definitions(FILE *file, const char *key, size_t count, const struct mx_definition *definition)
{
  fprintf(file, "  \"%s\": {", key);
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? ", " : "", file);
    dg_json_string(file, definition[i].name);
    fputs(": ", file);
    dg_json_string(file, definition[i].value);
  }
  fputs("},\n", file);
}

/* The mesh's file, and those that the script has read, as paths from the folder where curlew was started. */
static void write_files(FILE *file, const struct mx_scene *scene)
{
  fputs("  \"files\": [", file);
  if (scene->config->mesh.file != NULL) dg_json_string(file, scene->config->mesh.file);
  for (size_t i = 0; i < scene->origin->files; i++) {
    fputs(i > 0 || scene->config->mesh.file != NULL ? ", " : "", file);
    dg_json_string(file, scene->origin->file[i]);
  }
  fputs("],\n", file);
}

static void write_entries(FILE *file, const void *what)
{
  const struct mx_scene *scene = what;
  const struct mx_origin *origin = scene->origin;
  fprintf(file, "{\n  \"schema\": %d,\n  \"version\": ", MX_CONFIGURATION_SCHEMA);
  dg_json_string(file, CURLEW_VERSION);
  fputs(",\n  \"script\": ", file);
  dg_json_string(file, origin->path);
  fputs(",\n", file);
  write_definitions(file, "args", origin->args, origin->arg);
  write_definitions(file, "set", origin->sets, origin->set);
  write_files(file, scene);
  fputs("  \"simulation\": ", file);
  mx_resolved_write(file, origin->root, &scene->config->resolved, 2);
  fputs("\n}\n", file);
}

int mx_configuration_write(const struct mx_scene *scene, const struct mx_folder *folder, struct dg_error *err)
{
  char *path;
  if (scene->origin == NULL || scene->origin->root == NULL || scene->origin->path == NULL) return 0;
  if (mx_folder_path(&path, folder, "configuration.json", err) != 0) return err->code;
  (void)!dg_file_write(path, write_entries, scene, err);
  dg_free(path);
  return err->code;
}
