/* Whatever Gmsh does in its own process, the program that asked for a mesh gets one line and the right code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/load/mesher.h"
#include "libdg/mesh/load/gmsh_model.h"

static char folder[64] = "/tmp/curlew-test-XXXXXX";
static char path[128];

static const char *write_file(const char *name, const char *text, mode_t mode)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, mode), 0);
  return path;
}

static int make_folder(void **state)
{
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static double now(void)
{
  struct timespec time;
  assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &time), 0);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct dg_mesh_options plain(const char *file) { return (struct dg_mesh_options){.file = file, .unit = 1}; }

/* The load must fail with that code and a message that holds the given parts (up to NULL); nothing stays behind. */
static void refuse(struct dg_mesh_options options, enum dg_code code, ...)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  size_t before = dg_memory_current();
  va_list list;
  assert_int_equal(dg_mesh_load(&mesh, &options, &err), code);
  va_start(list, code);
  for (const char *part; (part = va_arg(list, const char *)) != NULL;)
    if (strstr(err.message, part) == NULL) fail_msg("'%s' is not in: %s", part, err.message);
  va_end(list);
  assert_null(strchr(err.message, '\n'));
  assert_int_equal(dg_memory_current(), before);
  errno = 0;
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* it was waited for */
  assert_int_equal(errno, ECHILD);
}

static int descriptors(void)
{
  int count = 0;
  DIR *dir = opendir("/proc/self/fd");
  assert_non_null(dir);
  while (readdir(dir) != NULL) count++;
  closedir(dir);
  return count;
}

#define BOX "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"

static void test_script_that_ends_gmsh(void **state)
{
  (void)state;
  int before = descriptors();
  refuse(plain(write_file("a.geo", BOX "Exit;\n", 0600)), DG_INPUT, "a.geo' ended Gmsh before there was a mesh",
         "take Exit out of it", NULL);
  write_file("b.geo", BOX "Exit;\n", 0600);
  refuse(plain(write_file("a.geo", "Include \"b.geo\";\n", 0600)), DG_INPUT, "a.geo' ended Gmsh", NULL);
  assert_int_equal(descriptors(), before);
}

#define LOOP "For i In {1:1000000}\nFor j In {1:1000000}\nx = i * j;\nEndFor\nEndFor\n"

static void test_script_that_never_ends(void **state)
{
  (void)state;
  struct dg_mesh_options options = plain(write_file("a.geo", LOOP, 0600));
  options.seconds = 2; /* of which a busy machine takes a part to start Gmsh */
  double start = now();
  refuse(options, DG_INPUT, "Gmsh took longer than 2 s to read", "a.geo'", "mesh.seconds", NULL);
  assert_true(now() - start < 10);
}

static void test_meshing_that_never_ends(void **state)
{
  (void)state;
  struct dg_mesh_options options = plain(write_file("a.geo", BOX, 0600));
  options.size = 0.006;
  options.seconds = 3;
  double start = now();
  refuse(options, DG_INPUT, "Gmsh took longer than 3 s to mesh", "a.geo'", "mesh.seconds", NULL);
  assert_true(now() - start < 11);
}

static void test_huge_memory(void **state)
{
  (void)state;
#if !defined(__SANITIZE_ADDRESS__)
  struct dg_mesh_options options = plain(write_file("a.geo", "x[] = {1:1000000000};\n", 0600));
  options.memory = 1e9;
  options.seconds = 60;
  refuse(options, DG_ENVIRONMENT, "out of memory: Gmsh wanted more than 1 GB to read", "a.geo'", "mesh.memory", NULL);
  options.file = write_file(
      "a.geo", "SetFactory(\"OpenCASCADE\");\nFor i In {1:100000}\nBox(i) = {i, 0, 0, 1, 1, 1};\nEndFor\n", 0600);
  options.memory = 0.6e9;
  refuse(options, DG_ENVIRONMENT, "out of memory: Gmsh wanted more than 0.6 GB to read", NULL);
#else
  skip();
#endif
}

/* ---- in Gmsh's place ---- */

static char mesher[160];

/* A program that is started instead of curlew-mesh. */
static void stand_in(const char *script)
{
  snprintf(mesher, sizeof mesher, "%s", write_file("mesher", script, 0700));
  assert_int_equal(setenv("CURLEW_MESHER", mesher, 1), 0);
}

static int no_stand_in(void **state)
{
  (void)state;
  return unsetenv("CURLEW_MESHER");
}

static void test_crash(void **state)
{
  static const struct {
    const char *script;
    enum dg_code code;
    const char *message;
  } ends[] = {
      {"#!/bin/sh\nprintf r >&4\nkill -SEGV $$\n", DG_INPUT, "Gmsh crashed (Segmentation fault) when it was to read"},
      {"#!/bin/sh\nprintf rm >&4\necho terminate called >&2\necho why it failed >&2\nkill -ABRT $$\n", DG_INPUT,
       "Gmsh crashed (Aborted) when it was to mesh 'a.geo': why it failed"},
      {"#!/bin/sh\nprintf rm >&4\necho 'what():  std::bad_alloc' >&2\nkill -ABRT $$\n", DG_ENVIRONMENT,
       "out of memory"},
      {"#!/bin/sh\nprintf rm >&4\nkill -KILL $$\n", DG_ENVIRONMENT, "Gmsh was ended from outside (Killed)"},
      {"#!/bin/sh\nprintf r >&4\nexit 0\n", DG_INPUT, "ended Gmsh before there was a mesh"},
      {"#!/bin/sh\necho no library >&2\nexit 127\n", DG_ENVIRONMENT, "without an answer: no library"},
      {"#!/bin/sh\nexit 83\n", DG_ENVIRONMENT, "out of memory"},
      {"#!/bin/sh\nprintf rm >&4\necho broken >&2\nexit 1\n", DG_INPUT,
       "Gmsh gave up (code 1) when it was to mesh 'a.geo': broken"},
      {"#!/nowhere\n", DG_ENVIRONMENT, "cannot start"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    stand_in(ends[i].script);
    refuse(plain("a.geo"), ends[i].code, ends[i].message, NULL);
  }
  assert_int_equal(setenv("CURLEW_MESHER", "/nowhere/curlew-mesh", 1), 0);
  refuse(plain("a.geo"), DG_ENVIRONMENT, "/nowhere/curlew-mesh", "CURLEW_MESHER", NULL);
}

/* ---- several threads */

/* Counts the calls of curlew-mesh; does `first` before the first one, `later` before others. The file of the count. */
static const char *count_calls(const char *first, const char *later)
{
  static char count[160];
  char script[1200], *real = NULL;
  struct dg_error err = {0};
  assert_int_equal(unsetenv("CURLEW_MESHER"), 0);
  assert_int_equal(dg_mesher_find(&real, &err), 0);
  snprintf(count, sizeof count, "%s/count", folder);
  (void)unlink(count);
  snprintf(script, sizeof script,
           "#!/bin/sh\necho call >>%s\nif [ \"$(cat %s)\" = call ]; then %s; else %s; fi\nexec %s\n", count, count,
           first, later, real);
  stand_in(script);
  dg_free(real);
  return count;
}

static int calls(const char *count)
{
  FILE *stream = fopen(count, "r");
  int lines = 0;
  assert_non_null(stream);
  for (int c; (c = fgetc(stream)) != EOF;) lines += c == '\n';
  assert_int_equal(fclose(stream), 0);
  return lines;
}

static int notes_with(const struct dg_mesh_report *report, const char *text)
{
  int found = 0;
  for (size_t i = 0; i < report->notes; i++) found += strstr(report->note[i].text, text) != NULL;
  return found;
}

#define APART                                                                                                          \
  "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 2};\n" /* not joined */

/* If Gmsh fails with several threads, it makes the mesh with one, and the log says so; the mesh is kept as one made
 * so. */
static void test_several_threads_that_fail(void **state)
{
  static const char *const first[] = {"printf rm >&4; kill -SEGV $$", "printf rm >&4; echo broken >&2; exit 1"};
  (void)state;
  char geometry[128], kept[128];
  snprintf(kept, sizeof kept, "%s/kept.mesh", folder);
  snprintf(geometry, sizeof geometry, "%s", write_file("a.geo", BOX, 0600));
  for (size_t i = 0; i < 2; i++) {
    struct dg_mesh mesh;
    struct dg_mesh_report report = {0};
    struct dg_error err = {0};
    struct dg_mesh_options options = plain(geometry);
    options.threads = 4;
    options.report = &report;
    options.kept = kept;
    (void)unlink(kept);
    const char *count = count_calls(first[i], ":");
    assert_int_equal(dg_mesh_load(&mesh, &options, &err), 0);
    assert_int_equal(calls(count), 2);
    assert_int_equal(notes_with(&report, "made again with one thread; with 4: Gmsh "), 1);
    dg_mesh_release(&mesh);
    assert_int_equal(dg_mesh_keep(&report, kept, &err), 0);
    dg_mesh_report_release(&report);
    options.threads = 3; /* it is the same mesh, whatever the threads */
    assert_int_equal(dg_mesh_load(&mesh, &options, &err), 0);
    assert_true(report.reused);
    assert_int_equal(calls(count), 2);
    dg_mesh_release(&mesh);
    dg_mesh_report_release(&report);
  }
}

/* Several threads are asked for, and Gmsh gets one: whether it fails does not depend on chance then. */
#define ALONE "export OMP_THREAD_LIMIT=1"

/* So is one that the checks refuse. What is wrong with one thread too is the geometry's error, said once. */
static void test_several_threads_that_tear(void **state)
{
  (void)state;
  char swap[300], geometry[128], good[128];
  struct dg_mesh mesh;
  struct dg_mesh_report report = {0};
  struct dg_error err = {0};
  snprintf(good, sizeof good, "%s", write_file("good.geo", BOX, 0600));
  snprintf(geometry, sizeof geometry, "%s", write_file("a.geo", APART, 0600));
  struct dg_mesh_options options = plain(geometry);
  options.report = &report;
  for (int threads = 1; threads <= 4; threads += 3) {
    const char *count = count_calls(ALONE, ALONE);
    options.threads = threads;
    assert_int_equal(dg_mesh_load(&mesh, &options, &err), DG_INPUT);
    assert_non_null(strstr(err.message, "make the geometry conformal"));
    assert_int_equal(calls(count), threads == 1 ? 1 : 2);
    assert_int_equal(notes_with(&report, "made again"), 0);
    dg_mesh_report_release(&report);
    err = (struct dg_error){0};
  }
  snprintf(swap, sizeof swap, "cp %s %s", good, geometry);
  const char *count = count_calls(ALONE, swap); /* a torn mesh first, a good one then */
  assert_int_equal(dg_mesh_load(&mesh, &options, &err), 0);
  assert_int_equal(calls(count), 2);
  assert_int_equal(notes_with(&report, "made again with one thread; with 4: "), 1);
  assert_int_equal(notes_with(&report, "make the geometry conformal"), 1);
  dg_mesh_release(&mesh);
  dg_mesh_report_release(&report);
}

#define FLAT                                                                                                           \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n"                   \
  "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"

/* A mesh that was only read, or took too long, is not made again. */
static void test_several_threads_that_only_read(void **state)
{
  static const struct {
    const char *file, *text, *first, *message;
  } ends[] = {
      {"a.msh", FLAT, ":", "degenerate"},
      {"a.geo", BOX, "printf r >&4; kill -SEGV $$", "Gmsh crashed"},
      {"a.geo", BOX, "printf rm >&4; sleep 20", "Gmsh took longer than"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char file[128];
    snprintf(file, sizeof file, "%s", write_file(ends[i].file, ends[i].text, 0600));
    struct dg_mesh_options options = plain(file);
    options.threads = 4;
    if (i == 2) options.seconds = 3; /* of which a busy machine takes a part */
    const char *count = count_calls(ends[i].first, ":");
    refuse(options, DG_INPUT, ends[i].message, NULL);
    assert_int_equal(calls(count), 1);
  }
}

static void test_damaged_answer(void **state)
{
  (void)state;
  stand_in("#!/bin/sh\nprintf rubbish >&3\n");
  refuse(plain("a.geo"), DG_ENVIRONMENT, "the answer of curlew-mesh is damaged: it is too short", NULL);
  stand_in("#!/bin/sh\nhead -c 1000 /dev/zero >&3\n");
  refuse(plain("a.geo"), DG_ENVIRONMENT, "is damaged: it is of another kind or version", NULL);
}

/* The environment of the process has nothing of MPI. */
static void test_what_it_inherits(void **state)
{
  (void)state;
  char found[160], script[700], text[4096] = "";

  assert_int_equal(setenv("OMPI_COMM_WORLD_RANK", "0", 1) | setenv("PMIX_RANK", "0", 1) | setenv("PMI_RANK", "0", 1),
                   0);
  assert_int_equal(setenv("CURLEW_TEST_STAYS", "1", 1), 0);
  snprintf(found, sizeof found, "%s/found", folder);
  snprintf(script, sizeof script, "#!/bin/sh\nenv >%s\n", found);
  stand_in(script);
  refuse(plain("a.geo"), DG_ENVIRONMENT, "without an answer", NULL);
  FILE *stream = fopen(found, "r");
  assert_non_null(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  assert_int_equal(fclose(stream), 0);
  assert_non_null(strstr(text, "CURLEW_TEST_STAYS=1"));
  assert_null(strstr(text, "OMPI_"));
  assert_null(strstr(text, "PMIX_"));
  assert_null(strstr(text, "PMI_"));

  (void)(unsetenv("OMPI_COMM_WORLD_RANK") | unsetenv("PMIX_RANK") | unsetenv("PMI_RANK"));
}

/* A program that is killed takes its mesher with it. */
static void test_killed_parent(void **state)
{
  (void)state;
  char id[160], script[700];
  snprintf(id, sizeof id, "%s/id", folder);
  const char *geometry = write_file("a.geo", LOOP, 0600);
  int life[2];
  assert_int_equal(pipe(life), 0);
  pid_t parent = fork();
  if (parent == 0) { /* the mesher holds the end of the pipe that is its standard error: trusted, it inherits it */
    struct dg_mesh mesh;
    struct dg_error err = {0};
    struct dg_mesh_options options = plain(geometry);
    options.trust = true;
    options.seconds = 100;
    (void)close(life[0]);
    (void)dup2(life[1], STDOUT_FILENO);
    (void)close(life[1]);
    _exit(dg_mesh_load(&mesh, &options, &err));
  }
  (void)snprintf(script, sizeof script, "%d", (int)parent);
  assert_int_equal(close(life[1]), 0);
  const struct timespec half = {0, 500000000};
  nanosleep(&half, NULL);
  assert_int_equal(kill(parent, SIGKILL), 0);
  assert_int_equal(waitpid(parent, NULL, 0), parent);
  char byte;
  (void)alarm(20); /* a mesher that lived on would keep the pipe open */
  assert_int_equal(read(life[0], &byte, 1), 0);
  (void)alarm(0);
  assert_int_equal(close(life[0]), 0);
}

/* ---- parcels and models ---- */

static struct dg_model small_model(void)
{
  static double point[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static int32_t tet[1][4] = {{0, 1, 2, 3}}, volume[1] = {7}, triangle[1][3] = {{0, 1, 2}}, surface[1] = {3};
  static uint64_t tag[1] = {17};
  static const int entity[1] = {3};
  static struct dg_group_input group = {.dim = 2, .tag = 5, .name = "wall", .entities = 1, .entity_tag = entity};
  static char text[] = "something is odd";
  static struct dg_model_note note = {.warning = true, .text = text};
  return (struct dg_model){.points = 4,
                           .K = 1,
                           .triangles = 1,
                           .point = point,
                           .tet = tet,
                           .volume_tag = volume,
                           .tag = tag,
                           .triangle = triangle,
                           .surface_tag = surface,
                           .groups = 1,
                           .group = &group,
                           .notes = 1,
                           .note = &note,
                           .gmsh = "4.8.4"};
}

static int pack(struct dg_parcel *parcel)
{
  struct dg_error err = {0};
  struct dg_model model = small_model();
  *parcel = (struct dg_parcel){0};
  assert_int_equal(dg_model_put(&model, parcel, &err), 0);
  int file = open(write_file("parcel", "", 0600), O_RDWR | O_TRUNC);
  assert_true(file >= 0);
  assert_int_equal(dg_parcel_send(parcel, file, DG_ANSWER_MAGIC, &err), 0);
  return file;
}

static void test_parcel_there_and_back(void **state)
{
  (void)state;
  struct dg_parcel sent, got = {0};
  struct dg_model model;
  struct dg_mesh mesh;
  struct dg_error err = {0};
  int file = pack(&sent);
  assert_int_equal(dg_parcel_receive(&got, file, DG_ANSWER_MAGIC, &err), 0);
  assert_int_equal(dg_model_take(&model, &got, &err), 0);
  assert_string_equal(model.gmsh, "4.8.4");
  assert_int_equal(model.notes, 1);
  assert_true(model.note[0].warning);
  assert_string_equal(model.note[0].text, "something is odd");
  assert_int_equal(dg_model_build(&mesh, &model, &err), 0);
  assert_int_equal(mesh.K, 1);
  assert_int_equal(mesh.tag[0], 17);
  assert_true(dg_mesh_entity_in_group(&mesh, dg_mesh_find_entity(&mesh, 2, 3), "wall"));
  dg_mesh_release(&mesh);
  dg_model_release(&model);
  dg_parcel_release(&got);
  dg_parcel_release(&sent);
  assert_int_equal(close(file), 0);
}

/* Every byte of it changed, and every length cut off: refused. */
static void test_damaged_parcel(void **state)
{
  (void)state;
  struct dg_parcel sent, got = {0};
  int file = pack(&sent);
  for (size_t i = 0; i < sent.used; i++) {
    struct dg_error err = {0};
    unsigned char changed = sent.start[i] ^ 0x10;
    assert_int_equal(pwrite(file, &changed, 1, (off_t)i), 1);
    assert_int_equal(dg_parcel_receive(&got, file, DG_ANSWER_MAGIC, &err), DG_ENVIRONMENT);
    assert_int_equal(pwrite(file, &sent.start[i], 1, (off_t)i), 1);
  }
  for (size_t length = 0; length < sent.used; length++) {
    struct dg_error err = {0};
    assert_int_equal(ftruncate(file, (off_t)length), 0);
    assert_int_equal(dg_parcel_receive(&got, file, DG_ANSWER_MAGIC, &err), DG_ENVIRONMENT);
    assert_int_equal(pwrite(file, sent.start, sent.used, 0), sent.used);
  }
  dg_parcel_release(&sent);
  assert_int_equal(close(file), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_script_that_ends_gmsh),
      cmocka_unit_test(test_script_that_never_ends),
      cmocka_unit_test(test_meshing_that_never_ends),
      cmocka_unit_test(test_huge_memory),
      cmocka_unit_test_teardown(test_crash, no_stand_in),
      cmocka_unit_test_teardown(test_several_threads_that_fail, no_stand_in),
      cmocka_unit_test_teardown(test_several_threads_that_tear, no_stand_in),
      cmocka_unit_test_teardown(test_several_threads_that_only_read, no_stand_in),
      cmocka_unit_test_teardown(test_damaged_answer, no_stand_in),
      cmocka_unit_test_teardown(test_what_it_inherits, no_stand_in),
      cmocka_unit_test(test_killed_parent),
      cmocka_unit_test(test_parcel_there_and_back),
      cmocka_unit_test(test_damaged_parcel),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
