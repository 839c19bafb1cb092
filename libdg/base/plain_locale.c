/* The locale of a thread; everything that starts a thread, and the functions of curlew.h, call this. */
#define _POSIX_C_SOURCE 200809L
#include "libdg/base/plain_locale.h"

#include <pthread.h>

static locale_t plain;

static void make(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t dg_locale_plain(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make);
  return plain != (locale_t)0 ? uselocale(plain) : uselocale((locale_t)0);
}

locale_t dg_locale_back(locale_t before) { return uselocale(before); }
