/* A scene, and what others want to know of it in their own words. */
#include "maxwell/setup/scene.h"

#include "maxwell/setup/setup.h"

struct mx_scene mx_setup_scene(struct mx_setup *setup)
{
  return (struct mx_scene){.config = setup->config,
                           .origin = setup->origin,
                           .log = setup->log,
                           .comm = setup->comm,
                           .ops = setup->ops,
                           .mesh = &setup->mesh,
                           .ref = &setup->ref,
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
                           .steps = setup->steps,
                           .quiet = &setup->quiet,
                           .grid_loss = setup->grid_loss};
}

struct mx_backend_options mx_scene_backend_options(const struct mx_scene *scene)
{
  return (struct mx_backend_options){.integrator = scene->config->time.integrator,
                                     .precision = scene->config->precision,
                                     .step = scene->step * MX_C0,
                                     .transport = scene->config->gpu.transport};
}

struct mx_asked_place mx_scene_asked(const struct mx_scene *scene)
{
  return (struct mx_asked_place){.config = scene->config,
                                 .problem = scene->problem,
                                 .mesh = scene->mesh,
                                 .worth = scene->worth,
                                 .sources = scene->sources,
                                 .measures = scene->measures,
                                 .step = scene->step,
                                 .steps = scene->steps,
                                 .doubts = scene->doubts,
                                 .log = scene->log};
}

struct mx_resonance_scene mx_scene_resonance_scene(const struct mx_scene *scene)
{
  return (struct mx_resonance_scene){.config = scene->config,
                                     .measures = scene->measures,
                                     .quiet = scene->quiet,
                                     .grid_loss = scene->grid_loss,
                                     .step = scene->step,
                                     .steps = scene->steps,
                                     .log = scene->log};
}
