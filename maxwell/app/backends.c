/* The list of the backends of this build, best first. main.c, the bench and the set-up walk over mx_backends. */
#include "maxwell/backend/backend.h"

#ifdef CURLEW_CUDA
const struct mx_backend_ops *const mx_backends[] = {&mx_backend_cuda, &mx_backend_cpu, &mx_backend_reference, NULL};
const char *const mx_backends_missing[] = {NULL};
#else
const struct mx_backend_ops *const mx_backends[] = {&mx_backend_cpu, &mx_backend_reference, NULL};
const char *const mx_backends_missing[] = {"cuda", "built without CUDA", NULL};
#endif
