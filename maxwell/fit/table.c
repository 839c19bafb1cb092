/* Reads a table of permittivity; see table.h. `curlew fit` calls it. */
#include "maxwell/fit/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

enum { COLUMNS = 64, NAME = 64, LINE = 4096, UNNAMED = -1 };
static const double TWO_PI = 6.283185307179586, C0 = 299792458;

/* ---- units and names ---- */

static const struct unit {
  const char *name;
  double factor; /* to Hz or m */
  bool wavelength;
} units[] = {{"Hz", 1, false},
             {"kHz", 1e3, false},
             {"MHz", 1e6, false},
             {"GHz", 1e9, false},
             {"THz", 1e12, false},
             {"PHz", 1e15, false},
             {"m", 1, true},
             {"mm", 1e-3, true},
             {"um", 1e-6, true},
             {"nm", 1e-9, true},
             {"eV", 1 / 4.135667696e-15, false}} /* h/e, V s */;
enum { UNITS = sizeof units / sizeof *units };

static const struct unit *find_unit(const char *name)
{
  for (size_t i = 0; i < UNITS; i++) {
    const char *a = name, *b = units[i].name;
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    if (*a == '\0' && *b == '\0') return &units[i];
  }
  return NULL;
}

enum role { NONE, AXIS, INDEX, EXTINCTION, REAL, IMAGINARY, TANGENT, ROLES };

/* What a table is: for each role its column, or UNNAMED. */
struct layout {
  int column[ROLES];
  const struct unit *unit;
  bool wavelength, energy; /* the name of the axis says so */
};

/* Writes a name plainly: lower case, primes as 1 and 2, the micro sign as u, all else that is no letter or digit as one
 * '_' between words. */
static void simplify(const char *cell, char *name)
{
  size_t n = 0;
  int primes = 0;
  /* There is room for two letters, a prime and the end. */
  for (const unsigned char *c = (const unsigned char *)cell; *c != '\0' && n + 4 <= NAME; c++) {
    if (*c == '\'') {
      primes++;
    } else if ((c[0] == 0xc2 && c[1] == 0xb5) || (c[0] == 0xce && c[1] == 0xbc)) {
      name[n++] = 'u';
      c++;
    } else if (c[0] == 0xce && c[1] == 0xbb) { /* the Greek letter */
      memcpy(name + n, "wl", 2);
      n += 2;
      c++;
    } else if (isalnum(*c) != 0) {
      name[n++] = (char)tolower(*c);
    } else if (*c != '"' && n > 0 && name[n - 1] != '_') {
      name[n++] = '_';
    }
  }
  while (n > 0 && name[n - 1] == '_') n--;
  if (primes > 0) name[n++] = primes == 1 ? '1' : '2';
  name[n] = '\0';
}

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

/* Is the name this word, alone or with more words behind it? */
static bool is_word(const char *name, const char *word)
{
  const size_t length = strlen(word);
  return strncmp(name, word, length) == 0 && (name[length] == '\0' || name[length] == '_');
}

static enum role role_of(const char *name, struct layout *layout)
{
  static const char *const waves[] = {"wavelength", "wl", "lambda", "lam"};
  static const char *const rates[] = {"frequency", "freq", "f", "nu"};
  for (size_t i = 0; i < 4; i++) {
    const bool wave = is_word(name, waves[i]);
    if (!wave && !is_word(name, rates[i])) continue;
    layout->wavelength = wave;
    return AXIS;
  }
  if (is_word(name, "energy") || is_word(name, "ev") || is_word(name, "photon")) {
    layout->energy = true;
    return AXIS;
  }
  if (is_word(name, "n") || is_word(name, "index")) return INDEX;
  if (is_word(name, "k") || is_word(name, "kappa") || begins(name, "extinction")) return EXTINCTION;
  if (strstr(name, "tan") != NULL || is_word(name, "df") || begins(name, "loss")) return TANGENT;
  if (!begins(name, "eps") && !begins(name, "permittivity") && !is_word(name, "dk") && !is_word(name, "er") &&
      !is_word(name, "e1") && !is_word(name, "e2"))
    return NONE;
  const char last = name[strlen(name) - 1];
  return strstr(name, "im") != NULL || last == '2' ? IMAGINARY : REAL;
}

/* ---- lines ---- */

struct reader {
  const char *path;
  long line;
  char *cell[COLUMNS];
  int cells;
  char text[LINE];
  struct dg_error *err;
};

static int complain(struct reader *r, const char *message)
{
  return dg_fail(r->err, DG_INPUT, "%s:%ld: %s", r->path, r->line, message);
}

/* Cuts a line into cells. Blanks separate them where there is no comma, semicolon or tab. */
static int cut(struct reader *r, char *line)
{
  static const char *const marks[] = {",", ";", "\t", " "};
  const char *mark = marks[3];
  for (size_t i = 0; i < 3 && mark == marks[3]; i++)
    if (strchr(line, marks[i][0]) != NULL) mark = marks[i];
  r->cells = 0;
  for (char *at = line; at != NULL;) {
    char *end = strpbrk(at, mark);
    if (end != NULL) *end = '\0';
    at += strspn(at, " \t");
    for (size_t n = strlen(at); n > 0 && strchr(" \t", at[n - 1]) != NULL; n--) at[n - 1] = '\0';
    if (*at != '\0' || mark != marks[3]) {
      if (r->cells == COLUMNS) return complain(r, "more than 64 columns");
      r->cell[r->cells++] = at;
    }
    at = end != NULL ? end + 1 : NULL;
  }
  return 0;
}

static bool is_number(const char *cell, double *value)
{
  char *end;
  *value = strtod(cell, &end);
  return end != cell && *end == '\0';
}

/* Does the column of the axis hold a word, as a line of names does? A number with a slip of the pen begins like one. */
static bool is_name(const struct reader *r, int column)
{
  return column < r->cells && strchr("+-.0123456789", r->cell[column][0]) == NULL;
}

/* The unit that stands behind a name: the last of its words. */
static const struct unit *unit_behind(const char *name)
{
  const char *word = strrchr(name, '_');
  return word != NULL ? find_unit(word + 1) : find_unit(name);
}

/* Reads a line of names. Names that the table has twice count where they stand first. */
static int read_names(struct reader *r, const struct mx_fit_form *form, struct layout *layout)
{
  char name[NAME] = "";
  *layout = (struct layout){.column = {UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED}};
  for (int c = 0; c < r->cells; c++) {
    simplify(r->cell[c], name);
    const enum role role = role_of(name, layout);
    if (role == NONE || layout->column[role] != UNNAMED) continue;
    layout->column[role] = c;
    if (role == AXIS) layout->unit = unit_behind(name);
  }
  if (layout->column[AXIS] == UNNAMED)
    return complain(r,
                    "no column is a frequency, wavelength or energy; name one, as in frequency_GHz or wavelength_um");
  if (form->unit != NULL) layout->unit = find_unit(form->unit);
  if (layout->unit == NULL && layout->wavelength)
    return complain(r, "the wavelength has no unit: name it, as in wavelength_um, or give --unit um");
  if (layout->unit == NULL) layout->unit = find_unit(layout->energy ? "eV" : "Hz");
  return 0;
}

/* Takes the columns as they stand: --unit and --columns. */
static int assume_names(struct reader *r, const struct mx_fit_form *form, struct layout *layout)
{
  if (form->unit == NULL || form->columns == NULL)
    return complain(r, "no line of names, as in wavelength_um,n,k: say what the columns are by --unit and --columns");
  *layout = (struct layout){.column = {UNNAMED, 0, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED},
                            .unit = find_unit(form->unit)};
  return 0;
}

/* --columns says what stands behind the axis, whatever the names are. */
static void choose_columns(const char *columns, struct layout *layout)
{
  if (columns == NULL) return;
  for (int role = INDEX; role < ROLES; role++) layout->column[role] = UNNAMED;
  const bool index = strcmp(columns, "nk") == 0, tangent = strcmp(columns, "tan") == 0;
  layout->column[index ? INDEX : REAL] = layout->column[AXIS] + 1;
  layout->column[index ? EXTINCTION : tangent ? TANGENT : IMAGINARY] = layout->column[AXIS] + 2;
}

/* ---- points ---- */

/* A point as it stands in the table. */
struct row {
  double x, first, second;
  long line;
};
struct rows {
  struct row *row;
  size_t count, second; /* `second`: rows that a further block has filled */
  bool index, tangent;  /* what first and second are; else eps', eps'' */
};

/* Reads the number of a column; a table without losses has none. */
static int read_cell(struct reader *r, int column, double *value)
{
  *value = 0;
  if (column == UNNAMED) return 0;
  if (column >= r->cells)
    return dg_fail(r->err, DG_INPUT, "%s:%ld: %d columns, and column %d is needed", r->path, r->line, r->cells,
                   column + 1);
  if (!is_number(r->cell[column], value) || !isfinite(*value))
    return dg_fail(r->err, DG_INPUT, "%s:%ld: '%.40s' is no number", r->path, r->line, r->cell[column]);
  return 0;
}

static int check_order(struct reader *r, const struct rows *rows, double x)
{
  if (!(x > 0)) return dg_fail(r->err, DG_INPUT, "%s:%ld: %g must be > 0", r->path, r->line, x);
  if (rows->count == 0) return 0;
  const double last = rows->row[rows->count - 1].x;
  if (x == last) return dg_fail(r->err, DG_INPUT, "%s:%ld: %g is given twice", r->path, r->line, x);
  if (rows->count < 2 || (x > last) == (rows->row[1].x > rows->row[0].x)) return 0;
  return dg_fail(r->err, DG_INPUT, "%s:%ld: %g follows %g: the table is not sorted", r->path, r->line, x, last);
}

/* A row of the second block belongs to that of the same place in the first one. */
static int fill_row(struct reader *r, const struct layout *layout, struct rows *rows, double x)
{
  if (rows->second >= rows->count || rows->row[rows->second].x != x)
    return dg_fail(r->err, DG_INPUT, "%s:%ld: %g is not where the first block of the table has it", r->path, r->line,
                   x);
  const int column = layout->column[EXTINCTION] != UNNAMED ? EXTINCTION : IMAGINARY;
  return read_cell(r, layout->column[column], &rows->row[rows->second++].second);
}

static int add_row(struct reader *r, const struct layout *layout, bool more, struct rows *rows)
{
  struct row row = {.line = r->line};
  if (read_cell(r, layout->column[AXIS], &row.x) != 0) return r->err->code;
  if (more) return fill_row(r, layout, rows, row.x);
  if (check_order(r, rows, row.x) != 0 || read_cell(r, layout->column[rows->index ? INDEX : REAL], &row.first) != 0 ||
      read_cell(r,
                layout->column[rows->index     ? EXTINCTION
                               : rows->tangent ? TANGENT
                                               : IMAGINARY],
                &row.second) != 0)
    return r->err->code;
  if (rows->count % 256 == 0 && dg_grow(&rows->row, rows->count + 256, sizeof *rows->row, r->err) != 0)
    return r->err->code;
  rows->row[rows->count++] = row;
  return 0;
}

/* Finds what the first block has. */
static int settle(struct reader *r, const struct layout *layout, struct rows *rows)
{
  rows->index = layout->column[INDEX] != UNNAMED;
  rows->tangent = !rows->index && layout->column[TANGENT] != UNNAMED;
  if (rows->index || layout->column[REAL] != UNNAMED) return 0;
  return complain(r, "no columns n and k, eps_re and eps_im, or eps and tan_delta; say what they are by --columns");
}

static int read_rows(struct reader *r, FILE *file, const struct mx_fit_form *form, struct layout *layout,
                     struct rows *rows)
{
  char *const line = r->text;
  struct layout second = {0};
  bool begun = false, more = false;
  for (r->line = 1; fgets(line, sizeof r->text, file) != NULL; r->line++) {
    double value;
    if (r->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) memmove(line, line + 3, strlen(line + 3) + 1);
    if (strchr(line, '\n') == NULL && feof(file) == 0) return complain(r, "the line is too long, or not text");
    for (char *c = line; *c != '\0'; c++)
      if ((unsigned char)*c < ' ' && *c != '\t') *c = ' ';
    const size_t blanks = strspn(line, " \t");
    if (line[blanks] == '\0' || line[blanks] == '#') continue;
    if (cut(r, line) != 0) return r->err->code;
    if (r->cells == 0) continue;
    const bool names = begun ? is_name(r, layout->column[AXIS]) : !is_number(r->cell[0], &value);
    if (!begun) {
      if ((names ? read_names(r, form, layout) : assume_names(r, form, layout)) != 0) return r->err->code;
      choose_columns(form->columns, layout);
      if (settle(r, layout, rows) != 0) return r->err->code;
      begun = true;
    } else if (names) {
      const enum role losses = rows->index ? EXTINCTION : IMAGINARY;
      if (rows->count == 0 || more || rows->tangent || layout->column[losses] != UNNAMED)
        return complain(r, "a second line of names");
      if (read_names(r, form, &second) != 0) return r->err->code;
      if (second.column[losses] == UNNAMED) return complain(r, "the second block of a table has k, or eps_im");
      more = true;
    }
    if (!names && add_row(r, more ? &second : layout, more, rows) != 0) return r->err->code;
  }
  if (ferror(file) != 0) return dg_fail(r->err, DG_INPUT, "cannot read '%s': %s", r->path, strerror(errno));
  if (!begun) return dg_fail(r->err, DG_INPUT, "'%s' has no line with numbers", r->path);
  if (more && rows->second != rows->count)
    return complain(r, "the second block of the table is shorter than the first");
  return 0;
}

static double complex permittivity(const struct rows *rows, const struct row *row)
{
  const double complex n = row->first - I * row->second;
  if (rows->index) return n * n;
  return row->first - I * row->second * (rows->tangent ? row->first : 1);
}

/* Takes the rows in the range, by rising frequency. */
static int take(struct mx_fit_data *data, const char *path, const struct unit *unit, const struct rows *rows,
                const struct mx_fit_form *form, struct dg_error *err)
{
  const double from = isnan(form->from) ? 0 : form->from, to = isnan(form->to) ? INFINITY : form->to;
  const bool rises = rows->count > 1 && (rows->row[1].x > rows->row[0].x) != unit->wavelength;
  if (DG_NEW(data->omega, rows->count, err) != 0 || DG_NEW(data->eps, rows->count, err) != 0 ||
      DG_NEW(data->line, rows->count, err) != 0 || DG_NEW(data->x, rows->count, err) != 0)
    return err->code;
  data->unit = unit->name;
  for (size_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->row[rises ? i : rows->count - 1 - i];
    const double value = row->x * unit->factor;
    if (row->x < from || row->x > to) continue;
    data->omega[data->count] = TWO_PI * (unit->wavelength ? C0 / value : value);
    data->eps[data->count] = permittivity(rows, row);
    data->line[data->count] = row->line;
    data->x[data->count] = row->x;
    if (data->eps[data->count] == 0 || !isfinite(cabs(data->eps[data->count])) || !isfinite(data->omega[data->count]))
      return dg_fail(err, DG_INPUT, "%s:%ld: a permittivity of 0 or beyond all numbers", path, row->line);
    data->count++;
  }
  if (data->count < 3)
    return dg_fail(err, DG_INPUT, "'%s' has %zu points from %g to %g %s; a fit takes 3 at least", path, data->count,
                   from, to, data->unit);
  if (data->count > MX_FIT_POINTS)
    return dg_fail(err, DG_INPUT, "'%s' has %zu points from %g to %g %s; a fit takes %d at most", path, data->count,
                   from, to, data->unit, MX_FIT_POINTS);
  return 0;
}

int mx_fit_data_read(struct mx_fit_data *data, const char *path, const struct mx_fit_form *form, struct dg_error *err)
{
  struct reader r = {.path = path, .err = err};
  struct layout layout = {0};
  struct rows rows = {0};
  *data = (struct mx_fit_data){0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) return dg_fail(err, DG_INPUT, "cannot open the table '%s': %s", path, strerror(errno));
  if (read_rows(&r, file, form, &layout, &rows) == 0 && layout.unit != NULL)
    (void)!take(data, path, layout.unit, &rows, form, err);
  fclose(file);
  dg_free(rows.row);
  return err->code;
}

void mx_fit_data_release(struct mx_fit_data *data)
{
  dg_free(data->omega);
  dg_free(data->eps);
  dg_free(data->line);
  dg_free(data->x);
  *data = (struct mx_fit_data){0};
}
