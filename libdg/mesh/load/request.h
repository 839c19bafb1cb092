/* Requests of the program to curlew-mesh, and the words and descriptors that both know. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/load/parcel.h"

/* Kinds of parcels; the last characters are the version of what is in them. */
#define DG_REQUEST_MAGIC "clwask03"
#define DG_ANSWER_MAGIC  "clwmsh04"

/* Descriptors that curlew-mesh starts with, beside 1 and 2. */
enum { DG_MESHER_REQUEST = 0, DG_MESHER_ANSWER = 3, DG_MESHER_LIFE = 4, DG_MESHER_DESCRIPTORS = 5 };
/* curlew-mesh's exit code when memory is used up so that no answer can be made. */
enum { DG_MESHER_NO_MEMORY = 83 };
/* curlew-mesh's exit code when the sandbox has ended it. The last line on its descriptor 2 is what was tried, "to write
 * the file 'x'". */
enum { DG_MESHER_DENIED = 84 };

struct dg_request {
  struct dg_mesh_options options; /* without streams; file "": only the version is wanted */
  int part;                       /* 0: all of the mesh */
  long parent;                    /* the process that asks: without it, nobody wants the answer */
  const char **name;              /* of the parameters */
};

int dg_request_put(const struct dg_request *request, struct dg_parcel *parcel, struct dg_error *err) DG_MUST_USE;
/* Takes a request out of a parcel. Its texts point into the parcel; `name` is freed with dg_free. */
int dg_request_take(struct dg_request *request, struct dg_parcel *parcel, struct dg_error *err) DG_MUST_USE;
/* Makes the key on which an answer depends beside the files: an array of bytes that is the same for the same
 * question. */
int dg_request_key(const struct dg_request *request, struct dg_parcel *key, struct dg_error *err) DG_MUST_USE;
