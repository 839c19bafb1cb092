/* Looks at the files on which the runs of a sweep depend, and reads what a run has left in its summary. */
#define _POSIX_C_SOURCE 200809L /* stpcpy */
#include "maxwell/app/sweep/sweep_inputs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"

static bool is_later(const struct timespec *a, const struct timespec *b)
{
  return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Reads a regular file; NULL without an error where there is none. *changed, which may be NULL, is not before its time.
 */
static char *read_file(const char *path, size_t *bytes, struct timespec *changed, struct dg_error *err)
{
  struct stat info;
  char *text = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return NULL;
  *bytes = 0;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && dg_alloc(&text, (size_t)info.st_size + 1, 1, err) == 0)
    while (*bytes < (size_t)info.st_size) {
      const ssize_t got = read(file, text + *bytes, (size_t)info.st_size - *bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      *bytes += (size_t)got;
    }
  if (text != NULL && changed != NULL && is_later(&info.st_mtim, changed)) *changed = info.st_mtim;
  close(file);
  return text;
}

/* ---- inputs */

enum { FILES = 200 };

struct inputs {
  size_t count;
  char *path[FILES]; /* those that were found or are still to be looked at */
};

static bool ends_with(const char *name, size_t length, const char *ending)
{
  const size_t rest = strlen(ending);
  if (length <= rest) return false;
  for (size_t i = 0; i < rest; i++)
    if (tolower((unsigned char)name[length - rest + i]) != ending[i]) return false;
  return true;
}

static bool is_input(const char *name, size_t length)
{
  static const char *const endings[] = {MX_INPUT_ENDINGS}; /* of share/python/curlew/sweeps.py */
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_with(name, length, endings[i])) return true;
  return false;
}

/* Adds a file that is named in a file beside it. */
static int add_named(struct inputs *inputs, const char *beside, const char *name, size_t length, struct dg_error *err)
{
  const char *slash = name[0] != '/' ? strrchr(beside, '/') : NULL;
  const size_t folder = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
  char *path;
  if (dg_alloc(&path, folder + length + 1, 1, err) != 0) return err->code;
  memcpy(path, beside, folder);
  memcpy(path + folder, name, length);
  for (size_t i = 0; i < inputs->count; i++)
    if (strcmp(inputs->path[i], path) == 0) {
      dg_free(path);
      return 0;
    }
  if (inputs->count < FILES) inputs->path[inputs->count++] = path;
  else dg_free(path);
  return 0;
}

/* Adds what stands in quotes and has the ending of an input, and the modules of require "name". */
static int scan(struct inputs *inputs, const char *path, const char *text, struct dg_error *err)
{
  for (const char *c = text; *c != '\0'; c++) {
    if (*c != '"' && *c != '\'') continue;
    const char end[] = {*c, '\n', '\0'};
    const size_t length = strcspn(c + 1, end);
    if (c[1 + length] != *c) continue;
    char module[300];
    const char *before = c;
    while (before > text && strchr(" (", before[-1]) != NULL) before--;
    if (is_input(c + 1, length) && add_named(inputs, path, c + 1, length, err) != 0) return err->code;
    if (before - text >= 7 && strncmp(before - 7, "require", 7) == 0 && length < 256) {
      snprintf(module, sizeof module, "%.*s.lua", (int)length, c + 1);
      for (size_t i = 0; i < length; i++)
        if (module[i] == '.') module[i] = '/';
      if (add_named(inputs, path, module, strlen(module), err) != 0) return err->code;
    }
    c += 1 + length;
  }
  return 0;
}

/* *changed, which may be NULL, is not before the latest change of any of them. */
static int digest_all(const char *script, uint64_t *digest, struct timespec *changed, struct dg_error *err)
{
  struct inputs inputs = {0};
  *digest = 0;
  if (dg_copy_string(&inputs.path[0], script, err) != 0) return err->code;
  inputs.count = 1;
  for (size_t i = 0; i < inputs.count && err->code == DG_OK; i++) {
    const char *const path = inputs.path[i];
    size_t bytes = 0;
    errno = 0;
    char *text = read_file(path, &bytes, changed, err);
    if (text == NULL && i == 0 && err->code == DG_OK)
      (void)dg_fail(err, DG_INPUT, "cannot open the script '%s': %s", script,
                    errno != 0 ? strerror(errno) : "it is no file");
    if (text == NULL) continue;
    *digest = dg_digest(dg_digest(*digest, path, strlen(path) + 1), text, bytes);
    if (ends_with(path, strlen(path), ".lua") || ends_with(path, strlen(path), ".geo") || i == 0)
      (void)!scan(&inputs, path, text, err);
    dg_free(text);
  }
  for (size_t i = 0; i < inputs.count; i++) dg_free(inputs.path[i]);
  return err->code;
}

int mx_inputs_digest(const char *script, uint64_t *digest, struct dg_error *err)
{
  return digest_all(script, digest, NULL, err);
}

/* ---- outcomes */

/* Takes a JSON string that begins at the quote, in place; returns what is behind it, or NULL. */
static char *take_string(char *at, char **text)
{
  if (*at != '"') return NULL;
  char *to = *text = ++at;
  for (; *at != '"' && *at != '\0'; at++) {
    if (*at != '\\') {
      *to++ = *at;
      continue;
    }
    at++;
    if (*at == '\0') return NULL;
    if (*at == 'u') *to++ = '\\'; /* control characters stay as they are written */
    *to++ = *at;
  }
  if (*at != '"') return NULL;
  *to = '\0';
  return at + 1;
}

/* Takes a value: a string, or a word up to a comma or the end; returns the place of what ended it, which *ended was. */
static char *take_value(char *at, char **text, char *ended)
{
  static char nothing[] = "nan";
  if (*at == '"') {
    at = take_string(at, text);
    *ended = at != NULL ? *at : '\0';
    return at;
  }
  *text = at;
  at += strcspn(at, ",}\n");
  *ended = *at;
  *at = '\0';
  if (strcmp(*text, "null") == 0) *text = nothing;
  return at;
}

/* Reads {"name": value, ...}. */
static int take_derived(struct mx_outcome *outcome, char *at, struct dg_error *err)
{
  char ended = ',';
  if (*at++ != '{' || *at == '}') return 0;
  while (at != NULL && ended == ',') {
    struct mx_outcome_value value;
    at += strspn(at, " ");
    at = take_string(at, &value.name);
    if (at == NULL || strncmp(at, ": ", 2) != 0) return 0;
    at = take_value(at + 2, &value.text, &ended);
    if (at == NULL) return 0;
    if (dg_grow(&outcome->derived, outcome->count + 1, sizeof *outcome->derived, err) != 0) return err->code;
    outcome->derived[outcome->count++] = value;
    at++;
  }
  return 0;
}

/* Takes a line of the summary, which stands on one: `  "key": value,`. */
static int take_line(struct mx_outcome *outcome, char *line, struct dg_error *err)
{
  const struct {
    const char *key;
    char **value;
  } wanted[] = {{"\"status\": ", &outcome->status},
                {"\"steps\": ", &outcome->steps},
                {"\"simulated_time\": ", &outcome->time},
                {"\"energy_last\": ", &outcome->energy}};
  static const char derived[] = "\"derived\": ";
  char ended;
  line += strspn(line, " ");
  if (strncmp(line, derived, sizeof derived - 1) == 0) return take_derived(outcome, line + sizeof derived - 1, err);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const size_t length = strlen(wanted[i].key);
    if (strncmp(line, wanted[i].key, length) == 0) (void)take_value(line + length, wanted[i].value, &ended);
  }
  return 0;
}

/* Looks at the files of a list ["a", "b"]. */
static void look_at_list(struct mx_run_inputs *inputs, char *at, const struct timespec *began)
{
  struct timespec changed = {0};
  for (inputs->known = *at++ == '['; inputs->known && *at == '"'; at += strspn(at, ", ")) {
    struct dg_error why = {0};
    uint64_t digest;
    char *path, *behind = take_string(at, &path);
    inputs->known = behind != NULL && digest_all(path, &digest, &changed, &why) == 0;
    if (!inputs->known) return;
    inputs->digest = dg_digest(inputs->digest, &digest, sizeof digest);
    at = behind;
  }
  inputs->newer = is_later(&changed, began);
}

int mx_run_inputs_read(struct mx_run_inputs *inputs, const char *folder, struct dg_error *err)
{
  static const char name[] = "/configuration.json", key[] = "\n  \"files\": ";
  struct timespec began = {0};
  char *path;
  size_t bytes = 0;
  *inputs = (struct mx_run_inputs){0};
  if (dg_alloc(&path, strlen(folder) + sizeof name, 1, err) != 0) return err->code;
  stpcpy(stpcpy(path, folder), name);
  char *text = read_file(path, &bytes, &began, err), *list = text != NULL ? strstr(text, key) : NULL;
  dg_free(path);
  if (list != NULL) look_at_list(inputs, list + sizeof key - 1, &began);
  dg_free(text);
  return err->code;
}

int mx_outcome_read(struct mx_outcome *outcome, const char *folder, struct dg_error *err)
{
  static const char name[] = "/summary.json";
  char *path;
  size_t bytes = 0;
  *outcome = (struct mx_outcome){0};
  if (dg_alloc(&path, strlen(folder) + sizeof name, 1, err) != 0) return err->code;
  stpcpy(stpcpy(path, folder), name);
  outcome->text = read_file(path, &bytes, NULL, err);
  if (outcome->text == NULL) (void)dg_fail(err, DG_ENVIRONMENT, "cannot read '%s'", path);
  dg_free(path);
  for (char *line = outcome->text; line != NULL && *line != '\0' && err->code == DG_OK;) {
    char *const end = line + strcspn(line, "\n");
    const bool last = *end == '\0';
    *end = '\0';
    (void)!take_line(outcome, line, err);
    line = last ? end : end + 1;
  }
  return err->code;
}

void mx_outcome_release(struct mx_outcome *outcome)
{
  dg_free(outcome->derived);
  dg_free(outcome->text);
  *outcome = (struct mx_outcome){0};
}
