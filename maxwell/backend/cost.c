/* Bytes and flops of the parts of a step, counted from the sizes of the problem. The kernels of `reference` and `cpu`
 * call it for profiles; cost.h has the counts. */
#include "maxwell/backend/cost.h"

struct mx_cost mx_cost_pass(const struct mx_problem *problem, size_t real, int equations, double arrays)
{
  double Np = problem->ref->Np, Nf = problem->ref->Nf, K = (double)problem->K;
  return (struct mx_cost){
      .bytes = K * ((double)real * (3 * Np * arrays + 6 * equations) + sizeof *problem->neighbour),
      .flops = K * equations * (12 * Np * Np + 16 * Np * Nf),
  };
}

struct mx_cost mx_cost_curves(const struct mx_problem *problem, size_t real, int equations, double points,
                              double face_points)
{
  const double Np = problem->ref->Np, Nf = problem->ref->Nf, elements = equations * (double)problem->curves.count;
  return (struct mx_cost){.bytes = elements * (double)real * (6 * points + 8 * face_points),
                          .flops = elements * (12 * Np * points + 32 * Nf * face_points)};
}

struct mx_cost mx_cost_plain_pass(const struct mx_problem *problem, size_t real)
{
  double Np = problem->ref->Np, Nf = problem->ref->Nf, K = (double)problem->K;
  double tables = sizeof *problem->metric + sizeof *problem->normal + sizeof *problem->face_scale +
                  sizeof *problem->flux + sizeof *problem->neighbour;
  return (struct mx_cost){.bytes = K * (3 * 3 * Np * (double)real + tables),
                          .flops = K * (18 * Np * Np + 24 * Np * Nf)};
}

struct mx_cost mx_cost_update(const struct mx_problem *problem, size_t real, double arrays, double flops_a_number)
{
  double numbers = 3.0 * problem->ref->Np * (double)problem->K;
  return (struct mx_cost){.bytes = (double)real * arrays * numbers, .flops = flops_a_number * numbers};
}

struct mx_cost mx_cost_open(const struct mx_problem *problem, size_t real)
{
  double Np = problem->ref->Np, Nf = problem->ref->Nf, faces = (double)mx_kept_faces(problem);
  return (struct mx_cost){
      .bytes = faces * (double)real * (2 * 3 * Np + 10 * Nf) + 2 * (double)problem->K * sizeof *problem->neighbour,
      .flops = faces * 6 * Np * Nf,
  };
}

struct mx_cost mx_cost_response(const struct mx_problem *problem, const struct mx_response *response, size_t real,
                                double registers)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const double Np = problem->ref->Np, places = (double)mx_response_places(problem, response->kind);
  const double numbers = 3 * Np * (double)response->count, of_states = 3 * places * (double)response->count;
  /* both fields of a layer in a stage, one of them behind a step of leapfrog */
  const double fields = ops->layer && registers > 1 ? 2 : 1, states = fields * ops->of_E;
  /* a layer's way to the points and back */
  const double products = ops->layer ? fields * 4 * Np * of_states : 0;
  return (struct mx_cost){.bytes = 2 * (double)real * (fields * numbers + states * registers * of_states),
                          .flops = products + fields * ops->flops * of_states +
                                   2 * (registers - 1) * (states * of_states + fields * numbers)};
}

struct mx_cost mx_cost_sources(const struct mx_problem *problem, int equation, size_t real)
{
  double Np = problem->ref->Np, Nf = problem->ref->Nf;
  struct mx_cost cost = {0};
  for (size_t t = 0; t < problem->terms; t++) {
    double count = (double)problem->term[t].count;
    if (problem->term[t].kind == MX_CURRENT && equation != 0) continue;
    cost.bytes += count * 2 * 3 * Np * (double)real;
    cost.flops += count * (problem->term[t].kind == MX_JUMP ? 6 * Np * Nf : 6 * Np);
  }
  return cost;
}
