/* Hands calls from the interface of backends on to the functions of one of two precisions. fused.c and reference.c
 * include this file behind a body that they have included twice, with the names NAME(x) x##_double and x##_single. */

struct mx_backend { /* exactly one of the two is not NULL */
  struct state_double *full;
  struct state_single *half;
};

/* Calls the function of the backend's precision. */
#define DISPATCH(backend, function, ...)                                                                               \
  do {                                                                                                                 \
    if ((backend)->full != NULL) function##_double((backend)->full, __VA_ARGS__);                                      \
    else function##_single((backend)->half, __VA_ARGS__);                                                              \
  } while (0)

/* Calls a function that can fail, of the backend's precision. */
#define DISPATCH_RETURN(backend, function, ...)                                                                        \
  return (backend)->full != NULL ? function##_double((backend)->full, __VA_ARGS__)                                     \
                                 : function##_single((backend)->half, __VA_ARGS__)

static void destroy(struct mx_backend *backend)
{
  if (backend == NULL) return;
  free_state_double(backend->full);
  free_state_single(backend->half);
  dg_free(backend);
}

static int create(struct mx_backend **result, const struct mx_problem *problem,
                  const struct mx_backend_options *options, struct dg_error *err)
{
  *result = NULL;
  struct mx_backend *backend;
  if (DG_NEW(backend, 1, err) != 0) return err->code;
  int status = options->precision == MX_DOUBLE ? new_state_double(&backend->full, problem, options, err)
                                               : new_state_single(&backend->half, problem, options, err);
  if (status != 0) {
    destroy(backend);
    return status;
  }
  *result = backend;
  return 0;
}

static int upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err)
{
  DISPATCH_RETURN(backend, upload, E, H, err);
}

static int stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                       struct dg_error *err)
{
  DISPATCH_RETURN(backend, stage_begin, stage, observe, sources, err);
}

static int stage_end(struct mx_backend *backend, int stage, struct dg_error *err)
{
  DISPATCH_RETURN(backend, stage_end, stage, err);
}

static int energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, energy, electric, magnetic);
  return 0;
}

static int sample(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                  struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, sample, count, point, value);
  return 0;
}

static int functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                       struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, functionals, first, count, centred, value);
  return 0;
}

static int loss(struct mx_backend *backend, size_t count, const int32_t *element, double *result, struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, loss, count, element, result);
  return 0;
}

static int download(struct mx_backend *backend, double *E, double *H, struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, download, E, H);
  return 0;
}

static int check(struct mx_backend *backend, struct mx_field_check *result, struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, check, result);
  return 0;
}

static int save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, save, array, first, count, value);
  return 0;
}

static int load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
                struct dg_error *err)
{
  (void)err;
  DISPATCH(backend, load, array, first, count, value);
  return 0;
}

static int loaded(struct mx_backend *backend, struct dg_error *err) { DISPATCH_RETURN(backend, loaded, err); }

static struct mx_halo_use halo_use(const struct mx_backend *backend)
{
  return backend->full != NULL ? halo_use_double(backend->full) : halo_use_single(backend->half);
}

/* ---- parts that take shorter steps (fine.h) */

static int attach(struct mx_backend *part, struct mx_backend *whole, const int32_t *element, struct dg_error *err)
{
  (void)whole;
  DISPATCH_RETURN(part, attach, element, err);
}

static int keep(struct mx_backend *part, struct mx_backend *whole, struct dg_error *err)
{
  return part->full != NULL ? keep_double(part->full, whole != NULL ? whole->full : NULL, err)
                            : keep_single(part->half, whole != NULL ? whole->half : NULL, err);
}

static int take(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err)
{
  return part->full != NULL ? take_double(part->full, whole->full, by, err)
                            : take_single(part->half, whole->half, by, err);
}

static int scale(struct mx_backend *part, double by, struct dg_error *err) { DISPATCH_RETURN(part, scale, by, err); }

static int fine_pass(struct mx_backend *part, int equation, double scale, double share, struct dg_error *err)
{
  DISPATCH_RETURN(part, fine_pass, equation, scale, share, err);
}

static int give(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err)
{
  return part->full != NULL ? give_double(part->full, whole->full, by, err)
                            : give_single(part->half, whole->half, by, err);
}

static const struct mx_fine_ops fine = {
    .attach = attach, .keep = keep, .take = take, .scale = scale, .pass = fine_pass, .give = give};
