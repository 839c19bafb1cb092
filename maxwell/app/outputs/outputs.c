/* Looks at what is in the place of an output. The commands of maxwell/app call it before they begin. */
#include "maxwell/app/outputs/outputs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD = 4096 };

/* How files begin that this program makes, and what stands near the begin of others: of pictures, in their metadata. */
static const char *const begins[] = {"frequency,eps_re,eps_im,fit_re,fit_im,error\n", "{\n  \"table\": \"",
                                     "{\n  \"program\": \"curlew bench\""};
static const char made[] = "made by curlew";

/* Is the first line that of a table of a sweep: arguments, `folder`, what runs have derived, and how they ended? */
static bool is_sweep(const char *head, size_t size)
{
  static const char *const column[] = {"folder,", "exit_code,", "status,", "error"};
  char line[HEAD];
  const char *end = memchr(head, '\n', size), *at = line;
  if (end == NULL) return false;
  memcpy(line, head, (size_t)(end - head));
  line[end - head] = '\0';
  for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
    at = strstr(at, column[i]);
    if (at == NULL) return false;
    at += strlen(column[i]);
  }
  return *at == '\0';
}

/* An empty file is nobody's work. */
static bool is_ours(const char *path)
{
  char head[HEAD];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t size = fread(head, 1, sizeof head, file);
  fclose(file);
  if (size == 0) return true;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (size >= strlen(begins[i]) && memcmp(head, begins[i], strlen(begins[i])) == 0) return true;
  if (is_sweep(head, size)) return true;
  for (size_t i = 0; i + sizeof made - 1 <= size; i++)
    if (memcmp(head + i, made, sizeof made - 1) == 0) return true;
  return false;
}

int mx_output_check(const char *option, const char *path, size_t inputs, const char *const *input, struct dg_error *err)
{
  struct stat own, other;
  if (lstat(path, &own) != 0) return 0;
  if (S_ISLNK(own.st_mode) && strncmp(path, "/dev/", 5) != 0)
    return dg_fail(err, DG_INPUT, "%s: '%s' is a symbolic link, which is not followed: give another name", option,
                   path);
  if (!S_ISREG(own.st_mode)) return 0;
  for (size_t i = 0; i < inputs; i++)
    if (input[i] != NULL && stat(input[i], &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino)
      return dg_fail(err, DG_INPUT, "%s: '%s' is the input '%s': give another name", option, path, input[i]);
  if (is_ours(path)) return 0;
  return dg_fail(err, DG_INPUT, "%s: '%s' is there, and curlew has not made it: remove it, or give another name",
                 option, path);
}
