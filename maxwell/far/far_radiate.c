/* Integrals of currents on a surface times the phase of a direction. far_result.c calls it; the formulas are in
 * far_radiate.h. */
#include "maxwell/far/far_radiate.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/ref/modal.h"
#include "libdg/ref/quadrature.h"
#include "maxwell/model/config.h"

static const double pi = 3.14159265358979323846;

int mx_far_currents_init(struct mx_far_currents *currents, size_t count, struct dg_error *err)
{
  *currents = (struct mx_far_currents){.count = count};
  if (DG_NEW(currents->x, count, err) != 0) return err->code;
  for (int c = 0; c < 6; c++)
    for (int p = 0; p < 2; p++)
      if (DG_NEW(currents->part[c][p], count, err) != 0) return err->code;
  return 0;
}

void mx_far_currents_release(struct mx_far_currents *currents)
{
  dg_free(currents->x);
  for (int c = 0; c < 6; c++)
    for (int p = 0; p < 2; p++) dg_free(currents->part[c][p]);
  *currents = (struct mx_far_currents){0};
}

/* ---- the phase */

enum { LANES = 8 };

/* Cosine and sine of x, |x| < 1e8, to some 1e-16 and what x itself is worth. Taylor series within an eighth of a turn;
 * a compiler can turn the loop into vectors, which it cannot do with the library's functions. */
static void turn(const double x[LANES], double cosine[LANES], double sine[LANES])
{
  const double quarters = 0.63661977236758134308, high = 1.57079632679489655800, low = 6.12323399573676603587e-17;
  const double round = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
  for (int l = 0; l < LANES; l++) {
    const double n = (x[l] * quarters + round) - round, r = (x[l] - n * high) - n * low, s = r * r;
    const double odd =
        -1.0 / 6 +
        s * (1.0 / 120 +
             s * (-1.0 / 5040 +
                  s * (1.0 / 362880 + s * (-1.0 / 39916800 + s * (1.0 / 6227020800 + s * (-1.0 / 1307674368000))))));
    const double even =
        -0.5 +
        s * (1.0 / 24 +
             s * (-1.0 / 720 +
                  s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600 + s * (-1.0 / 87178291200 +
                                                                                       s * (1.0 / 20922789888000)))))));
    const double a = r + r * s * odd, b = 1 + s * even;
    const int quadrant = (int)n;
    const double c = quadrant & 1 ? a : b, d = quadrant & 1 ? b : a;
    cosine[l] = (quadrant + 1) & 2 ? -c : c;
    sine[l] = quadrant & 2 ? -d : d;
  }
}

void mx_far_integrate(const struct mx_far_currents *currents, double k, const double r[3], double complex sum[6])
{
  double lane[6][2][LANES] = {{{0}}};
  for (size_t first = 0; first < currents->count; first += LANES) {
    const int here = currents->count - first < LANES ? (int)(currents->count - first) : LANES;
    double phase[LANES] = {0}, c[LANES], s[LANES];
    for (int l = 0; l < here; l++) {
      const double *x = currents->x[first + (size_t)l];
      phase[l] = k * (r[0] * x[0] + r[1] * x[1] + r[2] * x[2]);
    }
    turn(phase, c, s);
    for (int q = 0; q < 6; q++) {
      const double *re = currents->part[q][0] + first, *im = currents->part[q][1] + first;
      if (here == LANES) {
        for (int l = 0; l < LANES; l++) {
          lane[q][0][l] += re[l] * c[l] - im[l] * s[l];
          lane[q][1][l] += re[l] * s[l] + im[l] * c[l];
        }
        continue;
      }
      for (int l = 0; l < here; l++) {
        lane[q][0][l] += re[l] * c[l] - im[l] * s[l];
        lane[q][1][l] += re[l] * s[l] + im[l] * c[l];
      }
    }
  }
  for (int q = 0; q < 6; q++) {
    double part[2] = {0, 0};
    for (int l = 0; l < LANES; l++) part[0] += lane[q][0][l], part[1] += lane[q][1][l];
    sum[q] = part[0] + part[1] * I;
  }
}

/* An image beyond an electric wall: the current along the wall turns round, the one across it stays, and for magnetic
 * currents it is the other way round. Beyond a magnetic wall all change sign. The integral over the image towards r is
 * that over the currents towards the mirrored r, at the phase between the two places. */
void mx_far_integrate_images(const struct mx_far_currents *currents, double k, const double r[3], size_t images,
                             const struct mx_image_config *image, double complex sum[6])
{
  for (int q = 0; q < 6; q++) sum[q] = 0;
  for (unsigned mirrors = 0; mirrors < 1U << images; mirrors++) {
    double towards[3] = {r[0], r[1], r[2]}, sign[6] = {1, 1, 1, 1, 1, 1}, phase = 0;
    double complex part[6];
    for (size_t i = 0; i < images; i++) {
      const int axis = image[i].axis;
      if (!(mirrors >> i & 1)) continue;
      towards[axis] = -towards[axis];
      phase += 2 * k * image[i].at * r[axis];
      for (int c = 0; c < 3; c++) {
        const double electric = (c == axis) == image[i].magnetic ? -1 : 1;
        sign[c] *= electric;
        sign[3 + c] *= -electric;
      }
    }
    mx_far_integrate(currents, k, towards, part);
    for (int q = 0; q < 6; q++) sum[q] += sign[q] * part[q] * cexp(I * phase);
  }
}

void mx_far_direction(double theta, double phi, double r[3], double to_theta[3], double to_phi[3])
{
  const double t = theta * pi / 180, p = phi * pi / 180;
  const double ct = cos(t), st = sin(t), cp = cos(p), sp = sin(p);
  r[0] = st * cp, r[1] = st * sp, r[2] = ct;
  to_theta[0] = ct * cp, to_theta[1] = ct * sp, to_theta[2] = -st;
  to_phi[0] = -sp, to_phi[1] = cp, to_phi[2] = 0;
}

void mx_far_field_of(const double complex sum[6], double k, double impedance, const double to_theta[3],
                     const double to_phi[3], double complex field[2])
{
  double complex N[2] = {0, 0}, L[2] = {0, 0};
  for (int c = 0; c < 3; c++) {
    N[0] += to_theta[c] * sum[c], N[1] += to_phi[c] * sum[c];
    L[0] += to_theta[c] * sum[3 + c], L[1] += to_phi[c] * sum[3 + c];
  }
  const double complex factor = I * k / (4 * pi);
  field[0] = -factor * (L[1] + impedance * N[0]);
  field[1] = factor * (L[0] - impedance * N[1]);
}

/* ---- the rule on a face */

int mx_far_rule_init(struct mx_far_rule *rule, const struct dg_reference *ref, int more, struct dg_error *err)
{
  enum { MOST = 24 };
  const int n = ref->order + 1 + more, Nf = ref->Nf;
  double x[MOST], w[MOST], *inverse = NULL, *mode = NULL;
  *rule = (struct mx_far_rule){.count = n * n};
  dg_gauss_legendre(n, x, w);
  if (DG_NEW(rule->bary, n * n, err) != 0 || DG_NEW(rule->weight, n * n, err) != 0 ||
      DG_NEW(rule->from_nodes, n * n * Nf, err) != 0 || DG_NEW(inverse, Nf * Nf, err) != 0 ||
      DG_NEW(mode, Nf, err) != 0)
    goto fail;
  /* The inverse of the Vandermonde matrix V is V^T times the mass matrix, which is (V V^T)^-1. Face 3 of the reference
   * tetrahedron is the reference triangle. */
  for (int m = 0; m < Nf; m++) {
    const int node = ref->face_node[3 * Nf + m];
    dg_modal_triangle(ref->order, ref->r[node], ref->s[node], mode);
    for (int i = 0; i < Nf; i++)
      for (int j = 0; j < Nf; j++) inverse[i * Nf + j] += mode[i] * ref->face_mass[m * Nf + j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int q = i * n + j;
      double *b = rule->bary[q];
      b[1] = x[i], b[2] = x[j] * (1 - x[i]), b[0] = 1 - b[1] - b[2];
      rule->weight[q] = 2 * w[i] * w[j] * (1 - x[i]);
      dg_modal_triangle(ref->order, 2 * b[1] - 1, 2 * b[2] - 1, mode);
      for (int m = 0; m < Nf; m++)
        for (int l = 0; l < Nf; l++) rule->from_nodes[q * Nf + m] += mode[l] * inverse[l * Nf + m];
    }
fail:
  dg_free(inverse);
  dg_free(mode);
  return err->code;
}

void mx_far_rule_release(struct mx_far_rule *rule)
{
  dg_free(rule->bary);
  dg_free(rule->weight);
  dg_free(rule->from_nodes);
  *rule = (struct mx_far_rule){0};
}
