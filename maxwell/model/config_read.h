/* The readers that the files of the simulation table share: those for common values, and one for each section. Private
 * to config*.c. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/shell/rules/rules.h"

/* The configuration that is being read. */
static inline struct mx_config *mx_config_of(const struct mx_reader *r) { return r->target; }

/* A direction: three numbers, not all zero; normalised. */
int mx_read_unit_vector(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* The key of a material, boundary or interface. */
int mx_read_selector(struct mx_reader *r, const struct mx_entry *entry, struct mx_selector *where) DG_MUST_USE;
/* A waveform of waveform.*, or a Lua function of t; to a struct mx_waveform. */
int mx_read_waveform(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* A key that only some kinds of a thing take (a bit a kind); the first rule of a list is that of `kind` itself. */
struct mx_kind_rule {
  unsigned kinds;
  struct mx_rule rule;
};

/* config_ports.c: the keys of ports in a struct mx_boundary_config, its port before they are read, what is to be
 * checked behind one port and behind all boundaries. */
extern const struct mx_kind_rule mx_port_rules[];
extern const size_t mx_port_rules_count;
extern const struct mx_port_config mx_no_port;
int mx_check_port(struct mx_reader *r, const struct mx_value *value, struct mx_boundary_config *boundary) DG_MUST_USE;
int mx_check_element(struct mx_reader *r, const struct mx_value *value,
                     const struct mx_boundary_config *boundary) DG_MUST_USE;
int mx_check_port_numbers(struct mx_reader *r, const struct mx_value *boundaries) DG_MUST_USE;

/* A region or surface as a value: the name of a group or the tag of an entity; to a struct mx_selector. */
int mx_read_region(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* A list of frequencies or { from =, to =, points = }; to a struct mx_frequencies. */
int mx_read_frequencies(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* output.far_field, to the configuration. */
extern const char mx_far_expected[];
int mx_read_far_fields(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* A list of names, each of which may be there once: bits in the order of rule->names. */
int mx_read_names(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, int *to);

/* config_phasors.c: output.spectra, to the configuration. */
extern const char mx_phasors_expected[];
int mx_read_phasors(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* config.c: a number of seconds, or "HH:MM:SS". */
int mx_read_walltime(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* heat/config_heat.c: the section `heat`, read behind time and materials; `to` is not used. */
int mx_read_heat(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* config_resonances.c: output.resonances; `to` is not used. */
int mx_read_resonances(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* media/config_poles.c: the poles of a struct mx_poles_config, those of mu_r in a table of their own, and a check that
 * those of a struct mx_material_config do not amplify. */
int mx_read_debye(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_drude(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_lorentz(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_critical_points(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_poles(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_magnetic(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* The rules of the keys of poles, whose struct mx_poles_config stands at `offset`. */
/* clang-format off */
#define MX_POLE_RULES(offset)                                                                                          \
  {"debye", mx_read_debye, offset, .expected = "a list of poles, as in { { delta = 79.2, tau = 9.4e-12 } }"},           \
  {"drude", mx_read_drude, offset, .expected = "a list of poles, as in { { omega_p = 1.37e16, gamma = 1e14 } }"},       \
  {"lorentz", mx_read_lorentz, offset,                                                                                 \
   .expected = "a list of poles, as in { { delta = 1.25, omega_0 = 4e16, gamma = 1e14 } }"},                           \
  {"critical_points", mx_read_critical_points, offset,                                                                 \
   .expected = "a list of critical points, as in { { A = 0.94, omega = 4e15, phi = -0.785, gamma = 8e14 } }"},         \
  {"poles", mx_read_poles, offset,                                                                                     \
   .expected = "a list of poles, as in { { c = { 0, -2e15 }, a = { -1e14, 4e15 } } }"}
/* clang-format on */
int mx_check_poles(struct mx_reader *r, const struct mx_value *value,
                   const struct mx_material_config *material) DG_MUST_USE;

/* media/config_tensors.c: a list that is a tensor, the axes of a struct mx_material_config's tensors (three
 * directions), and behind them a check, which turns the tensors to the axes of the mesh and sets their scalars. */
int mx_read_tensor(struct mx_reader *r, const struct mx_value *value, struct mx_tensor_config *to) DG_MUST_USE;
int mx_read_axes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_check_tensors(struct mx_reader *r, const struct mx_value *value,
                     struct mx_material_config *material) DG_MUST_USE;

/* media/config_metals.c: the band of a metal wall, its metals by name (NULL-terminated), and a check that gives the
 * conductivity of a name. */
extern const char *const mx_metal_names[];
int mx_read_band(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_check_metal(struct mx_reader *r, const struct mx_value *value, const char *kind,
                   struct mx_metal_config *metal) DG_MUST_USE;

/* media/config_gyrotropic.c: to a struct mx_gyrotropic_config, and a check of what is beside it. */
int mx_read_gyrotropic(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_check_gyrotropic(struct mx_reader *r, const struct mx_value *value,
                        const struct mx_material_config *material) DG_MUST_USE;

/* media/config_ferrite.c: to a struct mx_ferrite_config, and a check of what is beside it. */
int mx_read_ferrite(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_check_ferrite(struct mx_reader *r, const struct mx_value *value,
                     const struct mx_material_config *material) DG_MUST_USE;

/* media/config_warm.c: to a struct mx_warm_config, and a check of what is beside it. */
int mx_read_warm(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_check_warm(struct mx_reader *r, const struct mx_value *value,
                  const struct mx_material_config *material) DG_MUST_USE;

/* Sections: `to` is not used, they fill the configuration. */
int mx_read_materials(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_layers(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_boundaries(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_interfaces(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_sources(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_output(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
