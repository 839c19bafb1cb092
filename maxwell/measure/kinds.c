/* The list of the kinds of measures. The reader of scripts (main.c) and `curlew check` walk over it; a new kind is a
 * line in kinds.h. */
#include "maxwell/measure/kinds.h"

#define READER(kind) &(kind).reads,
const struct mx_measure_reader *const mx_measure_kinds[] = {MX_MEASURE_KINDS(READER) NULL};
