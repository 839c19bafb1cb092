// A quarter (x, y > 0) of a sphere of radius 1 in shells: the surface of total field at H, the outer wall at R.
SetFactory("OpenCASCADE");
DefineConstant[ H = 1.3, R = 2, S = 0.5, C = 0.3, F = 1, G = 2 ]; // S: elements outside, C: in and on the sphere; F: 0 a hole; G: 1 straight elements
// Flat triangles with edges C and corners on a sphere lie C^2/8 within it in the mean: this one has the volume of radius 1.
A = (G > 1) ? 1 : 1 + C * C / 8; // curved elements need no help
Sphere(1) = {0, 0, 0, R, -Pi / 2, Pi / 2, Pi / 2};
Sphere(2) = {0, 0, 0, H, -Pi / 2, Pi / 2, Pi / 2};
Sphere(3) = {0, 0, 0, A, -Pi / 2, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{ }
e = 1e-6;
body() = Volume In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
inner() = Volume In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
inner() -= body();
outer() = Volume{:};
outer() -= {inner(), body()};
If(F == 0)
  Recursive Delete { Volume{body()}; }
EndIf
x() = Surface In BoundingBox{-e, -R - e, -R - e, e, R + e, R + e};
y() = Surface In BoundingBox{-R - e, -e, -R - e, R + e, e, R + e};
ball() = Surface In BoundingBox{-A - e, -A - e, -A - e, A + e, A + e, A + e};
ball() -= {x(), y()};
huygens() = Surface In BoundingBox{-H - e, -H - e, -H - e, H + e, H + e, H + e};
huygens() -= {x(), y(), ball()};
wall() = Surface{:};
wall() -= {x(), y(), ball(), huygens()};
Characteristic Length { PointsOf{ Surface{wall()}; } } = S;
Characteristic Length { PointsOf{ Surface{huygens()}; } } = S;
Characteristic Length { PointsOf{ Surface{ball()}; } } = C;
If(F == 1)
  Physical Volume("body") = body();
  Physical Volume("total") = {inner(), body()};
Else
  Physical Volume("total") = inner();
EndIf
Physical Volume("outer") = outer();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("ball") = ball();
Physical Surface("huygens") = huygens();
Physical Surface("wall") = wall();
