// A quarter (x, y > 0) of the room around a metal sphere of radius 100 mm, which is cut out. The total field ends at
// "huygens", the room at "outer".
SetFactory("OpenCASCADE");
DefineConstant[ H = 135, R = 165, S = 50, C = 35 ]; // mm; S: largest elements, C: on the sphere
A = 100;
Sphere(1) = {0, 0, 0, R, -Pi / 2, Pi / 2, Pi / 2};
Sphere(2) = {0, 0, 0, H, -Pi / 2, Pi / 2, Pi / 2};
Sphere(3) = {0, 0, 0, A, -Pi / 2, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{ }
e = 1e-3;
body() = Volume In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
total() = Volume In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
total() -= body();
scattered() = Volume{:};
scattered() -= {total(), body()};
Recursive Delete { Volume{body()}; }
x() = Surface In BoundingBox{-e, -R - e, -R - e, e, R + e, R + e};
y() = Surface In BoundingBox{-R - e, -e, -R - e, R + e, e, R + e};
metal() = Surface In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
metal() -= {x(), y()};
huygens() = Surface In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
huygens() -= {x(), y(), metal()};
outer() = Surface{:};
outer() -= {x(), y(), metal(), huygens()};
Characteristic Length { PointsOf{ Surface{outer(), huygens()}; } } = S;
Characteristic Length { PointsOf{ Surface{metal()}; } } = C;
Physical Volume("total") = total();
Physical Volume("scattered") = scattered();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("metal") = metal();
Physical Surface("huygens") = huygens();
Physical Surface("outer") = outer();
