/* The element kernel, once for every precision: the file that includes it defines REAL and NAME(x).
 *
 * Five steps, as in the text: differentiate, curl, jump, flux, lift. The order p is a constant after inlining (see
 * DG_ORDERS), which lets the compiler unroll and vectorise the loops over nodes: about ten times the speed of a
 * run-time order at p = 3.
 */

/* The problem's matrices in the kernel's precision, transposed so that the inner loops run along memory. */
struct NAME(mx_matrices) {
  REAL D[3][DG_NP_MAX * DG_NP_MAX];     /* D[a][j*Np + i] */
  REAL lift[4 * DG_NF_MAX * DG_NP_MAX]; /* lift[m*Np + i] */
  struct mx_curve_tables curves;
};

void NAME(mx_matrices_free)(struct NAME(mx_matrices) * matrices)
{
  if (matrices == NULL) return;
  mx_curve_tables_release(&matrices->curves);
  dg_free(matrices);
}

int NAME(mx_matrices_new)(struct NAME(mx_matrices) * *result, const struct mx_problem *problem, struct dg_error *err)
{
  const struct dg_reference *ref = problem->ref;
  int Np = ref->Np, Nm = 4 * ref->Nf;
  if (DG_NEW(*result, 1, err) != 0) return err->code;
  struct NAME(mx_matrices) *matrices = *result;
  if (mx_curve_tables_init(&matrices->curves, problem, err) != 0) {
    NAME(mx_matrices_free)(matrices);
    *result = NULL;
    return err->code;
  }
  for (int i = 0; i < Np; i++) {
    for (int a = 0; a < 3; a++)
      for (int j = 0; j < Np; j++) matrices->D[a][j * Np + i] = (REAL)ref->D[a][i * Np + j];
    for (int m = 0; m < Nm; m++) matrices->lift[m * Np + i] = (REAL)ref->lift[i * Nm + m];
  }
  return 0;
}

const struct mx_curve_tables *NAME(mx_matrices_curves)(const struct NAME(mx_matrices) * matrices)
{
  return &matrices->curves;
}

/* to[3][Np] = (to, or 0) + column[count][Np] u[3][count], at n nodes from `from` on: their sums stay in registers. */
MX_INTO_CLONES void NAME(add_at)(int Np, int from, int n, bool add, int count, const REAL *column, const REAL *u,
                                 REAL *to)
{
  REAL sum[3][8];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < n; i++) sum[c][i] = add ? to[c * Np + from + i] : 0;
  for (int j = 0; j < count; j++)
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < n; i++) sum[c][i] += column[j * Np + from + i] * u[c * count + j];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < n; i++) to[c * Np + from + i] = sum[c][i];
}

/* The same at all nodes. The numbers of nodes are constants, which unrolls the loops over them. */
MX_INTO_CLONES void NAME(add_columns)(int Np, bool add, int count, const REAL *column, const REAL *u, REAL *to)
{
  int i = 0;
  for (; i + 8 <= Np; i += 8) NAME(add_at)(Np, i, 8, add, count, column, u, to);
  if (i + 4 <= Np) NAME(add_at)(Np, i, 4, add, count, column, u, to), i += 4;
  if (i + 2 <= Np) NAME(add_at)(Np, i, 2, add, count, column, u, to), i += 2;
  if (i < Np) NAME(add_at)(Np, i, 1, add, count, column, u, to);
}

/* curl[3][Np] of u[3][Np]: reference derivatives, then the metric of the element. */
MX_INTO_CLONES void NAME(curl)(int Np, const struct NAME(mx_matrices) * matrices, const double *metric, const REAL *u,
                               REAL *curl)
{
  REAL d[3][3 * DG_NP_MAX]; /* d[a][c Np + i] = derivative of component c along reference coordinate a */
  for (int a = 0; a < 3; a++) NAME(add_columns)(Np, false, Np, matrices->D[a], u, d[a]);
  REAL g[9];
  for (int i = 0; i < 9; i++) g[i] = (REAL)metric[i]; /* g[3a + b] = d(r_a)/d(x_b) */
  for (int c = 0; c < 3; c++) {
    int b1 = (c + 1) % 3, b2 = (c + 2) % 3; /* curl_c = d u_b2 / d x_b1 - d u_b1 / d x_b2 */
    REAL *out = curl + c * Np;
    for (int i = 0; i < Np; i++)
      out[i] = g[b1] * d[0][b2 * Np + i] + g[3 + b1] * d[1][b2 * Np + i] + g[6 + b1] * d[2][b2 * Np + i] -
               g[b2] * d[0][b1 * Np + i] - g[3 + b2] * d[1][b1 * Np + i] - g[6 + b2] * d[2][b1 * Np + i];
  }
}

/* The flux at one point, scaled for lifting: n x jump_other and the tangential part of jump_own. */
MX_INTO_CLONES void NAME(point_flux)(const REAL n[3], REAL jump_weight, REAL penalty_weight, const REAL other[3],
                                     const REAL own[3], REAL flux[3])
{
  REAL normal_part = n[0] * own[0] + n[1] * own[1] + n[2] * own[2];
  for (int c = 0; c < 3; c++) {
    int a = (c + 1) % 3, b = (c + 2) % 3;
    flux[c] = jump_weight * (n[a] * other[b] - n[b] * other[a]) + penalty_weight * (own[c] - n[c] * normal_part);
  }
}

/* A face as its jumps see it. */
struct NAME(face) {
  size_t e;
  int f;
  int32_t code;       /* of the neighbour */
  REAL inner, outer;  /* strength of the penalty on the jump, and on what leaves */
  REAL sheet;         /* factor of E of the own side on a sheet, else 0 */
  const REAL *before; /* [3][Nf] what is extrapolated, one step ago; or NULL */
};

MX_INTO_CLONES struct NAME(face)
    NAME(face_of)(const struct mx_problem *problem, struct mx_penalty penalty, size_t e, int f, const REAL *own_before)
{
  const ptrdiff_t slot = own_before != NULL ? mx_kept_slot(problem, e, f) : -1;
  return (struct NAME(face)){
      .e = e,
      .f = f,
      .code = problem->neighbour[e][f],
      .inner = (REAL)penalty.inner,
      .outer = (REAL)penalty.open,
      .sheet = (REAL)problem->sheet[e][f],
      .before = slot >= 0 ? own_before + 3 * (size_t)slot * (size_t)problem->ref->Nf : NULL,
  };
}

/* The jumps [own] and [other] at node m of a face; [own] times the strength of the penalty. On a sheet [E] loses
 * sheet E- (flux.h). There the penalty on [H] acts on what the sheet carries, and not on an error. */
MX_INTO_CLONES void NAME(node_jumps)(int Np, int Nf, const struct mx_problem *problem, const struct NAME(face) * face,
                                     enum mx_equation equation, int m, const REAL *own, const REAL *other,
                                     REAL jump_own[3], REAL jump_other[3])
{
  const int32_t code = face->code;
  const int mine = problem->ref->face_node[face->f * Nf + m],
            theirs = code >= 0 ? problem->ref->face_node[code % 4 * Nf + m] : 0;
  const REAL *own_in = own + 3 * (size_t)Np * face->e, *other_in = other + 3 * (size_t)Np * face->e;
  const size_t outside = code >= 0 ? 3 * (size_t)Np * (size_t)(code / 4) : 0;
  const REAL now = (REAL)(face->before != NULL ? 1.5 : 1), ago = (REAL)(face->before != NULL ? 0.5 : 0);
  for (int c = 0; c < 3; c++) {
    const REAL inside = own_in[c * Np + mine], before = face->before != NULL ? face->before[c * Nf + m] : 0;
    const REAL jump = (code >= 0 ? own[outside + (size_t)(c * Np + theirs)] : 0) - inside;
    jump_other[c] = (code >= 0 ? other[outside + (size_t)(c * Np + theirs)] : 0) - other_in[c * Np + mine];
    if (mx_open_slot(code) >= 0) {
      jump_own[c] = -face->outer * (now * inside - ago * before);
    } else if (face->sheet == 0) {
      jump_own[c] = face->inner * jump;
    } else if (equation == MX_AMPERE) {
      jump_own[c] = face->inner * jump - face->outer * face->sheet * (now * inside - ago * before);
    } else {
      jump_own[c] = face->outer * (now * jump - ago * before);
      jump_other[c] -= face->sheet * other_in[c * Np + mine];
    }
  }
}

/* The jumps at all nodes of a face between two elements, without a sheet: those of node_jumps, as vectors. */
MX_INTO_CLONES void NAME(plain_jumps)(int Np, int Nf, const int *mine, const int *theirs, REAL penalty, const REAL *in,
                                      const REAL *out, REAL *jump)
{
  for (int c = 0; c < 3; c++)
    for (int m = 0; m < Nf; m++) jump[c * Nf + m] = penalty * (out[c * Np + theirs[m]] - in[c * Np + mine[m]]);
}

/* flux[3][4 Nf] on face f of element e: from flux on, a component 4 Nf behind the other. */
MX_INTO_CLONES void NAME(face_flux)(int Np, int Nf, const struct mx_problem *problem, enum mx_equation equation,
                                    struct mx_penalty penalty, size_t e, int f, const REAL *own, const REAL *other,
                                    const REAL *own_before, REAL *flux)
{
  const struct mx_face_flux *weights = &problem->flux[e][f];
  const struct NAME(face) face = NAME(face_of)(problem, penalty, e, f, own_before);
  double scale = problem->face_scale[e][f];
  REAL jump_weight = (REAL)(scale * (equation == MX_AMPERE ? weights->h_jump : -weights->e_jump));
  REAL penalty_weight = (REAL)(scale * (equation == MX_AMPERE ? weights->e_penalty : weights->h_penalty));
  REAL n[3], jump_own[3 * DG_NF_MAX], jump_other[3 * DG_NF_MAX];
  for (int c = 0; c < 3; c++) n[c] = (REAL)problem->normal[e][f][c];
  if (face.code >= 0 && face.sheet == 0) {
    const size_t inside = 3 * (size_t)Np * e, outside = 3 * (size_t)Np * (size_t)(face.code / 4);
    const int *mine = problem->ref->face_node + f * Nf, *theirs = problem->ref->face_node + face.code % 4 * Nf;
    NAME(plain_jumps)(Np, Nf, mine, theirs, face.inner, own + inside, own + outside, jump_own);
    NAME(plain_jumps)(Np, Nf, mine, theirs, 1, other + inside, other + outside, jump_other);
  } else {
    for (int m = 0; m < Nf; m++) {
      REAL a[3], b[3];
      NAME(node_jumps)(Np, Nf, problem, &face, equation, m, own, other, a, b);
      for (int c = 0; c < 3; c++) jump_own[c * Nf + m] = a[c], jump_other[c * Nf + m] = b[c];
    }
  }
  for (int m = 0; m < Nf; m++) {
    REAL a[3], b[3], out[3];
    for (int c = 0; c < 3; c++) a[c] = jump_own[c * Nf + m], b[c] = jump_other[c * Nf + m];
    NAME(point_flux)(n, jump_weight, penalty_weight, b, a, out);
    for (int c = 0; c < 3; c++) flux[c * 4 * Nf + m] = out[c];
  }
}

/* field[3][count] becomes what the inverse of the element's tensor makes of it; of an isotropic element it stays. */
static void NAME(turn)(const struct mx_problem *problem, enum mx_equation equation, size_t e, size_t count, REAL *field)
{
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  for (size_t i = 0; tensor != NULL && i < count; i++) {
    const double u[3] = {(double)field[i], (double)field[count + i], (double)field[2 * count + i]};
    double v[3];
    mx_tensor_apply(tensor->inverse[equation], u, v);
    for (size_t c = 0; c < 3; c++) field[c * count + i] = (REAL)v[c];
  }
}

MX_INTO_CLONES void NAME(element_rate)(int p, const struct mx_problem *problem,
                                       const struct NAME(mx_matrices) * matrices, enum mx_equation equation,
                                       struct mx_penalty penalty, size_t e, const REAL *own, const REAL *other,
                                       const REAL *own_before, REAL *rate)
{
  const int Np = DG_NP(p), Nf = DG_NF(p);
  REAL result[3 * DG_NP_MAX], flux[3 * 4 * DG_NF_MAX];

  NAME(curl)(Np, matrices, problem->metric[e], other + 3 * (size_t)Np * e, result);
  if (equation == MX_FARADAY)
    for (int i = 0; i < 3 * Np; i++) result[i] = -result[i];

  for (int f = 0; f < 4; f++)
    NAME(face_flux)(Np, Nf, problem, equation, penalty, e, f, own, other, own_before, flux + f * Nf);
  NAME(add_columns)(Np, true, 4 * Nf, matrices->lift, flux, result);

  REAL inverse = (REAL)(1 / (equation == MX_AMPERE ? problem->epsilon[e] : problem->mu[e]));
  for (int i = 0; i < 3 * Np; i++) rate[3 * (size_t)Np * e + (size_t)i] = inverse * result[i];
  if (problem->tensor[e] > 0) NAME(turn)(problem, equation, e, (size_t)Np, rate + 3 * (size_t)Np * e);
}

#include "maxwell/operator/operator_curved.h"

/* Elements from..end-1; densities of the curved ones, [curves.count][3][Np], if `density` is not NULL. */
MX_INTO_CLONES void NAME(rates_of)(int p, const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                                   enum mx_equation equation, struct mx_penalty penalty, size_t from, size_t end,
                                   const REAL *own, const REAL *other, const REAL *own_before, REAL *rate,
                                   REAL *density)
{
  for (size_t e = from; e < end; e++) {
    const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
    if (k >= 0) NAME(curved_rate)
    (problem, matrices, equation, penalty, (size_t)k, own, other, own_before, rate,
     density != NULL ? density + (size_t)k * 3 * (size_t)DG_NP(p) : NULL);
    else NAME(element_rate)(p, problem, matrices, equation, penalty, e, own, other, own_before, rate); }
}

/* A run of elements. The orders are inside of it, so that the compiler knows them there. */
MX_CLONES static void NAME(run_of)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                                   enum mx_equation equation, struct mx_penalty penalty, size_t from, size_t end,
                                   const REAL *own, const REAL *other, const REAL *own_before, REAL *rate,
                                   REAL *density)
{
  switch (problem->ref->order) {
#define CASE(p)                                                                                                        \
  case p:                                                                                                              \
    NAME(rates_of)(p, problem, matrices, equation, penalty, from, end, own, other, own_before, rate, density);         \
    break;
    DG_ORDERS(CASE)
#undef CASE
  }
}

void NAME(mx_rate_and_density)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                               enum mx_equation equation, struct mx_penalty penalty, const REAL *own, const REAL *other,
                               const REAL *own_before, REAL *rate, REAL *density)
{
  enum { RUN = 64 };
  const size_t runs = (problem->K + RUN - 1) / RUN;
#pragma omp parallel for schedule(static) if (runs > 4)
  for (size_t i = 0; i < runs; i++) {
    const size_t from = i * RUN, end = from + RUN < problem->K ? from + RUN : problem->K;
    NAME(run_of)(problem, matrices, equation, penalty, from, end, own, other, own_before, rate, density);
  }
}

void NAME(mx_rate)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                   enum mx_equation equation, struct mx_penalty penalty, const REAL *own, const REAL *other,
                   const REAL *own_before, REAL *rate)
{
  NAME(mx_rate_and_density)(problem, matrices, equation, penalty, own, other, own_before, rate, NULL);
}

void NAME(mx_kept_trace)(const struct mx_problem *problem, enum mx_equation equation, const REAL *field, REAL *trace)
{
  const size_t Np = (size_t)problem->ref->Np, Nf = (size_t)problem->ref->Nf;
  const int *node = problem->ref->face_node;
  if (mx_kept_faces(problem) == 0) return;
  for (size_t e = 0; e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const ptrdiff_t slot = mx_kept_slot(problem, e, (int)f);
      if (slot < 0) continue;
      const int32_t code = problem->neighbour[e][f];
      const bool jump = problem->sheet[e][f] != 0 && equation == MX_FARADAY;
      for (size_t c = 0; c < 3; c++)
        for (size_t m = 0; m < Nf; m++) {
          const REAL own = field[(3 * e + c) * Np + (size_t)node[f * Nf + m]];
          REAL far = 0;
          if (code >= 0) far = field[(3 * (size_t)(code / 4) + c) * Np + (size_t)node[(size_t)(code % 4) * Nf + m]];
          trace[(3 * (size_t)slot + c) * Nf + m] = jump ? far - own : own;
        }
    }
}

int NAME(mx_fill_ghosts)(const struct mx_problem *problem, struct dg_exchange *exchange, REAL *E, REAL *H,
                         struct dg_error *err)
{
  const struct dg_reference *ref = problem->ref;
  size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, numbers = 6 * Nf;
  REAL *field[2] = {E, H}, *out = dg_exchange_send_buffer(exchange);
  const REAL *in = dg_exchange_receive_buffer(exchange);
  for (size_t k = 0; k < problem->halo->faces; k++) {
    size_t e = (size_t)problem->halo->send[k] / 4, f = (size_t)problem->halo->send[k] % 4;
    for (size_t c = 0; c < 6; c++)
      for (size_t m = 0; m < Nf; m++)
        out[k * numbers + c * Nf + m] = field[c / 3][(3 * e + c % 3) * Np + (size_t)ref->face_node[f * Nf + m]];
  }
  NAME(dg_halo_turn)(problem->halo, numbers, out);
  if (dg_exchange_start(exchange, err) != 0 || dg_exchange_finish(exchange, err) != 0) return err->code;
  for (size_t k = 0; k < problem->halo->faces; k++) {
    size_t ghost = problem->K + k, f = (size_t)problem->halo->receive[k] % 4;
    for (size_t c = 0; c < 6; c++)
      for (size_t m = 0; m < Nf; m++)
        field[c / 3][(3 * ghost + c % 3) * Np + (size_t)ref->face_node[f * Nf + m]] = in[k * numbers + c * Nf + m];
  }
  return 0;
}

/* Node i of entry k of a term, for component c: its constant part times what changes. */
static inline REAL NAME(term_value)(const struct mx_term *term, const double *part, const double *value,
                                    bool vector_here, size_t N, size_t k, size_t c, size_t i)
{
  if (term->values == MX_VECTOR_A_NODE) return vector_here ? (REAL)value[(3 * k + c) * N + i] : 0;
  if (part == NULL) return 0;
  double factor = term->values == MX_ONE_NUMBER ? value[0] : value[k * N + i];
  return (REAL)(factor * part[(3 * k + c) * N + i]);
}

static void NAME(add_current)(const struct mx_problem *problem, const struct mx_curve_tables *curves,
                              const struct mx_term *term, const double *value, REAL *rate)
{
  size_t Np = (size_t)problem->ref->Np;
  for (size_t k = 0; k < term->count; k++) {
    size_t e = (size_t)term->where[k];
    const ptrdiff_t curved = curves->count > 0 ? mx_curve_find(problem, e) : -1;
    REAL inverse = (REAL)(1 / problem->epsilon[e]), j[3 * DG_NP_MAX];
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++)
        j[c * Np + i] = inverse * NAME(term_value)(term, term->E, value, true, Np, k, c, i);
    if (curved >= 0) {
      NAME(curved_current)(curves, (size_t)curved, j, rate + 3 * e * Np);
      continue;
    }
    NAME(turn)(problem, MX_AMPERE, e, Np, j);
    for (size_t i = 0; i < 3 * Np; i++) rate[3 * e * Np + i] -= j[i];
  }
}

/* The flux of given jumps on a face of a curved element: other and own, [3][Nf]. */
static void NAME(curved_jump)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                              enum mx_equation equation, const struct NAME(curved_face) * face, const REAL *other,
                              const REAL *own, REAL *rate)
{
  const size_t Np = (size_t)problem->ref->Np, e = (size_t)problem->curves.where[face->k];
  REAL density[3 * DG_NP_MAX] = {0};
  NAME(lift_curved)(matrices, face, other, own, density);
  NAME(add_density)
  (&matrices->curves, face->k, (REAL)(1 / mx_medium_of(problem, equation, e).storage), density, rate + 3 * e * Np);
}

/* The flux of given jumps on face f of a straight element. */
static void NAME(straight_jump)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                                enum mx_equation equation, size_t e, size_t f, const REAL *other, const REAL *own,
                                REAL *rate)
{
  const size_t Np = (size_t)problem->ref->Np, Nf = (size_t)problem->ref->Nf;
  const bool ampere = equation == MX_AMPERE;
  const struct mx_face_flux *weights = &problem->flux[e][f];
  double scale = problem->face_scale[e][f] / (ampere ? problem->epsilon[e] : problem->mu[e]);
  REAL jump_weight = (REAL)(scale * (ampere ? weights->h_jump : -weights->e_jump));
  REAL penalty_weight = (REAL)(scale * (ampere ? weights->e_penalty : weights->h_penalty));
  REAL n[3];
  for (int c = 0; c < 3; c++) n[c] = (REAL)problem->normal[e][f][c];
  for (size_t m = 0; m < Nf; m++) {
    const REAL of_other[3] = {other[m], other[Nf + m], other[2 * Nf + m]},
               of_own[3] = {own[m], own[Nf + m], own[2 * Nf + m]};
    REAL flux[3];
    NAME(point_flux)(n, jump_weight, penalty_weight, of_other, of_own, flux);
    NAME(turn)(problem, equation, e, 1, flux);
    const REAL *column = matrices->lift + (f * Nf + m) * Np;
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) rate[(3 * e + c) * Np + i] += column[i] * flux[c];
  }
}

void NAME(mx_lift_jump)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                        enum mx_equation equation, size_t e, size_t f, const REAL *other, const REAL *own, REAL *rate)
{
  const bool ampere = equation == MX_AMPERE;
  const ptrdiff_t curved = matrices->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  if (curved < 0) {
    NAME(straight_jump)(problem, matrices, equation, e, f, other, own, rate);
    return;
  }
  const struct mx_face_flux *weights = &problem->flux[e][f];
  const struct NAME(curved_face) face = {(size_t)curved, (int)f, (REAL)(ampere ? weights->h_jump : -weights->e_jump),
                                         (REAL)(ampere ? weights->e_penalty : weights->h_penalty)};
  NAME(curved_jump)(problem, matrices, equation, &face, other, own, rate);
}

static void NAME(add_jump)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                           enum mx_equation equation, const struct mx_term *term, const double *curl,
                           const double *penalty, REAL *rate)
{
  const size_t Nf = (size_t)problem->ref->Nf;
  const bool ampere = equation == MX_AMPERE;
  for (size_t k = 0; k < term->count; k++) {
    const size_t e = (size_t)term->where[k] / 4, f = (size_t)term->where[k] % 4;
    REAL other[3 * DG_NF_MAX], own[3 * DG_NF_MAX];
    for (size_t m = 0; m < Nf; m++)
      for (size_t c = 0; c < 3; c++) {
        other[c * Nf + m] =
            NAME(term_value)(term, ampere ? term->H : term->E, curl, term->into_H == ampere, Nf, k, c, m);
        own[c * Nf + m] =
            NAME(term_value)(term, ampere ? term->E : term->H, penalty, term->into_H != ampere, Nf, k, c, m);
      }
    NAME(mx_lift_jump)(problem, matrices, equation, e, f, other, own, rate);
  }
}

void NAME(mx_add_sources)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                          enum mx_equation equation, const struct mx_stage_sources *sources, REAL *rate)
{
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *term = &problem->term[t];
    if (term->kind == MX_JUMP)
      NAME(add_jump)(problem, matrices, equation, term, sources->curl[t], sources->penalty[t], rate);
    else if (equation == MX_AMPERE) NAME(add_current)(problem, &matrices->curves, term, sources->curl[t], rate);
  }
}

/* ---- responses, behind everything else */

/* The part of a pole, an entry: state and rate_state are [states][3][Np]. */
static void NAME(pole_rate)(size_t numbers, const struct mx_response *response, const REAL *coefficient,
                            const REAL *state, const REAL *field, REAL *rate_state, REAL *rate)
{
  const int states = mx_responses[response->kind]->states;
  for (size_t i = 0; i < numbers; i++) {
    REAL s[MX_POLE_STATES] = {0}, ds[MX_POLE_STATES] = {0}, du = 0;
    for (int q = 0; q < states; q++) s[q] = state[(size_t)q * numbers + i];
    NAME(mx_point_rate)(response->kind, coefficient, s, field[i], ds, &du);
    for (int q = 0; q < states; q++) rate_state[(size_t)q * numbers + i] = ds[q];
    rate[i] += du;
  }
}

/* The part of a kind that acts on vectors, an entry: state and rate_state are [states][3][Np]. */
static void NAME(vector_rate)(size_t Np, const struct mx_response *response, const REAL *coefficient, const REAL *state,
                              const REAL *field, REAL *rate_state, REAL *rate)
{
  const size_t states = (size_t)mx_responses[response->kind]->states;
  for (size_t i = 0; i < Np; i++) {
    REAL s[MX_RESPONSE_STATES][3] = {{0}}, ds[MX_RESPONSE_STATES][3] = {{0}}, u[3] = {0}, du[3] = {0};
    for (size_t k = 0; k < 3 * states; k++) s[k / 3][k % 3] = state[k * Np + i];
    for (size_t c = 0; c < 3; c++) u[c] = field[c * Np + i];
    NAME(mx_vector_rate)(response->kind, coefficient, s, u, ds, du);
    for (size_t k = 0; k < 3 * states; k++) rate_state[k * Np + i] = ds[k / 3][k % 3];
    for (size_t c = 0; c < 3; c++) rate[c * Np + i] += du[c];
  }
}

/* The part of a layer for one field: state and rate_state are [directions][3][Nq], at the points of the rule. */
static void NAME(layer_rate)(const struct dg_quadrature *rule, size_t Np, const struct mx_response *response, int of,
                             const REAL *coefficient, const REAL *state, const REAL *field, REAL *rate_state,
                             REAL *rate)
{
  const size_t Nq = (size_t)rule->volume.points, directions = (size_t)mx_responses[response->kind]->of_E;
  for (size_t q = 0; q < Nq; q++) {
    REAL s[3][3] = {{0}}, ds[3][3] = {{0}}, u[3] = {0}, du[3] = {0}, L[4];
    for (int v = 0; v < 4; v++) L[v] = (REAL)rule->volume.place[q][v];
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) u[c] += (REAL)rule->at[q * Np + i] * field[c * Np + i];
    for (size_t k = 0; k < 3 * directions; k++) s[k / 3][k % 3] = state[k * Nq + q];
    NAME(mx_layer_rate)(response->kind, of, coefficient, L, s, u, ds, du);
    for (size_t k = 0; k < 3 * directions; k++) rate_state[k * Nq + q] = ds[k / 3][k % 3];
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) rate[c * Np + i] += (REAL)rule->project[i * Nq + q] * du[c];
  }
}

void NAME(mx_response_rate)(const struct mx_problem *problem, const struct mx_response *response,
                            const struct dg_quadrature *rule, const REAL *coefficient, const REAL *state,
                            const REAL *const field[2], REAL *rate_state, REAL *const rate[2])
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  for (size_t k = 0; k < response->count; k++) {
    const size_t at = (size_t)response->where[k] * numbers;
    const size_t of_state = 3 * mx_response_places(problem, response->kind), own = k * (size_t)ops->states * of_state;
    const REAL *c = coefficient + k * (size_t)ops->coefficients;
    if (ops->vector) {
      NAME(vector_rate)
      ((size_t)problem->ref->Np, response, c, state + own, field[response->of] + at, rate_state + own,
       rate[response->of] + at);
      continue;
    }
    if (!ops->layer) {
      NAME(pole_rate)
      (numbers, response, c, state + own, field[response->of] + at, rate_state + own, rate[response->of] + at);
      continue;
    }
    for (int of = 0; of < 2; of++) {
      const size_t here = own + (size_t)(of * ops->of_E) * of_state;
      NAME(layer_rate)
      (rule, (size_t)problem->ref->Np, response, of, c, state + here, field[of] + at, rate_state + here, rate[of] + at);
    }
  }
}
