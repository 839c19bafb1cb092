/* For the fuzzing programs, which libFuzzer calls with bytes: reading them one by one, and handing them on as a file.
 */
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Reports something that a program must never see: the program ends, and libFuzzer keeps the input. */
#define FUZZ_EXPECT(condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* Bytes that are read once; zeros behind their end. */
struct fuzz_bytes {
  const uint8_t *at, *end;
};

static inline uint8_t fuzz_byte(struct fuzz_bytes *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }
static inline size_t fuzz_count(struct fuzz_bytes *bytes, size_t most) { return fuzz_byte(bytes) % (most + 1); }

static char fuzz_folder[64];

static void fuzz_leave(void)
{
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
  (void)!system(command);
}

/* Makes a folder in memory, if the system has one there, and works in it until the program ends: names of corpora on
 * the command line must be absolute. */
static inline void fuzz_enter(void)
{
  snprintf(fuzz_folder, sizeof fuzz_folder, "%s/curlew-fuzz-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  FUZZ_EXPECT(mkdtemp(fuzz_folder) != NULL && chdir(fuzz_folder) == 0);
  (void)atexit(fuzz_leave);
}

static inline void fuzz_write(const char *name, const void *data, size_t size)
{
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  FUZZ_EXPECT(file >= 0 && (size == 0 || write(file, data, size) == (ssize_t)size) && close(file) == 0);
}
