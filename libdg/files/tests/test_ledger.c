/* Ledgers: what is claimed is found again, what is not is left alone, and no line makes a foreign file ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/files/ledger.h"
#include "libdg/files/ledger_line.h"

#define FOLDER "ledger_test"
#define FIRST  FOLDER "/.own/files_0000"

static void put(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *name) { return dg_file_kind(name) != DG_FILE_NONE; }

static int begin(void **state)
{
  (void)state;
  return system("rm -rf " FOLDER " && mkdir -p " FOLDER "/probes");
}

static struct dg_ledger *open_ledger(int rank)
{
  struct dg_error err = {0};
  struct dg_ledger *ledger;
  assert_int_equal(dg_ledger_open(&ledger, FOLDER, ".own", rank, &err), 0);
  return ledger;
}

static void claim(struct dg_ledger *ledger, enum dg_ledger_kind kind, const char *path)
{
  struct dg_error err = {0};
  if (dg_ledger_claim(ledger, kind, path, &err) != 0) fail_msg("%s", err.message);
}

static void refuses(struct dg_ledger *ledger, const char *path, const char *says)
{
  struct dg_error err = {0};
  assert_int_equal(dg_ledger_claim(ledger, DG_LEDGER_OUTPUT, path, &err), DG_INPUT);
  if (strstr(err.message, says) == NULL) fail_msg("%s", err.message);
}

static struct dg_ledger_list list_of(const struct dg_ledger *ledger)
{
  struct dg_error err = {0};
  struct dg_ledger_list list;
  assert_int_equal(dg_ledger_read(ledger, &list, &err), 0);
  return list;
}

static void only_claims_are_removed(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_ledger *first = open_ledger(0), *other = open_ledger(3);
  claim(first, DG_LEDGER_OUTPUT, FOLDER "/energy.csv");
  claim(first, DG_LEDGER_KEPT, FOLDER "/mesh.h5");
  claim(other, DG_LEDGER_OUTPUT, FOLDER "/probes/odd %\n\x7f name.csv");
  put(FOLDER "/energy.csv", "ours");
  put(FOLDER "/mesh.h5", "ours");
  put(FOLDER "/probes/odd %\n\x7f name.csv", "ours");
  put(FOLDER "/probes/reference.csv", "theirs");
  put(FOLDER "/energy.csv.part", "ours, unfinished");
  struct dg_ledger_list list = list_of(first);
  assert_int_equal(list.count, 3);
  assert_non_null(dg_ledger_find(&list, "probes/odd %\n\x7f name.csv"));
  assert_null(dg_ledger_find(&list, "probes/reference.csv"));
  const char *const next[] = {"new.csv"};
  assert_int_equal(dg_ledger_renew(first, &list, 1, next, &err), 0);
  assert_false(is_there(FOLDER "/energy.csv") || is_there(FOLDER "/energy.csv.part"));
  assert_false(is_there(FOLDER "/probes/odd %\n\x7f name.csv") || is_there(FOLDER "/.own/files_0003"));
  assert_true(is_there(FOLDER "/mesh.h5") && is_there(FOLDER "/probes/reference.csv"));
  dg_ledger_list_free(&list);
  list = list_of(first);
  assert_int_equal(list.count, 2); /* mesh.h5 and new.csv */
  assert_int_equal(dg_ledger_find(&list, "mesh.h5")->kind, DG_LEDGER_KEPT);
  dg_ledger_list_free(&list);
  dg_ledger_free(first);
  dg_ledger_free(other);
}

static void what_is_not_ours_is_in_the_way(void **state)
{
  (void)state;
  struct dg_ledger *ledger = open_ledger(0);
  put(FOLDER "/a.csv", "theirs");
  put(FOLDER "/b.csv.part", "theirs");
  refuses(ledger, FOLDER "/a.csv", "'" FOLDER "/a.csv' is in the way and was not written by curlew");
  refuses(ledger, FOLDER "/b.csv", "'" FOLDER "/b.csv.part' is in the way");
  assert_true(is_there(FOLDER "/a.csv") && is_there(FOLDER "/b.csv.part"));
  claim(ledger, DG_LEDGER_OUTPUT, FOLDER "/c.csv");
  put(FOLDER "/c.csv", "ours");
  put(FOLDER "/c.csv.part", "ours");
  put(FOLDER "/c.csv.room", "ours");
  claim(ledger, DG_LEDGER_OUTPUT, FOLDER "/c.csv"); /* again */
  assert_true(is_there(FOLDER "/c.csv"));
  assert_false(is_there(FOLDER "/c.csv.part") || is_there(FOLDER "/c.csv.room"));
  assert_int_equal(symlink("/etc/passwd", FOLDER "/c.csv.part"), 0);
  refuses(ledger, FOLDER "/c.csv", "c.csv.part' is a symbolic link");
  assert_int_equal(mkfifo(FOLDER "/d.csv", 0666), 0);
  refuses(ledger, FOLDER "/d.csv", "d.csv' is a FIFO");
  assert_int_equal(symlink("/tmp", FOLDER "/blocks"), 0);
  refuses(ledger, FOLDER "/blocks/e.silo", "blocks' is a symbolic link");
  dg_ledger_free(ledger);
}

/* A claim that was cut names another file; one that somebody made on purpose names one elsewhere. */
static void lines_are_not_believed(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_ledger *ledger = open_ledger(0);
  char *line, text[4096] = DG_LEDGER_HEAD;
  static const char *const outside[] = {"../victim", "/etc/victim", "probes/../../victim", "probes//victim", "."};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    assert_int_equal(dg_ledger_line(&line, DG_LEDGER_OUTPUT, outside[i], &err), 0);
    strcat(text, line);
    dg_free(line);
  }
  assert_int_equal(dg_ledger_line(&line, DG_LEDGER_OUTPUT, "energy.csv.old", &err), 0);
  const size_t before = strlen(text), length = strlen(line);
  for (size_t cut = 0; cut <= length; cut++) {
    text[before] = '\0';
    strncat(text, line, cut);
    put(FOLDER "/x", "");
    assert_int_equal(system("mkdir -p " FOLDER "/.own"), 0);
    put(FIRST, text);
    struct dg_ledger_list list = list_of(ledger);
    assert_int_equal(list.count, cut == length ? 1 : 0);
    dg_ledger_list_free(&list);
    if (cut == length) continue;
    /* and whoever goes on begins a line of its own */
    struct dg_ledger *next = open_ledger(0);
    claim(next, DG_LEDGER_OUTPUT, FOLDER "/next.csv");
    list = list_of(next);
    assert_int_equal(list.count, cut + 1 == length ? 2 : 1); /* all but the line's end was there */
    assert_non_null(dg_ledger_find(&list, "next.csv"));
    dg_ledger_list_free(&list);
    dg_ledger_free(next);
  }
  dg_free(line);
  dg_ledger_free(ledger);
}

/* Nothing behind a link is removed, whatever the ledger says. */
static void removal_does_not_follow_links(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_ledger *ledger = open_ledger(0);
  claim(ledger, DG_LEDGER_OUTPUT, FOLDER "/probes/a.csv");
  claim(ledger, DG_LEDGER_OUTPUT, FOLDER "/b.csv");
  assert_int_equal(system("rmdir " FOLDER "/probes && mkdir " FOLDER "/theirs && ln -s theirs " FOLDER "/probes"), 0);
  put(FOLDER "/theirs/a.csv", "theirs");
  assert_int_equal(symlink("theirs/a.csv", FOLDER "/b.csv"), 0);
  struct dg_ledger_list list = list_of(ledger);
  assert_int_equal(dg_ledger_renew(ledger, &list, 0, NULL, &err), 0);
  assert_true(is_there(FOLDER "/theirs/a.csv") && is_there(FOLDER "/b.csv"));
  dg_ledger_list_free(&list);
  dg_ledger_free(ledger);
}

static void memory_may_fail(void **state)
{
  (void)state;
  bool done = false;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    struct dg_ledger *ledger = NULL;
    struct dg_ledger_list list = {0};
    static const char *const names[] = {"one.csv", "probes/two.csv"};
    assert_int_equal(begin(NULL), 0);
    put(FOLDER "/one.csv.txt", "theirs");
    const size_t before = dg_memory_current();
    dg_memory_fail_at(n);
    done = dg_ledger_open(&ledger, FOLDER, ".own", 0, &err) == 0 &&
           dg_ledger_claim_names(ledger, DG_LEDGER_OUTPUT, 2, names, &err) == 0 && dg_ledger_sync(ledger, &err) == 0 &&
           dg_ledger_read(ledger, &list, &err) == 0 && dg_ledger_renew(ledger, &list, 1, names, &err) == 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, done ? DG_OK : DG_ENVIRONMENT);
    assert_true(is_there(FOLDER "/one.csv.txt"));
    dg_ledger_list_free(&list);
    dg_ledger_free(ledger);
    assert_int_equal(dg_memory_current(), before);
    assert_true(n < 1000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(only_claims_are_removed, begin),
      cmocka_unit_test_setup(what_is_not_ours_is_in_the_way, begin),
      cmocka_unit_test_setup(lines_are_not_believed, begin),
      cmocka_unit_test_setup(removal_does_not_follow_links, begin),
      cmocka_unit_test_setup(memory_may_fail, begin),
  };
  return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
