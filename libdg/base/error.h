/* Errors as values.
 *
 * A function that can fail returns int, 0 for success, and fills the caller's struct dg_error. The first error wins:
 * the message is built where the fault is seen, callers append context ("in material 'pec'") and hand it up. Only
 * maxwell/app prints one. All messages are one line.
 *
 *   int f(struct dg_error *err)
 *   {
 *     if (bad) return dg_fail(err, DG_INPUT, "order %d is not in 1..8", order);
 *     if (g(err) != 0) return dg_context(err, "while reading '%s'", path);
 *     return 0;
 *   }
 */
#pragma once

/* code, exit code of the program, what it means */
#define DG_ERROR_CODES(X)                                                                                              \
  X(DG_OK, 0, "no error")                                                                                              \
  X(DG_INPUT, 2, "the user's input")                                                                                   \
  X(DG_ENVIRONMENT, 3, "the environment")                                                                              \
  X(DG_BLEW_UP, 4, "the solution blew up")                                                                             \
  X(DG_BUG, 70, "a bug in the program; please report")                                                                 \
  X(DG_INTERRUPTED, 130, "interrupted")

enum dg_code {
#define DG_X(name, exit_code, text) name = exit_code,
  DG_ERROR_CODES(DG_X)
#undef DG_X
};

#define DG_MESSAGE_MAX 2048

/* Plain storage of the caller's; {0} is "no error"; nothing to release. */
struct dg_error {
  enum dg_code code;
  int rank;         /* of the communicator that failed; 0 in a serial run */
  const char *file; /* source of the program where the error was made (shown for bugs) */
  int line;
  char message[DG_MESSAGE_MAX]; /* one line, long ones are cut with "..." */
};

#define DG_MUST_USE              __attribute__((warn_unused_result))
#define DG_PRINTF(string, first) __attribute__((format(printf, string, first)))

/* Sets err (unless it already holds an error) and returns the code, so that "return dg_fail(...)" is the exit. */
#define dg_fail(err, code, ...) dg_error_set((err), (code), __FILE__, __LINE__, __VA_ARGS__)
/* Appends ", <context>" to the message and returns err's code. */
#define dg_context(err, ...) dg_error_context((err), __VA_ARGS__)

int dg_error_set(struct dg_error *err, enum dg_code code, const char *file, int line, const char *format, ...)
    DG_PRINTF(5, 6);
int dg_error_context(struct dg_error *err, const char *format, ...) DG_PRINTF(2, 3);
/* The text of a code, for summaries. */
const char *dg_error_text(enum dg_code code);
