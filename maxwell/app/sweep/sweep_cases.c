/* Makes the cases of a sweep, names their folders as share/python's curlew.sweep does, and finds out from notes and
 * digests which of them need not run again. sweep.c calls it. */
#include "maxwell/app/sweep/sweep_cases.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/app/sweep/sweep_inputs.h"
#include "maxwell/version.h"

enum { NAME = 80 }; /* bytes of a folder's name */

/* ---- names */

static int format_path(char **path, const char *folder, const char *name, struct dg_error *err)
{
  const size_t length = strlen(folder) + strlen(name) + 2;
  if (dg_alloc(path, length, 1, err) != 0) return err->code;
  snprintf(*path, length, "%s/%s", folder, name);
  return 0;
}

/* "a=1,b=0.2", or a number where that would be long or has odd characters. */
static int name_case(struct mx_case *item, const struct mx_sweep_options *options, struct dg_error *err)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+=,-";
  char name[NAME + 1];
  size_t used = 0;
  for (size_t i = 0; i < options->axes && used < sizeof name; i++)
    used += (size_t)snprintf(name + used, sizeof name - used, "%s%s=%s", i > 0 ? "," : "", options->axis[i].name,
                             item->value[i]);
  if (used >= sizeof name || strspn(name, letters) != used) snprintf(name, sizeof name, "case_%05zu", item->number + 1);
  return dg_copy_string(&item->name, name, err);
}

static int name_output(struct mx_cases *cases, struct dg_error *err)
{
  const struct mx_sweep_options *options = cases->options;
  static const char ending[] = "_sweep";
  if (options->output != NULL) return dg_copy_string(&cases->output, options->output, err);
  const char *slash = strrchr(options->script, '/'), *base = slash != NULL ? slash + 1 : options->script;
  size_t length = strlen(base);
  if (length > 4 && strcmp(base + length - 4, ".lua") == 0) length -= 4;
  if (dg_alloc(&cases->output, length + sizeof ending, 1, err) != 0) return err->code;
  memcpy(cases->output, base, length);
  memcpy(cases->output + length, ending, sizeof ending);
  return 0;
}

/* ---- what was done before */

/* A note is "begun KEY SECONDS FILES" or "done KEY SECONDS FILES". */
static bool read_note(const struct mx_case *item, bool *done, double *seconds, uint64_t *files)
{
  char text[100] = "", word[8];
  uint64_t key;
  int file;
  struct dg_error ignored = {0};
  if (dg_file_kind(item->note) != DG_FILE_REGULAR || dg_file_open(&file, item->note, O_RDONLY, &ignored) != 0)
    return false;
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0 || sscanf(text, "%7s %16" SCNx64 " %lf %16" SCNx64, word, &key, seconds, files) != 4 || key != item->key)
    return false;
  *done = strcmp(word, "done") == 0;
  return *seconds >= 0 && *seconds < 1e12;
}

/* Has this part of the folder a checkpoint? */
static bool has_checkpoint(const struct mx_case *item, const char *part)
{
  struct dg_error ignored = {0};
  bool found = false;
  char *path;
  if (format_path(&path, item->folder, part, &ignored) != 0) return false;
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir != NULL && !found && (entry = readdir(dir)) != NULL;)
    found = strncmp(entry->d_name, "step_", 5) == 0;
  if (dir != NULL) closedir(dir);
  dg_free(path);
  return found;
}

static bool summary_is_done(const struct mx_case *item)
{
  struct mx_outcome outcome;
  struct dg_error ignored = {0};
  const bool done = mx_outcome_read(&outcome, item->folder, &ignored) == 0 && outcome.status != NULL &&
                    strcmp(outcome.status, "done") == 0;
  mx_outcome_release(&outcome);
  return done;
}

/* What an argument has named counts as well as what the script names: a run that is done stays if the files that it has
 * read are the same, and one that was stopped goes on if none of them was changed since. */
static void look_at_note(struct mx_case *item, bool again)
{
  struct dg_error ignored = {0};
  struct mx_run_inputs inputs;
  bool done;
  double seconds;
  uint64_t files;
  item->done = item->kept = item->restarts = false;
  if (again || !read_note(item, &done, &seconds, &files)) return;
  if (mx_run_inputs_read(&inputs, item->folder, &ignored) != 0 || !inputs.known) return;
  if (done ? inputs.digest != files : inputs.newer) return;
  const bool summary = summary_is_done(item);
  if (done && summary) {
    item->done = item->kept = true;
    item->exit_code = 0;
    item->seconds = seconds;
    item->files = files;
  } else if (!done && !summary && (has_checkpoint(item, "checkpoint") || has_checkpoint(item, "heat/checkpoint"))) {
    item->restarts = true;
    item->before = seconds;
  }
}

struct note {
  const struct mx_case *item;
};

static void write_note(FILE *file, const void *what)
{
  const struct mx_case *item = ((const struct note *)what)->item;
  fprintf(file, "%s %016" PRIx64 " %.6g %016" PRIx64 "\n", item->done ? "done" : "begun", item->key, item->seconds,
          item->files);
}

int mx_case_look_at_files(struct mx_case *item, struct dg_error *err)
{
  struct mx_run_inputs inputs;
  if (mx_run_inputs_read(&inputs, item->folder, err) != 0) return err->code;
  item->files =
      inputs.known && !inputs.newer ? inputs.digest : 0; /* of one that was changed meanwhile nothing is known */
  return 0;
}

int mx_case_note(const struct mx_case *item, struct dg_error *err)
{
  const struct note note = {item};
  return dg_file_write(item->note, write_note, &note, err);
}

/* ---- all of them */

static uint64_t key_of(const struct mx_sweep_options *options, const struct mx_case *item, uint64_t inputs)
{
  uint64_t key = dg_digest(inputs, CURLEW_VERSION, sizeof CURLEW_VERSION);
  for (size_t i = 0; i < options->words; i++) key = dg_digest(key, options->word[i], strlen(options->word[i]) + 1);
  for (size_t i = 0; i < options->axes; i++) {
    key = dg_digest(key, options->axis[i].name, strlen(options->axis[i].name) + 1);
    key = dg_digest(key, item->value[i], strlen(item->value[i]) + 1);
  }
  return key;
}

static int init_case(struct mx_cases *cases, size_t number, uint64_t inputs, struct dg_error *err)
{
  const struct mx_sweep_options *options = cases->options;
  struct mx_case *item = &cases->item[number];
  char note[NAME + 10];
  size_t rest = number;
  *item = (struct mx_case){.number = number, .exit_code = -1, .said = -1};
  cases->count++;
  if (DG_NEW(item->value, options->axes, err) != 0) return err->code;
  for (size_t i = options->axes; i-- > 0; rest /= options->axis[i].values)
    item->value[i] = options->axis[i].value[rest % options->axis[i].values];
  if (name_case(item, options, err) != 0) return err->code;
  snprintf(note, sizeof note, ".sweep/%s", item->name);
  if (format_path(&item->folder, cases->output, item->name, err) != 0 ||
      format_path(&item->note, cases->output, note, err) != 0)
    return err->code;
  item->key = key_of(options, item, inputs);
  look_at_note(item, options->again);
  return 0;
}

int mx_cases_init(struct mx_cases *cases, const struct mx_sweep_options *options, struct dg_error *err)
{
  uint64_t inputs;
  size_t count = 1;
  *cases = (struct mx_cases){.options = options};
  for (size_t i = 0; i < options->axes; i++) count *= options->axis[i].values;
  if (mx_inputs_digest(options->script, &inputs, err) != 0 || name_output(cases, err) != 0 ||
      DG_NEW(cases->item, count, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++)
    if (init_case(cases, i, inputs, err) != 0) return err->code;
  return 0;
}

void mx_cases_release(struct mx_cases *cases)
{
  for (size_t i = 0; i < cases->count; i++) {
    struct mx_case *item = &cases->item[i];
    dg_free(item->value);
    dg_free(item->name);
    dg_free(item->folder);
    dg_free(item->note);
    dg_free(item->error);
    mx_outcome_release(&item->outcome);
    if (item->said >= 0) close(item->said);
  }
  dg_lock_release(&cases->lock, true);
  dg_free(cases->item);
  dg_free(cases->output);
  *cases = (struct mx_cases){0};
}

static int make(const char *path, struct dg_error *err)
{
  struct stat info;
  if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "cannot make the folder '%s': %s", path, strerror(errno));
}

/* Two sweeps in one folder would run the same cases, and write one table. */
static int take_lock(struct mx_cases *cases, struct dg_error *err)
{
  enum dg_lock_state state;
  char holder[DG_LOCK_HOLDER], *path;
  if (format_path(&path, cases->output, ".sweep/lock", err) != 0) return err->code;
  if (dg_lock_take(&cases->lock, path, true, &state, holder, err) == 0 && state == DG_LOCK_BUSY)
    (void)dg_fail(err, DG_ENVIRONMENT,
                  "another sweep is at work in '%s'%s%s%s; wait for its end, or name another folder (--output)",
                  cases->output, holder[0] != '\0' ? " (" : "", holder, holder[0] != '\0' ? ")" : "");
  dg_free(path);
  return err->code;
}

int mx_cases_make_folder(struct mx_cases *cases, struct dg_error *err)
{
  char *path;
  if (make(cases->output, err) != 0 || format_path(&path, cases->output, ".sweep", err) != 0) return err->code;
  if (make(path, err) == 0 && take_lock(cases, err) == 0)
    for (size_t i = 0; i < cases->count; i++) look_at_note(&cases->item[i], cases->options->again);
  dg_free(path);
  return err->code;
}
