/* The processes of a run. Every function waits in one place, dg_comm_wait_all, which also listens for ranks that have
 * failed. A function may give up while MPI can still write to a buffer behind its back. Such a buffer belongs to this
 * file, or to exchange.c, and is then never freed. */
#include "libdg/comm/comm_state.h"

#include <limits.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"

int dg_comm_start(struct dg_comm **comm, struct dg_error *err)
{
  int argc = 0, level;
  MPI_Comm node;
  if (MPI_Init_thread(&argc, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return dg_fail(err, DG_ENVIRONMENT, "MPI could not be started");
  if (DG_NEW(*comm, 1, err) != 0) return err->code;
  MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->world);
  MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->stops);
  MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->end);
  MPI_Comm_rank((*comm)->world, &(*comm)->rank);
  MPI_Comm_size((*comm)->world, &(*comm)->size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &(*comm)->here);
  MPI_Comm_free(&node);
  dg_memory_shared_by((*comm)->here);
  return 0;
}

static void end_of_process(void)
{
  int ended = 1;
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

int dg_comm_lend(struct dg_comm *comm, void *mpi_comm, struct dg_error *err)
{
  MPI_Comm *lent = mpi_comm;
  int argc = 0, level, started = 1;
  MPI_Initialized(&started);
  if (!started) {
    if (MPI_Init_thread(&argc, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
      return dg_fail(err, DG_ENVIRONMENT, "MPI could not be started");
    if (atexit(end_of_process) != 0) return dg_fail(err, DG_ENVIRONMENT, "out of memory: atexit");
  }
  *lent = comm != NULL ? comm->world : MPI_COMM_SELF;
  return 0;
}

int dg_comm_settle(struct dg_comm *comm, struct dg_error *err)
{
  if (comm == NULL) return err->code;
  int first = err->code != DG_OK && !comm->foreign ? comm->rank : comm->size;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm->end);
  if (first < comm->size) {
    comm->message = *err;
    MPI_Bcast(&comm->message, (int)sizeof comm->message, MPI_BYTE, first, comm->end);
    *err = comm->message; /* source files are named by strings of the program, which is the same on all ranks */
  }
  err->rank = comm->rank;
  int cut = comm->cut;
  MPI_Allreduce(MPI_IN_PLACE, &cut, 1, MPI_INT, MPI_MAX, comm->end);
  comm->cut = cut != 0;
  return err->code;
}

enum { PATIENCE_AT_THE_END = 5 }; /* seconds */
static volatile sig_atomic_t exit_code;

static void give_up(int number)
{
  (void)number;
  _exit(exit_code);
}

void dg_comm_finish(struct dg_comm *comm, int code)
{
  if (comm == NULL) {
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended) MPI_Finalize(); /* the start failed half way */
    return;
  }
  if (comm->cut) { /* messages that nobody will take: MPI usually ends all the same, but need not */
    exit_code = code;
    (void)signal(SIGALRM, give_up);
    alarm(PATIENCE_AT_THE_END);
    MPI_Finalize();
    alarm(0);
    return;
  }
  MPI_Comm_free(&comm->end);
  MPI_Comm_free(&comm->stops);
  MPI_Comm_free(&comm->world);
  dg_free(comm->own);
  dg_free(comm);
  MPI_Finalize();
}

void dg_comm_library(char name[DG_COMM_LIBRARY])
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  snprintf(name, DG_COMM_LIBRARY, "%.*s", (int)strcspn(text, ",\n"), text);
}

int dg_comm_rank(const struct dg_comm *comm) { return comm != NULL ? comm->rank : 0; }
int dg_comm_size(const struct dg_comm *comm) { return comm != NULL ? comm->size : 1; }
int dg_comm_here(const struct dg_comm *comm) { return comm != NULL ? comm->here : 1; }

enum dg_answer dg_comm_takes_device_memory(void)
{
#ifdef MPIX_CUDA_AWARE_SUPPORT /* of the library that was compiled with; the function asks the one that runs */
  return MPIX_Query_cuda_support() ? DG_YES : DG_NO;
#else
  return DG_UNKNOWN;
#endif
}

/* ---- failure ---- */

int dg_comm_stop(struct dg_comm *comm, const struct dg_error *err)
{
  if (comm == NULL || err->code == DG_OK) return err->code;
  comm = whole_of(comm);
  if (comm->stopped) return err->code;
  comm->stopped = true;
  comm->message = *err;
  for (int rank = 0; rank < comm->size; rank++) {
    MPI_Request request;
    if (rank == comm->rank) continue;
    MPI_Isend(&comm->message, (int)sizeof comm->message, MPI_BYTE, rank, TAG_STOP, comm->stops, &request);
    MPI_Request_free(&request); /* nobody waits for it; the message stays until the program ends */
  }
  return err->code;
}

int dg_comm_poll(struct dg_comm *comm, struct dg_error *err)
{
  if (comm == NULL || err->code != DG_OK) return err->code;
  comm = whole_of(comm);
  int there;
  MPI_Status status;
  if (comm->stopped) { /* whoever begins anew, with an error value of its own, must not wait for those who have ended */
    *err = comm->message;
    return err->code;
  }
  MPI_Iprobe(MPI_ANY_SOURCE, TAG_STOP, comm->stops, &there, &status);
  if (!there) return 0;
  MPI_Recv(&comm->message, (int)sizeof comm->message, MPI_BYTE, status.MPI_SOURCE, TAG_STOP, comm->stops,
           MPI_STATUS_IGNORE);
  comm->message.rank = status.MPI_SOURCE;
  *err = comm->message;
  comm->stopped = comm->foreign = true;
  return err->code;
}

/* Begins an operation. Nothing new begins behind a failure: the others would not come, and MPI may still know buffers
 * of operations that were given up. */
static int begin(struct dg_comm *comm, struct dg_error *err)
{
  if (err->code == DG_OK && whole_of(comm)->stopped) *err = whole_of(comm)->message;
  return err->code;
}

int dg_comm_wait_all(struct dg_comm *comm, int count, MPI_Request *request, struct dg_error *err)
{
  enum { LISTEN = 16, PATIENCE = 256 }; /* tries between two looks for failure, and before others may have the core */
  for (int tries = 1;; tries++) {
    int done;
    MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    if (done) return 0;
    if (tries % LISTEN == 0 && dg_comm_poll(comm, err) != 0) break;
    if (tries > PATIENCE) sched_yield();
  }
  whole_of(comm)->cut = true;
  return err->code;
}

static int wait_one(struct dg_comm *comm, MPI_Request request, struct dg_error *err)
{
  return dg_comm_wait_all(comm, 1, &request, err);
}

int dg_comm_agree(struct dg_comm *comm, struct dg_error *err)
{
  MPI_Request request;
  (void)!dg_emergency_check(err);
  if (comm == NULL) return err->code;
  if (err->code != DG_OK) return dg_comm_stop(comm, err);
  MPI_Ibarrier(comm->world, &request);
  return wait_one(comm, request, err);
}

/* ---- collectives ---- */

/* Checks a size, because MPI counts with int. Larger data travel in pieces, or are refused where a piece is a rank's
 * whole part. */
int dg_comm_check_size(size_t bytes, struct dg_error *err)
{
  if (bytes <= INT_MAX) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "%zu bytes are too many for one message between ranks", bytes);
}

static MPI_Op op_of(enum dg_operation operation)
{
  return operation == DG_SUM ? MPI_SUM : operation == DG_MIN ? MPI_MIN : MPI_MAX;
}

static int reduce(struct dg_comm *comm, enum dg_operation operation, size_t count, MPI_Datatype type, size_t size,
                  void *value, bool to_root, struct dg_error *err)
{
  const size_t bytes = count * size;
  MPI_Request request;
  if (comm == NULL || begin(comm, err) != 0 || dg_comm_check_size(bytes, err) != 0) return err->code;
  if (2 * bytes > comm->room) {
    if (dg_grow(&comm->own, 2 * bytes, 1, err) != 0) return err->code;
    comm->room = 2 * bytes;
  }
  memcpy(comm->own, value, bytes);
  char *result = comm->own + bytes;
  if (to_root) MPI_Ireduce(comm->own, result, (int)count, type, op_of(operation), 0, comm->world, &request);
  else MPI_Iallreduce(comm->own, result, (int)count, type, op_of(operation), comm->world, &request);
  if (wait_one(comm, request, err) != 0) return err->code;
  if (!to_root || comm->rank == 0) memcpy(value, result, bytes);
  return 0;
}

struct dg_reduction {
  struct dg_comm *comm;
  size_t count;
  double *own, *result;
  MPI_Request request;
};

int dg_reduction_start(struct dg_reduction **result, struct dg_comm *comm, enum dg_operation operation, size_t count,
                       const double *value, struct dg_error *err)
{
  struct dg_reduction *reduction;
  *result = NULL;
  if (err->code != DG_OK || dg_comm_check_size(count * sizeof *value, err) != 0 || DG_NEW(reduction, 1, err) != 0)
    return err->code;
  *reduction = (struct dg_reduction){.comm = comm, .count = count};
  if (DG_NEW(reduction->own, count, err) != 0 || DG_NEW(reduction->result, count, err) != 0) {
    dg_free(reduction->own);
    dg_free(reduction);
    return err->code;
  }
  memcpy(reduction->own, value, count * sizeof *value);
  if (comm == NULL) memcpy(reduction->result, value, count * sizeof *value);
  else
    MPI_Iallreduce(reduction->own, reduction->result, (int)count, MPI_DOUBLE, op_of(operation), comm->world,
                   &reduction->request);
  *result = reduction;
  return 0;
}

int dg_reduction_end(struct dg_reduction *reduction, double *value, struct dg_error *err)
{
  struct dg_comm *comm = reduction->comm;
  if (err->code != DG_OK && comm != NULL) whole_of(comm)->cut = true;
  if (err->code != DG_OK || (comm != NULL && wait_one(comm, reduction->request, err) != 0)) return err->code;
  memcpy(value, reduction->result, reduction->count * sizeof *value);
  dg_free(reduction->own);
  dg_free(reduction->result);
  dg_free(reduction);
  return 0;
}

int dg_comm_reduce(struct dg_comm *comm, enum dg_operation operation, size_t count, double *value, struct dg_error *err)
{
  return reduce(comm, operation, count, MPI_DOUBLE, sizeof *value, value, false, err);
}

int dg_comm_reduce_int(struct dg_comm *comm, enum dg_operation operation, size_t count, int64_t *value,
                       struct dg_error *err)
{
  return reduce(comm, operation, count, MPI_INT64_T, sizeof *value, value, false, err);
}

int dg_comm_reduce_to_root(struct dg_comm *comm, enum dg_operation operation, size_t count, double *value,
                           struct dg_error *err)
{
  return reduce(comm, operation, count, MPI_DOUBLE, sizeof *value, value, true, err);
}

int dg_comm_offset(struct dg_comm *comm, int64_t value, int64_t *before, int64_t *total, struct dg_error *err)
{
  int64_t *all, sum = 0;
  *before = 0;
  if (dg_comm_share(comm, sizeof value, &value, &all, NULL, err) != 0) return err->code;
  for (int rank = 0; rank < dg_comm_size(comm); rank++) {
    if (rank == dg_comm_rank(comm)) *before = sum;
    sum += all[rank];
  }
  if (total != NULL) *total = sum;
  dg_free(all);
  return 0;
}

int dg_comm_broadcast(struct dg_comm *comm, size_t bytes, void *data, struct dg_error *err)
{
  MPI_Request request;
  char *copy;
  if (comm == NULL || begin(comm, err) != 0) return err->code;
  if (dg_comm_check_size(bytes, err) != 0 || dg_alloc(&copy, bytes, 1, err) != 0) return err->code;
  if (comm->rank == 0) memcpy(copy, data, bytes);
  MPI_Ibcast(copy, (int)bytes, MPI_BYTE, 0, comm->world, &request);
  if (wait_one(comm, request, err) != 0) return err->code;
  memcpy(data, copy, bytes);
  dg_free(copy);
  return 0;
}

/* Sizes and places of the parts of all ranks. */
struct layout {
  int *size, *place; /* [ranks] */
  size_t total;
};

static void layout_release(struct layout *layout)
{
  dg_free(layout->size);
  dg_free(layout->place);
}

static int layout_place(struct layout *layout, int ranks, struct dg_error *err)
{
  layout->total = 0;
  for (int rank = 0; rank < ranks; rank++) {
    layout->place[rank] = (int)layout->total;
    layout->total += (size_t)layout->size[rank];
    if (dg_comm_check_size(layout->total, err) != 0) return err->code;
  }
  return 0;
}

static int layout_init(struct layout *layout, int ranks, struct dg_error *err)
{
  *layout = (struct layout){0};
  return DG_NEW(layout->size, ranks, err) != 0 || DG_NEW(layout->place, ranks, err) != 0 ? err->code : 0;
}

static int copy_alone(size_t bytes, const void *data, void **all, size_t *bytes_of, struct dg_error *err)
{
  if (dg_alloc(all, bytes, 1, err) != 0) return err->code;
  if (bytes > 0) memcpy(*all, data, bytes);
  if (bytes_of != NULL) bytes_of[0] = bytes;
  return 0;
}

static int gather(struct dg_comm *comm, size_t bytes, const void *data, void **all, size_t *bytes_of, bool to_all,
                  struct dg_error *err)
{
  struct layout layout;
  MPI_Request request;
  char *copy = NULL, *result = NULL;
  int *own;
  *all = NULL;
  if (err->code != DG_OK) return err->code;
  if (comm == NULL) return copy_alone(bytes, data, all, bytes_of, err);
  if (begin(comm, err) != 0) return err->code;
  if (dg_comm_check_size(bytes, err) != 0 || layout_init(&layout, comm->size, err) != 0 || DG_NEW(own, 1, err) != 0 ||
      dg_alloc(&copy, bytes, 1, err) != 0)
    return err->code;
  *own = (int)bytes;
  if (bytes > 0) memcpy(copy, data, bytes);
  MPI_Iallgather(own, 1, MPI_INT, layout.size, 1, MPI_INT, comm->world, &request);
  if (wait_one(comm, request, err) != 0 || layout_place(&layout, comm->size, err) != 0) return err->code;
  bool mine = to_all || comm->rank == 0;
  if (mine && dg_alloc(&result, layout.total, 1, err) != 0) return err->code;
  if (to_all) MPI_Iallgatherv(copy, *own, MPI_BYTE, result, layout.size, layout.place, MPI_BYTE, comm->world, &request);
  else MPI_Igatherv(copy, *own, MPI_BYTE, result, layout.size, layout.place, MPI_BYTE, 0, comm->world, &request);
  if (wait_one(comm, request, err) != 0) return err->code;
  for (int rank = 0; bytes_of != NULL && rank < comm->size; rank++) bytes_of[rank] = (size_t)layout.size[rank];
  *all = result;
  dg_free(copy);
  dg_free(own);
  layout_release(&layout);
  return 0;
}

int dg_comm_gather(struct dg_comm *comm, size_t bytes, const void *data, void *all, size_t *bytes_of,
                   struct dg_error *err)
{
  return gather(comm, bytes, data, all, bytes_of, false, err);
}

int dg_comm_share(struct dg_comm *comm, size_t bytes, const void *data, void *all, size_t *bytes_of,
                  struct dg_error *err)
{
  return gather(comm, bytes, data, all, bytes_of, true, err);
}

int dg_comm_all_to_all(struct dg_comm *comm, const size_t *bytes_to, const void *data, void *received,
                       size_t *bytes_from, struct dg_error *err)
{
  struct layout to, from;
  MPI_Request request;
  char *copy, *result, **out = received;
  *out = NULL;
  if (err->code != DG_OK) return err->code;
  if (comm == NULL) return copy_alone(bytes_to[0], data, received, bytes_from, err);
  if (begin(comm, err) != 0) return err->code;
  if (layout_init(&to, comm->size, err) != 0 || layout_init(&from, comm->size, err) != 0) return err->code;
  for (int rank = 0; rank < comm->size; rank++) {
    if (dg_comm_check_size(bytes_to[rank], err) != 0) return err->code;
    to.size[rank] = (int)bytes_to[rank];
  }
  if (layout_place(&to, comm->size, err) != 0 || dg_alloc(&copy, to.total, 1, err) != 0) return err->code;
  if (to.total > 0) memcpy(copy, data, to.total);
  MPI_Ialltoall(to.size, 1, MPI_INT, from.size, 1, MPI_INT, comm->world, &request);
  if (wait_one(comm, request, err) != 0 || layout_place(&from, comm->size, err) != 0 ||
      dg_alloc(&result, from.total, 1, err) != 0)
    return err->code;
  MPI_Ialltoallv(copy, to.size, to.place, MPI_BYTE, result, from.size, from.place, MPI_BYTE, comm->world, &request);
  if (wait_one(comm, request, err) != 0) return err->code;
  for (int rank = 0; bytes_from != NULL && rank < comm->size; rank++) bytes_from[rank] = (size_t)from.size[rank];
  *out = result;
  dg_free(copy);
  layout_release(&to);
  layout_release(&from);
  return 0;
}

/* ---- between two ranks ---- */

enum { PIECE = 1 << 28 }; /* bytes of a long message that travel at a time */

int dg_comm_send(struct dg_comm *comm, int to, size_t bytes, const void *data, struct dg_error *err)
{
  for (size_t at = 0; comm != NULL && err->code == DG_OK && at < bytes; at += PIECE) {
    size_t left = bytes - at;
    MPI_Request request;
    MPI_Isend((const char *)data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, to, TAG_MESSAGE, comm->world,
              &request);
    if (wait_one(comm, request, err) != 0) return err->code;
  }
  return err->code;
}

int dg_comm_receive(struct dg_comm *comm, int from, size_t bytes, void *data, struct dg_error *err)
{
  for (size_t at = 0; comm != NULL && err->code == DG_OK && at < bytes; at += PIECE) {
    size_t left = bytes - at;
    MPI_Request request;
    MPI_Irecv((char *)data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, from, TAG_MESSAGE, comm->world,
              &request);
    if (dg_comm_wait_all(comm, 1, &request, err) == 0) continue;
    MPI_Cancel(&request); /* the caller will free the buffer */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return err->code;
}

/* ---- parts ---- */

int dg_comm_part(struct dg_comm **part, struct dg_comm *comm, bool member, struct dg_error *err)
{
  MPI_Comm split;
  *part = NULL;
  if (comm == NULL || dg_comm_agree(comm, err) != 0) return err->code; /* the next call cannot be given up */
  MPI_Comm_split(comm->world, member ? 0 : MPI_UNDEFINED, comm->rank, &split);
  if (split == MPI_COMM_NULL) return 0;
  int size;
  MPI_Comm_size(split, &size);
  if (size == 1) {
    MPI_Comm_free(&split);
    return 0;
  }
  if (DG_NEW(*part, 1, err) != 0) return err->code;
  (*part)->whole = whole_of(comm);
  (*part)->world = split;
  (*part)->size = size;
  MPI_Comm_rank(split, &(*part)->rank);
  return 0;
}

void dg_comm_free(struct dg_comm *part)
{
  if (part == NULL || part->whole->cut) return; /* then MPI may still know messages of it */
  MPI_Comm_free(&part->world);
  dg_free(part->own);
  dg_free(part);
}
