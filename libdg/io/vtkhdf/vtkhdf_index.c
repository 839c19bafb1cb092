/* The file that ParaView opens for a whole run; vtkhdf_format.c has it in its table. */
#include "libdg/io/vtkhdf/vtkhdf_index.h"

#include <stdio.h>

#include "libdg/base/file.h"

struct list {
  size_t count;
  const struct dg_snapshot_entry *entry;
};

static void write_entries(FILE *file, const void *what)
{
  const struct list *list = what;
  fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n", file);
  for (size_t i = 0; i < list->count; i++)
    fprintf(file, "    {\"name\": \"%s\", \"time\": %.17g}%s\n", list->entry[i].name, list->entry[i].time,
            i + 1 < list->count ? "," : "");
  fputs("  ]\n}\n", file);
}

int dg_vtkhdf_write_list(const char *path, size_t count, const struct dg_snapshot_entry *entry,
                         struct dg_ledger *ledger, struct dg_error *err)
{
  const struct list list = {count, entry};
  if (dg_ledger_claim(ledger, DG_LEDGER_OUTPUT, path, err) != 0) return err->code;
  return dg_file_write(path, write_entries, &list, err);
}
