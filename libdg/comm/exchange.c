/* Messages that repeat: persistent requests of MPI, with buffers of their own or of the caller. */
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/comm/comm_state.h"

struct dg_exchange {
  struct dg_comm *comm;
  void *send, *receive;
  bool owns; /* the buffers */
  int requests;
  MPI_Request *request; /* [requests] persistent */
  size_t bytes, copies;
  struct dg_peer *copy; /* [copies] this process itself */
  bool done;
};

static int add_messages(struct dg_exchange *exchange, size_t peers, const struct dg_peer *peer, size_t bytes, int tag,
                        struct dg_error *err)
{
  for (size_t i = 0; i < peers; i++) {
    const struct dg_peer *p = &peer[i];
    if (p->rank == DG_SELF) {
      exchange->copy[exchange->copies++] = *p;
      continue;
    }
    DG_BUG_IF(exchange->comm == NULL, "one process alone has another as peer");
    if (dg_comm_check_size(p->send_count * bytes, err) != 0 || dg_comm_check_size(p->receive_count * bytes, err) != 0)
      return err->code;
    if (p->receive_count > 0)
      MPI_Recv_init((char *)exchange->receive + p->receive_first * bytes, (int)(p->receive_count * bytes), MPI_BYTE,
                    p->rank, tag, exchange->comm->world, &exchange->request[exchange->requests++]);
    if (p->send_count > 0)
      MPI_Send_init((char *)exchange->send + p->send_first * bytes, (int)(p->send_count * bytes), MPI_BYTE, p->rank,
                    tag, exchange->comm->world, &exchange->request[exchange->requests++]);
  }
  return 0;
}

/* Makes an exchange without buffers; NULL with an error. */
static struct dg_exchange *new_exchange(struct dg_comm *comm, size_t peers, size_t bytes, struct dg_error *err)
{
  struct dg_exchange *exchange;
  if (DG_NEW(exchange, 1, err) != 0) return NULL;
  exchange->comm = comm;
  exchange->bytes = bytes;
  exchange->done = true;
  if (DG_NEW(exchange->request, 2 * peers, err) == 0 && DG_NEW(exchange->copy, peers, err) == 0) return exchange;
  dg_free(exchange->request);
  dg_free(exchange);
  return NULL;
}

static int next_tag(struct dg_comm *comm)
{
  return TAG_EXCHANGE + (comm != NULL ? comm->exchanges++ % EXCHANGES_MAX : 0);
}

int dg_exchange_new(struct dg_exchange **result, struct dg_comm *comm, size_t peers, const struct dg_peer *peer,
                    size_t bytes, struct dg_error *err)
{
  size_t sent = 0, received = 0;
  const int tag = next_tag(comm);
  *result = NULL;
  for (size_t i = 0; i < peers; i++) {
    size_t send = peer[i].send_first + peer[i].send_count, receive = peer[i].receive_first + peer[i].receive_count;
    sent = send > sent ? send : sent;
    received = receive > received ? receive : received;
  }
  struct dg_exchange *exchange = new_exchange(comm, peers, bytes, err);
  if (exchange == NULL) return err->code;
  exchange->owns = true;
  if (dg_alloc(&exchange->send, sent, bytes, err) != 0 || dg_alloc(&exchange->receive, received, bytes, err) != 0 ||
      add_messages(exchange, peers, peer, bytes, tag, err) != 0) {
    dg_exchange_free(exchange);
    return err->code;
  }
  *result = exchange;
  return 0;
}

int dg_exchange_new_between(struct dg_exchange **result, struct dg_comm *comm, size_t peers, const struct dg_peer *peer,
                            size_t bytes, void *send, void *receive, struct dg_error *err)
{
  const int tag = next_tag(comm);
  struct dg_exchange *exchange = new_exchange(comm, peers, bytes, err);
  *result = NULL;
  if (exchange == NULL) return err->code;
  exchange->send = send;
  exchange->receive = receive;
  if (add_messages(exchange, peers, peer, bytes, tag, err) != 0) {
    dg_exchange_free(exchange);
    return err->code;
  }
  *result = exchange;
  return 0;
}

void dg_exchange_free(struct dg_exchange *exchange)
{
  if (exchange == NULL || !exchange->done) return; /* MPI may still write into the buffers of one that was given up */
  for (int i = 0; i < exchange->requests; i++) MPI_Request_free(&exchange->request[i]);
  dg_free(exchange->request);
  dg_free(exchange->copy);
  if (exchange->owns) {
    dg_free(exchange->send);
    dg_free(exchange->receive);
  }
  dg_free(exchange);
}

void *dg_exchange_send_buffer(const struct dg_exchange *exchange) { return exchange->send; }
const void *dg_exchange_receive_buffer(const struct dg_exchange *exchange) { return exchange->receive; }

int dg_exchange_start(struct dg_exchange *exchange, struct dg_error *err)
{
  if (err->code != DG_OK) return err->code;
  exchange->done = exchange->requests == 0;
  for (size_t i = 0; i < exchange->copies; i++) {
    const struct dg_peer *p = &exchange->copy[i];
    if (p->send_count > 0)
      memcpy((char *)exchange->receive + p->receive_first * exchange->bytes,
             (const char *)exchange->send + p->send_first * exchange->bytes, p->send_count * exchange->bytes);
  }
  if (!exchange->done) MPI_Startall(exchange->requests, exchange->request);
  return 0;
}

bool dg_exchange_progress(struct dg_exchange *exchange)
{
  int done = 1;
  if (!exchange->done) MPI_Testall(exchange->requests, exchange->request, &done, MPI_STATUSES_IGNORE);
  exchange->done = exchange->done || done;
  return exchange->done;
}

int dg_exchange_finish(struct dg_exchange *exchange, struct dg_error *err)
{
  if (exchange->done || err->code != DG_OK) return err->code;
  if (dg_comm_wait_all(exchange->comm, exchange->requests, exchange->request, err) != 0) return err->code;
  exchange->done = true;
  return 0;
}
