/* Curlew's share folder: Lua's part of the program, and the programs that draw. */
#pragma once

/* $CURLEW_SHARE if that is set; else the source tree's, or where that is not there the installed one. The string is
 * static, or the environment's. */
const char *mx_share_folder(void);
/* The end of a message "... was not found in '<mx_share_folder()>'": where else it was looked for, and what to do. */
const char *mx_share_hint(void);
