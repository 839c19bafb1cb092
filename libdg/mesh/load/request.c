/* Requests: options in a parcel. */
#include "libdg/mesh/load/request.h"

#include "libdg/base/memory.h"
#include "libdg/mesh/load/provenance.h"

int dg_request_put(const struct dg_request *request, struct dg_parcel *parcel, struct dg_error *err)
{
  const struct dg_mesh_options *options = &request->options;
  if (dg_parcel_put_number(parcel, (uint64_t)request->parent, err) != 0 ||
      dg_parcel_put_number(parcel, (uint64_t)request->part, err) != 0 ||
      dg_parcel_put_text(parcel, options->file, err) != 0 || dg_parcel_put_real(parcel, options->size, err) != 0 ||
      dg_parcel_put_real(parcel, options->unit, err) != 0 || dg_parcel_put_number(parcel, options->trust, err) != 0 ||
      dg_parcel_put_number(parcel, (uint64_t)options->geometry, err) != 0 ||
      dg_parcel_put_number(parcel, options->own_geometry, err) != 0 ||
      dg_parcel_put_number(parcel, (uint64_t)options->threads, err) != 0 ||
      dg_parcel_put_real(parcel, options->seconds, err) != 0 || dg_parcel_put_real(parcel, options->memory, err) != 0 ||
      dg_parcel_put_array(parcel, options->parameters, sizeof *options->parameter_value, options->parameter_value,
                          err) != 0)
    return err->code;
  for (size_t i = 0; i < options->parameters; i++)
    if (dg_parcel_put_text(parcel, options->parameter_name[i], err) != 0) return err->code;
  return 0;
}

int dg_request_take(struct dg_request *request, struct dg_parcel *parcel, struct dg_error *err)
{
  struct dg_mesh_options *options = &request->options;
  uint64_t parent = 0, part = 0, trust = 0, threads = 0, geometry = 0, own_geometry = 0;
  *request = (struct dg_request){0};
  if (dg_parcel_take_number(parcel, &parent, err) != 0 || dg_parcel_take_number(parcel, &part, err) != 0 ||
      dg_parcel_take_text(parcel, &options->file, 0, err) != 0 ||
      dg_parcel_take_real(parcel, &options->size, err) != 0 || dg_parcel_take_real(parcel, &options->unit, err) != 0 ||
      dg_parcel_take_number(parcel, &trust, err) != 0 || dg_parcel_take_number(parcel, &geometry, err) != 0 ||
      dg_parcel_take_number(parcel, &own_geometry, err) != 0 || dg_parcel_take_number(parcel, &threads, err) != 0 ||
      dg_parcel_take_real(parcel, &options->seconds, err) != 0 ||
      dg_parcel_take_real(parcel, &options->memory, err) != 0 ||
      dg_parcel_take_array(parcel, &options->parameters, sizeof *options->parameter_value, &options->parameter_value,
                           err) != 0 ||
      DG_NEW(request->name, options->parameters, err) != 0)
    return err->code;
  request->parent = (long)parent;
  request->part = (int)part;
  options->trust = trust != 0;
  options->geometry = (int)geometry;
  options->own_geometry = own_geometry != 0;
  options->threads = (int)threads;
  options->parameter_name = request->name;
  for (size_t i = 0; i < options->parameters; i++)
    if (dg_parcel_take_text(parcel, &request->name[i], 0, err) != 0) return err->code;
  return 0;
}

/* Puts all of the request into the key, but for its limits. Options that are added later are in the key without a
 * change here. */
int dg_request_key(const struct dg_request *request, struct dg_parcel *key, struct dg_error *err)
{
  struct dg_request bare = *request;
  char *path = NULL;
  if (dg_source_absolute(&path, request->options.file, err) != 0) return err->code;
  bare.parent = 0;
  bare.options.file = path;
  bare.options.seconds = bare.options.memory = 0;
  if (bare.options.geometry == 0) bare.options.geometry = 1;
  bare.options.threads = 0; /* how fast it is made, not what */
  (void)!dg_request_put(&bare, key, err);
  dg_free(path);
  return err->code;
}
