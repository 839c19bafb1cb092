/* Tests of the distribution of cards to ranks; they need no card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/runtime/card.h"

enum { MOST = 8 };

/* Checks a distribution. Cards are letters, and each rank sees a word. `take` has the letters that the ranks take, and
 * `most` is the largest number of ranks that share one. */
static void shared_out(int ranks, const char *const *see, const char *take, int most)
{
  struct gpu_card_name name[MOST * MOST] = {0};
  int visible[MOST], card[MOST], count = 0;
  for (int rank = 0; rank < ranks; rank++) {
    visible[rank] = 0;
    for (const char *letter = see[rank]; *letter != '\0'; letter++, visible[rank]++)
      name[count++].byte[15] = (unsigned char)*letter;
  }
  assert_int_equal(gpu_share_out(ranks, visible, name, card), most);
  for (int rank = 0; rank < ranks; rank++) assert_int_equal(see[rank][card[rank]], take[rank]);
}

static void test_a_card_each(void **state)
{
  (void)state;
  shared_out(1, (const char *[]){"ab"}, "a", 1);
  shared_out(4, (const char *[]){"abcd", "abcd", "abcd", "abcd"}, "abcd", 1);
  /* two nodes */
  shared_out(4, (const char *[]){"ab", "ab", "cd", "cd"}, "abcd", 1);
  shared_out(4, (const char *[]){"ab", "cd", "ab", "cd"}, "acbd", 1);
  /* the launcher has bound them */
  shared_out(3, (const char *[]){"a", "b", "c"}, "abc", 1);
  shared_out(3, (const char *[]){"b", "ab", "c"}, "bac", 1);
}

static void test_shared(void **state)
{
  (void)state;
  shared_out(2, (const char *[]){"a", "a"}, "aa", 2);
  shared_out(5, (const char *[]){"ab", "ab", "ab", "ab", "ab"}, "ababa", 3);
  shared_out(3, (const char *[]){"ab", "ab", "a"}, "aba", 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_card_each), cmocka_unit_test(test_shared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
