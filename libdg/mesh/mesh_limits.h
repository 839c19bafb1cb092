/* The limits below which a mesh counts as flat or as touching, and the form in which its checks name a place. */
#pragma once

/* A position in a message: "(%g, %g, %g) m" and its arguments. */
#define DG_AT         "(%.6g, %.6g, %.6g) m"
#define DG_XYZ(x)     (x)[0], (x)[1], (x)[2]
#define DG_FLAT_LIMIT 1e-12 /* |volume| below this times the cube of the longest edge is degenerate */
#define DG_GAP_LIMIT  1e-6  /* faces nearer to each other than this times their longest edge touch */
