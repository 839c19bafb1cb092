/* Files that a script names, opened for reading. Private to the script reader; knows no Lua. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Opens the file; folder NULL: whichever it is. With a folder only one that lies in it or below it, where symbolic
 * links have led: the file is found first, then it is seen where it lies, and that same file is opened, so that nobody
 * can put another one in its place between. NULL: errno says why not, EXDEV: it lies elsewhere. Close with fclose. */
FILE *mx_file_open(const char *path, const char *folder);
/* The same question alone; of a file that is not there, for the folder in which it would be. */
bool mx_file_is_within(const char *path, const char *folder);
