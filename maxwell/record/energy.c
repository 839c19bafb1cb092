/* The recorder of energy.csv: the electric and the magnetic energy. */
#include <errno.h>

#include "libdg/base/memory.h"
#include "maxwell/record/recorder.h"

/* Energies that wait to be added up over the ranks. With one rank they are written at once. */
enum { ROWS = 64 };

struct energy {
  const struct mx_scene *scene; /* borrowed */
  struct mx_csv table;          /* rank 0's */
  size_t rows;                  /* that wait */
  long step[ROWS];
  double time[ROWS];    /* s */
  double part[ROWS][2]; /* electric and magnetic energy of this rank, J */
};

static const char table_name[] = "energy.csv";

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  return scene->config->output.energy_every > 0 ? mx_plan_file(plan, err, table_name) : 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  if (scene->config->output.energy_every <= 0) return 0;
  return mx_add_result(results, scene, &(struct mx_result){.name = "energy"}, NULL, "", err);
}

static int open_energy(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  struct energy *energy;
  if (scene->config->output.energy_every <= 0) return 0;
  if (DG_NEW(energy, 1, err) != 0) return err->code;
  *self = energy;
  energy->scene = scene;
  return mx_open_table(&energy->table, scene, table_name, "step,time,electric,magnetic,total", resume, err);
}

static bool is_due(const void *self, long n)
{
  const struct energy *const energy = self;
  return n % energy->scene->config->output.energy_every == 0;
}

static int drain(void *self, struct dg_error *err)
{
  struct energy *const energy = self;
  const size_t rows = energy->rows;
  energy->rows = 0;
  if (rows == 0) return 0;
  if (dg_comm_reduce_to_root(energy->scene->comm, DG_SUM, 2 * rows, energy->part[0], err) != 0) return err->code;
  errno = 0;
  for (size_t i = 0; energy->table.file != NULL && i < rows; i++)
    if (fprintf(energy->table.file, "%ld,%.17g,%.17g,%.17g,%.17g\n", energy->step[i], energy->time[i],
                energy->part[i][0], energy->part[i][1], energy->part[i][0] + energy->part[i][1]) < 0)
      return mx_csv_failed(&energy->table, err);
  return 0;
}

static int take(void *self, long n, double t, struct dg_error *err)
{
  struct energy *const energy = self;
  const struct mx_scene *const scene = energy->scene;
  if (!is_due(self, n)) return 0;
  double *const part = energy->part[energy->rows];
  if (scene->ops->energy(scene->backend, &part[0], &part[1], err) != 0) return err->code;
  part[0] *= MX_EPSILON0;
  part[1] *= MX_EPSILON0;
  energy->step[energy->rows] = n;
  energy->time[energy->rows++] = t;
  return dg_comm_size(scene->comm) == 1 || energy->rows == ROWS ? drain(self, err) : 0;
}

static int flush(void *self, struct dg_error *err) { return mx_csv_flush(&((struct energy *)self)->table, err); }

static int archive_table(void *self, struct mx_archive *archive, struct dg_error *err)
{
  return mx_csv_archive(&((struct energy *)self)->table, "output/energy", archive, err);
}

static int close_table(void *self, struct dg_error *err) { return mx_csv_close(&((struct energy *)self)->table, err); }

static void release(void *self)
{
  mx_csv_release(&((struct energy *)self)->table);
  dg_free(self);
}

const struct mx_recorder mx_energy_recorder = {.plan = plan,
                                               .results = results,
                                               .open = open_energy,
                                               .due = is_due,
                                               .take = take,
                                               .drain = drain,
                                               .flush = flush,
                                               .archive = archive_table,
                                               .close = close_table,
                                               .release = release};
