// One eighth of the room around a dipole along z of length L and radius A: x, y, z > 0. The metal is cut out; between
// the arms, |z| < G/2, the cut is the gap. Around it a sleeve of radius W and half length L/2 + A, which may have
// losses; the surface "huygens" at H, the open wall at R.
SetFactory("OpenCASCADE");
DefineConstant[ L = 150, A = 8, G = 16, W = 24, H = 110, R = 150, S = 50, E = 12, N = 2 ]; // mm; S: largest elements, E:
// at the metal; N: facets a quarter of its circle
Cylinder(1) = {0, 0, 0, 0, 0, G / 2, A, Pi / 2};
Cylinder(2) = {0, 0, G / 2, 0, 0, L / 2 - G / 2, A, Pi / 2};
Cylinder(3) = {0, 0, 0, 0, 0, L / 2 + A, W, Pi / 2};
Sphere(4) = {0, 0, 0, H, 0, Pi / 2, Pi / 2};
Sphere(5) = {0, 0, 0, R, 0, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1:5}; Delete; }{}
e = 1e-3;
Recursive Delete { Volume{Volume In BoundingBox{-e, -e, -e, A + e, A + e, L / 2 + e}}; }
sleeve() = Volume In BoundingBox{-e, -e, -e, W + e, W + e, L / 2 + A + e};
room() = Volume{:};
room() -= sleeve();
gap() = Surface In BoundingBox{-e, -e, -e, A + e, A + e, G / 2 + e};
// The facets of the gap must be upright, so that the port's direction lies in them.
Transfinite Curve { Boundary{ Surface{gap()}; } } = 2;
Transfinite Curve { Curve In BoundingBox{-e, -e, -e, A + e, A + e, e},
                    Curve In BoundingBox{-e, -e, G / 2 - e, A + e, A + e, G / 2 + e} } = N + 1;
Transfinite Surface { gap() };
x() = Surface In BoundingBox{-e, -e, -e, e, R + e, R + e};
y() = Surface In BoundingBox{-e, -e, -e, R + e, e, R + e};
z() = Surface In BoundingBox{-e, -e, -e, R + e, R + e, e};
metal() = Surface In BoundingBox{-e, -e, -e, A + e, A + e, L / 2 + e};
metal() -= {gap(), x(), y(), z()};
side() = Abs(Boundary{ Volume{sleeve()}; });
huygens() = Surface In BoundingBox{-e, -e, -e, H + e, H + e, H + e};
huygens() -= {side(), metal(), gap(), x(), y(), z()};
wall() = Surface{:};
wall() -= {side(), metal(), gap(), x(), y(), z(), huygens()};
Physical Volume("sleeve") = sleeve();
Physical Volume("room") = room();
Physical Surface("gap") = gap();
Physical Surface("metal") = metal();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("z") = z();
Physical Surface("huygens") = huygens();
Physical Surface("wall") = wall();
Mesh.MeshSizeMax = S;
Characteristic Length { PointsOf{ Surface{metal()}; } } = E;
