/* Files of arrays, which checkpoints are made of. First byte even: the bytes behind it are a file, which must be
 * refused unless its digest fits. Odd: HDF5 makes a file as they say, of types, sizes, dimensions, links and storage
 * that we never write, behind a digest that fits; whatever is asked of it comes out whole or is refused. */
#include <hdf5.h>

#include "libdg/base/memory.h"
#include "libdg/fuzz/fuzz.h"
#include "libdg/fuzz/fuzz_seal.h"
#include "libdg/io/store.h"

static const char path[] = "a.h5";
static const char *const names[] = {"format", "identity", "parts", "a/b/c", "a", "a/b"};
enum { NAMES = sizeof names / sizeof *names };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  FUZZ_EXPECT(H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0);
  return 0;
}

/* ---- a file of HDF5's */

static hid_t make_type(struct fuzz_bytes *bytes)
{
  const hid_t known[] = {H5T_STD_U8LE,   H5T_STD_I64LE, H5T_IEEE_F64LE,  H5T_IEEE_F32LE,
                         H5T_STD_I8LE,   H5T_STD_U64BE, H5T_STD_I16BE,   H5T_IEEE_F64BE,
                         H5T_C_S1,       H5T_STD_B64LE, H5T_STD_REF_OBJ, H5T_STD_REF_DSETREG,
                         H5T_UNIX_D64LE, H5T_STD_U32LE, H5T_STD_I64BE,   H5T_IEEE_F32BE};
  const size_t which = fuzz_count(bytes, sizeof known / sizeof *known + 3);
  const hsize_t two[2] = {2, 1};
  if (which < sizeof known / sizeof *known) return H5Tcopy(known[which]);
  hid_t type = -1;
  switch (which - sizeof known / sizeof *known) {
  case 0: /* strings of some length, or of any */
    type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, fuzz_byte(bytes) % 2 == 0 ? H5T_VARIABLE : 1 + (size_t)fuzz_byte(bytes));
    return type;
  case 1:
    type = H5Tcreate(H5T_COMPOUND, 16);
    (void)H5Tinsert(type, "x", 0, H5T_IEEE_F64LE);
    (void)H5Tinsert(type, "y", 8, H5T_STD_I64LE);
    return type;
  case 2:
    return H5Tarray_create2(H5T_STD_I64LE, 2, two);
  default: /* integers and floats of odd widths */
    type = H5Tcopy(fuzz_byte(bytes) % 2 == 0 ? H5T_STD_I64LE : H5T_IEEE_F64LE);
    (void)H5Tset_precision(type, 1 + fuzz_count(bytes, 63));
    (void)H5Tset_size(type, 1 + fuzz_count(bytes, 15));
    return type;
  }
}

static hid_t make_space(struct fuzz_bytes *bytes, bool *huge)
{
  const uint8_t kind = fuzz_byte(bytes);
  hsize_t size[3], most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
  *huge = false;
  if (kind % 8 == 0) return H5Screate(H5S_SCALAR);
  if (kind % 8 == 1) return H5Screate(H5S_NULL);
  const int rank = kind % 8 < 6 ? 1 : kind % 8 - 4;
  for (int i = 0; i < rank; i++) {
    size[i] = fuzz_byte(bytes);
    if (size[i] < 224) continue;
    size[i] = (hsize_t)1 << (size[i] - 192);
    *huge = true;
  }
  return H5Screate_simple(rank, size, kind & 64 ? most : NULL);
}

static hid_t make_storage(struct fuzz_bytes *bytes)
{
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[3] = {1 + fuzz_count(bytes, 15), 2, 2};
  switch (fuzz_byte(bytes) % 8) {
  case 0:
    (void)H5Pset_layout(how, H5D_COMPACT);
    break;
  case 1:
    (void)H5Pset_external(how, "raw", (off_t)fuzz_byte(bytes), fuzz_byte(bytes));
    break;
  case 2:
  case 3:
    (void)H5Pset_chunk(how, 1 + (int)fuzz_count(bytes, 2), chunk);
    if (fuzz_byte(bytes) % 2 == 0) (void)H5Pset_shuffle(how);
    if (fuzz_byte(bytes) % 2 == 0) (void)H5Pset_fletcher32(how);
    break;
  default:
    break;
  }
  return how;
}

static void make_array(hid_t file, const char *name, hid_t links, struct fuzz_bytes *bytes)
{
  static const unsigned char content[1 << 16];
  bool huge;
  const hid_t type = make_type(bytes), space = make_space(bytes, &huge), how = make_storage(bytes);
  const hid_t array = type >= 0 && space >= 0 ? H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT) : -1;
  const hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  if (array >= 0 && !huge && H5Tget_class(type) <= H5T_FLOAT && points >= 0 &&
      (size_t)points * H5Tget_size(type) <= sizeof content)
    (void)H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content);
  if (array >= 0) (void)H5Dclose(array);
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  (void)H5Pclose(how);
}

static void make_file(struct fuzz_bytes *bytes)
{
  const hid_t how = H5Pcreate(H5P_FILE_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  FUZZ_EXPECT(how >= 0 && links >= 0 && H5Pset_userblock(how, FUZZ_HEAD) >= 0 &&
              H5Pset_create_intermediate_group(links, 1) >= 0);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
  FUZZ_EXPECT(file >= 0);
  for (size_t i = fuzz_count(bytes, 5); i > 0; i--) {
    const char *name = names[fuzz_count(bytes, NAMES - 1)], *other = names[fuzz_count(bytes, NAMES - 1)];
    hid_t group;
    switch (fuzz_byte(bytes) % 8) {
    case 0:
      if ((group = H5Gcreate2(file, name, links, H5P_DEFAULT, H5P_DEFAULT)) >= 0) (void)H5Gclose(group);
      break;
    case 1: /* also to itself, or to nothing */
      (void)H5Lcreate_soft(other, file, name, links, H5P_DEFAULT);
      break;
    case 2:
      (void)H5Lcreate_external(path, other, file, name, links, H5P_DEFAULT);
      break;
    default:
      make_array(file, name, links, bytes);
    }
  }
  FUZZ_EXPECT(H5Fclose(file) >= 0);
  (void)H5Pclose(how);
  (void)H5Pclose(links);
  fuzz_seal(path);
}

/* ---- reading it */

static void expect_refusal(const struct dg_error *err, enum dg_code code)
{
  FUZZ_EXPECT(err->code == (code != DG_OK ? DG_ENVIRONMENT : DG_OK));
  FUZZ_EXPECT((err->code == DG_OK) == (err->message[0] == '\0') && strpbrk(err->message, "\n\r") == NULL);
}

/* In a block of just this size, whose end the address sanitizer knows. */
static void read_some(struct dg_store *store, const char *name, enum dg_store_type type, size_t first, size_t count)
{
  struct dg_error err = {0};
  const size_t size = type == DG_STORE_BYTES ? 1 : 8;
  unsigned char *data = malloc(count * size > 0 ? count * size : 1);
  FUZZ_EXPECT(data != NULL);
  memset(data, 0xa5, count * size);
  enum dg_code code = dg_store_read(store, name, type, first, count, data, &err);
  expect_refusal(&err, code);
  bool untouched = count > 0;
  for (size_t i = 0; i < count * size; i++) untouched = untouched && data[i] == 0xa5;
  FUZZ_EXPECT(code != DG_OK || !untouched);
  free(data);
}

static void read_all(struct dg_store *store)
{
  for (size_t i = 0; i < NAMES; i++) {
    struct dg_error err = {0};
    size_t count = 0;
    enum dg_code code = dg_store_count(store, names[i], &count, &err);
    expect_refusal(&err, code);
    if (code != DG_OK) continue;
    FUZZ_EXPECT(dg_store_has(store, names[i]));
    const size_t some = count < 4096 ? count : 4096;
    for (enum dg_store_type type = DG_STORE_BYTES; type <= DG_STORE_DOUBLES; type++) {
      read_some(store, names[i], type, 0, some);
      read_some(store, names[i], type, count - some / 2, some / 2);
      read_some(store, names[i], type, count, 1);
      read_some(store, names[i], type, SIZE_MAX, 2);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct fuzz_bytes bytes = {data, data + size};
  struct dg_store *store;
  struct dg_error err = {0};
  const bool made = fuzz_byte(&bytes) % 2 == 1;
  const size_t before = dg_memory_current();
  if (made) make_file(&bytes);
  else fuzz_write(path, bytes.at, (size_t)(bytes.end - bytes.at));
  enum dg_code code = dg_store_open(&store, path, false, &err);
  expect_refusal(&err, code);
  FUZZ_EXPECT(!made || code == DG_OK);
  if (code == DG_OK) read_all(store);
  dg_store_free(store);
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
