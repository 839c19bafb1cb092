/* Prints the rules of the configuration as JSON. main calls it for `curlew info --keys`. */
#include "maxwell/model/config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "libdg/base/text.h"
#include "maxwell/shell/rules/rules.h"

struct printer {
  struct mx_rule_listener listener;
  size_t printed;
};

typedef int mx_read(struct mx_reader *, const struct mx_rule *, const struct mx_value *, void *);

static const struct {
  mx_read *read;
  const char *type;
} types[] = {{mx_read_real, "number"},       {mx_read_long, "integer"},    {mx_read_int, "integer"},
             {mx_read_choice, "choice"},     {mx_read_boolean, "boolean"}, {mx_read_string, "string"},
             {mx_read_function, "function"}, {mx_read_triple, "triple"}};

static const char *type_of(const struct mx_rule *rule)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (rule->read == types[i].read) return types[i].type;
  return NULL; /* a reader of its own: `expected` says what it takes */
}

static void print_text(const char *text)
{
  if (text == NULL) fputs("null", stdout);
  else dg_json_string(stdout, text);
}

static bool has_range(const struct mx_rule *rule) { return rule->least != 0 || rule->most != 0; }

/* Prints what the field has before the key is read, if a script could have set it so: other values mean that nothing
 * was given. */
static void print_default(const struct mx_rule *rule, const void *base)
{
  const void *field = (const char *)base + rule->offset;
  double x = NAN;
  if (rule->read == mx_read_boolean) {
    fputs(*(const bool *)field ? "true" : "false", stdout);
    return;
  }
  if (rule->read == mx_read_choice) {
    const int choice = *(const int *)field;
    print_text(rule->names != NULL && rule->example == NULL && choice >= 0 ? rule->names[choice] : NULL);
    return;
  }
  if (rule->read == mx_read_string) {
    print_text(*(const char *const *)field);
    return;
  }
  if (rule->read == mx_read_real) x = *(const double *)field;
  if (rule->read == mx_read_long) x = (double)*(const long *)field;
  if (rule->read == mx_read_int) x = *(const int *)field;
  dg_json_number(stdout, rule->example == NULL && mx_rule_allows(rule, x) ? x : NAN);
}

static void print_rule(const char *path, const char *kind, const struct mx_rule *rule, const void *base)
{
  printf("{\"path\": \"%s%s%s\", \"kind\": ", path, *path == '\0' ? "" : ".", rule->name);
  print_text(kind);
  fputs(", \"type\": ", stdout);
  print_text(type_of(rule));
  fputs(", \"expected\": ", stdout);
  print_text(rule->expected);
  fputs(", \"least\": ", stdout);
  dg_json_number(stdout, has_range(rule) ? rule->least : NAN);
  fputs(", \"most\": ", stdout);
  dg_json_number(stdout, has_range(rule) && rule->most < DBL_MAX ? rule->most : NAN);
  printf(", \"open\": %s, \"names\": ", rule->open ? "true" : "false");
  if (rule->names == NULL) fputs("null", stdout);
  for (size_t i = 0; rule->names != NULL && rule->names[i] != NULL; i++) {
    putchar(i == 0 ? '[' : ',');
    print_text(rule->names[i]);
    if (rule->names[i + 1] == NULL) putchar(']');
  }
  printf(", \"required\": %s, \"example\": ", rule->example != NULL ? "true" : "false");
  print_text(rule->example);
  fputs(", \"default\": ", stdout);
  print_default(rule, base);
  putchar('}');
}

static void hear(struct mx_rule_listener *listener, const char *path, const char *kind, const struct mx_rule *rules,
                 size_t count, const void *base)
{
  struct printer *printer = (struct printer *)listener;
  for (size_t k = 0; k < count; k++) {
    fputs(printer->printed++ == 0 ? "[" : ",\n ", stdout);
    print_rule(path, kind, &rules[k], base);
  }
}

int mx_config_print_keys(const struct mx_measure_reader *const *kinds, struct dg_error *err)
{
  struct printer printer = {.listener.hear = hear};
  if (mx_config_tell(kinds, &printer.listener, err) != 0) return err->code;
  puts("]");
  return 0;
}
