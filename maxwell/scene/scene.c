/* What others want to know of a scene, in their own words. */
#include "maxwell/scene/scene.h"

struct mx_backend_options mx_scene_backend_options(const struct mx_scene *scene)
{
  return (struct mx_backend_options){.integrator = scene->config->time.integrator,
                                     .precision = scene->config->precision,
                                     .step = scene->step * MX_C0,
                                     .transport = scene->config->gpu.transport,
                                     .filtered = scene->levels != NULL && scene->levels->count > 0};
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

enum dg_answer mx_scene_direct(const struct mx_scene *scene)
{
  const enum mx_transport wanted = scene->config->gpu.transport;
  return wanted == MX_TRANSPORT_AUTO ? DG_UNKNOWN : wanted == MX_TRANSPORT_DIRECT ? DG_YES : DG_NO;
}

struct mx_statics_place mx_scene_statics(const struct mx_scene *scene)
{
  return (struct mx_statics_place){.config = scene->config,
                                   .problem = scene->problem,
                                   .assignment = scene->assignment,
                                   .layers = scene->layers,
                                   .mesh = scene->mesh,
                                   .device = scene->ops->card->elliptic,
                                   .direct = mx_scene_direct(scene),
                                   .log = scene->log};
}
