/* State that comm.c and exchange.c share. Private to them. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/comm/comm.h"

enum {
  TAG_STOP = 1,
  TAG_MESSAGE = 2,
  TAG_EXCHANGE = 16, /* and up, one for every exchange */
  EXCHANGES_MAX = 16384,
};

struct dg_comm {
  MPI_Comm world;
  MPI_Comm stops; /* only for the messages of dg_comm_stop */
  MPI_Comm end;   /* only for dg_comm_settle */
  int rank, size, here;
  struct dg_comm *whole; /* of a part: what it is a part of */
  bool stopped;          /* the others know, or it is from them that this rank knows */
  bool foreign;          /* the error was another rank's */
  bool cut;              /* somebody has given up a message that MPI still knows */
  int exchanges;
  size_t room;             /* bytes of */
  char *own;               /* a copy of what is reduced and room for the result: the time loop allocates nothing */
  struct dg_error message; /* what dg_comm_stop sends */
};

static inline struct dg_comm *whole_of(struct dg_comm *comm) { return comm->whole != NULL ? comm->whole : comm; }

/* Waits for all, unless another rank has failed. */
int dg_comm_wait_all(struct dg_comm *comm, int count, MPI_Request *request, struct dg_error *err) DG_MUST_USE;
/* Fails if the bytes are too many for one message. */
int dg_comm_check_size(size_t bytes, struct dg_error *err) DG_MUST_USE;
