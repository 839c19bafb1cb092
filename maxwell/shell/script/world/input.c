/* Reads the text of a script, and checks definitions of the command line (-D, --set). script.c and script_args.c call
 * it. */
#include "maxwell/shell/script/world/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"

int mx_input_file(struct mx_arena *arena, const char *path, char **text, struct dg_error *err)
{
  char *buffer = NULL;
  size_t length = 0, room = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return dg_fail(err, DG_INPUT, "cannot open the script '%s': %s", path, strerror(errno));
  do {
    room = room == 0 ? 16384 : 2 * room;
    if (dg_grow(&buffer, room, 1, err) != 0) goto fail;
    length += fread(buffer + length, 1, room - length, file);
  } while (length == room);
  if (ferror(file)) {
    dg_fail(err, DG_INPUT, "cannot read the script '%s': %s", path, strerror(errno));
    goto fail;
  }
  if (strlen(buffer) != length) dg_fail(err, DG_INPUT, "the script '%s' is not text: it has a zero byte", path);
  else if (mx_arena_alloc(arena, text, length + 1, 1, err) == 0) memcpy(*text, buffer, length + 1);

fail:
  fclose(file);
  dg_free(buffer);
  return err->code;
}

const char *mx_input_skip_marks(char *text)
{
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  for (char *c = text; *text == '#' && *c != '\0' && *c != '\n'; c++)
    if (c != text) *c = ' ';
  if (*text == '#') *text = ' ';
  return text;
}

bool mx_input_is_identifier(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *text != '\0' && strspn(text, letters) == strlen(text) && strspn(text, "0123456789") == 0;
}

int mx_input_check(const char *option, const struct mx_definition *all, size_t i, const char *example,
                   struct dg_error *err)
{
  const char *name = all[i].name, *value = all[i].value;
  if (value == NULL)
    return dg_fail(err, DG_INPUT, "%s %s: the '=' is missing; write it as in %s", option, name, example);
  if (*name == '\0')
    return dg_fail(err, DG_INPUT, "%s =%s: the name is missing; write it as in %s", option, value, example);
  for (size_t j = 0; j < i; j++)
    if (strcmp(name, all[j].name) == 0)
      return dg_fail(err, DG_INPUT, "%s %s=%s: '%s' is given twice", option, name, value, name);
  return 0;
}

bool mx_input_has_position(const char *message)
{
  for (const char *c = strchr(message, ':'); c != NULL; c = strchr(c + 1, ':')) {
    size_t digits = strspn(c + 1, "0123456789");
    if (digits > 0 && c[1 + digits] == ':') return true;
  }
  return false;
}
