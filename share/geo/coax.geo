// A straight coaxial line along z: what is between its conductors, which are cut out.
//
//   Include "curlew/coax.geo";
//
// Set before it, in drawing units, what is not to be as here:
//   coax_x, coax_y, coax_z  the middle of the end at which it begins: 0, 0, 0
//   coax_inner, coax_outer  the two radii: 1, 2.3 (50 ohm in air)
//   coax_length             30
//   coax_around             elements around each circle; 0, the default: as the sizes of elements ask
//   coax_layers             layers of elements along the line; 0: as the sizes ask
// It sets:
//   coax_volume             the volume
//   coax_begin, coax_end    the rings at its ends, for coaxial ports
//   coax_metal()            the surfaces of the two conductors, the inner one first
If (!Exists(coax_x)) coax_x = 0; EndIf
If (!Exists(coax_y)) coax_y = 0; EndIf
If (!Exists(coax_z)) coax_z = 0; EndIf
If (!Exists(coax_inner)) coax_inner = 1; EndIf
If (!Exists(coax_outer)) coax_outer = 2.3; EndIf
If (!Exists(coax_length)) coax_length = 30; EndIf
If (!Exists(coax_around)) coax_around = 0; EndIf
If (!Exists(coax_layers)) coax_layers = 0; EndIf
If (coax_inner <= 0 || coax_outer <= coax_inner || coax_length <= 0)
  Error("coax.geo: it takes 0 < coax_inner < coax_outer and 0 < coax_length");
EndIf
SetFactory("OpenCASCADE");
coax_curve = newc;
Circle(coax_curve) = {coax_x, coax_y, coax_z, coax_inner};
Circle(coax_curve + 1) = {coax_x, coax_y, coax_z, coax_outer};
coax_loop = newll;
Curve Loop(coax_loop) = {coax_curve};
Curve Loop(coax_loop + 1) = {coax_curve + 1};
coax_begin = news;
Plane Surface(coax_begin) = {coax_loop + 1, coax_loop};
If (coax_around > 0)
  Transfinite Curve{coax_curve, coax_curve + 1} = coax_around + 1;
EndIf
If (coax_layers > 0)
  coax_made() = Extrude {0, 0, coax_length} { Surface{coax_begin}; Layers{coax_layers}; };
Else
  coax_made() = Extrude {0, 0, coax_length} { Surface{coax_begin}; };
EndIf
coax_end = coax_made(0);
coax_volume = coax_made(1);
coax_metal() = {coax_made(3), coax_made(2)};
