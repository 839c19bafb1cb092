/* Digests of all that values of a Lua state can reach: code, variables from outside, tables with their metatables, and
 * which of them are the same object. They depend neither on addresses nor on the order of keys. Private to the script
 * reader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

#define MX_ARGS_VALUES "curlew.args"      /* registry key: the values of the table `args` */
#define MX_ARGS_PROXY  "curlew.args.meta" /* registry key: the metatable of `args` */

/* Objects are numbered as they are met, from roots in a fixed order; each is then looked at once, in that order. Equal
 * digests mean that the same walk is possible in both states. */
struct mx_walk {
  /* The caller sets these. */
  lua_State *L;
  bool random; /* the state of random numbers counts */
  /* The digest is to be compared with that of another process: code without lines and names; Lua's own functions by
   * name; of a function's globals those that its code names, and of `args` those values. Else both are of this process:
   * code as it is, Lua's own functions by address, and no globals (they are a root). */
  bool lasting;
  const char *folder; /* of the script, where `lasting` looks for files; or NULL */
  /* Results. */
  uint64_t digest;
  bool certain; /* false: something has no digest, such as a table with tables as keys */
  /* Its own. */
  lua_Integer objects; /* objects met so far */
  int seen, list;      /* on the stack: numbers by object, objects by number */
  int inside;          /* how many walks this one is within */
};

/* Begins a walk and puts two tables on the stack, which belong to it until mx_walk_end takes them off. */
void mx_walk_begin(struct mx_walk *walk);
/* Adds a root, the value on top of the stack, and pops it. */
void mx_walk_add(struct mx_walk *walk);
/* Goes through all that the roots reach. */
void mx_walk_end(struct mx_walk *walk);

/* The lasting digest of the value on top of the stack, which is popped. May raise Lua's error of memory. */
uint64_t mx_walk_digest(lua_State *L, const char *folder);
/* The same of the key and the value on top. */
uint64_t mx_walk_digest_pair(lua_State *L);
