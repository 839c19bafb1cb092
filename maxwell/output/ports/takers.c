/* Finds what takes power in a scene: see takers.h. */
#include "maxwell/output/ports/takers.h"

static bool media_lose(const struct mx_scene *scene)
{
  const struct mx_problem *problem = scene->problem;
  for (size_t e = 0; e < problem->K; e++)
    if (problem->sigma[e] != 0 || problem->sigma_m[e] != 0) return true;
  return false;
}

static bool media_have_poles(const struct mx_scene *scene) { return scene->problem->responses > 0; }
static bool layers_absorb(const struct mx_scene *scene) { return scene->layers->count > 0; }
static bool metals_lose(const struct mx_scene *scene) { return scene->problem->metals > 0; }
static bool sheets_lose(const struct mx_scene *scene) { return mx_keeps_jumps(scene->problem); }

static bool elements_lose(const struct mx_scene *scene)
{
  const struct mx_config *config = scene->config;
  for (size_t i = 0; i < config->boundaries; i++)
    if (config->boundary[i].kind == MX_LUMPED_ELEMENT && config->boundary[i].port.resistance > 0) return true;
  return false;
}

/* Walls that absorb or carry currents; ports are in S, and elements above. */
static bool walls_lose(const struct mx_scene *scene)
{
  const struct mx_config *config = scene->config;
  for (size_t i = 0; i < config->boundaries; i++) {
    const enum mx_boundary_kind kind = config->boundary[i].kind;
    if (mx_is_open(kind) && !mx_is_port(kind) && kind != MX_LUMPED_ELEMENT) return true;
  }
  return false;
}

static const struct {
  bool (*takes)(const struct mx_scene *scene); /* on this rank */
  const char *word;
} list[] = {
    {media_lose, "media with losses"},
    {media_have_poles, "media with poles"},
    {layers_absorb, "absorbing layers"},
    {metals_lose, "metals"},
    {sheets_lose, "sheets"},
    {elements_lose, "lumped elements"},
    {walls_lose, "walls"},
};
enum { TAKERS = sizeof list / sizeof *list };

int mx_find_taker(const struct mx_scene *scene, const char **taker, struct dg_error *err)
{
  int64_t takes[TAKERS];
  *taker = NULL;
  for (size_t i = 0; i < TAKERS; i++) takes[i] = list[i].takes(scene);
  if (dg_comm_reduce_int(scene->problem->comm, DG_MAX, TAKERS, takes, err) != 0) return err->code;
  for (size_t i = TAKERS; i-- > 0;)
    if (takes[i] != 0) *taker = list[i].word;
  return 0;
}
