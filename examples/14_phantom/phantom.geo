// A quarter (x, y > 0) of the room around a ball of tissue of radius 50 mm. The total field ends at
// "huygens", the room at "outer".
SetFactory("OpenCASCADE");
DefineConstant[ H = 90, R = 120, S = 45, C = 22 ]; // mm; S: largest elements, C: in the ball
A = 50;
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
x() = Surface In BoundingBox{-e, -R - e, -R - e, e, R + e, R + e};
y() = Surface In BoundingBox{-R - e, -e, -R - e, R + e, e, R + e};
skin() = Surface In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
skin() -= {x(), y()};
huygens() = Surface In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
huygens() -= {x(), y(), skin()};
outer() = Surface{:};
outer() -= {x(), y(), skin(), huygens()};
Characteristic Length { PointsOf{ Surface{outer(), huygens()}; } } = S;
Characteristic Length { PointsOf{ Volume{body()}; } } = C;
Physical Volume("tissue") = body();
Physical Volume("total") = {total(), body()};
Physical Volume("scattered") = scattered();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("huygens") = huygens();
Physical Surface("outer") = outer();
