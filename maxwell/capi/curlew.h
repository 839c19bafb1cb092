/* Curlew in a program of your own: the interface of libcurlew.so, in C, for C and for languages that can call it.
 *
 *   struct curlew_error error;
 *   struct curlew_simulation *simulation;
 *   const struct curlew_options options = {.script = "cavity.lua"};
 *   if (curlew_new(&simulation, &options, &error) != 0) return puts(error.message), error.code;
 *   curlew_advance(simulation, 100, &error);
 *   curlew_energy(simulation, energy, &error);
 *   curlew_free(simulation);
 *
 * A simulation is stepped without output (curlew_advance and what follows it), or run once with all of its output: at
 * one go (curlew_run) or in steps (curlew_begin).
 * It belongs to one process: ranks are for the program. Units are SI: m, s, V/m, A/m, J. Functions that can fail return
 * 0 or the code in `error` (2 the input, 3 the environment, 4 the solution blew up, 70 a bug, 130 interrupted), with
 * one line in `message`. Nothing is printed unless `echo` asks for it.
 *
 * Several simulations may exist, and several threads may use them, but a simulation takes one call at a time: a second
 * one, from another thread or from one of its own functions, is code 2. curlew_describe, curlew_where,
 * curlew_steps_done, curlew_time, curlew_nodes, curlew_name and curlew_backend may be called at any time. A pointer to
 * a simulation that was freed is code 2. So is every call in a process that was forked from one that has called
 * curlew_new: it has none of its threads, and leaves its folders alone.
 *
 * Numbers have a decimal point in all files and messages, whatever setlocale says. The mesher, curlew-mesh, is looked
 * for beside the process's program and where the environment variable CURLEW_MESHER says.
 *
 * Structs and functions of a version do not change; additions raise CURLEW_API. Whoever loads the library compares
 * curlew_api() with the CURLEW_API that it was written for: a larger one is fine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CURLEW_API     3
#define CURLEW_MESSAGE 2048

int curlew_api(void);
const char *curlew_version(void);

struct curlew_error {
  int code;
  char message[CURLEW_MESSAGE];
};

/* A function of place and time that the caller carries out. `key` is its place in the simulation's table, as --set
 * takes it: "initial.E", "sources.1.current", "materials.glass.epsilon_r". */
struct curlew_function {
  const char *key;
  /* Writes value[count][components]. x [count][3] m, or NULL where the function depends on time alone. t (s): one time
   * for all of x, [count] times without x, or NULL where it does not depend on time. For the key time.finish, t holds
   * count = 3 numbers, time, step and energy (J), and value[0] not 0 ends the run. Returns 0, or not 0 with a line in
   * message[room]. There is one call at a time, but from any thread; values must depend on the arguments alone. x and t
   * are the library's and end with the call. A number that is not written is an error. */
  int (*values)(void *self, size_t count, const double *x, const double *t, int components, double *value,
                char *message, size_t room);
  void *self;
  uint64_t digest; /* tells one function from another when a run goes on from a checkpoint */
};

struct curlew_pair {
  const char *name, *value;
};

/* All members may be zero but one of `script` and `text`. Everything is copied, but what `self` of functions is. */
struct curlew_options {
  const char *script; /* path of the Lua script; with `text` the script's name in messages */
  const char *text;   /* the script itself */
  size_t args, sets, functions;
  const struct curlew_pair *arg, *set; /* -D and --set */
  const struct curlew_function *function;
  int trust;          /* --trust */
  int echo;           /* not 0: log lines to stdout, warnings to stderr */
  int lua_threads;    /* --lua-threads; 0: as many as there are processors */
  double lua_seconds; /* --lua-seconds; 0: 60 */
};

struct curlew_simulation; /* opaque */

struct curlew_description {
  uint64_t elements, nodes, unknowns; /* nodes of an element, Np */
  int64_t steps;                      /* that the simulation has */
  double step, limit;                 /* s; limit 0: none is known */
  uint64_t measures;
  int order;
};

/* Reads the script, makes the mesh and the tables. *simulation is NULL after an error. */
int curlew_new(struct curlew_simulation **simulation, const struct curlew_options *options, struct curlew_error *error);
/* Frees a simulation, now or, while a call of it is at work, at that call's end, which comes soon (curlew_interrupt).
 * NULL is safe, and so is one that was freed before. */
void curlew_free(struct curlew_simulation *simulation);
/* Since version 3: the same, but code 2 while a call of it is at work. */
int curlew_close(struct curlew_simulation *simulation, struct curlew_error *error);
/* Since version 3, for any thread and any function: ends the call that is at work soon, with code 130, and a run with a
 * checkpoint. Returns 0 where there is no such simulation. */
int curlew_interrupt(struct curlew_simulation *simulation);
void curlew_describe(const struct curlew_simulation *simulation, struct curlew_description *description);
/* The name that the script gives the simulation; the backend that carries it out. */
const char *curlew_name(const struct curlew_simulation *simulation);
const char *curlew_backend(const struct curlew_simulation *simulation);

/* ---- a run with all of its output */

struct curlew_run_options {
  const char *folder; /* NULL: curlew_name */
  int restart;        /* goes on from the last checkpoint in the folder */
  /* Is called about ten times a second, before step n; 0 ends the run with a checkpoint. NULL: nobody looks. */
  int (*look)(void *self, int64_t n, int64_t steps, double t);
  void *self;
};

/* Does what `curlew run` does. SIGINT and SIGTERM end the run with a checkpoint (code 130); their handlers are the
 * caller's again afterwards. A simulation can be run once. */
int curlew_run(struct curlew_simulation *simulation, const struct curlew_run_options *options,
               struct curlew_error *error);

/* ---- the same run in steps (since version 2). It does what curlew_run does, bit for bit: S-parameters with their run
 * for every port, records, snapshots, spectra, far fields, resonances, rules that end it early, checkpoints.
 *
 * Between curlew_begin and the end, curlew_advance makes steps, and curlew_energy, curlew_get_fields, curlew_sample
 * look at the fields of the step that curlew_steps_done names. Records are in the folder: curlew_flush writes what has
 * been measured so far. The run waits in a thread of its own, which also calls functions and `look`. While
 * curlew_advance or curlew_finish works, SIGINT and SIGTERM end the run with a checkpoint (code 130); in between they
 * are the caller's. */

/* Takes the run to its first step, or with `restart` to the checkpoint. A simulation can be begun or run once. */
int curlew_begin(struct curlew_simulation *simulation, const struct curlew_run_options *options,
                 struct curlew_error *error);
struct curlew_position {
  int64_t step;     /* the next one; of S-parameters, in the run of `port` */
  int64_t total;    /* steps so far, of all runs for S-parameters */
  const char *port; /* that is driven, of S-parameters; else NULL */
  int over;         /* not 0: the run has ended, and its results are in the folder */
};
void curlew_where(const struct curlew_simulation *simulation, struct curlew_position *position);
/* curlew_advance in such a run goes on from one run for S-parameters to the next. It stands before the end of the last
 * one, whose fields can still be looked at, makes no more steps there, and returns 0. A rule that ends the run early
 * (time.decay, time.finish, on.output) ends it within curlew_advance: then `over` is set. */

/* Writes a snapshot of the fields of this step, as output.fields says, whether one is due or not, and waits for it.
 * Code 2 without output.fields, and behind the first of the runs for S-parameters. */
int curlew_snapshot(struct curlew_simulation *simulation, struct curlew_error *error);
/* Writes rows that have been measured to the tables of the folder. */
int curlew_flush(struct curlew_simulation *simulation, struct curlew_error *error);
/* Writes a checkpoint. Where somebody has looked at the fields of this step, the step is completed before, and
 * curlew_steps_done is one higher. Code 3: it could not be written, and the run can go on. */
int curlew_checkpoint(struct curlew_simulation *simulation, struct curlew_error *error);
/* Makes all steps that are left and writes what is known only at the end. A run that is over: what ended it. */
int curlew_finish(struct curlew_simulation *simulation, struct curlew_error *error);
/* Ends the run now, with a checkpoint from which curlew_begin or curlew_run with `restart` goes on. curlew_free ends it
 * without. */
int curlew_stop(struct curlew_simulation *simulation, struct curlew_error *error);

/* ---- steps, without a folder. Rules that end a run early (time.decay, time.finish), checkpoints, snapshots, spectra,
 * far fields and resonances are of runs; S-parameters, which take several, are refused here. The watchdog looks as in a
 * run. */

/* Makes so many steps. Code 2 beyond the last step of the simulation: its waveforms end there. */
int curlew_advance(struct curlew_simulation *simulation, int64_t steps, struct curlew_error *error);
int64_t curlew_steps_done(const struct curlew_simulation *simulation);
double curlew_time(const struct curlew_simulation *simulation); /* s, of E and H alike */
/* energy[2]: electric and magnetic, J. */
int curlew_energy(struct curlew_simulation *simulation, double energy[2], struct curlew_error *error);
/* x [elements][3][nodes], m: where the nodes of fields are. */
void curlew_nodes(const struct curlew_simulation *simulation, double *x);
/* E (V/m) and H (A/m) at the nodes, at the same time, into [elements][3][nodes] of the caller's, without a copy in
 * between. NULL: the field is not wanted. */
int curlew_get_fields(struct curlew_simulation *simulation, double *E, double *H, struct curlew_error *error);
/* Sets both fields at the time now; NULL is a field of zero. States of media and layers begin anew. Code 2 where a
 * simulation has ports, whose past would not fit. */
int curlew_set_fields(struct curlew_simulation *simulation, const double *E, const double *H,
                      struct curlew_error *error);
/* value[count][6]: Ex, Ey, Ez, Hx, Hy, Hz at x [count][3], nan outside the mesh. */
int curlew_sample(struct curlew_simulation *simulation, size_t count, const double (*x)[3], double *value,
                  struct curlew_error *error);

/* What measurement `index` of output (probes, lines, ...) has recorded so far. */
struct curlew_record {
  const char *kind, *name;    /* "probes", "corner" */
  const char *columns;        /* "Ex,Ey,Ez,Hx,Hy,Hz" */
  uint64_t rows, width;       /* times so far, and numbers at each: points times columns */
  const double *time, *value; /* [rows] s, [rows][width] SI; valid until the next step */
  uint64_t points;            /* 1 where there are none */
  const double *x;            /* [points][3] m, or NULL */
};
int curlew_record(struct curlew_simulation *simulation, uint64_t index, struct curlew_record *record,
                  struct curlew_error *error);

/* Since version 3: copies the first `rows` rows, time [rows], value [rows][width], x [points][3]; NULL: not wanted. */
int curlew_copy_record(struct curlew_simulation *simulation, uint64_t index, uint64_t rows, double *time, double *value,
                       double *x, struct curlew_error *error);

#ifdef __cplusplus
}
#endif
