#include "maxwell/port.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/sources.h"

int mx_ports_init(struct mx_ports *ports, struct mx_sources *sources, const struct mx_assignment *assignment,
                  const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  (void)sources, (void)assignment, (void)mesh;
  *ports = (struct mx_ports){.active = -1};
  for (size_t i = 0; i < config->boundaries; i++)
    if (mx_is_port(config->boundary[i].kind)) return dg_fail(err, DG_INPUT, "ports are not there yet");
  return 0;
}

int mx_ports_prepare(struct mx_ports *ports, double step, long steps, struct dg_error *err)
{
  (void)ports, (void)step, (void)steps, (void)err;
  return 0;
}

void mx_ports_record(struct mx_ports *ports, long n, int s, const double *functional)
{
  (void)ports, (void)n, (void)s, (void)functional;
}

void mx_ports_evaluate(struct mx_ports *ports, struct mx_sources *sources, long n, int s, double t)
{
  (void)ports, (void)sources, (void)n, (void)s, (void)t;
}

void mx_ports_release(struct mx_ports *ports) { *ports = (struct mx_ports){0}; }

int mx_port_gap(const struct mx_boundary_config *boundary, int index, const struct mx_assignment *assignment,
                const struct dg_mesh *mesh, const struct mx_problem *problem, double *length, double *width,
                struct dg_error *err)
{
  (void)boundary, (void)index, (void)assignment, (void)mesh, (void)problem;
  *length = *width = 1;
  return dg_fail(err, DG_INPUT, "ports are not there yet");
}

void mx_ports_reset(struct mx_ports *ports, int active) { ports->active = active; }

void mx_ports_values(const struct mx_ports *ports, size_t port, long n, struct mx_port_values *values)
{
  (void)ports, (void)port, (void)n;
  *values = (struct mx_port_values){0};
}

void mx_ports_spectrum(const struct mx_ports *ports, size_t port, double hertz, double complex *incident,
                       double complex *reflected)
{
  (void)ports, (void)port, (void)hertz;
  *incident = *reflected = 0;
}

double complex mx_ports_impedance(const struct mx_ports *ports, size_t port, double hertz)
{
  (void)ports, (void)port, (void)hertz;
  return 1;
}

const char *mx_ports_name(const struct mx_ports *ports, size_t port)
{
  (void)ports, (void)port;
  return "";
}

int mx_ports_number(const struct mx_ports *ports, size_t port)
{
  (void)ports;
  return (int)port + 1;
}

bool mx_ports_driven(const struct mx_ports *ports, size_t port)
{
  (void)ports, (void)port;
  return false;
}
