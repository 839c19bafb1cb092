// A quarter of a strip line: a strip of width W without thickness, half way between two plates B apart. Lengths in mm.
SetFactory("OpenCASCADE");
DefineConstant[ SIZE = 0.25, L = 0.25, W = 1, B = 1, X = 4 ];
Point(1) = {0, 0, 0}; Point(2) = {X, 0, 0}; Point(3) = {X, B / 2, 0}; Point(4) = {W / 2, B / 2, 0}; Point(5) = {0, B / 2, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 1};
Curve Loop(1) = {1:5};
Plane Surface(1) = {1};
out[] = Extrude {0, 0, L} { Surface{1}; };
Physical Volume("line") = {out[1]};
Physical Surface("near") = {1};
Physical Surface("far") = {out[0]};
Physical Surface("symmetry") = {out[3], out[4], out[6]};
MeshSize{:} = SIZE;
