/* What the walks find, between touch_find.c and touch.c. Private to touch*.c. */
#pragma once

#include <stdint.h>

#include "maxwell/touch/touch.h"
#include "maxwell/touch/touch_rows.h"

#define MX_THING(thing, names) thing,
enum mx_thing { MX_NO_THING = -1, MX_THINGS(MX_THING) MX_THING_KINDS };
#undef MX_THING

/* Sides of a surface that an edge or a face of another thing is seen on; what they mean is the walk's. */
enum mx_touch_side { MX_NO_SIDE = 0, MX_HERE = 1, MX_THERE = 2 };

/* One pair of things that meet. */
struct mx_contact {
  int64_t row;    /* of the table */
  int64_t a, b;   /* numbers of the things in their lists */
  int64_t detail; /* what else tells pairs apart */
  int64_t sides;  /* bits of mx_touch_side, of all ranks */
  int64_t number; /* 4 * element + face in the whole mesh, of the first place */
  double x[3];    /* there, m */
  double off;     /* the largest number that a walk gave */
};

struct mx_touch_work {
  const struct mx_touch_scene *scene;
  struct mx_contact *contact;
  size_t count, room;
  struct dg_error *err;
};

/* A meeting at face f of element e, or in the element (f = -1). */
struct mx_touch_place {
  size_t e;
  int f;
  enum mx_touch_side side;
  int64_t detail;
  double off;
};

/* Notes that thing `a`, number ia, meets `b`, number ib. What has no row is allowed. */
int mx_touch_note(struct mx_touch_work *work, enum mx_thing a, int ia, enum mx_meeting meeting, enum mx_thing b, int ib,
                  const struct mx_touch_place *place) DG_MUST_USE;
/* The thing that a wall or a sheet of that kind is; MX_NO_THING: it takes part in nothing. */
enum mx_thing mx_touch_wall(const struct mx_config *config, int boundary);
enum mx_thing mx_touch_interface(const struct mx_config *config, int interface);
/* All walks. Collective. */
int mx_touch_find(struct mx_touch_work *work) DG_MUST_USE;
