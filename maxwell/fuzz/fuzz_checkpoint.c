/* Restarts from checkpoints whose files are whole and whose numbers are not: of a real one of a small run with ports,
 * measurements and S-parameters, arrays are changed, cut, lengthened, replaced by others or taken away as the bytes
 * say, behind digests that fit. Each input is a whole run from there to its end, and must end as it should or with one
 * line that says why not. */
#include <hdf5.h>
#include <sanitizer/lsan_interface.h>

#include "libdg/fuzz/fuzz.h"
#include "libdg/io/store.h"
#include "maxwell/run/run.h"
#include "maxwell/shell/script/script.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/measure/kinds.h"

#define FOLDER     "result"
#define CHECKPOINT FOLDER "/checkpoint/step_%012d"

/* Checkpoints of step 5 in either of the two runs that S-parameters take. */
enum { STEPS = 8, EVERY = 5, BASES = 2, ARRAYS = 64, LONGEST = 4096, TABLES = 4 };
static const int number_of[BASES] = {EVERY, STEPS + EVERY};

static const char script_text[] =
    "simulation { mesh = { file = 'box.msh' }, order = 2, backend = 'reference', time = { steps = 8 },\n"
    "materials = { default = {} }, boundaries = { default = { kind = 'absorbing' }, [4] = { kind = 'pec' },\n"
    "  [1] = { kind = 'modal_port', family = 'TE', cutoff = 1.3e8, waveform = waveform.step { rise = 3e-9 },\n"
    "    profile = function(x, y, z) return 0, 0, math.sin(math.pi * y) end },\n"
    "  [2] = { kind = 'lumped_port', resistance = 80, direction = { 0, 0, 1 },\n"
    "    waveform = waveform.step { rise = 3e-9 } } },\n"
    "output = { s_parameters = { 2e8 }, energy = { every = 1 },\n"
    "  probes = { { name = 'a', at = { 0.4, 0.3, 0.2 }, frequencies = { 1e8 } } } },\n"
    "checkpoint = { every = 5 } }\n";

struct array {
  char name[60];
  enum dg_store_type type;
  size_t count;
  unsigned char *data; /* 1 or 8 bytes a number; of the base, or changed */
};

/* A file with its arrays and as bytes. */
struct file {
  size_t arrays, size;
  struct array array[ARRAYS];
  char path[100];
  unsigned char *bytes;
};

static struct base {
  struct file root, part;
} bases[BASES];
static struct file tables[TABLES];
static struct mx_script *script;
static struct mx_config config;
static struct mx_setup setup;

/* ---- the run that it all goes on from */

/* A cube of six elements around a diagonal; its side is of entity 1 at x = 0, 2 at x = 1, 4 at z = 0
 * and 1, else 3. */
static void write_mesh(void)
{
  static const int path[6][2] = {{1, 3}, {1, 5}, {2, 3},
                                 {2, 6}, {4, 5}, {4, 6}}; /* corners are numbers of three bits */
  FILE *file = fopen("box.msh", "w");
  FUZZ_EXPECT(file != NULL);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n");
  for (int v = 0; v < 8; v++) fprintf(file, "%d %d %d %d\n", v + 1, v & 1, v >> 1 & 1, v >> 2);
  fprintf(file, "$EndNodes\n$Elements\n18\n");
  int elements = 0;
  for (int i = 0; i < 6; i++) {
    const int v[4] = {0, path[i][0], path[i][1], 7};
    const int across = v[1] ^ v[2], even = across == 2 * v[1] || 4 * across == v[1];
    fprintf(file, "%d 4 2 0 1 %d %d %d %d\n", ++elements, 1, v[even ? 1 : 2] + 1, v[even ? 2 : 1] + 1, 8);
    for (int f = 0; f < 2; f++) { /* without the last corner, and without the first */
      const int *c = v + f;
      const int same = f == 0 ? ~(c[0] | c[1] | c[2]) & 7 : c[0] & c[1] & c[2];
      const int side = same == 1 ? 1 + f : same == 4 ? 4 : 3;
      fprintf(file, "%d 2 2 0 %d %d %d %d\n", ++elements, side, c[0] + 1, c[1] + 1, c[2] + 1);
    }
  }
  fprintf(file, "$EndElements\n");
  FUZZ_EXPECT(fclose(file) == 0);
}

static void load_bytes(struct file *file)
{
  FILE *from = fopen(file->path, "rb");
  FUZZ_EXPECT(from != NULL && (file->bytes = malloc(1 << 16)) != NULL);
  file->size = fread(file->bytes, 1, 1 << 16, from);
  FUZZ_EXPECT(file->size > 0 && file->size < 1 << 16 && fclose(from) == 0);
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
  struct file *file = context;
  H5O_info_t object;
  (void)info;
  FUZZ_EXPECT(H5Oget_info_by_name(group, name, &object, H5P_DEFAULT) >= 0);
  if (object.type != H5O_TYPE_DATASET) return 0;
  FUZZ_EXPECT(file->arrays < ARRAYS && strlen(name) < sizeof file->array->name);
  snprintf(file->array[file->arrays++].name, sizeof file->array->name, "%s", name);
  return 0;
}

/* All arrays, of the type that dg_store_read accepts. */
static void load_arrays(struct file *file)
{
  struct dg_error err = {0};
  struct dg_store *store;
  load_bytes(file);
  const hid_t opened = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  FUZZ_EXPECT(opened >= 0 && H5Lvisit(opened, H5_INDEX_NAME, H5_ITER_INC, add_name, file) >= 0 &&
              H5Fclose(opened) >= 0);
  FUZZ_EXPECT(dg_store_open(&store, file->path, false, &err) == 0 && file->arrays > 0);
  for (size_t i = 0; i < file->arrays; i++) {
    struct array *array = &file->array[i];
    FUZZ_EXPECT(dg_store_count(store, array->name, &array->count, &err) == 0 && array->count <= LONGEST);
    FUZZ_EXPECT((array->data = calloc(LONGEST, 8)) != NULL);
    for (array->type = DG_STORE_BYTES; array->type <= DG_STORE_DOUBLES; array->type++) {
      err = (struct dg_error){0};
      if (dg_store_read(store, array->name, array->type, 0, array->count, array->data, &err) == 0) break;
    }
    FUZZ_EXPECT(array->type <= DG_STORE_DOUBLES);
  }
  dg_store_free(store);
}

static struct mx_run_options how;

static int run(struct dg_error *err)
{
  struct mx_folder folder;
  if (mx_folder_open(&folder, FOLDER, NULL, NULL, err) == 0) (void)!mx_run(&setup, &folder, &how, err);
  mx_folder_close(&folder);
  return err->code;
}

static void begin(void)
{
  static const char *const table[TABLES] = {"energy.csv", "probes/a.csv", "ports/surface_1.csv", "ports/surface_2.csv"};
  struct dg_error err = {0};
  write_mesh();
  fuzz_write("case.lua", script_text, sizeof script_text - 1);
  if (mx_script_load(&script, "case.lua", 0, NULL, 0, NULL, NULL, &err) != 0 ||
      mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err) != 0 ||
      mx_setup_init(&setup, &config, mx_script_origin(script), NULL, NULL, NULL, &err) != 0 || run(&err) != 0) {
    fprintf(stderr, "%s\n", err.message);
    abort();
  }
  for (int i = 0; i < BASES; i++) {
    snprintf(bases[i].root.path, sizeof bases[i].root.path, CHECKPOINT ".h5", number_of[i]);
    snprintf(bases[i].part.path, sizeof bases[i].part.path, CHECKPOINT "_0000.h5", number_of[i]);
    load_arrays(&bases[i].root);
    load_arrays(&bases[i].part);
  }
  for (int i = 0; i < TABLES; i++) {
    snprintf(tables[i].path, sizeof tables[i].path, FOLDER "/%s", table[i]);
    load_bytes(&tables[i]);
  }
  config.checkpoint.every = 0;
  how.resume = true;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  FUZZ_EXPECT(setenv("CURLEW_SHARE", FUZZ_SHARE, 1) == 0);
  fuzz_enter();
  __lsan_disable(); /* the set-up's memory stays, and blocks of no bytes end where their pointers point to */
  begin();
  __lsan_enable();
  return 0;
}

/* ---- what the bytes do to it */

static uint64_t hostile_number(struct fuzz_bytes *bytes, uint64_t now)
{
  static const double numbers[] = {NAN, INFINITY, -INFINITY, 1e308, -1, 1e-310, -0.0};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  const uint8_t how = fuzz_byte(bytes), what = fuzz_byte(bytes);
  uint64_t number = 0;
  switch (how % 6) {
  case 0:
    return what;
  case 1:
    return (uint64_t) - (int64_t)what;
  case 2:
    return ((uint64_t)1 << what % 64) - (how & 64 ? 1 : 0);
  case 3:
    return now + (uint64_t)(int8_t)what;
  case 4:
    memcpy(&number, &numbers[what % NUMBERS], sizeof number);
    return number;
  default:
    for (int i = 0; i < 8; i++) number = number << 8 | fuzz_byte(bytes);
    return number;
  }
}

static void change(struct array *array, struct fuzz_bytes *bytes)
{
  const size_t size = array->type == DG_STORE_BYTES ? 1 : 8;
  const size_t at = array->count > 0 ? (fuzz_byte(bytes) | (size_t)fuzz_byte(bytes) << 8) % array->count : 0;
  uint64_t number = 0;
  memcpy(&number, array->data + size * at, size);
  number = hostile_number(bytes, number);
  memcpy(array->data + size * at, &number, size);
}

enum { CHANGES = 16 };

/* The arrays of `file` into a new one of its name, with as many changes as the bytes say; what becomes of its digest is
 * in *digest. */
static void write_changed(const struct file *file, size_t changes, struct fuzz_bytes *bytes, uint64_t *digest)
{
  static const enum dg_store_type types[] = {DG_STORE_BYTES, DG_STORE_INTEGERS, DG_STORE_DOUBLES, DG_STORE_FLOATS};
  struct dg_error err = {0};
  struct dg_store *store;
  static unsigned char content[ARRAYS][8 * LONGEST];
  struct array array[ARRAYS];
  const size_t arrays = file->arrays;
  bool gone[ARRAYS] = {false}, hollow[ARRAYS] = {false};
  FUZZ_EXPECT(arrays > 0 && arrays <= ARRAYS);
  for (size_t i = 0; i < arrays; i++) {
    array[i] = file->array[i];
    memset(content[i], 0, 8 * (UINT8_MAX + 1)); /* bytes that a longer array may show */
    array[i].data = memcpy(content[i], array[i].data, 8 * array[i].count);
  }
  for (size_t i = 0; i < changes; i++) {
    const size_t which = fuzz_count(bytes, arrays - 1);
    switch (fuzz_byte(bytes) % 8) {
    case 0:
      gone[which] = true;
      break;
    case 1:
      array[which].type = types[fuzz_count(bytes, 3)];
      break;
    case 2:
      array[which].count = fuzz_byte(bytes);
      break;
    case 3: /* a length without content */
      hollow[which] = true;
      array[which].count = (size_t)1 << fuzz_count(bytes, 61);
      break;
    default:
      if (!hollow[which]) change(&array[which], bytes);
    }
  }
  FUZZ_EXPECT(dg_store_create(&store, file->path, 1 << 16, ARRAYS, &err) == 0);
  for (size_t i = 0; i < arrays; i++) {
    struct dg_error refused = {0}; /* by HDF5, of what no disk has room for */
    if (gone[i] || dg_store_add(store, array[i].name, array[i].type, array[i].count, &refused) != 0 || hollow[i])
      continue;
    FUZZ_EXPECT(dg_store_write(store, array[i].name, 0, array[i].count, array[i].data, &err) == 0);
  }
  FUZZ_EXPECT(dg_store_finish(store, digest, &err) == 0);
  dg_store_free(store);
}

static struct array *find(struct file *file, const char *name)
{
  for (size_t i = 0; i < file->arrays; i++)
    if (strcmp(file->array[i].name, name) == 0) return &file->array[i];
  abort();
}

/* The checkpoint, and the tables as they were at the end of the run. */
static void write_files(struct base *base, struct fuzz_bytes *bytes)
{
  const size_t of_part = fuzz_count(bytes, CHANGES), of_root = fuzz_count(bytes, CHANGES);
  unsigned char *digest = find(&base->root, "parts")->data;
  uint64_t before, now;
  memcpy(&before, digest, sizeof before);
  now = before;
  if (of_part > 0) write_changed(&base->part, of_part, bytes, &now);
  else fuzz_write(base->part.path, base->part.bytes, base->part.size);
  memcpy(digest, &now, sizeof now);
  if (of_root > 0 || now != before) write_changed(&base->root, of_root, bytes, NULL);
  else fuzz_write(base->root.path, base->root.bytes, base->root.size);
  memcpy(digest, &before, sizeof before);
  for (int i = 0; i < TABLES; i++) fuzz_write(tables[i].path, tables[i].bytes, tables[i].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct fuzz_bytes bytes = {data, data + size};
  struct dg_error err = {0};
  struct base *base = &bases[fuzz_count(&bytes, BASES - 1)];
  for (int i = 0; i < BASES; i++) {
    (void)unlink(bases[i].root.path);
    (void)unlink(bases[i].part.path);
  }
  write_files(base, &bytes);
  enum dg_code code = (enum dg_code)run(&err);
  FUZZ_EXPECT(code == err.code);
  FUZZ_EXPECT(code == DG_OK || code == DG_INPUT || code == DG_ENVIRONMENT || code == DG_BLEW_UP);
  FUZZ_EXPECT((code == DG_OK) == (err.message[0] == '\0') && strpbrk(err.message, "\n\r") == NULL);
  FUZZ_EXPECT(size > 0 || code == DG_OK);
  return 0;
}
