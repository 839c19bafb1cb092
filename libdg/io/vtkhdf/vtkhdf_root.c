/* HDF5's side of a file: arrays whose numbers others write, and the group VTKHDF, version 1.0, which VTK 9.1 and all
 * later ones read. Sources: VTK's documentation of its file formats ("VTKHDF"), and vtkHDFReader. */
#include "libdg/io/vtkhdf/vtkhdf_root.h"

#include <string.h>

static hid_t file_type(enum dg_vtkhdf_type type)
{
  switch (type) {
  case DG_VTKHDF_BYTES:
    return H5T_STD_U8LE;
  case DG_VTKHDF_INTEGERS:
    return H5T_STD_I64LE;
  case DG_VTKHDF_DOUBLES:
    return H5T_IEEE_F64LE;
  case DG_VTKHDF_FLOATS:
    return H5T_IEEE_F32LE;
  }
  return -1;
}

static hid_t space_of(size_t rows, int columns)
{
  const hsize_t size[2] = {rows, (hsize_t)columns};
  return H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
}

static int put_unit(hid_t array, const char *unit)
{
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  hid_t attribute = -1;
  if (type >= 0 && space >= 0 && H5Tset_size(type, strlen(unit)) >= 0)
    attribute = H5Acreate2(array, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
  const int status = attribute >= 0 && H5Awrite(attribute, type, unit) >= 0 ? 0 : -1;
  if (attribute >= 0) (void)H5Aclose(attribute);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  return status;
}

/* Creates an array: with `how`, which is closed, and groups on the way. */
static hid_t create(hid_t file, const struct dg_vtkhdf_array *array, hid_t space, hid_t how)
{
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  hid_t result = -1;
  /* without the time of day: the same arrays make the same file */
  if (links >= 0 && how >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
      H5Pset_obj_track_times(how, 0) >= 0)
    result = H5Dcreate2(file, array->name, file_type(array->type), space, links, how, H5P_DEFAULT);
  if (result >= 0 && array->unit != NULL && *array->unit != '\0' && put_unit(result, array->unit) < 0) {
    (void)H5Dclose(result);
    result = -1;
  }
  if (links >= 0) (void)H5Pclose(links);
  if (how >= 0) (void)H5Pclose(how);
  return result;
}

int dg_vtkhdf_put_array(hid_t file, struct dg_vtkhdf_array *array)
{
  const hid_t space = space_of(array->rows, array->columns), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t made = -1;
  if (how >= 0 && H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0)
    made = create(file, array, space, how);
  if (space >= 0) (void)H5Sclose(space);
  if (made < 0) return -1;
  const haddr_t place = array->rows > 0 ? H5Dget_offset(made) : 0;
  (void)H5Dclose(made);
  array->place = (size_t)place;
  return place == HADDR_UNDEF ? -1 : 0;
}

/* ---- arrays in other files ------------------------------------------------------------------------------------- */

static int put_link(hid_t file, const struct dg_vtkhdf_joined *join)
{
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  int status = -1;
  if (links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
      H5Lcreate_external(join->piece->file, join->piece->name, file, join->array.name, links, H5P_DEFAULT) >= 0)
    status = 0;
  if (links >= 0) (void)H5Pclose(links);
  return status;
}

/* Says that rows `first` and on of the array are a piece. */
static int add_piece(hid_t how, hid_t space, const struct dg_vtkhdf_joined *join, const struct dg_vtkhdf_piece *piece,
                     size_t first)
{
  const hsize_t from[2] = {first, 0}, size[2] = {piece->rows, (hsize_t)join->array.columns};
  const hid_t there = space_of(piece->rows, join->array.columns);
  int status = -1;
  if (there >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
      H5Pset_virtual(how, space, piece->file, piece->name, there) >= 0)
    status = 0;
  if (there >= 0) (void)H5Sclose(there);
  return status;
}

static int put_virtual(hid_t file, const struct dg_vtkhdf_joined *join)
{
  const hid_t space = space_of(join->array.rows, join->array.columns), how = H5Pcreate(H5P_DATASET_CREATE);
  int status = space >= 0 && how >= 0 ? 0 : -1;
  size_t first = 0;
  for (size_t i = 0; status == 0 && i < join->pieces; first += join->piece[i++].rows)
    if (join->piece[i].rows > 0) status = add_piece(how, space, join, &join->piece[i], first);
  if (status == 0 && H5Sselect_all(space) < 0) status = -1;
  const hid_t made = status == 0 ? create(file, &join->array, space, how) : -1;
  if (status != 0 && how >= 0) (void)H5Pclose(how);
  if (space >= 0) (void)H5Sclose(space);
  if (made >= 0) (void)H5Dclose(made);
  return made >= 0 ? 0 : -1;
}

/* ---- the group ------------------------------------------------------------------------------------------------- */

static int put_small(hid_t file, const char *name, size_t count, hid_t type, enum dg_vtkhdf_type in_file,
                     const void *data)
{
  struct dg_vtkhdf_array array = {.type = in_file, .rows = count, .columns = 1};
  strncpy(array.name, name, sizeof array.name - 1);
  const hid_t space = space_of(count, 1);
  const hid_t made = space >= 0 ? create(file, &array, space, H5Pcreate(H5P_DATASET_CREATE)) : -1;
  const int status = made >= 0 && H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 ? 0 : -1;
  if (made >= 0) (void)H5Dclose(made);
  if (space >= 0) (void)H5Sclose(space);
  return status;
}

static int put_attribute(hid_t group, const char *name, hid_t space, hid_t type, const void *data)
{
  const hid_t attribute = space >= 0 && type >= 0 ? H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
  const int status = attribute >= 0 && H5Awrite(attribute, type, data) >= 0 ? 0 : -1;
  if (attribute >= 0) (void)H5Aclose(attribute);
  return status;
}

/* VTK 9.1 wants the type as a string of fixed length. */
static int put_attributes(hid_t group)
{
  static const long long version[2] = {1, 0};
  static const char name[] = "UnstructuredGrid";
  const hid_t pair = space_of(2, 1), one = H5Screate(H5S_SCALAR), string = H5Tcopy(H5T_C_S1);
  int status = -1;
  if (string >= 0 && H5Tset_size(string, sizeof name - 1) >= 0 && H5Tset_strpad(string, H5T_STR_NULLPAD) >= 0 &&
      put_attribute(group, "Version", pair, H5T_NATIVE_LLONG, version) == 0 &&
      put_attribute(group, "Type", one, string, name) == 0)
    status = 0;
  if (pair >= 0) (void)H5Sclose(pair);
  if (one >= 0) (void)H5Sclose(one);
  if (string >= 0) (void)H5Tclose(string);
  return status;
}

int dg_vtkhdf_put_head(hid_t file, const struct dg_vtkhdf_head *head)
{
  const hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int status = group >= 0 ? put_attributes(group) : -1;
  if (group >= 0) (void)H5Gclose(group);
  if (status == 0 &&
      (put_small(file, "VTKHDF/NumberOfPoints", head->parts, H5T_NATIVE_LLONG, DG_VTKHDF_INTEGERS, head->points) < 0 ||
       put_small(file, "VTKHDF/NumberOfCells", head->parts, H5T_NATIVE_LLONG, DG_VTKHDF_INTEGERS, head->cells) < 0 ||
       put_small(file, "VTKHDF/NumberOfConnectivityIds", head->parts, H5T_NATIVE_LLONG, DG_VTKHDF_INTEGERS,
                 head->connections) < 0 ||
       put_small(file, "VTKHDF/FieldData/TimeValue", 1, H5T_NATIVE_DOUBLE, DG_VTKHDF_DOUBLES, &head->time) < 0 ||
       put_small(file, "VTKHDF/FieldData/CYCLE", 1, H5T_NATIVE_LLONG, DG_VTKHDF_INTEGERS, &head->cycle) < 0))
    status = -1;
  for (size_t i = 0; status == 0 && i < head->joined; i++)
    status = head->join[i].link ? put_link(file, &head->join[i]) : put_virtual(file, &head->join[i]);
  return status;
}
