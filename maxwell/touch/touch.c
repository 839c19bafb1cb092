/* The table's lookup, the list of what met, its union over ranks, and the messages. setup_build.c calls mx_touch. */
#include "maxwell/touch/touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/comm/comm.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/model/measures.h"
#include "maxwell/model/selectors.h"
#include "maxwell/touch/touch_work.h"

enum verdict { WARNING, ERROR };
enum names { LAYERS, INTERFACES, BOUNDARIES, TERMS, MEASURES, FAR_FIELDS };

struct row {
  enum mx_thing a;
  enum mx_meeting meeting;
  enum mx_thing b;
  enum verdict verdict;
  const char *text;
};

#define ROW(a, meeting, b, verdict, text) {a, meeting, b, verdict, text},
static const struct row rows[] = {MX_TOUCH_ROWS(ROW)};
#undef ROW
enum { ROWS = sizeof rows / sizeof *rows };

#define NAMES(thing, names) [thing] = names,
static const enum names names_of[MX_THING_KINDS] = {MX_THINGS(NAMES)};
#undef NAMES

enum mx_thing mx_touch_wall(const struct mx_config *config, int boundary)
{
  static const enum mx_thing by_impedance[] = {
      [MX_BEHIND_METAL] = MX_A_PEC_WALL,         [MX_BEHIND_MAGNET] = MX_A_PMC_WALL,
      [MX_BEHIND_MEDIUM] = MX_AN_ABSORBING_WALL, [MX_BEHIND_GIVEN] = MX_A_LOSSY_WALL,
      [MX_BEHIND_SKIN] = MX_A_LOSSY_WALL,        [MX_BEHIND_GAP] = MX_AN_ELEMENT};
  if (boundary < MX_DEFAULT_PEC) return MX_NO_THING;
  if (boundary == MX_DEFAULT_PEC) return MX_A_PEC_WALL;
  const struct mx_wall *wall = &mx_walls[config->boundary[boundary].kind];
  switch (wall->entering) {
  case MX_WAVE:
    return MX_A_WAVE_WALL;
  case MX_MODES:
    return MX_A_PORT;
  case MX_CIRCUIT:
    return MX_AN_ELEMENT;
  case MX_GIVEN_E:
  case MX_GIVEN_H:
  case MX_SHEET_CURRENT:
    return MX_A_DRIVEN_WALL;
  case MX_NOTHING:
    break;
  }
  return by_impedance[wall->behind];
}

enum mx_thing mx_touch_interface(const struct mx_config *config, int interface)
{
  if (interface < 0) return MX_NO_THING;
  switch (config->interface[interface].kind) {
  case MX_TOTAL_FIELD:
    return MX_A_TOTAL_FIELD;
  case MX_SURFACE_CURRENT:
    return MX_A_CURRENT_SHEET;
  case MX_CONDUCTING_SHEET:
    return MX_A_CONDUCTOR;
  default:
    return MX_A_THIN_SHEET;
  }
}

static int find_row(enum mx_thing a, enum mx_meeting meeting, enum mx_thing b)
{
  for (int i = 0; i < ROWS; i++)
    if (rows[i].a == a && rows[i].meeting == meeting && rows[i].b == b) return i;
  return -1;
}

static void place_of(const struct dg_mesh *mesh, size_t e, int f, double x[3])
{
  dg_geometry_barycentre(mesh, e, x);
  for (int c = 0; c < 3 && f >= 0; c++) {
    x[c] = 0;
    for (int i = 0; i < 4; i++) x[c] += i == f ? 0 : mesh->vertex[mesh->element[e][i]][c] / 3;
  }
}

/* Puts a contact into the list, or together with its like. */
static int add(struct mx_touch_work *work, const struct mx_contact *contact)
{
  for (size_t i = 0; i < work->count; i++) {
    struct mx_contact *like = &work->contact[i];
    if (like->row != contact->row || like->a != contact->a || like->b != contact->b || like->detail != contact->detail)
      continue;
    like->sides |= contact->sides;
    like->off = fmax(like->off, contact->off);
    if (contact->number < like->number) {
      like->number = contact->number;
      memcpy(like->x, contact->x, sizeof like->x);
    }
    return 0;
  }
  if (work->count == work->room) {
    work->room = 2 * work->room + 8;
    if (dg_grow(&work->contact, work->room, sizeof *work->contact, work->err) != 0) return work->err->code;
  }
  work->contact[work->count++] = *contact;
  return 0;
}

int mx_touch_note(struct mx_touch_work *work, enum mx_thing a, int ia, enum mx_meeting meeting, enum mx_thing b, int ib,
                  const struct mx_touch_place *place)
{
  const int row = a == MX_NO_THING || b == MX_NO_THING ? -1 : find_row(a, meeting, b);
  if (row < 0) return 0;
  struct mx_contact contact = {.row = row,
                               .a = ia,
                               .b = ib,
                               .detail = place->detail,
                               .sides = place->side,
                               .number =
                                   4 * dg_mesh_global(work->scene->mesh, place->e) + (place->f < 0 ? 0 : place->f),
                               .off = place->off};
  place_of(work->scene->mesh, place->e, place->f, contact.x);
  return add(work, &contact);
}

/* Makes the lists of all ranks one, the same on each. */
static int share(struct mx_touch_work *work)
{
  struct dg_comm *comm = work->scene->problem->comm;
  struct mx_contact *all = NULL;
  int64_t count = (int64_t)work->count;
  if (dg_comm_reduce_int(comm, DG_SUM, 1, &count, work->err) != 0 ||
      dg_comm_share(comm, work->count * sizeof *all, work->contact, &all, NULL, work->err) != 0)
    return work->err->code;
  work->count = 0;
  for (int64_t i = 0; i < count; i++)
    if (add(work, &all[i]) != 0) break;
  dg_free(all);
  return work->err->code;
}

/* Says whether the sides on which a pair was seen make the meeting what its row says. */
static bool counts(const struct mx_contact *contact)
{
  const enum mx_meeting meeting = rows[contact->row].meeting;
  if (meeting == MX_CROSSES) return contact->sides == (MX_HERE | MX_THERE);
  if (meeting == MX_ENDS_ON) return contact->sides == MX_HERE;
  return true;
}

/* By rows, which are in the order of the table, then by keys of the script and by places. */
static int by_row(const void *one, const void *other)
{
  const struct mx_contact *x = one, *y = other;
  const int64_t a[] = {x->row, x->a, x->b, x->number}, b[] = {y->row, y->a, y->b, y->number};
  for (int i = 0; i < 4; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* ---- messages ---- */

struct word {
  char name[200];
  const char *kind, *where;
};

static struct word name_of(const struct mx_touch_scene *scene, enum mx_thing thing, int64_t index)
{
  const struct mx_config *config = scene->config;
  struct word word = {.kind = "", .where = NULL};
  char name[128];
  switch (names_of[thing]) {
  case LAYERS:
    snprintf(word.name, sizeof word.name, "%s", thing == MX_A_LAYER ? "a perfectly matched layer" : "an absorber");
    break;
  case INTERFACES:
    mx_selector_name(&config->interface[index].where, name, sizeof name);
    snprintf(word.name, sizeof word.name, "interfaces.%s", name);
    word.kind = mx_interface_kind_names[config->interface[index].kind];
    word.where = config->interface[index].where.where;
    break;
  case BOUNDARIES:
    word.kind = mx_boundary_kind_names[MX_PEC];
    snprintf(word.name, sizeof word.name, "a wall without a key in boundaries");
    if (index < 0) break;
    mx_selector_name(&config->boundary[index].where, name, sizeof name);
    snprintf(word.name, sizeof word.name, "boundaries.%s", name);
    word.kind = mx_boundary_kind_names[config->boundary[index].kind];
    word.where = config->boundary[index].where.where;
    break;
  case TERMS:
    snprintf(word.name, sizeof word.name, "%s", scene->sources->list.source[index].what);
    break;
  case MEASURES:
    snprintf(word.name, sizeof word.name, "output.%s '%.100s'", config->output.measure[index].kind->key,
             config->output.measure[index].name);
    word.where = config->output.measure[index].where;
    break;
  case FAR_FIELDS:
    snprintf(word.name, sizeof word.name, "output.far_field '%.100s'", config->output.far_field[index].name);
    word.where = config->output.far_field[index].where;
    break;
  }
  return word;
}

/* Writes the row's text with the names in it. */
static void write_text(const struct mx_touch_scene *scene, const struct mx_contact *contact, char *text, size_t size)
{
  const struct row *row = &rows[contact->row];
  const struct word a = name_of(scene, row->a, contact->a), b = name_of(scene, row->b, contact->b);
  const char *where = a.where != NULL ? a.where : b.where;
  char place[100], off[40];
  snprintf(place, sizeof place, "(%.4g, %.4g, %.4g) m", contact->x[0], contact->x[1], contact->x[2]);
  snprintf(off, sizeof off, "%.3g", contact->off);
  size_t used = (size_t)snprintf(text, size, MX_PLACE, MX_AT(where));
  for (const char *c = row->text; *c != '\0' && used + 1 < size; c++) {
    const char one[] = {*c, '\0'}, *piece = one;
    if (*c == '%') {
      c++;
      piece = *c == 'A' ? a.name : *c == 'B' ? b.name : *c == 'K' ? a.kind : *c == 'X' ? place : off;
    }
    used += (size_t)snprintf(text + used, size - used, "%s", piece);
  }
}

int mx_touch(const struct mx_touch_scene *scene, struct dg_error *err)
{
  enum { LINE = 900 };
  struct mx_touch_work work = {.scene = scene, .err = err};
  const struct mx_contact *said = NULL; /* the last one that was told */
  char text[LINE];
  if (mx_touch_find(&work) != 0 || share(&work) != 0) goto fail;
  if (work.count > 0) qsort(work.contact, work.count, sizeof *work.contact, by_row);
  for (int verdict = ERROR; verdict >= WARNING; verdict--)
    for (size_t i = 0; i < work.count; i++) {
      const struct mx_contact *contact = &work.contact[i];
      if ((int)rows[contact->row].verdict != verdict || !counts(contact)) continue;
      if (said != NULL && said->row == contact->row && said->a == contact->a && said->b == contact->b) continue;
      said = contact;
      write_text(scene, contact, text, sizeof text);
      if (verdict == WARNING) dg_log_warning(scene->log, "%s", text);
      else if (dg_fail(err, DG_INPUT, "%s", text) != 0) goto fail;
    }
fail:
  dg_free(work.contact);
  return err->code;
}
