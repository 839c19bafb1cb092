// A pyramidal horn along z with the guide that feeds it: what is inside. The guide ends where the flare begins, at
// horn_z.
//
//   Include "curlew/horn.geo";
//
// Set before it, in drawing units:
//   horn_x, horn_y, horn_z  the middle of the guide's end: 0, 0, 0
//   horn_a, horn_b          the guide along x and y: 22.86, 10.16 (WR-90)
//   horn_guide_length       20
//   horn_a1, horn_b1        the aperture: 56, 42
//   horn_length             of the flare: 45
// It sets:
//   horn_guide, horn_flare  the volumes
//   horn_port               the guide's other end, for a waveguide port
//   horn_throat             the surface between the two
//   horn_aperture           the surface in which the horn ends
//   horn_metal()            the walls
If (!Exists(horn_x)) horn_x = 0; EndIf
If (!Exists(horn_y)) horn_y = 0; EndIf
If (!Exists(horn_z)) horn_z = 0; EndIf
If (!Exists(horn_a)) horn_a = 22.86; EndIf
If (!Exists(horn_b)) horn_b = 10.16; EndIf
If (!Exists(horn_guide_length)) horn_guide_length = 20; EndIf
If (!Exists(horn_a1)) horn_a1 = 56; EndIf
If (!Exists(horn_b1)) horn_b1 = 42; EndIf
If (!Exists(horn_length)) horn_length = 45; EndIf
If (horn_a <= 0 || horn_b <= 0 || horn_a1 < horn_a || horn_b1 < horn_b || horn_length <= 0 || horn_guide_length <= 0)
  Error("horn.geo: lengths must be above 0, and the aperture no smaller than the guide");
EndIf
SetFactory("OpenCASCADE");
horn_guide = newv;
Box(horn_guide) = {horn_x - horn_a / 2, horn_y - horn_b / 2, horn_z - horn_guide_length, horn_a, horn_b,
                   horn_guide_length};
horn_wires() = {};
For horn_k In {0 : 1}
  horn_u = horn_k ? horn_a1 / 2 : horn_a / 2;
  horn_v = horn_k ? horn_b1 / 2 : horn_b / 2;
  horn_p = newp;
  Point(horn_p) = {horn_x - horn_u, horn_y - horn_v, horn_z + horn_k * horn_length};
  Point(horn_p + 1) = {horn_x + horn_u, horn_y - horn_v, horn_z + horn_k * horn_length};
  Point(horn_p + 2) = {horn_x + horn_u, horn_y + horn_v, horn_z + horn_k * horn_length};
  Point(horn_p + 3) = {horn_x - horn_u, horn_y + horn_v, horn_z + horn_k * horn_length};
  horn_l = newc;
  Line(horn_l) = {horn_p, horn_p + 1};
  Line(horn_l + 1) = {horn_p + 1, horn_p + 2};
  Line(horn_l + 2) = {horn_p + 2, horn_p + 3};
  Line(horn_l + 3) = {horn_p + 3, horn_p};
  horn_loop = newll;
  Wire(horn_loop) = {horn_l : horn_l + 3};
  horn_wires() += horn_loop;
EndFor
horn_flare = newv;
Ruled ThruSections(horn_flare) = {horn_wires()};
horn_made() = BooleanFragments{ Volume{horn_guide, horn_flare}; Delete; }{ };
horn_e = 1e-5 * horn_b;
horn_port = 0;
horn_throat = 0;
horn_aperture = 0;
horn_faces() = Abs(Boundary{ Volume{horn_guide}; });
horn_faces() += Abs(Boundary{ Volume{horn_flare}; });
horn_faces() = Unique(horn_faces());
horn_metal() = {};
For horn_k In {0 : #horn_faces() - 1}
  horn_box() = BoundingBox Surface { horn_faces(horn_k) };
  If (horn_box(5) < horn_z - horn_guide_length + horn_e)
    horn_port = horn_faces(horn_k);
  ElseIf (horn_box(2) > horn_z + horn_length - horn_e)
    horn_aperture = horn_faces(horn_k);
  ElseIf (horn_box(5) - horn_box(2) < horn_e)
    horn_throat = horn_faces(horn_k);
  Else
    horn_metal() += horn_faces(horn_k);
  EndIf
EndFor
