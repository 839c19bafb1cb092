/* A scanner for Gmsh's .geo scripts: it finds the parameters that a script can receive, and commands that would start a
 * program or write a file. curlew-mesh calls it, so that a mistyped parameter is an error. */
#include "libdg/mesh/load/geo_parameters.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/load/format.h"

#define TOKEN_MAX   256
#define INCLUDE_MAX 16  /* depth; a script that includes itself ends there */
#define FILES_MAX   256 /* in all: one that includes itself twice would read 2^16 */

struct scanner {
  const char *at;
  char text[TOKEN_MAX]; /* of a word or a string, cut when longer */
};

enum token { END, WORD, STRING, NUMBER, OTHER };

static void copy_text(struct scanner *scan, const char *from, const char *to)
{
  size_t length = (size_t)(to - from);
  if (length >= TOKEN_MAX) length = TOKEN_MAX - 1;
  memcpy(scan->text, from, length);
  scan->text[length] = '\0';
}

static void skip_blanks(struct scanner *scan)
{
  for (;;) {
    while (isspace((unsigned char)*scan->at)) scan->at++;
    if (scan->at[0] == '/' && scan->at[1] == '/') {
      while (*scan->at != '\0' && *scan->at != '\n') scan->at++;
    } else if (scan->at[0] == '/' && scan->at[1] == '*') {
      const char *end = strstr(scan->at + 2, "*/");
      scan->at = end != NULL ? end + 2 : scan->at + strlen(scan->at);
    } else {
      return;
    }
  }
}

/* Finds the next token. For OTHER, text holds the character. */
static enum token next_token(struct scanner *scan)
{
  skip_blanks(scan);
  const char *start = scan->at;
  if (*start == '\0') return END;
  if (*start == '"' || *start == '\'') {
    const char *end = strchr(start + 1, *start);
    if (end == NULL) end = start + strlen(start);
    copy_text(scan, start + 1, end);
    scan->at = *end != '\0' ? end + 1 : end;
    return STRING;
  }
  if (isalpha((unsigned char)*start) || *start == '_') {
    while (isalnum((unsigned char)*scan->at) || *scan->at == '_') scan->at++;
    copy_text(scan, start, scan->at);
    return WORD;
  }
  if (isdigit((unsigned char)*start)) {
    while (isalnum((unsigned char)*scan->at) || *scan->at == '.') scan->at++;
    return NUMBER;
  }
  copy_text(scan, start, start + 1);
  scan->at++;
  return OTHER;
}

static int add(struct dg_geo_parameters *list, const char *name, bool onelab, struct dg_error *err)
{
  if (dg_geo_parameters_find(list, name) != NULL) return 0;
  if (list->count == list->room) {
    size_t room = list->room > 0 ? 2 * list->room : 16;
    if (dg_grow(&list->parameter, room, sizeof *list->parameter, err) != 0) return err->code;
    list->room = room;
  }
  struct dg_geo_parameter *new = &list->parameter[list->count];
  if (dg_copy_string(&new->name, name, err) != 0) return err->code;
  new->onelab = onelab;
  list->count++;
  return 0;
}

/* Adds a ONELAB name, after "Name" in braces or DefineNumber, if a string follows. */
static int add_if_string(struct dg_geo_parameters *list, struct scanner *scan, struct dg_error *err)
{
  struct scanner look = *scan;
  const enum token token = next_token(&look);
  list->composed = list->composed || token == WORD;
  if (token != STRING) return 0;
  *scan = look;
  return add(list, scan->text, true, err);
}

/* Is the value behind "name =" text, so that it is not a parameter that takes a number? */
static bool value_is_text(struct scanner look)
{
  enum token token = next_token(&look);
  if (token != OTHER || look.text[0] != '=') return false;
  token = next_token(&look);
  if (token == OTHER && look.text[0] == '{') token = next_token(&look);
  return token == STRING || (token == WORD && (strcmp(look.text, "Str") == 0 || strcmp(look.text, "StrCat") == 0));
}

static int scan_constants(struct dg_geo_parameters *list, struct scanner *scan, struct dg_error *err)
{
  int depth = 0;
  bool expect_name = false;
  for (enum token token = next_token(scan); token != END; token = next_token(scan)) {
    if (token == OTHER && strchr("[({", scan->text[0]) != NULL) {
      expect_name = ++depth == 1;
      continue;
    }
    if (token == OTHER && strchr("])}", scan->text[0]) != NULL && --depth <= 0) return 0;
    if (token == WORD && depth == 1 && expect_name && !value_is_text(*scan) && add(list, scan->text, false, err) != 0)
      return err->code;
    if (token == WORD && depth > 1 && strcmp(scan->text, "Name") == 0 && add_if_string(list, scan, err) != 0)
      return err->code;
    expect_name = token == OTHER && depth == 1 && scan->text[0] == ',';
  }
  return 0;
}

static int scan_file(struct dg_geo_parameters *list, const char *path, int depth, struct dg_error *err);

/* Scans an included file. Its path is relative to the folder of the file that includes it. */
static int scan_included(struct dg_geo_parameters *list, const char *from, const char *name, int depth,
                         struct dg_error *err)
{
  const char *slash = strrchr(from, '/');
  size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - from) + 1;
  size_t length = strlen(name);
  char *path;
  if (dg_alloc(&path, folder + length + 1, 1, err) != 0) return err->code;
  memcpy(path, from, folder);
  memcpy(path + folder, name, length);
  int failed = depth < INCLUDE_MAX ? scan_file(list, path, depth + 1, err) : 0;
  dg_free(path);
  return failed;
}

/* Does "Printf(...) > name" write a file? */
static bool prints_to_file(struct scanner look)
{
  int depth = 0;
  for (enum token token = next_token(&look); token != END; token = next_token(&look)) {
    if (token == OTHER && look.text[0] == '(') depth++;
    else if (token == OTHER && look.text[0] == ')') depth--;
    else if (depth <= 0) return token == OTHER && look.text[0] == '>';
  }
  return false;
}

/* Finds harmful commands. This is apart from the parameters, whose reader passes over what it does not understand. */
static void find_harm(struct dg_geo_parameters *list, const char *text)
{
  static const char *const commands[] = {"SystemCall", "NonBlockingSystemCall", "OnelabRun", "Save", "Print",
                                         "CreateDir"};
  struct scanner scan = {.at = text};
  for (enum token token = next_token(&scan); token != END && list->harmful == NULL; token = next_token(&scan)) {
    if (token != WORD) continue;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
      if (strcmp(scan.text, commands[i]) == 0) list->harmful = commands[i];
    if (strcmp(scan.text, "Printf") == 0 && prints_to_file(scan)) list->harmful = "Printf to a file";
  }
}

static int scan_text(struct dg_geo_parameters *list, const char *text, const char *path, int depth,
                     struct dg_error *err)
{
  struct scanner scan = {.at = text};
  for (enum token token = next_token(&scan); token != END; token = next_token(&scan)) {
    if (token != WORD) continue;
    int failed = 0;
    if (strcmp(scan.text, "DefineConstant") == 0) {
      failed = scan_constants(list, &scan, err);
    } else if (strcmp(scan.text, "Name") == 0) { /* of DefineNumber; those of other things do no harm */
      failed = add_if_string(list, &scan, err);
    } else if (strcmp(scan.text, "GetNumber") == 0) {
      if (next_token(&scan) == OTHER) failed = add_if_string(list, &scan, err);
    } else if (strcmp(scan.text, "Include") == 0 || strcmp(scan.text, "Merge") == 0 ||
               strcmp(scan.text, "MergeWithBoundingBox") == 0) {
      if (next_token(&scan) == STRING) failed = scan_included(list, path, scan.text, depth, err);
    }
    if (failed != 0) return failed;
  }
  return 0;
}

/* Does a file hold no script? A merged file is a script unless name and content together say that it is something
 * else. */
static bool holds_no_script(const char *path)
{
  enum dg_format_kind kind;
  struct dg_error err = {0};
  if (dg_format_by_name(path) == DG_FORMAT_SCRIPT || dg_format_by_name(path) == DG_FORMAT_OTHER) return false;
  return dg_format_check(path, false, &kind, &err) == 0;
}

static int scan_file(struct dg_geo_parameters *list, const char *path, int depth, struct dg_error *err)
{
  if (holds_no_script(path)) return 0;
  FILE *file = list->files++ < FILES_MAX ? fopen(path, "rb") : NULL;
  if (file == NULL) return 0;
  char *text = NULL;
  size_t used = 0, room = 65536, got;
  if (dg_alloc(&text, room + 1, 1, err) != 0) goto fail;
  while ((got = fread(text + used, 1, room - used, file)) > 0) {
    used += got;
    if (used < room) continue;
    room *= 2;
    if (dg_grow(&text, room + 1, 1, err) != 0) goto fail;
  }
  text[used] = '\0';
  if (strlen(text) < used) list->harmful = "a byte that is zero";
  find_harm(list, text);
  if (scan_text(list, text, path, depth, err) != 0) goto fail;
fail:
  dg_free(text);
  (void)fclose(file);
  return err->code;
}

int dg_geo_parameters_init(struct dg_geo_parameters *list, const char *path, struct dg_error *err)
{
  *list = (struct dg_geo_parameters){0};
  return scan_file(list, path, 0, err);
}

void dg_geo_parameters_release(struct dg_geo_parameters *list)
{
  for (size_t i = 0; i < list->count; i++) dg_free(list->parameter[i].name);
  dg_free(list->parameter);
  *list = (struct dg_geo_parameters){0};
}

const struct dg_geo_parameter *dg_geo_parameters_find(const struct dg_geo_parameters *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->parameter[i].name, name) == 0) return &list->parameter[i];
  return NULL;
}
