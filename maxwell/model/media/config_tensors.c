/* Reads the tensors of a material, and the axes in which they are given; turns them to the axes of the mesh. Beside the
 * reader of materials (config_sections.c). tensor.h has the conventions of the result. */
#include <math.h>
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/media/tensor.h"

static const double pi = 3.14159265358979323846;
static const char tensor_forms[] = "a tensor: { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three lists of three";

/* The places of the entries of a matrix among the six numbers. */
static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* Reads three lists of three numbers, which must be symmetric. */
static int read_matrix(struct mx_reader *r, const struct mx_value *value, double *number)
{
  double row[3][3];
  for (int i = 0; i < 3; i++) {
    const struct mx_rule rule = {.expected = "three numbers, a row of a tensor"};
    if (mx_read_triple(r, &rule, &value->entry[i].value, row[i]) != 0) return r->err->code;
  }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      if (row[i][j] != row[j][i])
        return mx_fail_at(r, value,
                          "%s is not symmetric: entry (%d, %d) is %g, and entry (%d, %d) is %g (the antisymmetric "
                          "part of a gyrotropic medium is not given as a tensor)",
                          value->path, i + 1, j + 1, row[i][j], j + 1, i + 1, row[j][i]);
      number[place[i][j]] = row[i][j];
    }
  return 0;
}

int mx_read_tensor(struct mx_reader *r, const struct mx_value *value, struct mx_tensor_config *to)
{
  static const struct mx_rule rule = {.expected = "a number"};
  static const int order[MX_TENSOR_NUMBERS] = {0, 3, 5, 1, 2, 4}; /* xx, yy, zz, xy, xz, yz */
  if (mx_expect_list(r, value, tensor_forms) != 0) return r->err->code;
  *to = (struct mx_tensor_config){.given = true};
  if (value->count == 3 && value->entry[0].value.type == MX_TABLE) return read_matrix(r, value, to->number);
  if (value->count != 3 && value->count != MX_TENSOR_NUMBERS)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, tensor_forms, value->count);
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_real(r, &rule, &value->entry[i].value, &to->number[order[i]]) != 0) return r->err->code;
  return 0;
}

/* ---- axes */

struct turn {
  double about[3], angle; /* degrees */
};

/* The axes of the mesh, turned about a direction by the rule of the right hand (O. Rodrigues 1840). */
static void turn_axes(const struct turn *turn, double axes[3][3])
{
  const double c = cos(turn->angle * pi / 180), s = sin(turn->angle * pi / 180), *n = turn->about;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) { /* component k of the turned axis i */
      const int next = (i + 1) % 3;
      const double cross = k == next ? n[3 - i - next] : k == i ? 0 : -n[next];
      axes[i][k] = c * (i == k) + s * cross + (1 - c) * n[i] * n[k];
    }
}

/* Makes three directions, which must be at right angles, exactly so. */
static int square_axes(struct mx_reader *r, const struct mx_value *value, double axes[3][3])
{
  static const double rounding = 1e-6;
  for (int i = 0; i < 3; i++) {
    const double size = sqrt(axes[i][0] * axes[i][0] + axes[i][1] * axes[i][1] + axes[i][2] * axes[i][2]);
    if (!(size > 0)) return mx_fail_at(r, value, "%s: direction %d is zero", value->path, i + 1);
    for (int k = 0; k < 3; k++) axes[i][k] /= size;
    for (int j = 0; j < i; j++) {
      const double cosine = axes[i][0] * axes[j][0] + axes[i][1] * axes[j][1] + axes[i][2] * axes[j][2];
      if (fabs(cosine) > rounding)
        return mx_fail_at(r, value, "%s: directions %d and %d are not at right angles (their cosine is %.3g)",
                          value->path, j + 1, i + 1, cosine);
      for (int k = 0; k < 3; k++) axes[i][k] -= cosine * axes[j][k];
    }
    const double left = sqrt(axes[i][0] * axes[i][0] + axes[i][1] * axes[i][1] + axes[i][2] * axes[i][2]);
    for (int k = 0; k < 3; k++) axes[i][k] /= left;
  }
  return 0;
}

int mx_read_axes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define TURN(field) offsetof(struct turn, field)
  static const struct mx_rule rules[] = {
      {"about", mx_read_unit_vector, TURN(about), .expected = "a direction, as in { 0, 0, 1 }",
       .example = "about = { 0, 0, 1 }"},
      {"angle", mx_read_real, TURN(angle), .expected = "a number (degrees)", .example = "angle = 30"},
  };
  static const struct mx_rule direction = {.expected = "a direction (three numbers)"};
  struct turn turn = {{0, 0, 1}, 0};
  double(*axes)[3] = to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0 || value->entry[0].key.name != NULL) {
    if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), &turn) != 0) return r->err->code;
    turn_axes(&turn, axes);
    return 0;
  }
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 3)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, rule->expected, value->count);
  for (int i = 0; i < 3; i++)
    if (mx_read_triple(r, &direction, &value->entry[i].value, axes[i]) != 0) return r->err->code;
  return square_axes(r, value, axes);
}

/* ---- a material with tensors */

/* The tensor in the axes of the mesh: sum of number_ij a_i a_j. */
static void to_mesh(const double axes[3][3], double number[MX_TENSOR_NUMBERS])
{
  double turned[MX_TENSOR_NUMBERS] = {0};
  for (int k = 0; k < 3; k++)
    for (int l = k; l < 3; l++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned[place[k][l]] += axes[i][k] * number[place[i][j]] * axes[j][l];
  memcpy(number, turned, sizeof turned);
}

static int check_tensor(struct mx_reader *r, const struct mx_value *value, const struct mx_tensor_config *tensor)
{
  static const double rounding = 1e-9;
  double least, most;
  mx_tensor_extremes(tensor->number, &least, &most);
  if (least > rounding * most) return 0;
  return mx_fail_at(r, value, "%s is not positive definite: the least of its principal values is %.4g", value->path,
                    fabs(least) > rounding * most ? least : 0);
}

int mx_check_tensors(struct mx_reader *r, const struct mx_value *value, struct mx_material_config *material)
{
  static const char *const key[2] = {"epsilon_r", "mu_r"};
  const struct mx_value *axes = mx_find_value(value, "axes");
  struct mx_scalar *scalar[2] = {&material->epsilon_r, &material->mu_r};
  if (axes != NULL && !mx_has_tensor(material))
    return mx_fail_at(r, axes, "%s turn a tensor, and neither epsilon_r nor mu_r is one", axes->path);
  for (int i = 0; i < 2; i++) {
    struct mx_tensor_config *tensor = &material->tensor[i];
    if (!tensor->given) continue;
    if (check_tensor(r, mx_find_value(value, key[i]), tensor) != 0) return r->err->code;
    if (axes != NULL) to_mesh((const double(*)[3])material->axes, tensor->number);
    scalar[i]->value = mx_tensor_scalar(tensor->number);
  }
  if (!mx_has_tensor(material)) return 0;
  static const char *const losses[] = {"sigma",   "sigma_m",         "debye", "drude",
                                       "lorentz", "critical_points", "poles", "magnetic"};
  for (size_t i = 0; i < MX_COUNT(losses); i++) {
    const struct mx_value *other = mx_find_value(value, losses[i]);
    if (other != NULL)
      return mx_fail_at(
          r, other,
          "%s: a medium whose epsilon_r or mu_r is a tensor has no %s yet; a loss_tangent, with which the "
          "losses have the axes of epsilon_r, is there",
          other->path, losses[i]);
  }
  return 0;
}
