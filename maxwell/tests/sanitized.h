/* Whether this is a build with the address sanitizer, which takes ten times as long and looks at memory, not at
 * numbers: a few steps are enough there, and what only a whole run can show is not asserted. */
#pragma once

#if defined(__has_feature) /* of clang */
#if __has_feature(address_sanitizer)
#define CURLEW_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__ /* of gcc */
#define CURLEW_SANITIZED 1
#endif

#ifdef CURLEW_SANITIZED
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The next order of a loop up to the last one: under the sanitizer the first and the last are enough. */
static inline int next_order(int order, int last) { return SANITIZED && order < last ? last : order + 1; }
