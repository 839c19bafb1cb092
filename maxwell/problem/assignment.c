/* Releases an assignment, which mx_problem_init makes. setup.c and the bench call it. */
#include "maxwell/problem/assignment.h"

#include "libdg/base/memory.h"

void mx_assignment_release(struct mx_assignment *assignment)
{
  dg_free(assignment->material);
  dg_free(assignment->boundary);
  dg_free(assignment->interface);
  dg_free(assignment->layer);
  dg_free(assignment->absorber);
  *assignment = (struct mx_assignment){0};
}
