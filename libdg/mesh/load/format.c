/* The table of file formats that Gmsh may be given: how each one's name ends and how its content begins, which must
 * agree. curlew-mesh asks it before Gmsh opens a file. The program asks it only what kind of file a name stands for. */
#include "libdg/mesh/load/format.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096 };

struct head {
  char text[HEAD + 1]; /* the file's first bytes, and a NUL */
  size_t length;
  uint64_t size; /* of the whole file */
};

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool begins_any(const char *text, const char *const with[])
{
  for (; *with != NULL; with++)
    if (begins(text, *with)) return true;
  return false;
}

static const char *behind_blanks(const char *text) { return text + strspn(text, " \t\r\n"); }

/* ---- how files of a format begin ---- */

/* Beginnings that Gmsh takes for a mesh or for values whatever the file's name says. */
static const char *const gmsh_headers[] = {"$MeshFormat", "$NO", "$PTS", "$ELM", "$PARA", "$Comments", NULL};
static const char *const value_headers[] = {"$PostFormat", "$View", NULL};

static bool is_script(const struct head *head)
{
  return !begins_any(head->text, gmsh_headers) && !begins_any(head->text, value_headers);
}
static bool is_msh(const struct head *head) { return begins_any(head->text, gmsh_headers); }
static bool is_step(const struct head *head) { return begins(behind_blanks(head->text), "ISO-10303-21"); }

static bool is_brep(const struct head *head)
{
  static const char *const first[] = {"DBRep_DrawableShape", "CASCADE Topology V", "Open CASCADE Topology V", NULL};
  return begins_any(behind_blanks(head->text), first);
}

/* IGES has lines of 80 columns, the 73rd of which names the section: S begins, or C of the compressed form. */
static bool is_iges(const struct head *head)
{
  return head->length >= 80 && (head->text[72] == 'S' || head->text[72] == 'C') && memchr(head->text, '\n', 72) == NULL;
}

/* STL is text, or it has 80 bytes, a number of triangles, and 50 bytes for each. */
static bool is_stl(const struct head *head)
{
  const unsigned char *number = (const unsigned char *)head->text + 80;
  if (strncasecmp(behind_blanks(head->text), "solid", 5) == 0) return true;
  if (head->length < 84) return false;
  const uint64_t triangles = number[0] | number[1] << 8 | number[2] << 16 | (uint64_t)number[3] << 24;
  return head->size == 84 + 50 * triangles;
}

static bool is_xao(const struct head *head)
{
  static const char *const first[] = {"<?xml", "<XAO", NULL};
  return begins_any(behind_blanks(head->text), first);
}

static bool is_unv(const struct head *head)
{
  const char *at = behind_blanks(head->text);
  return begins(at, "-1") && isspace((unsigned char)at[2]);
}

static bool is_vtk(const struct head *head) { return begins(head->text, "# vtk DataFile"); }

static bool is_vrml(const struct head *head)
{
  static const char *const first[] = {"#VRML", "#Inventor", NULL};
  return begins_any(head->text, first);
}

static bool is_medit(const struct head *head)
{
  const char *at = behind_blanks(head->text);
  while (*at == '#') at = behind_blanks(at + strcspn(at, "\n"));
  return begins(at, "MeshVersionFormatted");
}

/* Nastran has no header: a file begins with a comment, or with one of the statements with which a deck can begin. */
static bool is_nastran(const struct head *head)
{
  static const char *const first[] = {"$",      "GRID", "BEGIN", "SOL",   "CEND",   "NASTRAN", "ID",
                                      "ASSIGN", "INIT", "TITLE", "PARAM", "CTETRA", "CTRIA",   NULL};
  const char *at = behind_blanks(head->text);
  return begins_any(at, first) && memchr(head->text, '\0', head->length) == NULL;
}

static bool is_hdf5(const struct head *head)
{
  return head->length >= 8 && memcmp(head->text, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static bool is_cgns(const struct head *head)
{
  return is_hdf5(head) || (head->length >= 32 && begins(head->text + 4, "ADF Database Version"));
}

/* ---- the table ---- */

/* The formats, with the ends of names as Gmsh 4.8 and later know them, letter by letter. */
static const struct format {
  const char *name, *starts; /* for messages: "does not begin as <name> does (<starts>)"; NULL: nothing is asked for */
  enum dg_format_kind kind;
  bool (*matches)(const struct head *head);
  const char *end[6];
} formats[] = {
    {"a script", NULL, DG_FORMAT_SCRIPT, is_script, {".geo", ".GEO", ".geo_unrolled"}},
    {"a mesh of Gmsh", "$MeshFormat", DG_FORMAT_MESH, is_msh, {".msh", ".MSH"}},
    {"a STEP file", "ISO-10303-21", DG_FORMAT_GEOMETRY, is_step, {".step", ".stp", ".STEP", ".STP"}},
    {"a shape of Open CASCADE", "CASCADE Topology", DG_FORMAT_GEOMETRY, is_brep, {".brep", ".brp", ".BRP"}},
    {"an IGES file", "S in column 73", DG_FORMAT_GEOMETRY, is_iges, {".iges", ".igs", ".IGES", ".IGS"}},
    {"an XAO file", "<?xml", DG_FORMAT_GEOMETRY, is_xao, {".xao", ".XAO"}},
    {"an STL file", "solid, or its size", DG_FORMAT_GEOMETRY, is_stl, {".stl", ".STL"}},
    {"a VRML file", "#VRML", DG_FORMAT_GEOMETRY, is_vrml, {".wrl", ".vrml", ".iv", ".WRL", ".VRML", ".IV"}},
    {"a universal file", "-1", DG_FORMAT_MESH, is_unv, {".unv", ".UNV"}},
    {"a VTK file", "# vtk DataFile", DG_FORMAT_MESH, is_vtk, {".vtk", ".VTK"}},
    {"a mesh of Medit", "MeshVersionFormatted", DG_FORMAT_MESH, is_medit, {".mesh", ".MESH"}},
    {"a bulk data file", "$, GRID, BEGIN BULK, ...", DG_FORMAT_MESH, is_nastran, {".bdf", ".nas", ".BDF", ".NAS"}},
    {"a MED file", "the mark of HDF5", DG_FORMAT_MESH, is_hdf5, {".med", ".mmed", ".rmed", ".MED", ".MMED", ".RMED"}},
    {"a CGNS file", "the mark of HDF5 or ADF", DG_FORMAT_MESH, is_cgns, {".cgns", ".CGNS"}},
};
enum { FORMATS = sizeof formats / sizeof *formats, ENDS = sizeof formats[0].end / sizeof *formats[0].end };

static const char *end_of(const char *file)
{
  const char *slash = strrchr(file, '/'), *dot = strrchr(slash != NULL ? slash : file, '.');
  return dot != NULL ? dot : "";
}

static const struct format *find(const char *end)
{
  for (size_t i = 0; i < FORMATS; i++)
    for (size_t k = 0; k < ENDS && formats[i].end[k] != NULL; k++)
      if (strcmp(end, formats[i].end[k]) == 0) return &formats[i];
  return NULL;
}

enum dg_format_kind dg_format_by_name(const char *file)
{
  const struct format *format = find(end_of(file));
  return format != NULL ? format->kind : DG_FORMAT_OTHER;
}

static int unknown(const char *file, const char *end, struct dg_error *err)
{
  for (size_t i = 0; i < FORMATS; i++)
    for (size_t k = 0; k < ENDS && formats[i].end[k] != NULL; k++)
      if (strcasecmp(end, formats[i].end[k]) == 0)
        return dg_fail(err, DG_INPUT, "mesh file '%s' ends with '%s', which Gmsh does not know: name it '%s'", file,
                       end, formats[i].end[k]);
  return dg_fail(err, DG_INPUT,
                 "mesh file '%s' has no name from which its format can be told: it must end with .geo, .msh, .step, "
                 ".brep, .iges, .xao, .stl, .wrl, .unv, .vtk, .mesh, .bdf, .med or .cgns",
                 file);
}

/* ---- the file ---- */

static int fail_to_read(const char *file, const char *why, struct dg_error *err)
{
  return dg_fail(err, DG_INPUT, "cannot read mesh file '%s': %s", file, why);
}

/* Checks the whole of a script, because Gmsh's parser and ours end at a NUL in different places. */
static int check_text(FILE *stream, const char *file, struct dg_error *err)
{
  char block[HEAD];
  size_t got, before = 0;
  rewind(stream);
  while ((got = fread(block, 1, sizeof block, stream)) > 0) {
    const char *nul = memchr(block, '\0', got);
    if (nul != NULL)
      return dg_fail(err, DG_INPUT, "geometry '%s' is no text: byte %zu is zero", file,
                     before + (size_t)(nul - block) + 1);
    before += got;
  }
  return ferror(stream) ? fail_to_read(file, strerror(errno), err) : 0;
}

static int check_content(FILE *stream, const char *file, bool trust, enum dg_format_kind *kind, struct dg_error *err)
{
  struct head head = {.length = 0};
  struct stat about;
  const struct format *format = find(end_of(file));
  if (fstat(fileno(stream), &about) != 0) return fail_to_read(file, strerror(errno), err);
  if (S_ISDIR(about.st_mode)) return fail_to_read(file, "it is a folder", err);
  if (!S_ISREG(about.st_mode)) return fail_to_read(file, "it is no regular file", err);
  if (about.st_size == 0) return dg_fail(err, DG_INPUT, "mesh file '%s' is empty", file);
  if (format == NULL && !trust) return unknown(file, end_of(file), err);
  *kind = format != NULL ? format->kind : DG_FORMAT_OTHER;
  head.size = (uint64_t)about.st_size;
  head.length = fread(head.text, 1, HEAD, stream);
  if (head.length == 0) return fail_to_read(file, strerror(errno), err);
  if (format == NULL) return 0;
  if (!format->matches(&head) && *kind == DG_FORMAT_SCRIPT)
    return dg_fail(err, DG_INPUT,
                   "mesh file '%s' begins as a mesh or values of Gmsh do, not as a script: name it '.msh'", file);
  if (!format->matches(&head))
    return dg_fail(err, DG_INPUT, "mesh file '%s' does not begin as %s does (%s): its name and its content disagree",
                   file, format->name, format->starts);
  return *kind == DG_FORMAT_SCRIPT ? check_text(stream, file, err) : 0;
}

int dg_format_check(const char *file, bool trust, enum dg_format_kind *kind, struct dg_error *err)
{
  /* O_NONBLOCK: do not wait for a pipe, if it is one. */
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
  *kind = DG_FORMAT_OTHER;
  if (stream == NULL) {
    (void)fail_to_read(file, strerror(errno), err);
    if (descriptor >= 0) (void)close(descriptor);
    return err->code;
  }
  (void)!check_content(stream, file, trust, kind, err);
  (void)fclose(stream);
  return err->code;
}
