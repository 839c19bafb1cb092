// A box and the shells around it, which share their surfaces: room for a device, then the surface of its far field or of a
// total field, then air to the open wall, or perfectly matched layers.
//
//   shells_t() = {10, 15};
//   Include "curlew/shells.geo";
//
// Set before it, in drawing units:
//   shells_x, shells_y, shells_z     the middle: 0, 0, 0
//   shells_dx, shells_dy, shells_dz  the edges of the box inside: 1, 1, 1
//   shells_t()                       how thick the shells are, from inside; {} is the box alone: 0.25, 0.25
// It sets:
//   shells_volume()                  the volumes from inside: the box, then the shells
//   shells_inner()                   the six surfaces of the box
//   shells_outer()                   the six surfaces of the last shell's outside
// To put a device into it: draw the device behind this file, and then
//   BooleanFragments{ Volume{shells_volume(0)}; Delete; }{ Volume{device()}; Delete; }
If (!Exists(shells_x)) shells_x = 0; EndIf
If (!Exists(shells_y)) shells_y = 0; EndIf
If (!Exists(shells_z)) shells_z = 0; EndIf
If (!Exists(shells_dx)) shells_dx = 1; EndIf
If (!Exists(shells_dy)) shells_dy = 1; EndIf
If (!Exists(shells_dz)) shells_dz = 1; EndIf
If (!Exists(shells_t)) shells_t() = {0.25, 0.25}; EndIf
If (shells_dx <= 0 || shells_dy <= 0 || shells_dz <= 0)
  Error("shells.geo: the edges of the box must be above 0");
EndIf
SetFactory("OpenCASCADE");
shells_d = 0;
shells_new = newv;
Box(shells_new) = {shells_x - shells_dx / 2, shells_y - shells_dy / 2, shells_z - shells_dz / 2, shells_dx, shells_dy,
                   shells_dz};
shells_boxes() = {shells_new};
shells_deep() = {0};
For shells_k In {0 : #shells_t() - 1}
  If (shells_t(shells_k) <= 0)
    Error("shells.geo: shells_t() must be above 0");
  EndIf
  shells_d += shells_t(shells_k);
  shells_deep() += shells_d;
  shells_new = newv;
  Box(shells_new) = {shells_x - shells_dx / 2 - shells_d, shells_y - shells_dy / 2 - shells_d,
                     shells_z - shells_dz / 2 - shells_d, shells_dx + 2 * shells_d, shells_dy + 2 * shells_d,
                     shells_dz + 2 * shells_d};
  shells_boxes() += shells_new;
EndFor
shells_all() = shells_boxes();
If (#shells_boxes() > 1)
  shells_all() = BooleanFragments{ Volume{shells_boxes()}; Delete; }{ };
EndIf
shells_volume() = {};
For shells_k In {0 : #shells_deep() - 1}
  // Of its own volumes, those in the box that were not in the one before.
  shells_h = shells_deep(shells_k) + 1e-5 * (shells_dx + shells_dy + shells_dz);
  shells_box() = Volume In BoundingBox{shells_x - shells_dx / 2 - shells_h, shells_y - shells_dy / 2 - shells_h,
                                       shells_z - shells_dz / 2 - shells_h, shells_x + shells_dx / 2 + shells_h,
                                       shells_y + shells_dy / 2 + shells_h, shells_z + shells_dz / 2 + shells_h};
  shells_out() = shells_all();
  shells_out() -= {shells_box()};
  shells_one() = shells_all();
  shells_one() -= {shells_out()};
  shells_one() -= {shells_volume()};
  shells_volume() += shells_one();
EndFor
shells_inner() = Abs(Boundary{ Volume{shells_volume(0)}; });
shells_outer() = Abs(CombinedBoundary{ Volume{shells_volume()}; });
