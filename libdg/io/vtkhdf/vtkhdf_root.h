/* The calls of HDF5: arrays without numbers, and the group that makes a file one of VTK. vtkhdf_file.c calls them
 * inside dg_library_lock. Private to this folder. */
#pragma once

#include <hdf5.h>

#include "libdg/io/vtkhdf/vtkhdf_array.h"

/* Adds an empty array and says where its numbers belong. Negative: it failed. */
int dg_vtkhdf_put_array(hid_t file, struct dg_vtkhdf_array *array);
/* Adds the group VTKHDF with its attributes, counts, time, and the arrays that are in other files. */
int dg_vtkhdf_put_head(hid_t file, const struct dg_vtkhdf_head *head);
