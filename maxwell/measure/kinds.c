/* The list of the kinds of measures. The reader of scripts (main.c) and `curlew check` walk over it; a new kind is a
 * line in kinds.h. */
#include "maxwell/measure/kinds.h"

#define READER(kind) &(kind).reads,
const struct mx_measure_reader *const mx_measure_kinds[] = {MX_MEASURE_KINDS(READER) NULL};

void mx_measure_kinds_write_json(FILE *file)
{
  fputc('{', file);
  for (size_t i = 0; mx_measure_kinds[i] != NULL; i++)
    fprintf(file, "%s\"%s\": {\"title\": \"%s\", \"places\": %s}", i > 0 ? ", " : "", mx_measure_kinds[i]->key,
            mx_measure_kinds[i]->title, mx_measure_kinds[i]->places ? "true" : "false");
  fputc('}', file);
}
