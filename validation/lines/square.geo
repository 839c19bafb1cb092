// A quarter of a coaxial line of squares, inner side 1, outer side 2, cut by its planes of symmetry. Lengths in mm.
SetFactory("OpenCASCADE");
DefineConstant[ SIZE = 0.25, L = 0.25 ];
Point(1) = {0.5, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {1, 1, 0}; Point(4) = {0, 1, 0}; Point(5) = {0, 0.5, 0}; Point(6) = {0.5, 0.5, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};
out[] = Extrude {0, 0, L} { Surface{1}; };
Physical Volume("line") = {out[1]};
Physical Surface("near") = {1};
Physical Surface("far") = {out[0]};
Physical Surface("symmetry") = {out[2], out[5]};
MeshSize{:} = SIZE;
