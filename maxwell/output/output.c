/* Walks over the recorders of a run. The time loop calls it where fields are those of a whole step. */
#include "maxwell/output/output.h"

#include "libdg/base/clock.h"

enum { ALL = MX_RECORDERS_COUNT };

/* Does recorder number i take part in this run, and has it this function? */
#define ACTS(output, i, function) ((output)->self[i] != NULL && mx_recorders[i]->function != NULL)

int mx_output_open(struct mx_output *output, const struct mx_scene *scene, bool resume, struct dg_error *err)
{
  *output = (struct mx_output){.scene = *scene, .last_flush = mx_clock()};
  for (int i = 0; i < ALL; i++)
    if (mx_recorders[i]->open != NULL && mx_recorders[i]->open(&output->self[i], &output->scene, resume, err) != 0)
      return err->code;
  return 0;
}

bool mx_output_due(const struct mx_output *output, long n)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, due) && mx_recorders[i]->due(output->self[i], n)) return true;
  return false;
}

bool mx_output_asks(const struct mx_output *output, long n)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, due) &&
        (mx_recorders[i]->asks != NULL ? mx_recorders[i]->asks : mx_recorders[i]->due)(output->self[i], n))
      return true;
  return false;
}

static int drain(struct mx_output *output, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, drain) && mx_recorders[i]->drain(output->self[i], err) != 0) return err->code;
  return 0;
}

static int flush(struct mx_output *output, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, flush) && mx_recorders[i]->flush(output->self[i], err) != 0) return err->code;
  return 0;
}

/* Brings rows to disk at most a second after they were measured, so that a run can be watched and a killed one loses
 * little. Several ranks collect many rows before they write them. */
static int flush_now_and_then(struct mx_output *output, struct dg_error *err)
{
  if (mx_clock() - output->last_flush < 1) return 0;
  if (dg_comm_size(output->scene.comm) == 1 && drain(output, err) != 0) return err->code;
  output->last_flush = mx_clock();
  return flush(output, err);
}

int mx_output_write(struct mx_output *output, long n, double t, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, take) && mx_recorders[i]->take(output->self[i], n, t, err) != 0) return err->code;
  return flush_now_and_then(output, err);
}

int mx_output_drain(struct mx_output *output, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, wait) && mx_recorders[i]->wait(output->self[i], err) != 0) return err->code;
  return drain(output, err);
}

int mx_output_settle(struct mx_output *output, struct dg_error *err)
{
  if (drain(output, err) != 0) return err->code;
  return flush(output, err);
}

int mx_output_gather(struct mx_output *output, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, gather) && mx_recorders[i]->gather(output->self[i], err) != 0) return err->code;
  return 0;
}

int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, archive) && mx_recorders[i]->archive(output->self[i], archive, err) != 0) return err->code;
  return 0;
}

void mx_output_end(struct mx_output *output)
{
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, end)) mx_recorders[i]->end(output->self[i]);
}

int mx_output_finish(struct mx_output *output, struct dg_error *err)
{
  if (mx_output_drain(output, err) != 0) return err->code;
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, finish) && mx_recorders[i]->finish(output->self[i], err) != 0) return err->code;
  return 0;
}

int mx_output_close(struct mx_output *output, struct dg_error *err)
{
  int status = 0;
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, close) && mx_recorders[i]->close(output->self[i], err) != 0) status = err->code;
  return status;
}

void mx_output_release(struct mx_output *output)
{
  struct dg_error ignored = {0};
  if (mx_output_close(output, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  for (int i = 0; i < ALL; i++)
    if (ACTS(output, i, release)) mx_recorders[i]->release(output->self[i]);
  *output = (struct mx_output){0};
}

/* ---- before a run ---- */

size_t mx_output_memory(const struct mx_scene *scene)
{
  size_t bytes = 0;
  for (int i = 0; i < ALL; i++)
    if (mx_recorders[i]->memory != NULL) bytes += mx_recorders[i]->memory(scene);
  return bytes;
}
