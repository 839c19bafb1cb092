/* Releases a set-up, and derives small things from it: backend options, and the explanation of a lack of memory.
 * Everything that holds a set-up calls it. */
#include "maxwell/setup/setup.h"

#include <string.h>

#include "libdg/base/memory.h"

void mx_setup_release_tables(struct mx_setup *setup)
{
  mx_far_fields_release(&setup->far);
  mx_phasors_release(&setup->phasors);
  mx_measures_release(&setup->measures);
  mx_mesh_worth_release(&setup->worth);
  mx_sources_release(&setup->sources);
  mx_levels_release(&setup->levels);
  mx_problem_release(&setup->problem);
  mx_assignment_release(&setup->assignment);
}

void mx_setup_release(struct mx_setup *setup)
{
  mx_setup_release_tables(setup);
  dg_reference_release(&setup->ref);
  dg_halo_release(&setup->ranks.halo);
  mx_layers_release(&setup->layers);
  dg_mesh_release(&setup->mesh);
  dg_free(setup->temperature);
  dg_mesh_report_release(&setup->mesh_report);
  dg_free(setup->mesh_kept);
  dg_free(setup->doubts);
  *setup = (struct mx_setup){0};
}

struct mx_scene mx_setup_scene(struct mx_setup *setup)
{
  return (struct mx_scene){.config = setup->config,
                           .origin = setup->origin,
                           .log = setup->log,
                           .comm = setup->comm,
                           .ops = setup->ops,
                           .mesh = &setup->mesh,
                           .ranks = &setup->ranks,
                           .partition = &setup->partition,
                           .ref = &setup->ref,
                           .levels = &setup->levels,
                           .layers = &setup->layers,
                           .problem = &setup->problem,
                           .assignment = &setup->assignment,
                           .sources = &setup->sources,
                           .worth = &setup->worth,
                           .doubts = setup->doubts,
                           .measures = &setup->measures,
                           .far = &setup->far,
                           .phasors = &setup->phasors,
                           .keeps_mesh = setup->mesh_kept != NULL,
                           .unknowns = setup->unknowns,
                           .step = setup->step,
                           .limit = setup->limit,
                           .single_limit = setup->single_limit,
                           .plan = &setup->plan,
                           .steps = setup->steps,
                           .ringing = setup->ringing,
                           .patience = setup->patience,
                           .started = setup->started,
                           .quiet = &setup->quiet,
                           .grid_loss = setup->grid_loss};
}

void mx_setup_explain(const struct mx_setup *setup, struct dg_error *err)
{
  static const char out_of_memory[] = "out of memory";
  if (strncmp(err->message, out_of_memory, sizeof out_of_memory - 1) != 0 || setup->ref.Np == 0) return;
  const size_t real = setup->config->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  (void)!dg_context(err, "with %zu elements of order %d here, whose fields alone take %.3f MB", setup->mesh.K,
                    setup->config->order, 1e-6 * (double)(6 * (size_t)setup->ref.Np * setup->mesh.K * real));
}
