/* A small tokenizer that finds the line of every key of the simulation table, because Lua keeps none. Messages name
 * these lines. */
#include "maxwell/shell/script/script_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

enum token_type { TOKEN_END, TOKEN_NAME, TOKEN_STRING, TOKEN_NUMBER, TOKEN_SYMBOL };

struct token {
  enum token_type type;
  const char *text; /* of a string: without its quotes */
  size_t length;
  int line;
  char symbol; /* of TOKEN_SYMBOL; 'c' stands for a comparison such as == */
};

struct scanner {
  const char *at;
  int line;
  struct token token; /* the current one */
  struct mx_lines *lines;
  struct mx_arena *arena;
  struct dg_error *err;
};

/* Returns, at '[', the level of a long bracket "[==[" (here 2), or -1. */
static int long_bracket_level(const char *at)
{
  int level = 0;
  for (at++; *at == '='; at++) level++;
  return *at == '[' ? level : -1;
}

/* Moves past a long bracket; the content starts at *text and has *length characters. */
static void skip_long_bracket(struct scanner *s, int level, const char **text, size_t *length)
{
  s->at += level + 2;
  *text = s->at;
  for (; *s->at != '\0'; s->at++) {
    if (*s->at == '\n') s->line++;
    if (*s->at != ']') continue;
    int count = 0;
    while (s->at[1 + count] == '=') count++;
    if (count == level && s->at[1 + count] == ']') break;
  }
  *length = (size_t)(s->at - *text);
  if (*s->at != '\0') s->at += level + 2;
}

static void skip_blanks_and_comments(struct scanner *s)
{
  for (;;) {
    while (isspace((unsigned char)*s->at))
      if (*s->at++ == '\n') s->line++;
    if (s->at[0] != '-' || s->at[1] != '-') return;
    s->at += 2;
    int level = *s->at == '[' ? long_bracket_level(s->at) : -1;
    const char *text;
    size_t length;
    if (level >= 0) skip_long_bracket(s, level, &text, &length);
    else
      while (*s->at != '\0' && *s->at != '\n') s->at++;
  }
}

static void read_short_string(struct scanner *s)
{
  char quote = *s->at++;
  s->token.type = TOKEN_STRING;
  s->token.text = s->at;
  while (*s->at != '\0' && *s->at != quote) {
    if (*s->at == '\\' && s->at[1] != '\0') s->at++;
    if (*s->at == '\n') s->line++;
    s->at++;
  }
  s->token.length = (size_t)(s->at - s->token.text);
  if (*s->at != '\0') s->at++;
}

static void read_number(struct scanner *s)
{
  bool hex = s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X');
  s->token.type = TOKEN_NUMBER;
  while (isalnum((unsigned char)*s->at) || *s->at == '.') {
    int c = tolower((unsigned char)*s->at++);
    if (c == (hex ? 'p' : 'e') && (*s->at == '+' || *s->at == '-')) s->at++;
  }
  s->token.length = (size_t)(s->at - s->token.text);
}

static void next(struct scanner *s)
{
  skip_blanks_and_comments(s);
  s->token = (struct token){.type = TOKEN_END, .text = s->at, .line = s->line};
  unsigned char c = (unsigned char)*s->at;
  if (c == '\0') return;
  if (isalpha(c) || c == '_') {
    while (isalnum((unsigned char)*s->at) || *s->at == '_') s->at++;
    s->token.type = TOKEN_NAME;
    s->token.length = (size_t)(s->at - s->token.text);
  } else if (isdigit(c) || (c == '.' && isdigit((unsigned char)s->at[1]))) {
    read_number(s);
  } else if (c == '"' || c == '\'') {
    read_short_string(s);
  } else if (c == '[' && long_bracket_level(s->at) >= 0) {
    s->token.type = TOKEN_STRING;
    skip_long_bracket(s, long_bracket_level(s->at), &s->token.text, &s->token.length);
  } else {
    bool comparison = strchr("=~<>", c) != NULL && s->at[1] == '=';
    s->token.type = TOKEN_SYMBOL;
    s->token.symbol = comparison ? 'c' : (char)c;
    s->token.length = comparison ? 2 : 1;
    s->at += s->token.length;
  }
}

static bool is_symbol(const struct scanner *s, char symbol)
{
  return s->token.type == TOKEN_SYMBOL && s->token.symbol == symbol;
}

static bool is_name(const struct scanner *s, const char *name)
{
  return s->token.type == TOKEN_NAME && s->token.length == strlen(name) &&
         memcmp(s->token.text, name, s->token.length) == 0;
}

static bool is_one_of(const struct scanner *s, const char *const *names)
{
  for (; *names != NULL; names++)
    if (is_name(s, *names)) return true;
  return false;
}

/* Moves to the ',' ';' '}' or ']' that ends the expression; those inside brackets and function bodies do not. */
static void skip_expression(struct scanner *s)
{
  static const char *const openers[] = {"function", "do", "if", "repeat", NULL};
  static const char *const closers[] = {"end", "until", NULL};
  for (int depth = 0; s->token.type != TOKEN_END; next(s)) {
    bool symbol = s->token.type == TOKEN_SYMBOL;
    if (depth == 0 && symbol && strchr(",;}]", s->token.symbol) != NULL) return;
    if (is_one_of(s, openers) || (symbol && strchr("({[", s->token.symbol) != NULL)) depth++;
    if (is_one_of(s, closers) || (symbol && strchr(")}]", s->token.symbol) != NULL)) depth--;
  }
}

static int add_line(struct scanner *s, char *path, int line)
{
  struct mx_lines *lines = s->lines;
  if (lines->count == lines->room) {
    size_t room = lines->room == 0 ? 64 : 2 * lines->room;
    if (dg_grow(&lines->item, room, sizeof *lines->item, s->err) != 0) return s->err->code;
    lines->room = room;
  }
  lines->item[lines->count++] = (struct mx_line){path, line};
  return 0;
}

/* At '[': reads `[key] =` and moves past it. *key stays NULL when it is not a plain string or integer. */
static int read_bracket_key(struct scanner *s, char **key)
{
  next(s);
  bool minus = is_symbol(s, '-');
  if (minus) next(s);
  struct token token = s->token;
  struct scanner after = *s;
  next(&after);
  if (is_symbol(&after, ']')) {
    if (token.type == TOKEN_STRING && !minus && memchr(token.text, '\\', token.length) == NULL) {
      if (mx_arena_format(s->arena, key, s->err, "%.*s", (int)token.length, token.text) != 0) return s->err->code;
    } else if (token.type == TOKEN_NUMBER) {
      double number = strtod(token.text, NULL);
      if (fabs(number) < 1e15 && number == trunc(number) &&
          mx_arena_format(s->arena, key, s->err, "%s%ld", minus ? "-" : "", (long)number) != 0)
        return s->err->code;
    }
  }
  skip_expression(s);
  next(s); /* ] */
  next(s); /* = */
  return 0;
}

/* Reads what stands before the value of an entry. *key is its name, or NULL when that is not known. */
static int read_key(struct scanner *s, long *items, char **key)
{
  *key = NULL;
  if (is_symbol(s, '[')) return read_bracket_key(s, key);
  if (s->token.type == TOKEN_NAME) {
    struct token name = s->token;
    struct scanner after = *s;
    next(&after);
    if (is_symbol(&after, '=')) {
      *s = after;
      next(s);
      return mx_arena_format(s->arena, key, s->err, "%.*s", (int)name.length, name.text);
    }
  }
  return mx_arena_format(s->arena, key, s->err, "%ld", ++*items);
}

/* At '{': reads the table up to its '}' and moves past it. Lua has accepted the text, and with it the depth. */
static int read_table(struct scanner *s, const char *path)
{
  long items = 0;
  next(s);
  while (s->token.type != TOKEN_END && !is_symbol(s, '}')) {
    int line = s->token.line;
    char *key, *child = NULL;
    if (read_key(s, &items, &key) != 0) return s->err->code;
    if (key != NULL && path != NULL) {
      if (mx_arena_format(s->arena, &child, s->err, "%s%s%s", path, *path == '\0' ? "" : ".", key) != 0)
        return s->err->code;
      if (add_line(s, child, line) != 0) return s->err->code;
    }
    if (is_symbol(s, '{') && read_table(s, child) != 0) return s->err->code;
    skip_expression(s);
    if (!is_symbol(s, '}')) next(s);
  }
  next(s);
  return 0;
}

static int compare_lines(const void *a, const void *b)
{
  const struct mx_line *p = a, *q = b;
  int order = strcmp(p->path, q->path);
  return order != 0 ? order : (p->line > q->line) - (p->line < q->line);
}

int mx_lines_scan(struct mx_lines *lines, struct mx_arena *arena, const char *text, int call, struct dg_error *err)
{
  *lines = (struct mx_lines){.call = call};
  struct scanner s = {.at = text, .line = 1, .lines = lines, .arena = arena, .err = err};
  bool member = false; /* x.simulation is something else */
  for (next(&s); s.token.type != TOKEN_END; next(&s)) {
    bool found = is_name(&s, "simulation") && !member;
    member = is_symbol(&s, '.') || is_symbol(&s, ':');
    if (!found) continue;
    struct scanner table = s;
    next(&table);
    if (is_symbol(&table, '(')) next(&table);
    if (!is_symbol(&table, '{') || call < s.token.line || call > table.token.line) continue;
    if (read_table(&table, "") != 0) return err->code;
    break;
  }
  if (lines->count > 1) qsort(lines->item, lines->count, sizeof *lines->item, compare_lines);
  return 0;
}

void mx_lines_release(struct mx_lines *lines)
{
  dg_free(lines->item);
  *lines = (struct mx_lines){0};
}

/* Compares an item's path with the first `length` characters of a path. */
static int compare_path(const char *item, const char *path, size_t length)
{
  int order = strncmp(item, path, length);
  return order != 0 ? order : item[length] != '\0';
}

int mx_lines_find(const struct mx_lines *lines, const char *path)
{
  for (size_t length = strlen(path); length > 0;) {
    size_t low = 0, high = lines->count;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      int order = compare_path(lines->item[middle].path, path, length);
      if (order == 0) return lines->item[middle].line;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    while (length > 0 && path[--length] != '.') {
    }
  }
  return lines->call;
}

const struct mx_line *mx_lines_repeated(const struct mx_lines *lines, int *first)
{
  for (size_t i = 1; i < lines->count; i++) {
    if (strcmp(lines->item[i - 1].path, lines->item[i].path) != 0) continue;
    *first = lines->item[i - 1].line;
    return &lines->item[i];
  }
  return NULL;
}
