/* The orthonormal basis on the reference triangle (-1,-1), (1,-1), (-1,1) (private to libdg/ref). */
#pragma once

/* value[(order+1)(order+2)/2] */
void dg_modal_triangle(int order, double r, double s, double *value);
