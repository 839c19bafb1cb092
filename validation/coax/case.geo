// A coaxial line along z, in mm: radii A and B, both conductors with N corners (on the circles), or round (ROUND = 1)
// with as many elements around, M layers of elements between them and K along the line. Layers, because elements may be long along the line and must be small across it.
DefineConstant[ A = 1, B = 2.3, N = 16, M = 2, L = 20, K = 10, G = 1.2, ROUND = 0 ];
SetFactory("OpenCASCADE");
Point(999) = {0, 0, 0};
For i In {0 : N - 1}
  c = Cos(2 * Pi * i / N);
  s = Sin(2 * Pi * i / N);
  Point(1 + i) = {A * c, A * s, 0};
  Point(101 + i) = {B * c, B * s, 0};
EndFor
For i In {0 : N - 1}
  j = (i + 1) % N;
  If (ROUND)
    Circle(1 + i) = {1 + i, 999, 1 + j};
    Circle(101 + i) = {101 + i, 999, 101 + j};
  Else
    Line(1 + i) = {1 + i, 1 + j};
    Line(101 + i) = {101 + i, 101 + j};
  EndIf
  Line(201 + i) = {1 + i, 101 + i};
EndFor
For i In {0 : N - 1}
  j = (i + 1) % N;
  Curve Loop(1 + i) = {201 + i, 101 + i, -(201 + j), -(1 + i)};
  Plane Surface(1 + i) = {1 + i};
  near[i] = 1 + i;
EndFor
Transfinite Curve{1 : N, 101 : 100 + N} = 2;
Transfinite Curve{201 : 200 + N} = M + 1 Using Progression G;
Transfinite Surface{1 : N};
out[] = Extrude {0, 0, L} { Surface{1 : N}; Layers{K}; };
e = 1e-4;
Physical Volume("line") = Volume{:};
Physical Surface("near") = near[];
Physical Surface("far") = Surface In BoundingBox{-B - e, -B - e, L - e, B + e, B + e, L + e};
