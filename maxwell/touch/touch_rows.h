/* The table of what may touch what. A new rule is a row here, and a call of mx_touch_note where a walk meets the pair
 * (touch_find.c).
 *
 * In a text %A and %B are the things' names, %K the kind of the first one in a script, %X a place in metres, and %O a
 * number that the walk gives. */
#pragma once

/* Things, and where their numbers come from: the index of a boundary, an interface, a layer, a term, a measure or a far
 * field. */
#define MX_THINGS(X)                                                                                                   \
  X(MX_A_LAYER, LAYERS) /* a perfectly matched one */                                                                  \
  X(MX_AN_ABSORBER, LAYERS)                                                                                            \
  X(MX_A_TOTAL_FIELD, INTERFACES)                                                                                      \
  X(MX_A_CURRENT_SHEET, INTERFACES)                                                                                    \
  X(MX_A_CONDUCTOR, INTERFACES)  /* a sheet of kind "pec" */                                                           \
  X(MX_A_THIN_SHEET, INTERFACES) /* resistors, graphene, metal sheets */                                               \
  X(MX_A_WAVE_WALL, BOUNDARIES)  /* kind "plane_wave" */                                                               \
  X(MX_A_PEC_WALL, BOUNDARIES)                                                                                         \
  X(MX_A_PMC_WALL, BOUNDARIES)                                                                                         \
  X(MX_A_LOSSY_WALL, BOUNDARIES) /* impedance, metal */                                                                \
  X(MX_AN_ABSORBING_WALL, BOUNDARIES)                                                                                  \
  X(MX_A_PORT, BOUNDARIES)                                                                                             \
  X(MX_AN_ELEMENT, BOUNDARIES) /* a lumped one */                                                                      \
  X(MX_A_DRIVEN_WALL, BOUNDARIES)                                                                                      \
  X(MX_A_CURRENT, TERMS)                                                                                               \
  X(MX_A_JUMP, TERMS) /* a driven surface or wall */                                                                   \
  X(MX_A_FLUX, MEASURES)                                                                                               \
  X(MX_A_FAR_FIELD, FAR_FIELDS)

/* How the first thing meets the second one. */
enum mx_meeting {
  MX_IN,      /* its faces or elements lie in it */
  MX_SLANTS,  /* its faces lie in a layer, neither along the layer's way nor at its end */
  MX_ENDS_ON, /* its edges lie on it, on one side alone */
  MX_CROSSES, /* its edges lie on it, on both sides */
  MX_LIES_ON, /* its faces are faces of it */
  MX_BESIDE,  /* walls with a common edge */
  MX_OUTSIDE, /* its elements lie outside of a closed surface, and other sources inside */
  MX_ALONE    /* the same, and nothing is inside */
};

#define IN_LAYER "reaches into %B at %X, where fields are not those of the medium; keep it out of the layer"
#define BESIDE_LAYER                                                                                                   \
  "%A, of kind \"%K\", touches a layer at %X: beside a layer only pec and pmc go on. Keep it away from the "           \
  "layer"
#define SLANTED                                                                                                        \
  "%A, of kind \"%K\", leaves the way of the layer at %X: in a layer it must run straight on, at right "               \
  "angles to the layer's inner wall, or end before it"
#define MEAN_OF_SIDES                                                                                                  \
  "%A lies on %B, near %X: the fields jump there, and the power is that of the mean of both sides, which "             \
  "neither side has; put the surface beside it"
#define THROUGH                                                                                                        \
  "%A, of kind \"%K\", crosses the surface of total field %B near %X: the wave that comes in does not obey "           \
  "the sheet's condition (by %O of its field), and outside the sheet sees no wave. Let the region hold all "           \
  "of the sheet"
#define NO_MATE                                                                                                        \
  "%A, of kind \"%K\", touches the plane wave %B near %X, and the wave alone misses that wall's condition "            \
  "by %O of its field: the wall takes or turns the wave along its way. Beside a plane wave take walls "                \
  "along which it runs undisturbed (pec with E normal to it, pmc with H normal to it, periodic sides), the "           \
  "same plane wave with the same origin on them, or a total_field around what scatters"
#define NOT_COUNTED                                                                                                    \
  "%A lies outside of the surface of %B, near %X: what it sends out is not part of the far field, which "              \
  "has what comes from inside alone; let the surface go around it"
#define NO_OPEN_SPACE                                                                                                  \
  "%A, of kind \"%K\", lies outside of the surface of %B, near %X, on no plane of its images: it scatters, "           \
  "and the far field is that of open space there. Let the surface go around it, or give the plane as one "             \
  "of its images"

/* X(first, meeting, second, verdict, text) */
#define MX_TOUCH_ROWS(X)                                                                                               \
  /* layers: their stretched fields are no fields of a source, a port or a sheet */                                    \
  X(MX_A_PORT, MX_IN, MX_A_LAYER, ERROR, "%A: a port " IN_LAYER)                                                       \
  X(MX_A_PORT, MX_IN, MX_AN_ABSORBER, ERROR, "%A: a port " IN_LAYER)                                                   \
  X(MX_AN_ELEMENT, MX_IN, MX_A_LAYER, ERROR, "%A: a lumped element " IN_LAYER)                                         \
  X(MX_AN_ELEMENT, MX_IN, MX_AN_ABSORBER, ERROR, "%A: a lumped element " IN_LAYER)                                     \
  X(MX_A_CURRENT, MX_IN, MX_A_LAYER, ERROR, "%A: a current " IN_LAYER)                                                 \
  X(MX_A_CURRENT, MX_IN, MX_AN_ABSORBER, ERROR, "%A: a current " IN_LAYER)                                             \
  X(MX_A_JUMP, MX_IN, MX_A_LAYER, ERROR, "%A: a driven surface or wall " IN_LAYER)                                     \
  X(MX_A_JUMP, MX_IN, MX_AN_ABSORBER, ERROR, "%A: a driven surface or wall " IN_LAYER)                                 \
  X(MX_A_LOSSY_WALL, MX_IN, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                           \
  X(MX_AN_ABSORBING_WALL, MX_IN, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                      \
  X(MX_A_THIN_SHEET, MX_IN, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                           \
  X(MX_A_LOSSY_WALL, MX_SLANTS, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                       \
  X(MX_AN_ABSORBING_WALL, MX_SLANTS, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                  \
  X(MX_A_THIN_SHEET, MX_SLANTS, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                       \
  X(MX_A_PEC_WALL, MX_SLANTS, MX_A_LAYER, ERROR, SLANTED)                                                              \
  X(MX_A_PMC_WALL, MX_SLANTS, MX_A_LAYER, ERROR, SLANTED)                                                              \
  X(MX_A_CONDUCTOR, MX_SLANTS, MX_A_LAYER, ERROR, SLANTED)                                                             \
  X(MX_A_THIN_SHEET, MX_ENDS_ON, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                      \
  X(MX_A_LOSSY_WALL, MX_ENDS_ON, MX_A_LAYER, ERROR, BESIDE_LAYER)                                                      \
  X(MX_A_CONDUCTOR, MX_ENDS_ON, MX_A_LAYER, WARNING,                                                                   \
    "%A ends on the inner wall of a layer at %X, and its end scatters: draw the sheet on through the layer, "          \
    "or end it before the layer if it ends")                                                                           \
  X(MX_A_FLUX, MX_IN, MX_A_LAYER, WARNING,                                                                             \
    "%A lies in a perfectly matched layer at %X, whose fields carry no power that is real; put the surface "           \
    "before it")                                                                                                       \
  /* surfaces of total field: the incident wave is on one side alone */                                                \
  X(MX_A_CONDUCTOR, MX_CROSSES, MX_A_TOTAL_FIELD, ERROR, THROUGH)                                                      \
  X(MX_A_THIN_SHEET, MX_CROSSES, MX_A_TOTAL_FIELD, ERROR, THROUGH)                                                     \
  X(MX_A_FLUX, MX_CROSSES, MX_A_TOTAL_FIELD, WARNING,                                                                  \
    "%A lies partly inside of %B, where fields are total ones, and partly outside, as near %X, where they "            \
    "are scattered ones: the sum of their powers means nothing; measure each by itself")                               \
  X(MX_AN_ABSORBING_WALL, MX_BESIDE, MX_A_TOTAL_FIELD, ERROR,                                                          \
    "%B: its region of total field reaches the wall %A (%K) near %X, through which the wave would have to "            \
    "come in, and nothing comes in there: the region lies on the wrong side of the surface, or the surface "           \
    "ends before the wall")                                                                                            \
  X(MX_A_LAYER, MX_BESIDE, MX_A_TOTAL_FIELD, ERROR,                                                                    \
    "%B: its region of total field reaches %A near %X, through which the wave would have to come in, and "             \
    "nothing comes in there: the region lies on the wrong side of the surface, or the surface ends before "            \
    "the layer")                                                                                                       \
  X(MX_AN_ABSORBER, MX_BESIDE, MX_A_TOTAL_FIELD, ERROR,                                                                \
    "%B: its region of total field reaches %A near %X, through which the wave would have to come in, and "             \
    "nothing comes in there: the region lies on the wrong side of the surface, or the surface ends before "            \
    "the absorber")                                                                                                    \
  /* fluxes: one value of the power on both sides */                                                                   \
  X(MX_A_FLUX, MX_LIES_ON, MX_A_TOTAL_FIELD, WARNING, MEAN_OF_SIDES)                                                   \
  X(MX_A_FLUX, MX_LIES_ON, MX_A_CURRENT_SHEET, WARNING, MEAN_OF_SIDES)                                                 \
  X(MX_A_FLUX, MX_LIES_ON, MX_A_THIN_SHEET, WARNING, MEAN_OF_SIDES)                                                    \
  X(MX_A_FLUX, MX_LIES_ON, MX_A_CONDUCTOR, WARNING,                                                                    \
    "%A lies on %B, a perfect conductor, near %X: no power goes through it; put the surface beside it")                \
  X(MX_A_FLUX, MX_CROSSES, MX_A_FLUX, WARNING,                                                                         \
    "%A counts power from one volume to another as positive on one part of its surface and as negative on "            \
    "another one, as near %X, since its direction is one for all: the parts cancel. Measure each part by "             \
    "itself")                                                                                                          \
  /* plane waves through walls */                                                                                      \
  X(MX_A_PEC_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                        \
  X(MX_A_PMC_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                        \
  X(MX_A_LOSSY_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                      \
  X(MX_AN_ABSORBING_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                 \
  X(MX_A_PORT, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                            \
  X(MX_A_DRIVEN_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                     \
  X(MX_A_CONDUCTOR, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                       \
  X(MX_A_THIN_SHEET, MX_BESIDE, MX_A_WAVE_WALL, WARNING, NO_MATE)                                                      \
  X(MX_A_WAVE_WALL, MX_BESIDE, MX_A_WAVE_WALL, WARNING,                                                                \
    "%A and %B touch near %X, and another wave comes in through each: direction, polarisation, waveform, "             \
    "delay and amplitude must be the same, and both need the same origin: without one each begins at its own first "   \
    "point")                                                                                                           \
  /* far fields */                                                                                                     \
  X(MX_A_CURRENT, MX_ALONE, MX_A_FAR_FIELD, ERROR, NOT_COUNTED)                                                        \
  X(MX_A_JUMP, MX_ALONE, MX_A_FAR_FIELD, ERROR, NOT_COUNTED)                                                           \
  X(MX_A_CURRENT, MX_OUTSIDE, MX_A_FAR_FIELD, WARNING, NOT_COUNTED)                                                    \
  X(MX_A_JUMP, MX_OUTSIDE, MX_A_FAR_FIELD, WARNING, NOT_COUNTED)                                                       \
  X(MX_A_PEC_WALL, MX_OUTSIDE, MX_A_FAR_FIELD, WARNING, NO_OPEN_SPACE)                                                 \
  X(MX_A_PMC_WALL, MX_OUTSIDE, MX_A_FAR_FIELD, WARNING, NO_OPEN_SPACE)                                                 \
  X(MX_A_LOSSY_WALL, MX_OUTSIDE, MX_A_FAR_FIELD, WARNING, NO_OPEN_SPACE)
