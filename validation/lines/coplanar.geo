// A quarter of a coplanar line between two plates: a strip to x = A, grounds from x = B on, without thickness, in the middle of
// plates 2 H apart. Lengths in mm.
SetFactory("OpenCASCADE");
DefineConstant[ SIZE = 0.25, L = 0.25, A = 0.5, B = 1, H = 1, X = 4 ];
Point(1) = {0, 0, 0}; Point(2) = {A, 0, 0}; Point(3) = {B, 0, 0}; Point(4) = {X, 0, 0}; Point(5) = {X, H, 0}; Point(6) = {0, H, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};
out[] = Extrude {0, 0, L} { Surface{1}; };
Physical Volume("line") = {out[1]};
Physical Surface("near") = {1};
Physical Surface("far") = {out[0]};
Physical Surface("symmetry") = {out[3], out[7]};
MeshSize{:} = SIZE;
