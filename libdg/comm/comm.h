/* The processes of a run, and what they say to each other.
 *
 * A NULL communicator is one process without MPI: every function then does what one rank alone would, so that no caller
 * asks whether there are others.
 *
 * An error on one rank ends all of them. The rank that fails calls dg_comm_stop (the caller of the whole does, once),
 * which tells the others; whoever waits inside any function of this file then returns with that error instead of
 * waiting for ever, and dg_comm_poll looks for it where nothing is waited for. No function may therefore be left out on
 * a rank that has not failed: all of them but stop and poll are collective, in the same order on all ranks, unless they
 * say otherwise. Functions called with an error already in err do nothing and return its code.
 *
 * Only the thread that started MPI calls these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

struct dg_comm; /* opaque */

/* Starts MPI, for funnelled threads. One rank alone also gets a communicator. End with dg_comm_settle and
 * dg_comm_finish. */
int dg_comm_start(struct dg_comm **comm, struct dg_error *err) DG_MUST_USE;
/* The last thing that a run does: waits for all ranks and settles what went wrong. On return err is, on all of them,
 * the error that the lowest of those ranks met that failed by themselves, with err->rank the caller's own rank. Unlike
 * all others this waits whatever err holds. */
int dg_comm_settle(struct dg_comm *comm, struct dg_error *err);
/* Ends MPI behind dg_comm_settle. Where an error cut messages short MPI may not come to its end: after some seconds the
 * process exits with `code` then. NULL is safe. */
void dg_comm_finish(struct dg_comm *comm, int code);

enum { DG_COMM_LIBRARY = 256 };
/* Gets the name and version of the MPI library. May be called before dg_comm_start. */
void dg_comm_library(char name[DG_COMM_LIBRARY]);

/* For a library that talks to MPI itself: *mpi_comm, an MPI_Comm, gets the communicator of these ranks, which stays the
 * callee's. One process without MPI starts it now, and it ends with the process. A rank that waits inside the library
 * does not hear of another's error: dg_comm_agree comes before. */
int dg_comm_lend(struct dg_comm *comm, void *mpi_comm, struct dg_error *err) DG_MUST_USE;

int dg_comm_rank(const struct dg_comm *comm); /* 0 for NULL */
int dg_comm_size(const struct dg_comm *comm); /* 1 for NULL */
int dg_comm_here(const struct dg_comm *comm); /* ranks on this node, 1 for NULL */
/* Does MPI take pointers into a GPU's memory? The answer is that of the library that runs, once it was started; some do
 * not say. Not collective. */
enum dg_answer { DG_NO, DG_YES, DG_UNKNOWN };
enum dg_answer dg_comm_takes_device_memory(void);

/* Tells the other ranks that this one has failed; returns err's code. Not collective; once is enough, more do nothing,
 * and an error that came from another rank is not passed on. */
int dg_comm_stop(struct dg_comm *comm, const struct dg_error *err);
/* Has another rank failed? Returns the code, 0 if not. Not collective, costs about a microsecond. */
int dg_comm_poll(struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
/* Waits until all ranks have come here; an error on one is then the error of all. */
int dg_comm_agree(struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;

/* Reduces data over all ranks, elementwise and in place. Sums are the same on every rank. */
enum dg_operation { DG_SUM, DG_MIN, DG_MAX };
int dg_comm_reduce(struct dg_comm *comm, enum dg_operation operation, size_t count, double *value,
                   struct dg_error *err) DG_MUST_USE;
int dg_comm_reduce_int(struct dg_comm *comm, enum dg_operation operation, size_t count, int64_t *value,
                       struct dg_error *err) DG_MUST_USE;
/* Reduces data to rank 0; the data of the other ranks are undefined afterwards. */
int dg_comm_reduce_to_root(struct dg_comm *comm, enum dg_operation operation, size_t count, double *value,
                           struct dg_error *err) DG_MUST_USE;
/* A reduction in two halves, between which the caller goes on; every start has its end. */
struct dg_reduction; /* opaque */
int dg_reduction_start(struct dg_reduction **reduction, struct dg_comm *comm, enum dg_operation operation, size_t count,
                       const double *value, struct dg_error *err) DG_MUST_USE;
int dg_reduction_end(struct dg_reduction *reduction, double *value, struct dg_error *err) DG_MUST_USE;
/* The sum of `value` over the ranks before this one; *total, which may be NULL, over all. */
int dg_comm_offset(struct dg_comm *comm, int64_t value, int64_t *before, int64_t *total,
                   struct dg_error *err) DG_MUST_USE;

/* Sends data from rank 0 to all. */
int dg_comm_broadcast(struct dg_comm *comm, size_t bytes, void *data, struct dg_error *err) DG_MUST_USE;
/* Collects all ranks' data one behind the other, in the order of the ranks, on rank 0 (gather) or on all (share). *all
 * is new; free it with dg_free. It is NULL where there is nothing to have. bytes_of, which may be NULL, gets [ranks]
 * sizes. */
int dg_comm_gather(struct dg_comm *comm, size_t bytes, const void *data, void *all, size_t *bytes_of,
                   struct dg_error *err) DG_MUST_USE;
int dg_comm_share(struct dg_comm *comm, size_t bytes, const void *data, void *all, size_t *bytes_of,
                  struct dg_error *err) DG_MUST_USE;
/* Sends every rank its part of data, bytes_to[ranks] of each, one rank's part behind the other. *received (new, free
 * with dg_free) has the parts that came, in the order of the ranks, bytes_from[ranks] of each. */
int dg_comm_all_to_all(struct dg_comm *comm, const size_t *bytes_to, const void *data, void *received,
                       size_t *bytes_from, struct dg_error *err) DG_MUST_USE;
/* Blocking messages between two ranks. Not collective; messages between the same two arrive in order. */
int dg_comm_send(struct dg_comm *comm, int to, size_t bytes, const void *data, struct dg_error *err) DG_MUST_USE;
int dg_comm_receive(struct dg_comm *comm, int from, size_t bytes, void *data, struct dg_error *err) DG_MUST_USE;

/* Makes a communicator of the ranks for which `member` holds, in the same order; NULL elsewhere, or where there is only
 * one. Stopping and polling go through the whole. Free with dg_comm_free. */
int dg_comm_part(struct dg_comm **part, struct dg_comm *comm, bool member, struct dg_error *err) DG_MUST_USE;
void dg_comm_free(struct dg_comm *part);

/* Messages that repeat: the same sizes and ranks every time.
 *
 * To each peer, in the order of peer[], send_count items of `bytes` each go from the send buffer, and receive_count
 * items come into the receive buffer; both buffers belong to the exchange (dg_exchange_new). All ranks make their
 * exchanges in the same order. Between start and finish the buffers may not be touched. A NULL communicator has DG_SELF
 * as peer only, and buffers with DG_SELF as peer lie in the host's memory. */
enum { DG_SELF = -1 }; /* the rank of a peer that is this process itself: its items are copied */
struct dg_peer {
  int rank;
  size_t send_first, send_count;       /* items in the send buffer */
  size_t receive_first, receive_count; /* in the receive buffer */
};
struct dg_exchange; /* opaque */
int dg_exchange_new(struct dg_exchange **exchange, struct dg_comm *comm, size_t peers, const struct dg_peer *peer,
                    size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Makes an exchange with buffers of the caller's, which may lie in a GPU's memory if MPI takes that. They must outlive
 * the exchange. MPI may still use the buffers of an exchange that was given up (dg_exchange_progress says false for
 * ever); these must stay until the process ends. */
int dg_exchange_new_between(struct dg_exchange **exchange, struct dg_comm *comm, size_t peers,
                            const struct dg_peer *peer, size_t bytes, void *send, void *receive,
                            struct dg_error *err) DG_MUST_USE;
void dg_exchange_free(struct dg_exchange *exchange); /* NULL is safe */
void *dg_exchange_send_buffer(const struct dg_exchange *exchange);
const void *dg_exchange_receive_buffer(const struct dg_exchange *exchange);
/* Starts the messages. Not collective: the peers are enough. */
int dg_exchange_start(struct dg_exchange *exchange, struct dg_error *err) DG_MUST_USE;
/* Lets messages proceed while the caller computes; cheap. True when all have gone and come. */
bool dg_exchange_progress(struct dg_exchange *exchange);
int dg_exchange_finish(struct dg_exchange *exchange, struct dg_error *err) DG_MUST_USE;
