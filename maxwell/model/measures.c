/* The readers and checks that several kinds of measures share. The kinds (maxwell/measure) name these readers in their
 * rules. */
#include "maxwell/model/measures.h"

#include <math.h>
#include <string.h>

int mx_measure_read_name(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (mx_read_string(r, rule, value, to) != 0) return r->err->code;
  size_t length = strlen(value->string);
  if (value->string[0] == '.' || length > 200 || strspn(value->string, safe) != length)
    return mx_fail_expected(r, value, rule->expected);
  return 0;
}

int mx_measure_set_points(struct mx_reader *r, struct mx_measure_config *measure, size_t count)
{
  measure->points = count;
  return mx_arena_alloc(&r->arena, &measure->point, count, sizeof *measure->point, r->err);
}

int mx_measure_read_path(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule point = {.expected = MX_POINT_EXPECTED};
  struct mx_measure_draft *draft = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_measure_set_points(r, &draft->measure, value->count) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_triple(r, &point, &value->entry[i].value, draft->measure.point[i]) != 0) return r->err->code;
  return 0;
}

bool mx_measure_same_point(const double a[3], const double b[3])
{
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

int mx_measure_check_path(struct mx_reader *r, const struct mx_value *value, const struct mx_measure_config *measure,
                          size_t least, bool closed)
{
  size_t n = measure->points;
  if (n < least) return mx_fail_at(r, value, "%s must have at least %zu points, not %zu", value->path, least, n);
  for (size_t i = 0; i + 1 < n + closed; i++) {
    size_t next = (i + 1) % n;
    if (!mx_measure_same_point(measure->point[i], measure->point[next])) continue;
    if (next == 0)
      return mx_fail_at(r, value, "%s: the path closes by itself; leave the last point, which is the first, out",
                        value->path);
    return mx_fail_at(r, value, "%s: points %zu and %zu are the same", value->path, i + 1, next + 1);
  }
  return 0;
}

void mx_measure_set_point(double (*point)[3], const double a[3], const double b[3])
{
  for (int d = 0; d < 3; d++) (*point)[d] = a[d] + (b != NULL ? b[d] : 0);
}

int mx_measure_read_samples(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "an integer from 2 to 10000", .least = 2, .most = 1e4};
  size_t *samples = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 2)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, rule->expected, value->count);
  for (int i = 0; i < 2; i++) {
    long count = 0;
    if (mx_read_long(r, &number, &value->entry[i].value, &count) != 0) return r->err->code;
    samples[i] = (size_t)count;
  }
  return 0;
}

int mx_measure_set_plane(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  struct mx_measure_config *plane = &draft->measure;
  const double *u = draft->u, *v = draft->v;
  double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double across = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double lengths = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  if (!(across > 1e-9 * lengths))
    return mx_fail_at(r, item, "%s: the edges 'u' and 'v' of the plane must not be zero or parallel", item->path);
  if (mx_measure_set_points(r, plane, 3) != 0) return r->err->code;
  mx_measure_set_point(&plane->point[0], draft->origin, NULL);
  mx_measure_set_point(&plane->point[1], draft->origin, u);
  mx_measure_set_point(&plane->point[2], draft->origin, v);
  return 0;
}
