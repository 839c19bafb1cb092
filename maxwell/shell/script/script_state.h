/* The state that the parts of the script reader share, and the calls into it. Private to them. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "maxwell/shell/arena.h"
#include "maxwell/shell/function.h"
#include "maxwell/shell/origin.h"
#include "maxwell/shell/value.h"
#include "maxwell/shell/script/world/library.h"
#include "maxwell/shell/script/script_lines.h"
#include "maxwell/shell/script/world/random.h"
#include "maxwell/shell/script/script_watch.h"

#define MX_STATE_HANDLER  1          /* stack index where the message handler always lies */
#define MX_STATE_WAVEFORM "waveform" /* registry key of the metatable of what waveform.* make */

struct mx_script {
  lua_State *L;
  struct dg_error memory_error; /* error of the first allocation of Lua's that failed */
  size_t bytes, bytes_max;      /* bytes that Lua has, and may have */
  double seconds;               /* longest time of a call */
  int threads;                  /* threads that may call functions; 0: the solver chooses */
  struct mx_watch *watch;
  volatile sig_atomic_t stop;  /* enum mx_watch_reason: why the call must end */
  volatile sig_atomic_t asked; /* how often it was told */
  char *last_words;            /* when it does not listen */
  char stop_place[LUA_IDSIZE + 16];
  struct mx_library library;
  struct mx_random random;
  struct mx_arena arena;
  struct mx_lines lines;
  char *path, *chunk_name; /* "cavity.lua", "@cavity.lua" */
  const char *text;        /* of the script */
  size_t args, sets, files;
  const char *const *file; /* [files] files that it has read, sorted */
  const struct mx_definition *arg, *set;
  struct mx_value root;
  struct mx_value *shown; /* the root with functions of the caller's; NULL: there are none */
  struct mx_origin origin;
  bool reads_clock; /* has asked for the time */
  bool quiet;       /* the script does not print now */
  bool trial;       /* a function is only tried */
  const volatile sig_atomic_t *interrupt;
  struct mx_crew *crew; /* other threads that call functions, or NULL */
  char alone[200];      /* why there are none, or why they do not call all functions; "": nothing is to be said */
  struct mx_load *load; /* while mx_script_load runs */
};

/* A function of the script. */
struct mx_script_function {
  struct mx_function base; /* its `self` is this */
  struct mx_script *script;
  int handle;      /* registry reference; the same in copies of the script */
  uint64_t digest; /* of all that it can reach when the script has ended (world/walk.h); 0 in copies */
};

/* The script's side of a function that the script's tree holds. */
static inline const struct mx_script_function *mx_state_function(const struct mx_function *function)
{
  return function->self;
}

/* The data of the protected call of mx_script_load. Lua's errors jump out of that call: whatever it allocates hangs on
 * the script before anything of Lua's is called. */
struct mx_load {
  struct mx_script *script;
  struct dg_error *err;
  int table;        /* registry reference of the simulation table, LUA_NOREF before the call */
  int line;         /* line of the call */
  char *other_file; /* another file that called simulation (dofile), or NULL */
  char *set_where;  /* "--set a=b" while its value is converted, else NULL */
  size_t values;    /* values converted so far */
};

/* Leaves the protected call with the error that is in load->err, if the code says that there is one. */
void mx_state_check(lua_State *L, struct mx_load *load, int code);
/* The innermost function that called and has lines; 0: there is none. */
int mx_state_caller(lua_State *L, lua_Debug *caller);
/* Pushes the text as a number, true, false or nil; 0: it is none of them, and nothing is pushed. */
int mx_state_push_plain(lua_State *L, const char *text);
/* The lua_CFunction that belongs at MX_STATE_HANDLER: one line with a position, whatever was thrown. */
int mx_state_message(lua_State *L);
/* Ends a call; made for mx_watch_new, whose context is the script. */
void mx_state_end_call(void *script, enum mx_watch_reason why);
/* lua_pcall under the watch; the function and its arguments are on the stack. */
int mx_state_call(struct mx_script *script, int arguments, int results);
/* Makes the calls to come trials of a function, or ends that: the script's prints are not heard, and a call takes a
 * second at most. */
void mx_state_trial(struct mx_script *script, bool trial);
/* The error of a call that ended with this status. */
int mx_state_fail(struct mx_script *script, int status, struct dg_error *err);
