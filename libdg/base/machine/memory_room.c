/* Reads what the control groups and the machine have left from /proc and /sys/fs/cgroup (versions 1 and 2), without
 * asking for memory itself. memory.c calls it now and then; tests call it with a folder that looks like /proc and /sys.
 */
#include "libdg/base/machine/memory_room.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, TEXT_BYTES = 16384 };

/* Reads the start of a file as a string; false: the file is not there. stdio is not used because it would ask for
 * memory. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size_t used = 0;
  for (ssize_t got; used < TEXT_BYTES - 1 && (got = read(file, text + used, TEXT_BYTES - 1 - used)) > 0;)
    used += (size_t)got;
  close(file);
  text[used] = '\0';
  return used > 0;
}

/* Finds the number behind the word at the beginning of a line ("MemAvailable:", "file "); false: there is none. */
static bool number_behind(const char *text, const char *word, uint64_t *number)
{
  const size_t length = strlen(word);
  for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, word, length) != 0) continue;
    *number = strtoull(line + length, NULL, 10);
    return true;
  }
  return false;
}

/* Reads a file that holds one number, or "max". */
static bool number_in(const char *folder, const char *name, uint64_t *number)
{
  char path[PATH_BYTES], text[TEXT_BYTES];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || !read_text(path, text)) return false;
  if (text[0] < '0' || text[0] > '9') return false;
  *number = strtoull(text, NULL, 10);
  return true;
}

static uint64_t number_of_stat(const char *folder, const char *word)
{
  char path[PATH_BYTES], text[TEXT_BYTES];
  uint64_t number = 0;
  if (snprintf(path, sizeof path, "%s/memory.stat", folder) < (int)sizeof path && read_text(path, text))
    (void)number_behind(text, word, &number);
  return number;
}

static uint64_t left(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

/* The bytes that the group in a folder has left; UINT64_MAX: it has no limit. Caches of files can be taken back, unless
 * the files are in memory only (shmem). */
static uint64_t room_of_group(const char *folder, bool second, uint64_t swap)
{
  const char *const limit_name = second ? "memory.max" : "memory.limit_in_bytes";
  const char *const used_name = second ? "memory.current" : "memory.usage_in_bytes";
  const uint64_t unlimited = (uint64_t)1 << 60;
  uint64_t limit, used, swap_limit, swap_used;
  if (!number_in(folder, limit_name, &limit) || limit >= unlimited || !number_in(folder, used_name, &used))
    return UINT64_MAX;
  const uint64_t cache = number_of_stat(folder, second ? "active_file " : "total_active_file ") +
                         number_of_stat(folder, second ? "inactive_file " : "total_inactive_file ");
  const uint64_t room = left(limit, left(used, cache));
  if (second) {
    if (number_in(folder, "memory.swap.max", &swap_limit) && number_in(folder, "memory.swap.current", &swap_used) &&
        left(swap_limit, swap_used) < swap)
      swap = left(swap_limit, swap_used);
  } else if (number_in(folder, "memory.memsw.limit_in_bytes", &swap_limit) &&
             number_in(folder, "memory.memsw.usage_in_bytes", &swap_used)) {
    const uint64_t both = left(swap_limit, left(swap_used, cache));
    return both < room + swap ? both : room + swap;
  }
  return room + swap;
}

/* The bytes that the group of this process and all groups around it have left. In a container the path may be that of
 * the host, which is not there; then the root that is there is the container's. */
static uint64_t room_of_groups(const char *root, bool second, const char *group, uint64_t swap)
{
  char mount[PATH_BYTES], folder[2 * PATH_BYTES];
  uint64_t least = UINT64_MAX;
  snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
  snprintf(folder, sizeof folder, "%s%.4000s", mount, group);
  for (;;) {
    const uint64_t room = room_of_group(folder, second, swap);
    if (room < least) least = room;
    char *const last = strrchr(folder, '/');
    if (strlen(folder) <= strlen(mount) || last == NULL) return least;
    *last = '\0';
  }
}

/* /proc/self/cgroup has lines "NUMBER:CONTROLLERS:PATH"; version 2 is number 0 without controllers. */
static uint64_t room_of_all_groups(const char *root, const char *groups, uint64_t swap)
{
  char group[PATH_BYTES];
  uint64_t least = UINT64_MAX;
  for (const char *line = groups; *line != '\0';) {
    const char *const end = line + strcspn(line, "\n"), *const first = memchr(line, ':', (size_t)(end - line));
    const char *const path = first != NULL ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
    if (path != NULL && (size_t)(end - path) < sizeof group) {
      const bool second = path == first + 1;
      char names[256] = ",";
      snprintf(names, sizeof names, ",%.*s,", (int)(path - first - 1), first + 1);
      memcpy(group, path + 1, (size_t)(end - path - 1));
      group[end - path - 1] = '\0';
      if (strcmp(group, "/") == 0) group[0] = '\0';
      if (second || strstr(names, ",memory,") != NULL) {
        const uint64_t room = room_of_groups(root, second, group, swap);
        if (room < least) least = room;
      }
    }
    line = *end == '\n' ? end + 1 : end;
  }
  return least;
}

size_t dg_memory_room_of(const char *root)
{
  char path[PATH_BYTES], text[TEXT_BYTES];
  uint64_t available = 0, swap = 0, least = UINT64_MAX;
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  if (read_text(path, text)) {
    if (number_behind(text, "SwapFree:", &swap)) swap *= 1024;
    if (number_behind(text, "MemAvailable:", &available)) least = 1024 * available + swap;
  }
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  if (read_text(path, text)) {
    const uint64_t room = room_of_all_groups(root, text, swap);
    if (room < least) least = room;
  }
  return least < SIZE_MAX ? (size_t)least : SIZE_MAX;
}

size_t dg_memory_room(void) { return dg_memory_room_of(""); }

size_t dg_memory_touched(void)
{
  char text[TEXT_BYTES];
  if (!read_text("/proc/self/statm", text)) return 0;
  char *at = text;
  (void)strtoull(at, &at, 10); /* pages of address space, */
  const uint64_t resident = strtoull(at, &at, 10), shared = strtoull(at, &at, 10);
  return (size_t)(left(resident, shared) * (uint64_t)sysconf(_SC_PAGESIZE));
}
