/* The list of the arrays of the state. Backends and checkpoints walk over it; state_arrays.h documents it. */
#include "maxwell/terms/state_arrays.h"

#include <stdio.h>

static const struct of_field {
  const char *name;
  enum mx_state_list list;
  enum mx_equation field;
} of_fields[] = {
    {"E", MX_STATE_OF_ELEMENTS, MX_AMPERE},
    {"H", MX_STATE_OF_ELEMENTS, MX_FARADAY},
    {"open_E", MX_STATE_OF_FACES, MX_AMPERE},
    {"open_H", MX_STATE_OF_FACES, MX_FARADAY},
};
enum { OF_FIELDS = sizeof of_fields / sizeof *of_fields };

size_t mx_state_arrays(const struct mx_problem *problem) { return OF_FIELDS + problem->responses + 1; }

struct mx_state_array mx_state_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i)
{
  const struct dg_reference *ref = problem->ref;
  struct mx_state_array array = {.vectors = 1, .nodes = (size_t)ref->Np};
  if (i < OF_FIELDS) {
    array.list = of_fields[i].list;
    array.field = of_fields[i].field;
    array.items = problem->K;
    if (array.list == MX_STATE_OF_FACES) {
      array.items = mx_schemes[integrator].staggered ? mx_kept_faces(problem) : 0;
      array.nodes = (size_t)ref->Nf;
    }
    (void)snprintf(array.name, sizeof array.name, "%s", of_fields[i].name);
    return array;
  }
  if (i == OF_FIELDS + problem->responses) {
    array.list = MX_STATE_OF_SKINS;
    array.items = problem->skin_faces;
    array.nodes = (size_t)ref->Nf;
    if (mx_skin_poles(problem) > 0) array.vectors = mx_skin_poles(problem);
    (void)snprintf(array.name, sizeof array.name, "skins");
    return array;
  }
  const struct mx_response *response = &problem->response[i - OF_FIELDS];
  array.list = MX_STATE_OF_ENTRIES;
  array.response = i - OF_FIELDS;
  array.items = response->count;
  array.vectors = (size_t)mx_responses[response->kind]->states;
  array.nodes = mx_response_places(problem, response->kind);
  array.points = mx_responses[response->kind]->layer;
  (void)snprintf(array.name, sizeof array.name, "response_%zu", array.response + 1);
  return array;
}

int mx_state_of_response(size_t response) { return (int)(OF_FIELDS + response); }

size_t mx_state_width(const struct mx_state_array *array) { return 3 * array->vectors * array->nodes; }
