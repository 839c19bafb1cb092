// A quarter (x, y > 0) of the room around a gold sphere of radius 50 nm. The total field ends at
// "huygens", the room at "outer".
SetFactory("OpenCASCADE");
DefineConstant[ A = 50, H = 80, R = 150, S = 45, C = 22 ]; // nm; S: largest elements, C: on the sphere
Sphere(1) = {0, 0, 0, R, -Pi / 2, Pi / 2, Pi / 2};
Sphere(2) = {0, 0, 0, H, -Pi / 2, Pi / 2, Pi / 2};
Sphere(3) = {0, 0, 0, A, -Pi / 2, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{ }
e = 1e-3;
gold() = Volume In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
total() = Volume In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
total() -= gold();
scattered() = Volume{:};
scattered() -= {total(), gold()};
x() = Surface In BoundingBox{-e, -R - e, -R - e, e, R + e, R + e};
y() = Surface In BoundingBox{-R - e, -e, -R - e, R + e, e, R + e};
ball() = Surface In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
ball() -= {x(), y()};
huygens() = Surface In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
huygens() -= {x(), y(), ball()};
outer() = Surface{:};
outer() -= {x(), y(), ball(), huygens()};
Characteristic Length { PointsOf{ Surface{outer(), huygens()}; } } = S;
Characteristic Length { PointsOf{ Surface{ball()}; } } = C;
Physical Volume("gold") = gold();
Physical Volume("total") = {total(), gold()};
Physical Volume("scattered") = scattered();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("ball") = ball();
Physical Surface("huygens") = huygens();
Physical Surface("outer") = outer();
