/* The list of kinds of measures for those who read scripts and those who count. */
#include "maxwell/measure/kinds.h"

#define READER(kind) &(kind).reads,
const struct mx_measure_reader *const mx_measure_kinds[] = {MX_MEASURE_KINDS(READER) NULL};
