/* The backends of this build, best first. */
#include "maxwell/backend.h"

const struct mx_backend_ops *const mx_backends[] = {&mx_backend_cpu, &mx_backend_reference, NULL};
