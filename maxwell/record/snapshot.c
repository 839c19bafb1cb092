/* Snapshots: the loop sets values aside, threads fetch and write them, and the loop names the files when all ranks have
 * written. output.c calls it. */
#include "maxwell/record/snapshot.h"

#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"
#include "maxwell/record/recorder.h"

/* ---- the list of a series ---- */

static void name_file(const struct dg_snapshot_writer *writer, long step, char name[64])
{
  snprintf(name, 64, "fields_%06ld%s", step, writer->ending);
}

static int insert(struct mx_snapshot_list *list, long step, struct dg_error *err)
{
  size_t place = list->count;
  while (place > 0 && list->step[place - 1] >= step) place--;
  if (place < list->count && list->step[place] == step) return 0;
  if (list->count == list->room) {
    const size_t room = 2 * list->room + 64;
    if (dg_grow(&list->step, room, sizeof *list->step, err) != 0) return err->code;
    list->room = room;
  }
  memmove(list->step + place + 1, list->step + place, (list->count - place) * sizeof *list->step);
  list->step[place] = step;
  list->count++;
  return 0;
}

/* Finds the snapshots of earlier runs that this one goes on; some of them may have been asked for at any step. */
static int find_earlier(struct mx_snapshots *s, size_t w, long before, struct dg_error *err)
{
  DIR *const folder = opendir(s->scene->folder->path);
  const struct dirent *entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    char name[64];
    long step = -1;
    if (sscanf(entry->d_name, "fields_%ld", &step) != 1 || step < 0 || step >= before) continue;
    name_file(s->writers.writer[w], step, name);
    if (strcmp(name, entry->d_name) == 0 && insert(&s->list[w], step, err) != 0) break;
  }
  if (folder != NULL) closedir(folder);
  s->list[w].begun = true;
  return err->code;
}

static int write_list(struct mx_snapshots *s, size_t w, struct dg_error *err)
{
  const struct dg_snapshot_writer *const writer = s->writers.writer[w];
  const struct mx_snapshot_list *const list = &s->list[w];
  struct dg_snapshot_entry *entry;
  char(*name)[64] = NULL, *path = NULL;
  if (DG_NEW(entry, list->count, err) != 0 || DG_NEW(name, list->count, err) != 0 ||
      mx_folder_path(&path, s->scene->folder, writer->list, err) != 0)
    goto fail;
  for (size_t i = 0; i < list->count; i++) {
    name_file(writer, list->step[i], name[i]);
    entry[i] = (struct dg_snapshot_entry){name[i], s->scene->step * (double)list->step[i]};
  }
  (void)!writer->write_list(path, list->count, entry, s->scene->folder->ledger, err);
fail:
  dg_free(path);
  dg_free(name);
  dg_free(entry);
  return err->code;
}

/* Adds a snapshot that is on disk. Does nothing where the format has no list, and on other ranks than 0. */
static int list_snapshot(struct mx_snapshots *s, size_t w, long step, struct dg_error *err)
{
  struct mx_snapshot_list *const list = &s->list[w];
  if (s->writers.writer[w]->list == NULL || dg_comm_rank(s->scene->problem->comm) != 0) return 0;
  pthread_mutex_lock(&list->lock);
  if ((list->begun || find_earlier(s, w, step, err) == 0) && insert(list, step, err) == 0) (void)!write_list(s, w, err);
  pthread_mutex_unlock(&list->lock);
  return err->code;
}

/* ---- a snapshot ---- */

/* Does stage one, with a card: fetches from the backend's buffer. */
static int fetch(void *context, size_t slot, struct dg_error *err)
{
  const struct mx_snapshots *const s = context;
  const struct mx_snapshot *const snapshot = &s->slot[slot];
  omp_set_num_threads(s->fetch_threads);
  return s->scene->ops->card->snapshot_fetch(s->scene->backend, snapshot->buffer, snapshot->E, snapshot->H, err);
}

/* Writes a file of each format. With several ranks that have threads, these do not get their names yet. */
static int write_file(struct mx_snapshots *s, struct mx_snapshot *snapshot, struct dg_error *err)
{
  const struct mx_scene *const scene = s->scene;
  struct dg_snapshot_field field[6];
  size_t count = 0;
  if (snapshot->E != NULL)
    field[count++] = (struct dg_snapshot_field){.name = "E", .unit = "V/m", .components = 3, .value = snapshot->E};
  if (snapshot->H != NULL)
    field[count++] = (struct dg_snapshot_field){
        .name = "H", .unit = "A/m", .components = 3, .value = snapshot->H, .divisor = MX_ETA0};
  static const char *const name[4] = {"epsilon_r", "mu_r", "sigma", "sigma_m"}, *const unit[4] = {"1", "1", "S/m",
                                                                                                  "ohm/m"};
  for (int i = 0; i < 4 && s->material[i] != NULL; i++)
    field[count++] = (struct dg_snapshot_field){
        .name = name[i], .unit = unit[i], .components = 1, .per_element = true, .value = s->material[i]};
  const bool average = scene->config->output.fields.average;
  const struct dg_snapshot content = {.mesh = scene->mesh,
                                      .ref = scene->ref,
                                      .time = snapshot->time,
                                      .cycle = (int)snapshot->step,
                                      .fields = count,
                                      .field = field,
                                      .merge = average ? &s->merge : NULL,
                                      .mesh_once = !scene->config->output.fields.mesh_each,
                                      .single = scene->config->output.fields.precision == MX_SINGLE,
                                      .ledger = s->scene->folder->ledger,
                                      .files = scene->config->output.fields.files};
  struct dg_comm *const comm = scene->problem->comm;
  for (size_t w = 0; w < s->writers.count; w++) {
    const struct dg_snapshot_writer *const writer = s->writers.writer[w];
    char file[64], *path;
    name_file(writer, snapshot->step, file);
    if (mx_folder_path(&path, s->scene->folder, file, err) != 0) return err->code;
    if (s->relay != NULL && comm != NULL)
      (void)!writer->write_part(s->series[w], &snapshot->job[w], path, &content, comm, err);
    else if (writer->write(s->series[w], path, &content, comm, err) == 0)
      (void)!list_snapshot(s, w, snapshot->step, err);
    dg_free(path);
    if (err->code != DG_OK) break;
  }
  return err->code;
}

/* Does stage two, or the only one. */
static int write_behind(void *context, size_t slot, struct dg_error *err)
{
  struct mx_snapshots *const s = context;
  omp_set_num_threads(s->write_threads);
  return write_file(s, &s->slot[slot], err);
}

/* ---- all of them ---- */

static bool wants(const struct mx_scene *scene, int quantity)
{
  return (scene->config->output.fields.quantities & quantity) != 0;
}

/* Says whether the loop writes itself. With several ranks a thread may write only where the writer's parts wait for
 * nobody. */
static bool in_line(const struct mx_scene *scene, const struct mx_writers *writers)
{
  const bool average = scene->config->output.fields.average;
  bool waits = scene->config->output.fields.ahead == 0;
  for (size_t w = 0; w < writers->count && scene->comm != NULL; w++)
    waits = waits || !writers->writer[w]->in_halves(scene->config->output.fields.files, average, scene->comm);
  return waits;
}

static size_t slots_of(const struct mx_scene *scene, const struct mx_writers *writers)
{
  return in_line(scene, writers) ? 1 : (size_t)scene->config->output.fields.ahead;
}

static int new_slots(struct mx_snapshots *s, struct dg_error *err)
{
  const size_t n = 3 * (size_t)s->scene->ref->Np * s->scene->problem->K;
  s->slots = slots_of(s->scene, &s->writers);
  if (DG_NEW(s->slot, s->slots, err) != 0) return err->code;
  for (size_t i = 0; i < s->slots; i++)
    if ((wants(s->scene, MX_QUANTITY_E) && DG_NEW(s->slot[i].E, n, err) != 0) ||
        (wants(s->scene, MX_QUANTITY_H) && DG_NEW(s->slot[i].H, n, err) != 0))
      return err->code;
  return 0;
}

static int copy_materials(struct mx_snapshots *s, struct dg_error *err)
{
  const struct mx_problem *const problem = s->scene->problem;
  const struct mx_config *const config = s->scene->config;
  const double *parameter[4] = {problem->epsilon, problem->mu, problem->sigma, problem->sigma_m};
  const double factor[4] = {1, 1, MX_ETA0, 1 / MX_ETA0};
  bool magnetic = false; /* every rank finds the same */
  for (size_t m = 0; m < config->materials; m++)
    magnetic = magnetic || config->material[m].sigma_m.value > 0 || config->material[m].sigma_m.function != NULL;
  for (int i = 0; i < (magnetic ? 4 : 3); i++) {
    if (DG_NEW(s->material[i], problem->K, err) != 0) return err->code;
    for (size_t e = 0; e < problem->K; e++) s->material[i][e] = parameter[i][e] / factor[i];
  }
  return 0;
}

/* Shares out the threads: those that write, each its own snapshot, and OpenMP's threads for each of them and for the
 * stage before. A backend on the host's processors uses all processors, and a team here would only be in its way.
 * Beside a card one snapshot at a time is fetched. That wants all processors, but for a part of the time only. Where
 * snapshots have to wait for each other (averages, a mesh in each), one thread writes, with a team. */
static size_t share_threads(struct mx_snapshots *s)
{
  const struct mx_config *const config = s->scene->config;
  const int all = omp_get_max_threads(), half = all / 2, most = all - all / 4;
  const bool beside = !config->output.fields.average && !config->output.fields.mesh_each;
  size_t writers = 1;
  s->fetch_threads = s->write_threads = 1;
  if (!s->scene->ops->card->present || half < 2) return 1;
  if (beside) writers = s->slots < (size_t)most ? s->slots : (size_t)most;
  s->fetch_threads = half;
  s->write_threads = (size_t)half > writers ? half / (int)writers : 1;
  return writers;
}

/* Starts the threads, and the backend's buffers if it has any. */
static int start(struct mx_snapshots *s, struct dg_error *err)
{
  enum { BUFFERS = 2 }; /* one buffer leaves the card while the other is filled */
  const struct mx_backend_ops *const ops = s->scene->ops;
  if (in_line(s->scene, &s->writers)) return 0;
  const size_t most = s->slots < BUFFERS ? s->slots : BUFFERS;
  if (ops->card->snapshot_buffers(s->scene->backend, most, wants(s->scene, MX_QUANTITY_E),
                                  wants(s->scene, MX_QUANTITY_H), &s->buffers, err) != 0)
    return err->code;
  const struct mx_relay_stage stage[] = {{.work = fetch, .threads = 1, .most = s->buffers},
                                         {.work = write_behind, .threads = share_threads(s), .most = s->slots}};
  const bool fetches = s->buffers > 0;
  if (mx_relay_start(&s->relay, s->slots, fetches ? 2 : 1, fetches ? stage : stage + 1, s, err) != 0) return err->code;
  int64_t started =
      s->relay != NULL; /* ranks without a thread would wait for those with one, and the other way round */
  if (dg_comm_reduce_int(s->scene->comm, DG_MIN, 1, &started, err) != 0) return err->code;
  if (!started) {
    mx_relay_stop(s->relay);
    s->relay = NULL;
    s->buffers = 0;
  }
  return 0;
}

int mx_snapshots_init(struct mx_snapshots *s, const struct mx_scene *scene, const struct mx_writers *writers,
                      struct dg_error *err)
{
  *s = (struct mx_snapshots){.most = scene->steps + 1};
  if (scene->config->output.fields.every == 0) return 0;
  s->scene = scene;
  for (size_t w = 0; w < writers->count; w++) {
    if (writers->writer[w]->open(&s->series[w], err) != 0) return err->code;
    pthread_mutex_init(&s->list[w].lock, NULL);
    s->writers.writer[s->writers.count++] = writers->writer[w];
  }
  if (new_slots(s, err) != 0 ||
      (scene->config->output.fields.average &&
       dg_node_merge_init(&s->merge, scene->mesh, scene->ref, scene->problem->comm, err) != 0) ||
      (wants(scene, MX_QUANTITY_MATERIAL) && copy_materials(s, err) != 0))
    return err->code;
  return start(s, err);
}

bool mx_snapshots_due(const struct mx_snapshots *s, long n)
{
  return s->scene != NULL && n % s->scene->config->output.fields.every == 0;
}

static int take_in_line(struct mx_snapshots *s, long n, double t, struct dg_error *err)
{
  struct mx_snapshot *const snapshot = &s->slot[0];
  snapshot->step = n;
  snapshot->time = t;
  if (s->scene->ops->download(s->scene->backend, snapshot->E, snapshot->H, err) != 0 ||
      write_file(s, snapshot, err) != 0)
    return err->code;
  s->in_line++;
  return 0;
}

/* Gives the oldest snapshot without a name its name, in every format; for several ranks. */
static int name_one(struct mx_snapshots *s, struct dg_error *err)
{
  if (mx_relay_finish(s->relay, s->handed - s->named - 1, &s->waited, err) != 0) return err->code;
  struct mx_snapshot *const snapshot = &s->slot[s->named++ % s->slots];
  for (size_t w = 0; w < s->writers.count; w++) {
    void *const job = snapshot->job[w];
    snapshot->job[w] = NULL;
    if (s->writers.writer[w]->finish(job, err) != 0 || list_snapshot(s, w, snapshot->step, err) != 0) return err->code;
  }
  return 0;
}

static int name_all(struct mx_snapshots *s, size_t count, struct dg_error *err)
{
  if (s->scene->comm == NULL) return 0;
  while (s->named < count)
    if (name_one(s, err) != 0) return err->code;
  return 0;
}

/* Sets the fields aside and hands them over. */
static int hand_over(struct mx_snapshots *s, long n, double t, struct dg_error *err)
{
  size_t slot;
  if (s->handed >= s->slots && name_all(s, s->handed + 1 - s->slots, err) != 0) return err->code;
  if (mx_relay_take(s->relay, &slot, &s->waited, err) != 0) return err->code;
  struct mx_snapshot *const snapshot = &s->slot[slot];
  snapshot->step = n;
  snapshot->time = t;
  if (s->buffers > 0) {
    snapshot->buffer = s->handed % s->buffers;
    if (s->scene->ops->card->snapshot_begin(s->scene->backend, snapshot->buffer, err) != 0) return err->code;
  } else if (s->scene->ops->download(s->scene->backend, snapshot->E, snapshot->H, err) != 0) {
    return err->code;
  }
  mx_relay_hand_over(s->relay);
  s->handed++;
  return 0;
}

int mx_snapshots_take(struct mx_snapshots *s, long n, double t, bool asked, struct dg_error *err)
{
  const double begun = mx_clock();
  if (s->relay != NULL && mx_relay_poll(s->relay, err) != 0) return err->code;
  if (!asked && !mx_snapshots_due(s, n)) return 0;
  const int status = s->relay != NULL ? hand_over(s, n, t, err) : take_in_line(s, n, t, err);
  s->held_up += mx_clock() - begun;
  return status;
}

long mx_snapshots_ready(const struct mx_snapshots *s) { return s->relay != NULL ? (long)mx_relay_done(s->relay) : 0; }

int mx_snapshots_name(struct mx_snapshots *s, long count, struct dg_error *err)
{
  const double begun = mx_clock();
  if (s->relay == NULL || s->named >= (size_t)count) return 0;
  const int status = name_all(s, (size_t)count, err);
  s->held_up += mx_clock() - begun;
  return status;
}

int mx_snapshots_finish(struct mx_snapshots *s, struct dg_error *err)
{
  const double begun = mx_clock();
  double ignored = 0;
  if (s->relay == NULL) return 0;
  if (mx_relay_finish(s->relay, 0, &ignored, err) == 0) (void)!name_all(s, s->handed, err);
  s->held_up += mx_clock() - begun;
  return err->code;
}

long mx_snapshots_written(const struct mx_snapshots *s)
{
  return s->before + s->in_line + (s->scene != NULL && s->scene->comm != NULL ? (long)s->named : mx_snapshots_ready(s));
}

double mx_snapshots_seconds(const struct mx_snapshots *s) { return s->relay != NULL ? mx_relay_seconds(s->relay) : 0; }

double mx_snapshots_behind(const struct mx_snapshots *s)
{
  const long done = s->relay != NULL ? (long)mx_relay_done(s->relay) : 0;
  return done > 0 ? (double)s->slots * mx_relay_seconds(s->relay) / (double)done : 0;
}

void mx_snapshots_release(struct mx_snapshots *s)
{
  mx_relay_stop(s->relay);
  for (size_t i = 0; s->slot != NULL && i < s->slots; i++) {
    for (size_t w = 0; w < s->writers.count; w++)
      if (s->slot[i].job[w] != NULL) s->writers.writer[w]->abandon(s->slot[i].job[w]);
    dg_free(s->slot[i].E);
    dg_free(s->slot[i].H);
  }
  dg_free(s->slot);
  for (int i = 0; i < 4; i++) dg_free(s->material[i]);
  dg_node_merge_release(&s->merge);
  for (size_t w = 0; w < s->writers.count; w++) {
    s->writers.writer[w]->close(s->series[w]);
    pthread_mutex_destroy(&s->list[w].lock);
    dg_free(s->list[w].step);
  }
  *s = (struct mx_snapshots){0};
}

size_t mx_snapshots_memory(const struct mx_scene *scene, const struct mx_writers *writers)
{
  const size_t K = scene->problem->K, Np = (size_t)scene->ref->Np;
  const size_t fields = (size_t)wants(scene, MX_QUANTITY_E) + (size_t)wants(scene, MX_QUANTITY_H);
  const size_t averages = scene->config->output.fields.average ? 3 * fields : 0;
  size_t most = 0; /* one format is written behind the other */
  if (scene->config->output.fields.every == 0) return 0;
  for (size_t w = 0; w < writers->count; w++) {
    const size_t bytes = writers->writer[w]->memory(K, scene->ref, averages);
    if (bytes > most) most = bytes;
  }
  return slots_of(scene, writers) * 3 * fields * K * Np * sizeof(double) + most;
}

/* ---- the recorder ---- */

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_writers chosen = mx_chosen_writers(scene->config);
  for (size_t i = 0; i < chosen.count; i++)
    if (chosen.writer[i]->folder != NULL) mx_plan_folder(plan, chosen.writer[i]->folder, true);
  for (size_t w = 0; scene->config->output.fields.every > 0 && w < chosen.count; w++)
    for (size_t i = 0; chosen.writer[w]->names[i] != NULL; i++)
      if (mx_plan_pattern(plan, err, "%s", chosen.writer[w]->names[i]) != 0) return err->code;
  return 0;
}

static size_t memory(const struct mx_scene *scene)
{
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  return mx_snapshots_memory(scene, &writers);
}

/* There is one in any case: a run without snapshots counts none. */
static int open_snapshots(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  struct mx_snapshots *s;
  (void)resume;
  if (DG_NEW(s, 1, err) != 0) return err->code;
  *self = s;
  return mx_snapshots_init(s, scene, &writers, err);
}

static bool is_due(const void *self, long n) { return mx_snapshots_due(self, n); }

static bool asks(const void *self, long n)
{
  const struct mx_snapshots *const s = self;
  return mx_snapshots_due(s, n) && s->buffers == 0;
}

static int take(void *self, long n, double t, struct dg_error *err)
{
  return mx_snapshots_take(self, n, t, false, err);
}

static int finish(void *self, struct dg_error *err) { return mx_snapshots_finish(self, err); }

static int archive_count(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_snapshots *const s = self;
  long written = mx_snapshots_written(s);
  if (mx_archive_longs(archive, "output/snapshots", 1, &written, err) != 0) return err->code;
  if (written < 0 || written > s->most)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint counts %ld snapshots", written);
  if (archive->does == MX_ARCHIVE_LOADS) s->before = written;
  return 0;
}

static void release(void *self)
{
  mx_snapshots_release(self);
  dg_free(self);
}

const struct mx_recorder mx_snapshots_recorder = {.plan = plan,
                                                  .memory = memory,
                                                  .open = open_snapshots,
                                                  .due = is_due,
                                                  .asks = asks,
                                                  .take = take,
                                                  .wait = finish,
                                                  .archive = archive_count,
                                                  .release = release};
