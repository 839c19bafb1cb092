/* The list of what acts around a pass: a row for each kind, with bytes and arrays of the state. terms.h documents it.
 */
#include "maxwell/terms/terms.h"

#include <stdio.h>

/* Arrays of a state: itself, and what the scheme keeps of it. */
static size_t copies(const struct mx_scheme *scheme) { return scheme->sums ? 3 : 2; }

/* ---- open faces and resistive sheets: backends count what they keep of them */

static size_t open_arrays(const struct mx_problem *problem)
{
  (void)problem;
  return 2;
}

static void open_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i,
                       struct mx_state_array *array)
{
  array->list = MX_STATE_OF_FACES;
  array->field = i == 0 ? MX_AMPERE : MX_FARADAY;
  array->items = mx_schemes[integrator].staggered ? mx_kept_faces(problem) : 0;
  array->nodes = (size_t)problem->ref->Nf;
  array->of_items = "open";
  array->slot = mx_kept_slot;
  (void)snprintf(array->name, sizeof array->name, "open_%s", i == 0 ? "E" : "H");
}

/* ---- responses */

static size_t response_bytes(const struct mx_problem *problem, const struct mx_scheme *scheme, size_t real)
{
  const size_t arrays = scheme->staggered ? 1 : copies(scheme);
  size_t bytes = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const size_t numbers =
        (size_t)mx_responses[response->kind]->states * 3 * mx_response_places(problem, response->kind);
    bytes += response->count * real * (arrays * numbers + (size_t)mx_responses[response->kind]->coefficients);
  }
  return bytes;
}

static size_t response_arrays(const struct mx_problem *problem) { return problem->responses; }

static void response_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i,
                           struct mx_state_array *array)
{
  const struct mx_response *response = &problem->response[i];
  (void)integrator;
  array->list = MX_STATE_OF_ENTRIES;
  array->response = i;
  array->items = response->count;
  array->vectors = (size_t)mx_responses[response->kind]->states;
  array->nodes = mx_response_places(problem, response->kind);
  array->points = mx_responses[response->kind]->layer;
  (void)snprintf(array->name, sizeof array->name, "response_%zu", i + 1);
}

/* ---- walls with a state, whose currents are double */

static size_t skin_bytes(const struct mx_problem *problem, const struct mx_scheme *scheme, size_t real)
{
  const size_t trace = 3 * (size_t)problem->ref->Nf;
  return problem->skin_faces * trace * (copies(scheme) * mx_skin_poles(problem) * sizeof(double) + real);
}

static size_t skin_arrays(const struct mx_problem *problem)
{
  (void)problem;
  return 1;
}

static void skin_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i,
                       struct mx_state_array *array)
{
  (void)integrator, (void)i;
  array->list = MX_STATE_OF_SKINS;
  array->of_items = "metal";
  array->slot = mx_skin_slot;
  array->doubles = array->tangential = true;
  array->items = problem->skin_faces;
  array->nodes = (size_t)problem->ref->Nf;
  if (mx_skin_poles(problem) > 0) array->vectors = mx_skin_poles(problem);
  (void)snprintf(array->name, sizeof array->name, "skins");
}

const struct mx_term_row mx_term_rows[MX_TERMS] = {
    [MX_TERMS_open] = {.arrays = open_arrays, .array = open_array},
    [MX_TERMS_responses] = {response_bytes, response_arrays, response_array, &mx_limit_of_responses},
    [MX_TERMS_skins] = {skin_bytes, skin_arrays, skin_array, &mx_limit_of_skins},
};

size_t mx_term_bytes(const struct mx_problem *problem, const struct mx_scheme *scheme, size_t real)
{
  size_t bytes = 0;
  for (int i = 0; i < MX_TERMS; i++)
    if (mx_term_rows[i].bytes != NULL) bytes += mx_term_rows[i].bytes(problem, scheme, real);
  return bytes;
}

/* ---- the list of the arrays: the fields, and those of the terms */

enum { FIELDS = 2 }; /* E and H */

static size_t arrays_of(int kind, const struct mx_problem *problem)
{
  return mx_term_rows[kind].arrays != NULL ? mx_term_rows[kind].arrays(problem) : 0;
}

size_t mx_state_arrays(const struct mx_problem *problem)
{
  size_t count = FIELDS;
  for (int kind = 0; kind < MX_TERMS; kind++) count += arrays_of(kind, problem);
  return count;
}

struct mx_state_array mx_state_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i)
{
  struct mx_state_array array = {.vectors = 1, .nodes = (size_t)problem->ref->Np};
  if (i < FIELDS) {
    array.list = MX_STATE_OF_ELEMENTS;
    array.of_items = "elements";
    array.field = i == 0 ? MX_AMPERE : MX_FARADAY;
    array.items = problem->K;
    (void)snprintf(array.name, sizeof array.name, "%s", i == 0 ? "E" : "H");
    return array;
  }
  i -= FIELDS;
  for (int kind = 0; kind < MX_TERMS; i -= arrays_of(kind++, problem))
    if (i < arrays_of(kind, problem)) {
      mx_term_rows[kind].array(problem, integrator, i, &array);
      break;
    }
  return array;
}

int mx_state_of_response(const struct mx_problem *problem, size_t response)
{
  size_t at = FIELDS + response;
  for (int kind = 0; kind < MX_TERMS_responses; kind++) at += arrays_of(kind, problem);
  return (int)at;
}

size_t mx_state_width(const struct mx_state_array *array) { return 3 * array->vectors * array->nodes; }
