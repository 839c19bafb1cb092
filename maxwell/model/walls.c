/* The table of walls, and the impedance behind each. The builders of problems and ports, and the readers of the
 * configuration, use it; walls.h explains its columns. */
#include "maxwell/model/walls.h"

#include <math.h>
#include <stddef.h>

#define WALL(kind, name, behind, entering) {behind, entering},
const struct mx_wall mx_walls[MX_BOUNDARY_KINDS] = {MX_WALLS(WALL)};
#define NAME(kind, name, behind, entering) name,
const char *const mx_boundary_kind_names[] = {MX_WALLS(NAME) NULL};

double mx_wall_impedance(enum mx_boundary_kind kind, double given, double medium)
{
  switch (mx_walls[kind].behind) {
  case MX_BEHIND_METAL:
  case MX_BEHIND_SKIN: /* nearly */
    return 0;
  case MX_BEHIND_MAGNET:
    return INFINITY;
  case MX_BEHIND_GIVEN:
    return given;
  case MX_BEHIND_MEDIUM:
  case MX_BEHIND_GAP:
    break;
  }
  return medium;
}
