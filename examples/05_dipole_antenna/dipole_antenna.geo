// One eighth of the room around a dipole along z of length L and radius A: x, y, z > 0, out to a sphere of radius R.
// The metal is cut out; between the arms, |z| < G/2, the cut has the surface "gap".
SetFactory("OpenCASCADE");
DefineConstant[ L = 150, A = 2.5, G = 5, R = 200, S = 80, E = 3.5, N = 2 ]; // mm; S: largest elements, E: at the
// metal; N: facets a quarter of its circle
Sphere(1) = {0, 0, 0, R, 0, Pi / 2, Pi / 2};
Cylinder(2) = {0, 0, 0, 0, 0, G / 2, A, Pi / 2};
Cylinder(3) = {0, 0, G / 2, 0, 0, L / 2 - G / 2, A, Pi / 2};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
e = 1e-3;
Mesh.CharacteristicLengthMax = S;
Physical Volume("room") = {4};
gap() = Surface In BoundingBox{-e, -e, -e, A + e, A + e, G / 2 + e};
// The facets of the gap must be upright, so that the port's direction lies in them.
Transfinite Curve { Boundary{ Surface{gap()}; } } = 2;
Transfinite Curve { Curve In BoundingBox{-e, -e, -e, A + e, A + e, e},
                    Curve In BoundingBox{-e, -e, G / 2 - e, A + e, A + e, G / 2 + e} } = N + 1;
Transfinite Surface { gap() };
metal() = Surface In BoundingBox{-e, -e, -e, A + e, A + e, L / 2 + e};
metal() -= gap();
x() = Surface In BoundingBox{-e, -e, -e, e, R + e, R + e};
y() = Surface In BoundingBox{-e, -e, -e, R + e, e, R + e};
Physical Surface("gap") = gap();
Physical Surface("metal") = metal();
Physical Surface("middle") = Surface In BoundingBox{-e, -e, -e, R + e, R + e, e};
Physical Surface("symmetry") = {x(), y()};
outer() = Surface{:};
outer() -= {gap(), metal(), x(), y(), Surface In BoundingBox{-e, -e, -e, R + e, R + e, e}};
Physical Surface("sphere") = outer();
Characteristic Length { PointsOf{ Surface{outer()}; } } = S;
Characteristic Length { PointsOf{ Surface{metal()}; } } = E;
