/* The file that ParaView opens for a whole run; vtkhdf_format.c has it in its table. */
#include "libdg/io/vtkhdf/vtkhdf_index.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"

static int failed(const char *path, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
}

static int write_part(const char *part, const char *path, size_t count, const struct dg_snapshot_entry *entry,
                      struct dg_error *err)
{
  const int descriptor = dg_file_create(part);
  if (descriptor < 0) return failed(path, err);
  FILE *const file = fdopen(descriptor, "w");
  if (file == NULL) {
    (void)failed(path, err);
    close(descriptor);
    return err->code;
  }
  fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n", file);
  for (size_t i = 0; i < count; i++)
    fprintf(file, "    {\"name\": \"%s\", \"time\": %.17g}%s\n", entry[i].name, entry[i].time,
            i + 1 < count ? "," : "");
  fputs("  ]\n}\n", file);
  const int bad = ferror(file);
  if (fclose(file) != 0 || bad) (void)failed(path, err);
  return err->code;
}

int dg_vtkhdf_write_list(const char *path, size_t count, const struct dg_snapshot_entry *entry,
                         struct dg_ledger *ledger, struct dg_error *err)
{
  char *part;
  const size_t size = strlen(path) + sizeof ".part";
  if (dg_ledger_claim(ledger, DG_LEDGER_OUTPUT, path, err) != 0 || dg_alloc(&part, size, 1, err) != 0) return err->code;
  snprintf(part, size, "%s.part", path);
  if (write_part(part, path, count, entry, err) == 0 && rename(part, path) != 0) (void)failed(path, err);
  if (err->code != DG_OK) (void)unlink(part);
  dg_free(part);
  return err->code;
}
