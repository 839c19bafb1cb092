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

/* What an axis is. */
enum kind { FREQUENCY, ANGULAR, ENERGY, WAVENUMBER, WAVELENGTH, KINDS };
static const char *const kind_names[KINDS] = {"frequency", "angular frequency", "energy", "wavenumber", "wavelength"};

static const struct unit {
  const char *name, *plain; /* `plain` as simplify() writes it */
  double factor;            /* to Hz or m */
  enum kind kind;
} units[] = {{"Hz", "hz", 1, FREQUENCY},
             {"kHz", "khz", 1e3, FREQUENCY},
             {"MHz", "mhz", 1e6, FREQUENCY},
             {"GHz", "ghz", 1e9, FREQUENCY},
             {"THz", "thz", 1e12, FREQUENCY},
             {"PHz", "phz", 1e15, FREQUENCY},
             {"rad/s", "rad_s", 1 / 6.283185307179586, ANGULAR},
             {"m", "m", 1, WAVELENGTH},
             {"cm", "cm", 1e-2, WAVELENGTH},
             {"mm", "mm", 1e-3, WAVELENGTH},
             {"um", "um", 1e-6, WAVELENGTH},
             {"nm", "nm", 1e-9, WAVELENGTH},
             {"angstrom", "angstrom", 1e-10, WAVELENGTH},
             {"meV", "mev", 1e-3 / 4.135667696e-15, ENERGY}, /* h/e, V s */
             {"eV", "ev", 1 / 4.135667696e-15, ENERGY},
             {"keV", "kev", 1e3 / 4.135667696e-15, ENERGY},
             {"1/cm", "1_cm", 299792458e2, WAVENUMBER},
             {"1/cm", "cm_1", 299792458e2, WAVENUMBER}, /* cm^-1 */
             {"1/m", "1_m", 299792458, WAVENUMBER},
             {"1/m", "m_1", 299792458, WAVENUMBER}};
enum { UNITS = sizeof units / sizeof *units };

static const struct unit *find_unit(const char *plain)
{
  for (size_t i = 0; i < UNITS; i++)
    if (strcmp(plain, units[i].plain) == 0) return &units[i];
  return NULL;
}

bool mx_fit_is_unit(const char *name)
{
  for (size_t i = 0; i < UNITS; i++)
    if (strcmp(name, units[i].name) == 0) return true;
  return false;
}

/* The unit of --unit, which mx_fit_is_unit knows. */
static const struct unit *named_unit(const char *name)
{
  for (size_t i = 0; i < UNITS; i++)
    if (strcmp(name, units[i].name) == 0) return &units[i];
  return NULL;
}

enum role { NONE, AXIS, INDEX, EXTINCTION, REAL, IMAGINARY, TANGENT, ROLES };

/* What a table is: for each role its column, or UNNAMED. */
struct layout {
  int column[ROLES];
  const struct unit *unit;
  enum kind kind; /* of the axis, as its name says */
  int cells;      /* of the line of names, or of the first line with numbers */
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

static const struct axis {
  const char *word;
  enum kind kind;
} axes[] = {{"wavelength", WAVELENGTH},
            {"wl", WAVELENGTH},
            {"lambda", WAVELENGTH},
            {"lam", WAVELENGTH},
            {"frequency", FREQUENCY},
            {"freq", FREQUENCY},
            {"f", FREQUENCY},
            {"nu", FREQUENCY},
            {"energy", ENERGY},
            {"ev", ENERGY},
            {"mev", ENERGY},
            {"photon", ENERGY},
            {"omega", ANGULAR},
            {"angular", ANGULAR},
            {"wavenumber", WAVENUMBER},
            {"wavenumbers", WAVENUMBER}};
enum { AXES = sizeof axes / sizeof *axes };

static enum role role_of(const char *name, struct layout *layout)
{
  for (size_t i = 0; i < AXES; i++) {
    if (!is_word(name, axes[i].word)) continue;
    if (layout->column[AXIS] == UNNAMED) layout->kind = axes[i].kind;
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

/* Finds the unit that stands behind the name of an axis: its last words. Names without one may go on as these do. */
static int find_unit_behind(struct reader *r, const char *cell, const char *name, const struct unit **unit)
{
  static const char *const more[] = {"frequency", "energy", "vacuum", "vac", "air", "axis", "photon", "in"};
  const char *last = strrchr(name, '_'), *before = last;
  *unit = NULL;
  if (last != NULL)
    for (before = last - 1; before > name && *before != '_';) before--;
  for (int words = 2; words > 0 && *unit == NULL; words--) {
    const char *from = words == 2 ? before : last;
    if (from != NULL) *unit = find_unit(*from == '_' ? from + 1 : from);
  }
  if (*unit == NULL) *unit = find_unit(name); /* a column that is named by its unit: eV */
  if (*unit != NULL || (last == NULL && strpbrk(cell, "([/") == NULL)) return 0;
  for (size_t i = 0; last != NULL && i < sizeof more / sizeof *more; i++)
    if (strcmp(last + 1, more[i]) == 0) return 0;
  return dg_fail(
      r->err, DG_INPUT,
      "%s:%ld: the unit of '%.60s' is not known: it must be Hz to PHz, rad/s, m to nm, angstrom, meV, eV, keV "
      "or 1/cm",
      r->path, r->line, cell);
}

/* Numbers of a column that its name says to be scaled would be read as they stand. */
static int check_scale(struct reader *r, const char *cell)
{
  static const char *const marks[] = {"%", "ppm", "10^", "1e-", "1e+", "e-3", "e-4", "x1"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (strstr(cell, marks[i]) != NULL)
      return dg_fail(r->err, DG_INPUT, "%s:%ld: the column '%.60s' is scaled: give it in plain numbers", r->path,
                     r->line, cell);
  return 0;
}

/* Is the unit one of such an axis? A frequency in eV or in 1/cm is understood; an omega in Hz may be 2 pi off. */
static bool is_unit_of(const struct unit *unit, enum kind kind)
{
  if (kind == WAVENUMBER || kind == WAVELENGTH || unit->kind == WAVELENGTH) return unit->kind == kind;
  return kind != ANGULAR || unit->kind != FREQUENCY;
}

/* The unit of the axis, by its name and by --unit, which must not contradict each other. */
static int check_unit(struct reader *r, const struct mx_fit_form *form, struct layout *layout)
{
  static const char *const usual[KINDS] = {"Hz", "rad/s", "eV", NULL, NULL};
  const struct unit *given = form->unit != NULL ? named_unit(form->unit) : NULL;
  const struct unit *unit = given != NULL ? given : layout->unit;
  if (given != NULL && layout->unit != NULL && strcmp(given->name, layout->unit->name) != 0)
    return dg_fail(r->err, DG_INPUT, "%s:%ld: the line of names says %s, and --unit says %s", r->path, r->line,
                   layout->unit->name, given->name);
  if (unit == NULL && usual[layout->kind] == NULL)
    return dg_fail(r->err, DG_INPUT, "%s:%ld: the %s has no unit: name it, as in %s, or give --unit %s", r->path,
                   r->line, kind_names[layout->kind], layout->kind == WAVELENGTH ? "wavelength_um" : "wavenumber_1/cm",
                   layout->kind == WAVELENGTH ? "um" : "1/cm");
  layout->unit = unit != NULL ? unit : named_unit(usual[layout->kind]);
  if (is_unit_of(layout->unit, layout->kind)) return 0;
  return dg_fail(r->err, DG_INPUT, "%s:%ld: %s is no unit of the %s that the line of names has", r->path, r->line,
                 layout->unit->name, kind_names[layout->kind]);
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
    if (role != AXIS && check_scale(r, r->cell[c]) != 0) return r->err->code;
    if (role == AXIS && find_unit_behind(r, r->cell[c], name, &layout->unit) != 0) return r->err->code;
  }
  layout->cells = r->cells;
  if (layout->column[AXIS] == UNNAMED)
    return complain(r,
                    "no column is a frequency, wavelength or energy; name one, as in frequency_GHz or wavelength_um");
  return check_unit(r, form, layout);
}

/* Takes the columns as they stand: --unit and --columns. */
static int assume_names(struct reader *r, const struct mx_fit_form *form, struct layout *layout)
{
  if (form->unit == NULL || form->columns == NULL)
    return complain(r, "no line of names, as in wavelength_um,n,k: say what the columns are by --unit and --columns");
  *layout = (struct layout){.column = {UNNAMED, 0, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED},
                            .unit = named_unit(form->unit),
                            .cells = r->cells};
  return 0;
}

/* --columns says what stands behind the axis. Names that say something else are an error; others say nothing. */
static int choose_columns(struct reader *r, const char *columns, struct layout *layout)
{
  if (columns == NULL) return 0;
  const bool index = strcmp(columns, "nk") == 0, tangent = strcmp(columns, "tan") == 0;
  const int first = layout->column[AXIS] + 1;
  const int chosen[2] = {index ? INDEX : REAL, index ? EXTINCTION : tangent ? TANGENT : IMAGINARY};
  for (int role = INDEX; role < ROLES; role++) {
    const int column = layout->column[role];
    if (column != UNNAMED && (column == first || column == first + 1) && chosen[column - first] != role)
      return dg_fail(r->err, DG_INPUT, "%s:%ld: the line of names has '%.40s' in column %d, and --columns %s another",
                     r->path, r->line, r->cell[column], column + 1, columns);
    layout->column[role] = UNNAMED;
  }
  layout->column[chosen[0]] = first;
  layout->column[chosen[1]] = first + 1;
  return 0;
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

/* More cells than there are names come from numbers that were cut. */
static int check_cells(struct reader *r, int cells)
{
  for (int c = cells; c < r->cells; c++)
    if (*r->cell[c] != '\0')
      return dg_fail(r->err, DG_INPUT,
                     "%s:%ld: %d cells where the first line has %d: '%.40s' belongs to no column (numbers have no "
                     "separators of thousands, and a decimal point)",
                     r->path, r->line, r->cells, cells, r->cell[c]);
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
      if (choose_columns(r, form->columns, layout) != 0) return r->err->code;
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
    const struct layout *own = more ? &second : layout;
    if (!names && (check_cells(r, own->cells) != 0 || add_row(r, own, more, rows) != 0)) return r->err->code;
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
  const bool rises = rows->count > 1 && (rows->row[1].x > rows->row[0].x) != (unit->kind == WAVELENGTH);
  if (DG_NEW(data->omega, rows->count, err) != 0 || DG_NEW(data->eps, rows->count, err) != 0 ||
      DG_NEW(data->line, rows->count, err) != 0 || DG_NEW(data->x, rows->count, err) != 0)
    return err->code;
  data->unit = unit->name;
  for (size_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->row[rises ? i : rows->count - 1 - i];
    const double value = row->x * unit->factor;
    if (row->x < from || row->x > to) continue;
    data->omega[data->count] = TWO_PI * (unit->kind == WAVELENGTH ? C0 / value : value);
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
