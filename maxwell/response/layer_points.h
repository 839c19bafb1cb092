/* A perfectly matched layer at a point: layer.h derives it. Part of points.h, once for every precision.
 *
 * c: coefficients (layer.h); L[4]: the point's barycentric coordinates; s[D][3]: the states of one field, u[3]: the
 * field. States are kept times (1/h) where the scheme is staggered, so that sigma h alone occurs. A MX_VALUE is a
 * number at a point, or a vector of numbers at several points. */
#include "maxwell/response/layer.h"

/* Sums over the vertices: the point's depth along direction d, or its place along axis d, over the thickness. */
MX_POINT MX_VALUE NAME(mx_layer_place)(const REAL *c, const MX_VALUE *L, int d)
{
  const REAL *place = c + MX_LAYER_C_PLACE + d;
  return L[0] * place[0] + L[1] * place[3] + L[2] * place[6] + L[3] * place[9];
}

MX_POINT MX_VALUE NAME(mx_layer_sum)(const REAL *a, const MX_VALUE *u)
{
  return a[0] * u[0] + a[1] * u[1] + a[2] * u[2];
}

/* The profile of sigma over the depth: the power MX_LAYER_GRADE. */
MX_POINT MX_VALUE NAME(mx_layer_profile)(MX_VALUE xi) { return xi * xi * xi; }

/* One direction. The part along it has the filter X, the part across has Z. Both are the same but for signs, so that
 * the whole vector goes the way of the part across, and then the part along is put right. */
MX_POINT void NAME(mx_layer_1_step)(const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3], MX_VALUE *u)
{
  const REAL *up = c + MX_LAYER_C_UP, *down = c + MX_LAYER_C_DOWN, a = c[MX_LAYER_C_POLE], keep = 1 - loss;
  const MX_VALUE xi = NAME(mx_layer_place)(c, L, 0), sigma = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi),
                 by = 1 / (1 + sigma);
  const MX_VALUE un = NAME(mx_layer_sum)(up, u), sn = NAME(mx_layer_sum)(up, s[0]);
  const MX_VALUE across = by * (un + (keep - a) * sigma * sn), along = un - keep * sigma * sn;
  const MX_VALUE right = along + sigma * (a * sn + along) - across, of_state = along - across;
  for (int i = 0; i < 3; i++) {
    const MX_VALUE v = by * (u[i] + (keep - a) * sigma * s[0][i]);
    s[0][i] = a * s[0][i] + v + down[i] * of_state;
    u[i] = v + down[i] * right;
  }
}

MX_POINT void NAME(mx_layer_1_rate)(const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3], const MX_VALUE *u,
                                    MX_VALUE (*ds)[3], MX_VALUE *du)
{
  const REAL *up = c + MX_LAYER_C_UP, *down = c + MX_LAYER_C_DOWN, a = c[MX_LAYER_C_POLE];
  const MX_VALUE xi = NAME(mx_layer_place)(c, L, 0), sigma = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi);
  const MX_VALUE un = NAME(mx_layer_sum)(up, u), sn = NAME(mx_layer_sum)(up, s[0]);
  /* along: d/dt X = E - (sigma + a) X, E' gets loss sigma X + sigma dX; across: dZ = E - a Z, E' gets -(the same) */
  const MX_VALUE along = un - (sigma + a) * sn, across = un - a * sn;
  for (int i = 0; i < 3; i++) {
    const MX_VALUE d = u[i] - a * s[0][i];
    ds[0][i] = d + down[i] * (along - across);
    du[i] = -sigma * (loss * s[0][i] + d) + down[i] * sigma * (2 * loss * sn + along + across);
  }
}

/* The chain of filters in the frame of the directions: D of them are stretched, S[q][i] is the state of direction q in
 * component i. */
MX_POINT void NAME(mx_layer_chain_step)(int D, const MX_VALUE *sigma, REAL a, REAL keep, MX_VALUE (*S)[3], MX_VALUE *u)
{
  for (int i = 0; i < 3; i++) {
    MX_VALUE w = u[i];
    for (int q = 0; q < D; q++) w += (q == i ? -keep : keep) * sigma[q] * S[q][i];
    for (int q = 0; q < D; q++) {
      if (q == i) continue;
      w = (w - sigma[q] * a * S[q][i]) / (1 + sigma[q]);
      S[q][i] = a * S[q][i] + w;
    }
    if (i < D) {
      S[i][i] = a * S[i][i] + w;
      w += sigma[i] * S[i][i];
    }
    u[i] = w;
  }
}

MX_POINT void NAME(mx_layer_chain_rate)(int D, const MX_VALUE *sigma, REAL a, REAL loss, MX_VALUE (*S)[3],
                                        const MX_VALUE *u, MX_VALUE (*dS)[3], MX_VALUE *du)
{
  for (int i = 0; i < 3; i++) {
    MX_VALUE v = u[i], sum = {0};
    if (i < D) {
      v -= sigma[i] * S[i][i];
      dS[i][i] = v - a * S[i][i];
      sum += sigma[i] * (dS[i][i] + loss * S[i][i]);
    }
    for (int q = 0; q < D; q++) {
      if (q == i) continue;
      dS[q][i] = v - a * S[q][i];
      v += sigma[q] * S[q][i];
      sum -= sigma[q] * (dS[q][i] + loss * S[q][i]);
    }
    du[i] = sum;
  }
}

/* The frame of a point (rows: directions, in the field's components: up; and back: down) and its sigmas. */
MX_POINT void NAME(mx_layer_box_frame)(int D, const REAL *c, const MX_VALUE *L, MX_VALUE (*up)[3], MX_VALUE (*down)[3],
                                       MX_VALUE *sigma)
{
  const MX_VALUE none = {0};
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 3; i++) {
      up[d][i] = none + c[MX_LAYER_C_UP + 3 * d + i];
      down[d][i] = none + c[MX_LAYER_C_DOWN + 3 * d + i];
    }
    if (d >= D) continue;
    const MX_VALUE xi = NAME(mx_layer_place)(c, L, d);
    sigma[d] = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi);
  }
}

/* The profile before the wall is 0. */
MX_POINT MX_VALUE NAME(mx_layer_beyond)(MX_VALUE depth)
{
  const MX_VALUE none = {0};
  return NAME(mx_layer_profile)(MX_LARGER(depth, none));
}

MX_POINT void NAME(mx_layer_round_frame)(const REAL *c, const MX_VALUE *L, MX_VALUE (*up)[3], MX_VALUE (*down)[3],
                                         MX_VALUE *sigma)
{
  const REAL *round = c + MX_LAYER_C_ROUND, largest = c[MX_LAYER_C_SIGMA], tiny = (REAL)1e-30;
  const MX_VALUE x = NAME(mx_layer_place)(c, L, 0), y = NAME(mx_layer_place)(c, L, 1),
                 z = NAME(mx_layer_place)(c, L, 2);
  const bool cylinder = round[3] > 0;
  const MX_VALUE none = {0}, one = none + 1, across = MX_ROOT(x * x + y * y + tiny);
  MX_VALUE radius = across, flat = one, tall = none;
  if (!cylinder) {
    radius = MX_ROOT(x * x + y * y + z * z + tiny);
    flat = across / radius;
    tall = z / radius;
  }
  const MX_VALUE depth = radius - round[0], cosine = x / across, sine = y / across;
  const MX_VALUE frame[3][3] = {
      {flat * cosine, flat * sine, tall}, {-sine, cosine, none}, {-tall * cosine, -tall * sine, flat}};
  const MX_VALUE above = z - round[2], below = round[1] - z;
  sigma[0] = largest * NAME(mx_layer_beyond)(depth);
  sigma[1] = sigma[0] * depth / ((MX_LAYER_GRADE + 1) * radius); /* the integral of sigma over the radius */
  sigma[2] = sigma[1];
  if (cylinder) sigma[2] = largest * NAME(mx_layer_beyond)(MX_LARGER(above, below));
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < 3; i++) {
      up[d][i] = down[d][i] = none;
      for (int k = 0; k < 3; k++) {
        up[d][i] += frame[d][k] * c[MX_LAYER_C_UP + 3 * k + i];
        down[d][i] += frame[d][k] * c[MX_LAYER_C_DOWN + 3 * k + i];
      }
    }
}

/* From components of the field to those of the frame, rows of `up`, and back, rows of `down`. */
MX_POINT void NAME(mx_layer_turn)(MX_VALUE (*up)[3], const MX_VALUE *u, MX_VALUE *to)
{
  for (int d = 0; d < 3; d++) to[d] = up[d][0] * u[0] + up[d][1] * u[1] + up[d][2] * u[2];
}
MX_POINT void NAME(mx_layer_back)(MX_VALUE (*down)[3], const MX_VALUE *u, MX_VALUE *to)
{
  for (int i = 0; i < 3; i++) to[i] = u[0] * down[0][i] + u[1] * down[1][i] + u[2] * down[2][i];
}

/* D directions. round: of a sphere or cylinder, else of a box. */
MX_POINT void NAME(mx_layer_any_step)(int D, bool round, const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3],
                                      MX_VALUE *u)
{
  const MX_VALUE none = {0};
  MX_VALUE up[3][3], down[3][3], sigma[3] = {none, none, none}, S[3][3], v[3];
  if (round) NAME(mx_layer_round_frame)(c, L, up, down, sigma);
  else NAME(mx_layer_box_frame)(D, c, L, up, down, sigma);
  for (int q = 0; q < D; q++) NAME(mx_layer_turn)(up, s[q], S[q]);
  NAME(mx_layer_turn)(up, u, v);
  NAME(mx_layer_chain_step)(D, sigma, c[MX_LAYER_C_POLE], 1 - loss, S, v);
  for (int q = 0; q < D; q++) NAME(mx_layer_back)(down, S[q], s[q]);
  NAME(mx_layer_back)(down, v, u);
}

MX_POINT void NAME(mx_layer_any_rate)(int D, bool round, const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3],
                                      const MX_VALUE *u, MX_VALUE (*ds)[3], MX_VALUE *du)
{
  const MX_VALUE none = {0};
  MX_VALUE up[3][3], down[3][3], sigma[3] = {none, none, none}, S[3][3], dS[3][3], v[3], dv[3];
  if (round) NAME(mx_layer_round_frame)(c, L, up, down, sigma);
  else NAME(mx_layer_box_frame)(D, c, L, up, down, sigma);
  for (int q = 0; q < D; q++) NAME(mx_layer_turn)(up, s[q], S[q]);
  NAME(mx_layer_turn)(up, u, v);
  NAME(mx_layer_chain_rate)(D, sigma, c[MX_LAYER_C_POLE], loss, S, v, dS, dv);
  for (int q = 0; q < D; q++) NAME(mx_layer_back)(down, dS[q], ds[q]);
  NAME(mx_layer_back)(down, dv, du);
}

/* clang-format off */
#define MX_LAYER_ANY(prefix, D, round)                                                                                 \
  MX_POINT void NAME(prefix##_step)(const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3], MX_VALUE *u)                  \
  { NAME(mx_layer_any_step)(D, round, c, loss, L, s, u); }                                                             \
  MX_POINT void NAME(prefix##_rate)(const REAL *c, REAL loss, const MX_VALUE *L, MX_VALUE (*s)[3], const MX_VALUE *u,              \
                                    MX_VALUE (*ds)[3], MX_VALUE *du)                                                           \
  { NAME(mx_layer_any_rate)(D, round, c, loss, L, s, u, ds, du); }
/* clang-format on */
MX_LAYER_ANY(mx_layer_2, 2, false)
MX_LAYER_ANY(mx_layer_3, 3, false)
MX_LAYER_ANY(mx_layer_round, 3, true)
#undef MX_LAYER_ANY
