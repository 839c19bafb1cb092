/* The nearest name to a mistyped one, by Damerau's restricted edit distance, and strings and numbers as JSON has them.
 * Error messages of scripts and options use the first, the summary and the bench the second. */
#include "libdg/base/text.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_EDIT 64
#define EDIT          16 /* the cost of one edit, where a letter in the wrong case costs 1 */

static int substitution_cost(char a, char b)
{
  if (a == b) return 0;
  return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : EDIT;
}

static int min3(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

/* Damerau's restricted edit distance. */
static int edit_cost(const char *a, const char *b)
{
  size_t m = strlen(a), n = strlen(b);
  if (m > NAME_MAX_EDIT || n > NAME_MAX_EDIT) return INT_MAX;
  int row[3][NAME_MAX_EDIT + 1];
  int *before = row[0], *last = row[1], *now = row[2];
  for (size_t j = 0; j <= n; j++) last[j] = EDIT * (int)j;
  for (size_t i = 1; i <= m; i++) {
    now[0] = EDIT * (int)i;
    for (size_t j = 1; j <= n; j++) {
      now[j] = min3(last[j] + EDIT, now[j - 1] + EDIT, last[j - 1] + substitution_cost(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + EDIT < now[j])
        now[j] = before[j - 2] + EDIT;
    }
    int *oldest = before;
    before = last;
    last = now;
    now = oldest;
  }
  return last[n];
}

int dg_nearest(const char *name, const char *const *names, size_t count)
{
  int best = -1, best_cost = INT_MAX;
  for (size_t i = 0; i < count; i++) {
    int cost = edit_cost(name, names[i]);
    if (cost < best_cost) {
      best_cost = cost;
      best = (int)i;
    }
  }
  /* A third of the longer name may be wrong, and one letter always. */
  if (best < 0) return -1;
  size_t a = strlen(name), b = strlen(names[best]);
  size_t allowed = (a > b ? a : b) / 3;
  if (allowed < 1) allowed = 1;
  return best_cost <= EDIT * (int)allowed ? best : -1;
}

/* Bytes of the UTF-8 character at c, 0 if it is none. */
static size_t utf8_length(const unsigned char *c)
{
  static const unsigned long smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (*c < 0x80) return 1;
  size_t length = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
  unsigned long code = *c & (0x7fU >> length);
  if (*c < 0xc0 || *c > 0xf4) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((c[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (c[i] & 0x3f);
  }
  return code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

void dg_json_string(FILE *file, const char *string)
{
  fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)string; *c != '\0';) {
    size_t length = utf8_length(c);
    if (*c == '"' || *c == '\\') fprintf(file, "\\%c", *c);
    else if (*c < 0x20) fprintf(file, "\\u%04x", *c);
    else if (length == 0) fputs("\\ufffd", file); /* a file name may have any bytes, JSON may not */
    else fwrite(c, 1, length, file);
    c += length > 0 ? length : 1;
  }
  fputc('"', file);
}

void dg_json_number(FILE *file, double value)
{
  if (!isfinite(value)) {
    fputs("null", file);
    return;
  }
  char text[40];
  for (int digits = 15; digits <= 17; digits++) { /* the shortest of these that reads back exactly */
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, file);
}
