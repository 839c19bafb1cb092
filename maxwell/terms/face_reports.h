/* Lines of the log about walls, films and sheets with a state (face_terms.h). */
#pragma once

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/problem.h"

/* Says of metal walls and sheets what their fits are worth, and of graphene what it is in series; warns of what is most
 * likely not meant. */
void mx_report_face_terms(const struct mx_problem *problem, const struct mx_config *config, struct dg_log *log);
