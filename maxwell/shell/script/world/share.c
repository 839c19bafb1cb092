/* Finds the share folder. The script reader takes the prelude from there, and `curlew plot` what draws. */
#include "maxwell/shell/script/world/share.h"

#include <stdlib.h>
#include <unistd.h>

#ifndef CURLEW_INSTALL_SHARE_DIR
#define CURLEW_INSTALL_SHARE_DIR "/usr/local/share/curlew"
#endif

const char *mx_share_folder(void)
{
  const char *given = getenv("CURLEW_SHARE");
  if (given != NULL) return given;
#ifdef CURLEW_SHARE_DIR /* of the source tree; packages know none */
  if (access(CURLEW_SHARE_DIR "/lua/prelude.lua", F_OK) == 0) return CURLEW_SHARE_DIR;
#endif
  return CURLEW_INSTALL_SHARE_DIR;
}

const char *mx_share_hint(void)
{
  if (getenv("CURLEW_SHARE") != NULL) return " (from CURLEW_SHARE)";
#ifdef CURLEW_SHARE_DIR
  return " or '" CURLEW_SHARE_DIR "'; set CURLEW_SHARE to Curlew's share folder";
#else
  return "; set CURLEW_SHARE to Curlew's share folder";
#endif
}
