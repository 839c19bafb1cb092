/* The element kernel, for one instruction set: REGISTER bytes of a vector, NAME(x). Eight elements at a time, one in
 * each lane, so that the reference matrices are read once for eight. */
#include <stddef.h>

#include "libdg/field/elliptic_form.h"

enum { PARTS = DG_LANES * 8 / REGISTER };
/* As wide as a register: the compiler keeps wider ones in memory. Aligned as a double is. */
typedef double vector __attribute__((vector_size(REGISTER), aligned(8), may_alias));

static inline vector all(double value)
{
  vector v = {0};
  return v + value;
}

/* slope[3] = B u for mode m. */
static inline void slopes(const double *row, int Np, const vector *u, vector slope[3][PARTS])
{
  for (int a = 0; a < 3; a++)
    for (int p = 0; p < PARTS; p++) slope[a][p] = all(0);
  for (int j = 0; j < Np; j++) {
    for (int p = 0; p < PARTS; p++) {
      const vector value = u[j * PARTS + p];
      for (int a = 0; a < 3; a++) slope[a][p] += row[3 * j + a] * value;
    }
  }
}

/* flux[3] = G slope; metric: xx yy zz xy xz yz. */
static inline void turn(const vector *metric, const vector slope[3][PARTS], vector *flux)
{
  for (int p = 0; p < PARTS; p++) {
    const vector *g = metric + p, x = slope[0][p], y = slope[1][p], z = slope[2][p];
    flux[p] = g[0] * x + g[3 * PARTS] * y + g[4 * PARTS] * z;
    flux[PARTS + p] = g[3 * PARTS] * x + g[PARTS] * y + g[5 * PARTS] * z;
    flux[2 * PARTS + p] = g[4 * PARTS] * x + g[5 * PARTS] * y + g[2 * PARTS] * z;
  }
}

void NAME(dg_elliptic_block)(const struct dg_elliptic_form *form, const double *metric, const double *mass,
                             const double *values, double *result)
{
  const int Np = form->Np, modes = form->modes;
  const vector *u = (const vector *)values, *G = (const vector *)metric, *c = (const vector *)mass;
  vector *y = (vector *)result, flux[DG_MODES_MAX][3][PARTS], slope[3][PARTS];
  for (int m = 0; m < modes; m++) {
    slopes(form->B + (size_t)m * 3 * (size_t)Np, Np, u, slope);
    turn(G, (const vector(*)[PARTS])slope, &flux[m][0][0]);
  }
  for (int j = 0; j < Np; j++) {
    vector sum[PARTS];
    for (int p = 0; p < PARTS; p++) sum[p] = all(0);
    for (int m = 0; m < modes; m++) {
      const double *b = form->B + ((size_t)m * (size_t)Np + (size_t)j) * 3;
      for (int a = 0; a < 3; a++)
        for (int p = 0; p < PARTS; p++) sum[p] += b[a] * flux[m][a][p];
    }
    for (int p = 0; p < PARTS; p++) y[j * PARTS + p] = sum[p];
  }
  if (mass == NULL) return;
  for (int j = 0; j < Np; j++) {
    vector sum[PARTS];
    for (int p = 0; p < PARTS; p++) sum[p] = all(0);
    for (int i = 0; i < Np; i++)
      for (int p = 0; p < PARTS; p++) sum[p] += form->mass[j * Np + i] * u[i * PARTS + p];
    for (int p = 0; p < PARTS; p++) y[j * PARTS + p] += c[p] * sum[p];
  }
}
