// A ball of radius R around the origin: elements of size N around the dipole, S where its wave goes to the probes, and
// O at the surface.
SetFactory("OpenCASCADE");
DefineConstant[ R = 0.6, N = 0.045, S = 0.09, O = 0.15 ];
Sphere(1) = {0, 0, 0, R};
Physical Volume("air") = {1};
Physical Surface("outer") = Surface{:};
Point(100) = {0.011, -0.007, 0.005};
Field[1] = Distance;
Field[1].PointsList = {100};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = N;
Field[2].SizeMax = S;
Field[2].DistMin = N;
Field[2].DistMax = 0.2;
Field[3] = Threshold;
Field[3].InField = 1;
Field[3].SizeMin = 0;
Field[3].SizeMax = O;
Field[3].DistMin = 0.36;
Field[3].DistMax = 0.55;
Field[4] = Max;
Field[4].FieldsList = {2, 3};
Background Field = 4;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
