// A quarter of the room in the circle on which the field lines of two wires end: wires of radius A, their middles 2 S apart,
// cut by the plane between them. The circle through both foci is a field line: a magnetic wall there changes nothing, and one
// half of the field lines lie within. Lengths in mm.
SetFactory("OpenCASCADE");
DefineConstant[ SIZE = 0.4, L = 0.25, A = 1, S = 2 ];
c = Sqrt(S * S - A * A);
Point(1) = {0, 0, 0}; Point(2) = {S - A, 0, 0}; Point(3) = {c * c / S, c * A / S, 0}; Point(4) = {0, c, 0}; Point(5) = {S, 0, 0};
Line(1) = {1, 2};
Circle(2) = {2, 5, 3};
Circle(3) = {3, 1, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
out[] = Extrude {0, 0, L} { Surface{1}; };
Physical Volume("line") = {out[1]};
Physical Surface("near") = {1};
Physical Surface("far") = {out[0]};
Physical Surface("wire") = {out[3]};
Physical Surface("symmetry") = {out[2], out[4]};
MeshSize{:} = SIZE;
