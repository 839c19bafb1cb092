// A cabinet without a thickness, A x B x C, on a ground plane, with a slot of S x W in its front (y = 0) at height Z,
// in a room that ends R away from it. Slot and walls are surfaces inside the domain.
SetFactory("OpenCASCADE");
// Lengths in m; M: largest elements, H: elements at the slot.
DefineConstant[ A = 0.6, B = 0.4, C = 0.8, S = 0.3, W = 0.06, Z = 0.5, R = 0.6, M = 0.25, H = 0.1 ];
Box(1) = {-R, -R, 0, A + 2 * R, B + 2 * R, C + R};
Box(2) = {0, 0, 0, A, B, C};
p = newp;
Point(p) = {(A - S) / 2, 0, Z - W / 2};
Point(p + 1) = {(A + S) / 2, 0, Z - W / 2};
Point(p + 2) = {(A + S) / 2, 0, Z + W / 2};
Point(p + 3) = {(A - S) / 2, 0, Z + W / 2};
l = newl;
For i In {0:3}
  Line(l + i) = {p + i, p + (i + 1) % 4};
EndFor
Curve Loop(100) = {l:l + 3};
Plane Surface(100) = {100};
BooleanFragments{ Volume{1, 2}; Delete; }{ Surface{100}; Delete; }
Mesh.CharacteristicLengthMax = M;
e = 1e-6;
inside() = Volume In BoundingBox{-e, -e, -e, A + e, B + e, C + e};
slot() = Surface In BoundingBox{(A - S) / 2 - e, -e, Z - W / 2 - e, (A + S) / 2 + e, e, Z + W / 2 + e};
walls() = Surface In BoundingBox{-e, -e, -e, A + e, B + e, C + e};
floor() = Surface In BoundingBox{-e, -e, -e, A + e, B + e, e};
walls() -= {slot(), floor()};
outside() = Volume{:};
outside() -= inside();
Physical Volume("inside") = inside();
Physical Volume("room") = outside();
Physical Surface("walls") = walls();
Physical Surface("slot") = slot();
ground() = Surface In BoundingBox{-R - e, -R - e, -e, A + R + e, B + R + e, e};
Physical Surface("ground") = ground();
Characteristic Length { PointsOf{ Surface{slot()}; } } = H;
