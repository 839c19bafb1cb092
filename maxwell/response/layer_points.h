/* A perfectly matched layer at a node: layer.h derives it. Part of points.h, once for every precision.
 *
 * c: coefficients (layer.h); L[4]: the node's barycentric coordinates; s[D][3]: the states of one field, u[3]: the
 * field. States are kept times (1/h) where the scheme is staggered, so that sigma h alone occurs. */
#include "maxwell/response/layer.h"

/* Sums over the vertices: the node's depth along direction d, or its place along axis d, over the thickness. */
MX_POINT REAL NAME(mx_layer_place)(const REAL *c, const REAL *L, int d)
{
  const REAL *place = c + MX_LAYER_C_PLACE + d;
  return L[0] * place[0] + L[1] * place[3] + L[2] * place[6] + L[3] * place[9];
}

MX_POINT REAL NAME(mx_layer_sum)(const REAL *a, const REAL *u) { return a[0] * u[0] + a[1] * u[1] + a[2] * u[2]; }

/* The profile of sigma over the depth: the power MX_LAYER_GRADE. */
MX_POINT REAL NAME(mx_layer_profile)(REAL xi) { return xi * xi * xi; }

/* One direction. The part along it has the filter X, the part across has Z. Both are the same but for signs, so that
 * the whole vector goes the way of the part across, and then the part along is put right. */
MX_POINT void NAME(mx_layer_1_step)(const REAL *c, REAL loss, const REAL *L, REAL (*s)[3], REAL *u)
{
  const REAL *up = c + MX_LAYER_C_UP, *down = c + MX_LAYER_C_DOWN, a = c[MX_LAYER_C_POLE], keep = 1 - loss;
  const REAL xi = NAME(mx_layer_place)(c, L, 0), sigma = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi),
             by = 1 / (1 + sigma);
  const REAL un = NAME(mx_layer_sum)(up, u), sn = NAME(mx_layer_sum)(up, s[0]);
  const REAL across = by * (un + (keep - a) * sigma * sn), along = un - keep * sigma * sn;
  const REAL right = along + sigma * (a * sn + along) - across, of_state = along - across;
  for (int i = 0; i < 3; i++) {
    const REAL v = by * (u[i] + (keep - a) * sigma * s[0][i]);
    s[0][i] = a * s[0][i] + v + down[i] * of_state;
    u[i] = v + down[i] * right;
  }
}

MX_POINT void NAME(mx_layer_1_rate)(const REAL *c, REAL loss, const REAL *L, REAL (*s)[3], const REAL *u, REAL (*ds)[3],
                                    REAL *du)
{
  const REAL *up = c + MX_LAYER_C_UP, *down = c + MX_LAYER_C_DOWN, a = c[MX_LAYER_C_POLE];
  const REAL xi = NAME(mx_layer_place)(c, L, 0), sigma = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi);
  const REAL un = NAME(mx_layer_sum)(up, u), sn = NAME(mx_layer_sum)(up, s[0]);
  /* along: d/dt X = E - (sigma + a) X, E' gets loss sigma X + sigma dX; across: dZ = E - a Z, E' gets -(the same) */
  const REAL along = un - (sigma + a) * sn, across = un - a * sn;
  for (int i = 0; i < 3; i++) {
    const REAL d = u[i] - a * s[0][i];
    ds[0][i] = d + down[i] * (along - across);
    du[i] = -sigma * (loss * s[0][i] + d) + down[i] * sigma * (2 * loss * sn + along + across);
  }
}

/* The chain of filters in the frame of the directions: D of them are stretched, S[q][i] is the state of direction q in
 * component i. */
MX_POINT void NAME(mx_layer_chain_step)(int D, const REAL *sigma, REAL a, REAL keep, REAL (*S)[3], REAL *u)
{
  for (int i = 0; i < 3; i++) {
    REAL w = u[i];
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

MX_POINT void NAME(mx_layer_chain_rate)(int D, const REAL *sigma, REAL a, REAL loss, REAL (*S)[3], const REAL *u,
                                        REAL (*dS)[3], REAL *du)
{
  for (int i = 0; i < 3; i++) {
    REAL v = i < D ? u[i] - sigma[i] * S[i][i] : u[i], sum = 0;
    if (i < D) {
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

/* The frame of a node (rows: directions, in the field's components: up; and back: down) and its sigmas. */
MX_POINT void NAME(mx_layer_box_frame)(int D, const REAL *c, const REAL *L, REAL (*up)[3], REAL (*down)[3], REAL *sigma)
{
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 3; i++) {
      up[d][i] = c[MX_LAYER_C_UP + 3 * d + i];
      down[d][i] = c[MX_LAYER_C_DOWN + 3 * d + i];
    }
    if (d >= D) continue;
    const REAL xi = NAME(mx_layer_place)(c, L, d);
    sigma[d] = c[MX_LAYER_C_SIGMA] * NAME(mx_layer_profile)(xi);
  }
}

/* The profile before the wall is 0. */
MX_POINT REAL NAME(mx_layer_beyond)(REAL depth) { return depth > 0 ? NAME(mx_layer_profile)(depth) : 0; }

MX_POINT void NAME(mx_layer_round_frame)(const REAL *c, const REAL *L, REAL (*up)[3], REAL (*down)[3], REAL *sigma)
{
  const REAL *round = c + MX_LAYER_C_ROUND, largest = c[MX_LAYER_C_SIGMA];
  const REAL x = NAME(mx_layer_place)(c, L, 0), y = NAME(mx_layer_place)(c, L, 1), z = NAME(mx_layer_place)(c, L, 2);
  const bool cylinder = round[3] > 0;
  const REAL tiny = (REAL)1e-30, across = MX_ROOT(x * x + y * y + tiny);
  const REAL radius = cylinder ? across : MX_ROOT(x * x + y * y + z * z + tiny), depth = radius - round[0];
  const REAL cosine = x / across, sine = y / across, flat = cylinder ? 1 : across / radius,
             tall = cylinder ? 0 : z / radius;
  const REAL frame[3][3] = {
      {flat * cosine, flat * sine, tall}, {-sine, cosine, 0}, {-tall * cosine, -tall * sine, flat}};
  const REAL above = z - round[2], below = round[1] - z;
  sigma[0] = largest * NAME(mx_layer_beyond)(depth);
  sigma[1] = sigma[0] * depth / ((MX_LAYER_GRADE + 1) * radius); /* the integral of sigma over the radius */
  sigma[2] = cylinder ? largest * NAME(mx_layer_beyond)(above > below ? above : below) : sigma[1];
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < 3; i++) {
      up[d][i] = down[d][i] = 0;
      for (int k = 0; k < 3; k++) {
        up[d][i] += frame[d][k] * c[MX_LAYER_C_UP + 3 * k + i];
        down[d][i] += frame[d][k] * c[MX_LAYER_C_DOWN + 3 * k + i];
      }
    }
}

/* From components of the field to those of the frame, rows of `up`, and back, rows of `down`. */
MX_POINT void NAME(mx_layer_turn)(REAL (*up)[3], const REAL *u, REAL *to)
{
  for (int d = 0; d < 3; d++) to[d] = NAME(mx_layer_sum)(up[d], u);
}
MX_POINT void NAME(mx_layer_back)(REAL (*down)[3], const REAL *u, REAL *to)
{
  for (int i = 0; i < 3; i++) to[i] = u[0] * down[0][i] + u[1] * down[1][i] + u[2] * down[2][i];
}

/* D directions. round: of a sphere or cylinder, else of a box. */
MX_POINT void NAME(mx_layer_any_step)(int D, bool round, const REAL *c, REAL loss, const REAL *L, REAL (*s)[3], REAL *u)
{
  REAL up[3][3], down[3][3], sigma[3] = {0, 0, 0}, S[3][3], v[3];
  if (round) NAME(mx_layer_round_frame)(c, L, up, down, sigma);
  else NAME(mx_layer_box_frame)(D, c, L, up, down, sigma);
  for (int q = 0; q < D; q++) NAME(mx_layer_turn)(up, s[q], S[q]);
  NAME(mx_layer_turn)(up, u, v);
  NAME(mx_layer_chain_step)(D, sigma, c[MX_LAYER_C_POLE], 1 - loss, S, v);
  for (int q = 0; q < D; q++) NAME(mx_layer_back)(down, S[q], s[q]);
  NAME(mx_layer_back)(down, v, u);
}

MX_POINT void NAME(mx_layer_any_rate)(int D, bool round, const REAL *c, REAL loss, const REAL *L, REAL (*s)[3],
                                      const REAL *u, REAL (*ds)[3], REAL *du)
{
  REAL up[3][3], down[3][3], sigma[3] = {0, 0, 0}, S[3][3], dS[3][3], v[3], dv[3];
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
  MX_POINT void NAME(prefix##_step)(const REAL *c, REAL loss, const REAL *L, REAL (*s)[3], REAL *u)                    \
  { NAME(mx_layer_any_step)(D, round, c, loss, L, s, u); }                                                             \
  MX_POINT void NAME(prefix##_rate)(const REAL *c, REAL loss, const REAL *L, REAL (*s)[3], const REAL *u,              \
                                    REAL (*ds)[3], REAL *du)                                                           \
  { NAME(mx_layer_any_rate)(D, round, c, loss, L, s, u, ds, du); }
/* clang-format on */
MX_LAYER_ANY(mx_layer_2, 2, false)
MX_LAYER_ANY(mx_layer_3, 3, false)
MX_LAYER_ANY(mx_layer_round, 3, true)
#undef MX_LAYER_ANY
