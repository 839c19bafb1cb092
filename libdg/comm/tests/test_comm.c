/* Tests of the communication between ranks; started with several numbers of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "libdg/comm/comm.h"
#include "libdg/base/memory.h"

static struct dg_comm *comm;
static int rank, size;

static void reduces(void **state)
{
  (void)state;
  struct dg_error err = {0};
  double sum[2] = {rank + 1, -rank}, low = -rank, to_root = 0.5;
  int64_t high = INT64_C(1) << 40 | rank, before, total;
  assert_int_equal(dg_comm_reduce(comm, DG_SUM, 2, sum, &err), 0);
  assert_true(sum[0] == size * (size + 1) / 2.0);
  assert_true(sum[1] == -size * (size - 1) / 2.0);
  assert_int_equal(dg_comm_reduce(comm, DG_MIN, 1, &low, &err), 0);
  assert_true(low == 1 - size);
  assert_int_equal(dg_comm_reduce_int(comm, DG_MAX, 1, &high, &err), 0);
  assert_true(high == (INT64_C(1) << 40 | (size - 1)));
  assert_int_equal(dg_comm_reduce_to_root(comm, DG_SUM, 1, &to_root, &err), 0);
  if (rank == 0) assert_true(to_root == 0.5 * size);
  assert_int_equal(dg_comm_offset(comm, rank + 1, &before, &total, &err), 0);
  assert_int_equal(before, rank * (rank + 1) / 2);
  assert_int_equal(total, size * (size + 1) / 2);
}

static void gathers(void **state)
{
  (void)state;
  struct dg_error err = {0};
  char word[8] = "rank 0", *all;
  int32_t mine[16], *shared, *root;
  size_t bytes_of[64];
  if (rank == 0) strcpy(word, "hello");
  assert_int_equal(dg_comm_broadcast(comm, sizeof word, word, &err), 0);
  assert_string_equal(word, "hello");
  for (int i = 0; i < rank; i++) mine[i] = 100 * rank + i; /* rank 0 has nothing */
  assert_int_equal(dg_comm_share(comm, (size_t)rank * sizeof *mine, mine, &shared, bytes_of, &err), 0);
  assert_int_equal(dg_comm_gather(comm, (size_t)rank * sizeof *mine, mine, &root, NULL, &err), 0);
  for (int from = 0, n = 0; from < size; from++) {
    assert_int_equal(bytes_of[from], (size_t)from * sizeof *mine);
    for (int i = 0; i < from; i++, n++) {
      assert_int_equal(shared[n], 100 * from + i);
      if (rank == 0) assert_int_equal(root[n], 100 * from + i);
    }
  }
  dg_free(shared);
  dg_free(root);
  assert_int_equal(dg_comm_share(comm, 0, NULL, &all, NULL, &err), 0); /* nobody has anything */
  dg_free(all);
}

static void all_to_all(void **state)
{
  (void)state;
  struct dg_error err = {0};
  size_t to[64], from[64];
  char data[64 * 64], *received;
  size_t n = 0;
  for (int r = 0; r < size; r++) { /* (sender + receiver) % 3 bytes that name both */
    to[r] = (size_t)((rank + r) % 3);
    for (size_t i = 0; i < to[r]; i++) data[n++] = (char)(16 * rank + r);
  }
  assert_int_equal(dg_comm_all_to_all(comm, to, data, &received, from, &err), 0);
  n = 0;
  for (int r = 0; r < size; r++) {
    assert_int_equal(from[r], (rank + r) % 3);
    for (size_t i = 0; i < from[r]; i++) assert_int_equal(received[n++], (char)(16 * r + rank));
  }
  dg_free(received);
}

static void messages_and_parts(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_comm *part;
  enum { LONG = 300000 };
  double *data;
  assert_int_equal(DG_NEW(data, LONG, &err), 0);
  for (int to = 1; to < size; to++) {
    if (rank == 0) {
      for (int i = 0; i < LONG; i++) data[i] = to + i;
      assert_int_equal(dg_comm_send(comm, to, LONG * sizeof *data, data, &err), 0);
    } else if (rank == to) {
      assert_int_equal(dg_comm_receive(comm, 0, LONG * sizeof *data, data, &err), 0);
      for (int i = 0; i < LONG; i++) assert_true(data[i] == rank + i);
    }
  }
  dg_free(data);
  assert_int_equal(dg_comm_part(&part, comm, rank != 1, &err), 0); /* all but one */
  double one = 1;
  assert_int_equal(dg_comm_reduce(part, DG_SUM, 1, &one, &err), 0);
  assert_true(one == (rank == 1 || size <= 2 ? 1 : size - 1));
  dg_comm_free(part);
}

/* A ring: to the next i + 1 items, from the one before as many as it has. */
static void exchange(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_exchange *ring;
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const struct dg_peer peer[2] = {{.rank = next, .send_count = (size_t)rank + 1},
                                  {.rank = previous, .receive_count = (size_t)previous + 1}};
  assert_int_equal(dg_exchange_new(&ring, comm, 2, peer, sizeof(double), &err), 0);
  double *out = dg_exchange_send_buffer(ring);
  const double *in = dg_exchange_receive_buffer(ring);
  for (int turn = 0; turn < 100; turn++) {
    for (int i = 0; i <= rank; i++) out[i] = 1000 * turn + 10 * rank + i;
    assert_int_equal(dg_exchange_start(ring, &err), 0);
    while (turn % 2 == 0 && !dg_exchange_progress(ring)) {
    }
    assert_int_equal(dg_exchange_finish(ring, &err), 0);
    for (int i = 0; i <= previous; i++) assert_true(in[i] == 1000 * turn + 10 * previous + i);
  }
  dg_exchange_free(ring);
}

/* Tests an exchange between the caller's own arrays. */
static void exchange_between(void **state)
{
  (void)state;
  enum { COUNT = 5000 };
  static double out[COUNT], in[COUNT];
  struct dg_error err = {0};
  struct dg_exchange *ring;
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const struct dg_peer peer[2] = {{.rank = next, .send_first = 3, .send_count = COUNT - 3},
                                  {.rank = previous, .receive_first = 1, .receive_count = COUNT - 3}};
  assert_int_equal(dg_exchange_new_between(&ring, comm, 2, peer, sizeof(double), out, in, &err), 0);
  assert_ptr_equal(dg_exchange_send_buffer(ring), out);
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < COUNT; i++) out[i] = 1e6 * turn + 1e4 * rank + i, in[i] = -1;
    assert_int_equal(dg_exchange_start(ring, &err), 0);
    assert_int_equal(dg_exchange_finish(ring, &err), 0);
    assert_true(dg_exchange_progress(ring));
    for (int i = 0; i < COUNT; i++)
      assert_true(in[i] == (i >= 1 && i < COUNT - 2 ? 1e6 * turn + 1e4 * previous + i + 2 : -1));
  }
  dg_exchange_free(ring);
}

static void agreement_without_error(void **state)
{
  (void)state;
  struct dg_error err = {0};
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  assert_int_equal(dg_comm_poll(comm, &err), 0);
}

/* The last test: the ranks do not speak to each other after it. The last rank fails while the others wait. */
static void failure_releases_those_who_wait(void **state)
{
  (void)state;
  struct dg_error err = {0};
  bool fails = rank == size - 1;
  const struct timespec pause = {.tv_sec = 1}; /* the others may still be on their way out of the test before */
  if (fails) nanosleep(&pause, NULL);
  if (fails) (void)dg_fail(&err, DG_ENVIRONMENT, "the disk of rank %d is full", rank);
  if (fails) dg_comm_stop(comm, &err);
  double value = 1;
  assert_int_equal(dg_comm_reduce(comm, DG_SUM, 1, &value, &err), DG_ENVIRONMENT); /* returns at once, or is released */
  assert_int_equal(dg_comm_settle(comm, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "is full"));
  assert_int_equal(err.rank, rank);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduces),
      cmocka_unit_test(gathers),
      cmocka_unit_test(all_to_all),
      cmocka_unit_test(messages_and_parts),
      cmocka_unit_test(exchange),
      cmocka_unit_test(exchange_between),
      cmocka_unit_test(agreement_without_error),
      cmocka_unit_test(failure_releases_those_who_wait),
  };
  struct dg_error err = {0};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  rank = dg_comm_rank(comm);
  size = dg_comm_size(comm);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dg_comm_finish(comm, failed);
  return failed;
}
