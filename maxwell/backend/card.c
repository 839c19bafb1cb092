/* mx_no_card, the table of card functions for backends of the host: it does what is right without a card. `reference`
 * and `cpu` refer to it. */
#include "maxwell/backend/card.h"

static int take(struct dg_comm *comm, bool share, struct dg_error *err)
{
  (void)comm, (void)share, (void)err;
  return 0;
}

/* There is nothing to wait for: stage_end has waited. */
static int wait_for_all(struct mx_backend *backend, struct dg_error *err)
{
  (void)backend, (void)err;
  return 0;
}

static int snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err)
{
  (void)backend, (void)count, (void)E, (void)H, (void)err;
  *got = 0;
  return 0;
}

static int monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                       struct dg_error *err)
{
  (void)backend, (void)what, (void)err;
  *rows = *monitor = 0;
  return 0;
}

static void phase(struct mx_backend *backend, const char *name) { (void)backend, (void)name; }

static size_t allocated(const struct mx_backend *backend)
{
  (void)backend;
  return 0;
}

const struct mx_card_ops mx_no_card = {
    .take = take,
    .wait = wait_for_all,
    .snapshot_buffers = snapshot_buffers,
    .monitor_new = monitor_new,
    .phase = phase,
    .allocated = allocated,
};
