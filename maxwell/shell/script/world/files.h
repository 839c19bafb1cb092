/* Files that a script names, opened for reading. Private to the script reader; knows no Lua. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Opens the file; folder NULL: whichever it is. With a folder the file must lie in it or below it, where symbolic links
 * have led. The file is found first, then its place is looked at, and that same file is opened, so that nobody can put
 * another one in its place between. NULL: errno has the reason, EXDEV for a file elsewhere. Close with fclose. */
FILE *mx_file_open(const char *path, const char *folder);
/* Says whether mx_file_open would accept the place of a file. A missing file has the place of the folder in which it
 * would be. */
bool mx_file_is_within(const char *path, const char *folder);
