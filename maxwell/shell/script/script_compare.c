/* Compares two states that the same script has made: digests of all that its functions can reach, and trees. The
 * threads that call functions compare their copies with it, and hooks what is there before and after them. */
#include "maxwell/shell/script/script_compare.h"

#include <string.h>

#include "maxwell/shell/script/world/names.h"
#include "maxwell/shell/script/world/walk.h"

/* The script's functions, in the order of the tree. */
static void add_functions(struct mx_walk *walk, const struct mx_value *value)
{
  if (value->type == MX_FUNCTION) {
    lua_rawgeti(walk->L, LUA_REGISTRYINDEX, mx_state_function(value->function)->handle);
    mx_walk_add(walk);
  }
  for (size_t i = 0; value->type == MX_TABLE && i < value->count; i++) add_functions(walk, &value->entry[i].value);
}

/* On the stack: the walk and the script. */
static int protected_walk(lua_State *L)
{
  struct mx_walk *walk = lua_touserdata(L, 1);
  const struct mx_script *script = lua_touserdata(L, 2);
  mx_walk_begin(walk);
  add_functions(walk, &script->root);
  lua_pushglobaltable(L);
  mx_walk_add(walk);
  lua_pushliteral(L, "");
  if (!lua_getmetatable(L, -1)) lua_pushnil(L); /* the metatable of all strings */
  mx_walk_add(walk);
  lua_pop(L, 1);
  mx_names_push_modules(L);
  mx_walk_add(walk);
  mx_walk_end(walk);
  return 0;
}

bool mx_same_digest(struct mx_script *script, bool random, uint64_t *digest)
{
  struct mx_walk walk = {.L = script->L, .random = random};
  lua_pushcfunction(script->L, protected_walk);
  lua_pushlightuserdata(script->L, &walk);
  lua_pushlightuserdata(script->L, script);
  const int status = mx_state_call(script, 2, 0);
  lua_settop(script->L, MX_STATE_HANDLER);
  *digest = walk.digest;
  return status == LUA_OK && script->memory_error.code == DG_OK && walk.certain;
}

bool mx_same_numbers(size_t count, const double *one, const double *other)
{
  const void *a = one, *b = other;
  return memcmp(a, b, count * sizeof *one) == 0;
}

static bool same_key(const struct mx_key *one, const struct mx_key *other)
{
  if (one->name == NULL || other->name == NULL) return one->name == other->name && one->integer == other->integer;
  return strcmp(one->name, other->name) == 0;
}

bool mx_same_tree(const struct mx_value *one, const struct mx_value *other)
{
  if (one->type != other->type) return false;
  switch (one->type) {
  case MX_NIL:
    return true;
  case MX_BOOLEAN:
    return one->boolean == other->boolean;
  case MX_NUMBER:
    return mx_same_numbers(1, &one->number, &other->number);
  case MX_STRING:
    return strcmp(one->string, other->string) == 0;
  case MX_FUNCTION:
    return mx_state_function(one->function)->handle == mx_state_function(other->function)->handle;
  case MX_TABLE:
    if (one->count != other->count || one->is_waveform != other->is_waveform) return false;
    for (size_t i = 0; i < one->count; i++)
      if (!same_key(&one->entry[i].key, &other->entry[i].key) ||
          !mx_same_tree(&one->entry[i].value, &other->entry[i].value))
        return false;
    return true;
  }
  return false;
}
