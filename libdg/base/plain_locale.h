/* Numbers have a decimal point in every file and message, and in what is read. A program whose library this is may have
 * called setlocale, and then printf and strtod take a comma in some countries. The locale "C" is therefore set for one
 * thread at a time: where the host calls the library, and where a thread of the library's begins. */
#pragma once

#include <locale.h>

/* Sets the locale "C" for this thread. Returns the one before, for dg_locale_back. */
locale_t dg_locale_plain(void);
/* Sets a locale of dg_locale_plain's again, and returns the one before. */
locale_t dg_locale_back(locale_t before);
