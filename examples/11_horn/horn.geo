// Half (y > 0) of a pyramidal horn on WR-90, along z: the guide from -G to 0, the horn to L, its aperture A1 x B1, walls
// without thickness. The guide ends on a block of metal, D long, that is cut out of the air: its front is the port. Air
// for U around all of it, the surface "huygens" for the far field, air for V, the open wall.
SetFactory("OpenCASCADE");
// mm; S: largest elements, T: at the throat
DefineConstant[ A = 22.86, B = 10.16, A1 = 56, B1 = 42, L = 45, G = 14, D = 8, U = 8, V = 8, S = 12, T = 10 ];
e = 1e-3;
Box(1) = {-A / 2, 0, -G, A, B / 2, G};
Box(2) = {-A / 2, 0, -G - D, A, B / 2, D};
For k In {0:1}
  x = k ? A1 / 2 : A / 2;
  y = k ? B1 / 2 : B / 2;
  p = newp;
  Point(p) = {-x, 0, k * L};
  Point(p + 1) = {x, 0, k * L};
  Point(p + 2) = {x, y, k * L};
  Point(p + 3) = {-x, y, k * L};
  l = newc;
  Line(l) = {p, p + 1};
  Line(l + 1) = {p + 1, p + 2};
  Line(l + 2) = {p + 2, p + 3};
  Line(l + 3) = {p + 3, p};
  Wire(201 + k) = {l, l + 1, l + 2, l + 3};
EndFor
Ruled ThruSections(3) = {201, 202};
Box(4) = {-A1 / 2 - U, 0, -G - D - U, A1 + 2 * U, B1 / 2 + U, G + D + L + 2 * U};
Box(5) = {-A1 / 2 - U - V, 0, -G - D - U - V, A1 + 2 * (U + V), B1 / 2 + U + V, G + D + L + 2 * (U + V)};
BooleanFragments{ Volume{1:5}; Delete; }{}
block() = Volume In BoundingBox{-A / 2 - e, -e, -G - D - e, A / 2 + e, B / 2 + e, -G + e};
Recursive Delete { Volume{block()}; }
guide() = Volume In BoundingBox{-A / 2 - e, -e, -G - e, A / 2 + e, B / 2 + e, e};
horn() = Volume In BoundingBox{-A1 / 2 - e, -e, -e, A1 / 2 + e, B1 / 2 + e, L + e};
port() = Surface In BoundingBox{-A / 2 - e, -e, -G - e, A / 2 + e, B / 2 + e, -G + e};
open() = Surface In BoundingBox{-A / 2 - e, -e, -e, A / 2 + e, B / 2 + e, e};
open() += Surface In BoundingBox{-A1 / 2 - e, -e, L - e, A1 / 2 + e, B1 / 2 + e, L + e};
x = A1 / 2 + U + V + e;
mirror() = Surface In BoundingBox{-x, -e, -G - D - U - V - e, x, e, L + U + V + e};
metal() = Abs(CombinedBoundary{ Volume{guide(), horn()}; });
metal() -= {port(), open(), mirror()};
wall() = Abs(CombinedBoundary{ Volume{:}; });
block() = Surface In BoundingBox{-A / 2 - e, -e, -G - D - e, A / 2 + e, B / 2 + e, -G + e};
wall() -= {mirror(), block()};
block() -= {port(), mirror()};
x = A1 / 2 + U;
huygens() = Surface In BoundingBox{-x - e, -e, -G - D - U - e, x + e, B1 / 2 + U + e, L + U + e};
inside() = Surface In BoundingBox{-x + e, -e, -G - D - U + e, x - e, B1 / 2 + U - e, L + U - e};
huygens() -= {inside(), mirror()};
Physical Volume("air") = Volume{:};
Physical Surface("port") = port();
Physical Surface("horn") = metal();
Physical Surface("block") = block();
Physical Surface("mirror") = mirror();
Physical Surface("huygens") = huygens();
Physical Surface("wall") = wall();
Mesh.MeshSizeMax = S;
Characteristic Length { PointsOf{ Volume{guide()}; } } = T;
