// A quarter (x, y > 0) of a sphere of radius 1 in shells: the surface of total field at H, the outer wall at R.
SetFactory("OpenCASCADE");
DefineConstant[ H = 1.5, R = 3.5, S = 1.2, C = 0.4 ]; // S: elements at the wall, C: in and on the sphere
Sphere(1) = {0, 0, 0, R, -Pi / 2, Pi / 2, Pi / 2};
Sphere(2) = {0, 0, 0, H, -Pi / 2, Pi / 2, Pi / 2};
Sphere(3) = {0, 0, 0, 1, -Pi / 2, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{ }
e = 1e-6;
body() = Volume In BoundingBox{-1 - e, -1 - e, -1 - e, 1 + e, 1 + e, 1 + e};
inner() = Volume In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
inner() -= body();
outer() = Volume{:};
outer() -= {inner(), body()};
x() = Surface In BoundingBox{-e, -R - e, -R - e, e, R + e, R + e};
y() = Surface In BoundingBox{-R - e, -e, -R - e, R + e, e, R + e};
ball() = Surface In BoundingBox{-1 - e, -1 - e, -1 - e, 1 + e, 1 + e, 1 + e};
ball() -= {x(), y()};
huygens() = Surface In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
huygens() -= {x(), y(), ball()};
wall() = Surface{:};
wall() -= {x(), y(), ball(), huygens()};
Characteristic Length { PointsOf{ Surface{wall()}; } } = S;
Characteristic Length { PointsOf{ Surface{huygens()}; } } = (S + C) / 2;
Characteristic Length { PointsOf{ Surface{ball()}; } } = C;
Physical Volume("body") = body();
Physical Volume("total") = {inner(), body()};
Physical Volume("outer") = outer();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("huygens") = huygens();
Physical Surface("wall") = wall();
