// A ball of radius R around the origin: elements of size S where the wave goes from the dipole to the probes, and O at the
// surface. The dipole needs no smaller ones: its element radiates its field but for multipoles of order p + 2 on.
SetFactory("OpenCASCADE");
DefineConstant[ R = 0.6, S = 0.09, O = 0.15 ];
Sphere(1) = {0, 0, 0, R};
Physical Volume("air") = {1};
Physical Surface("outer") = Surface{:};
Point(100) = {0, 0, 0};
Field[1] = Distance;
Field[1].PointsList = {100};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = S;
Field[2].SizeMax = O;
Field[2].DistMin = 0.36;
Field[2].DistMax = 0.55;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
