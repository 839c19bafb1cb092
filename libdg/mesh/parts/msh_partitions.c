/* The number of parts into which a mesh file says that its mesh is split: for the program and for curlew-mesh. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdg/mesh/parts/msh_parts.h"

/* Reads the number, which stands behind $PartitionedEntities, before the nodes: as text, or as a size_t in binary
 * files. */
int dg_msh_partitions(const char *file)
{
  char line[256];
  int binary = 0;
  size_t partitions = 0;
  struct stat about; /* a pipe would wait for somebody, a device might never end */
  FILE *stream = stat(file, &about) == 0 && S_ISREG(about.st_mode) ? fopen(file, "rb") : NULL;
  if (stream == NULL) return 0;
  while (fgets(line, sizeof line, stream) != NULL && strncmp(line, "$Nodes", strlen("$Nodes")) != 0) {
    if (strncmp(line, "$MeshFormat", strlen("$MeshFormat")) == 0) {
      if (fgets(line, sizeof line, stream) == NULL) break;
      char *end;
      (void)strtod(line, &end); /* version, then 1 for a binary file */
      binary = strtol(end, NULL, 10) == 1;
    } else if (strncmp(line, "$PartitionedEntities", strlen("$PartitionedEntities")) == 0) {
      if (binary && fread(&partitions, sizeof partitions, 1, stream) != 1) partitions = 0;
      if (!binary && fgets(line, sizeof line, stream) != NULL) partitions = strtoul(line, NULL, 10);
      break;
    }
  }
  (void)fclose(stream);
  return partitions <= INT32_MAX ? (int)partitions : 0;
}
