// A microstrip line along x: the substrate from z = 0 up, a strip without thickness on it, air above. The ground is the
// plane below. Between the strip's ends and the ground are two faces for lumped ports, direction { 0, 0, 1 }.
//
//   Include "curlew/microstrip.geo";
//
// Set before it, in drawing units:
//   microstrip_x, microstrip_y, microstrip_z  the middle of the end at which it begins, on the ground: 0, 0, 0
//   microstrip_w       width of the strip: 3
//   microstrip_h       height of the substrate: 1.6
//   microstrip_length  30
//   microstrip_width   of substrate and air: 8 times the strip's
//   microstrip_air_h   height of the air: 8 times the substrate's
// It sets:
//   microstrip_substrate, microstrip_air  the volumes
//   microstrip_strip()                    the strip: an interface of kind "pec"
//   microstrip_ground()                   the surface below
//   microstrip_begin, microstrip_end      the faces of the ports
If (!Exists(microstrip_x)) microstrip_x = 0; EndIf
If (!Exists(microstrip_y)) microstrip_y = 0; EndIf
If (!Exists(microstrip_z)) microstrip_z = 0; EndIf
If (!Exists(microstrip_w)) microstrip_w = 3; EndIf
If (!Exists(microstrip_h)) microstrip_h = 1.6; EndIf
If (!Exists(microstrip_length)) microstrip_length = 30; EndIf
If (!Exists(microstrip_width)) microstrip_width = 8 * microstrip_w; EndIf
If (!Exists(microstrip_air_h)) microstrip_air_h = 8 * microstrip_h; EndIf
If (microstrip_w <= 0 || microstrip_h <= 0 || microstrip_length <= 0 || microstrip_air_h <= 0 ||
    microstrip_width <= microstrip_w)
  Error("microstrip.geo: lengths must be above 0, and microstrip_width more than microstrip_w");
EndIf
SetFactory("OpenCASCADE");
microstrip_substrate = newv;
Box(microstrip_substrate) = {microstrip_x, microstrip_y - microstrip_width / 2, microstrip_z, microstrip_length,
                             microstrip_width, microstrip_h};
microstrip_air = newv;
Box(microstrip_air) = {microstrip_x, microstrip_y - microstrip_width / 2, microstrip_z + microstrip_h, microstrip_length,
                       microstrip_width, microstrip_air_h};
microstrip_sheet = news;
Rectangle(microstrip_sheet) = {microstrip_x, microstrip_y - microstrip_w / 2, microstrip_z + microstrip_h,
                               microstrip_length, microstrip_w};
microstrip_cut() = {microstrip_sheet};
For microstrip_k In {0 : 1}
  microstrip_at = microstrip_x + microstrip_k * microstrip_length;
  microstrip_p = newp;
  Point(microstrip_p) = {microstrip_at, microstrip_y - microstrip_w / 2, microstrip_z};
  Point(microstrip_p + 1) = {microstrip_at, microstrip_y + microstrip_w / 2, microstrip_z};
  Point(microstrip_p + 2) = {microstrip_at, microstrip_y + microstrip_w / 2, microstrip_z + microstrip_h};
  Point(microstrip_p + 3) = {microstrip_at, microstrip_y - microstrip_w / 2, microstrip_z + microstrip_h};
  microstrip_l = newc;
  Line(microstrip_l) = {microstrip_p, microstrip_p + 1};
  Line(microstrip_l + 1) = {microstrip_p + 1, microstrip_p + 2};
  Line(microstrip_l + 2) = {microstrip_p + 2, microstrip_p + 3};
  Line(microstrip_l + 3) = {microstrip_p + 3, microstrip_p};
  microstrip_loop = newll;
  Curve Loop(microstrip_loop) = {microstrip_l : microstrip_l + 3};
  microstrip_face = news;
  Plane Surface(microstrip_face) = {microstrip_loop};
  microstrip_cut() += microstrip_face;
EndFor
microstrip_made() = BooleanFragments{ Volume{microstrip_substrate, microstrip_air}; Delete; }{
  Surface{microstrip_cut()}; Delete; };
// The volumes keep their numbers; surfaces are found by their places among those of the two volumes.
microstrip_faces() = Abs(Boundary{ Volume{microstrip_substrate}; });
microstrip_faces() += Abs(Boundary{ Volume{microstrip_air}; });
microstrip_e = 1e-5 * microstrip_h;
microstrip_strip() = {};
microstrip_ground() = {};
microstrip_begin = 0;
microstrip_end = 0;
For microstrip_k In {0 : #microstrip_faces() - 1}
  microstrip_b() = BoundingBox Surface { microstrip_faces(microstrip_k) };
  microstrip_flat = microstrip_b(5) - microstrip_b(2) < microstrip_e;
  microstrip_narrow = microstrip_b(1) > microstrip_y - microstrip_w / 2 - microstrip_e &&
                      microstrip_b(4) < microstrip_y + microstrip_w / 2 + microstrip_e;
  microstrip_low = microstrip_b(5) < microstrip_z + microstrip_h + microstrip_e;
  If (microstrip_flat && microstrip_b(5) < microstrip_z + microstrip_e)
    microstrip_ground() += microstrip_faces(microstrip_k);
  ElseIf (microstrip_flat && microstrip_narrow && microstrip_low)
    microstrip_strip() += microstrip_faces(microstrip_k);
  ElseIf (microstrip_narrow && microstrip_low && microstrip_b(3) < microstrip_x + microstrip_e)
    microstrip_begin = microstrip_faces(microstrip_k);
  ElseIf (microstrip_narrow && microstrip_low && microstrip_b(0) > microstrip_x + microstrip_length - microstrip_e)
    microstrip_end = microstrip_faces(microstrip_k);
  EndIf
EndFor
microstrip_strip() = Unique(microstrip_strip());
