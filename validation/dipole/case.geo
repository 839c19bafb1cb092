// A cube around the origin; the dipole sits in its middle.
SetFactory("OpenCASCADE");
DefineConstant[ A = 0.6 ];
Box(1) = {-A, -A, -A, 2 * A, 2 * A, 2 * A};
Physical Volume("air") = {1};
Physical Surface("outer") = Surface{:};
// Small elements around the dipole, where its field is singular, and S far away.
DefineConstant[ S = 0.12, N = 0.03 ];
Point(100) = {0.011, -0.007, 0.005};
Field[1] = Distance;
Field[1].PointsList = {100};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = N;
Field[2].SizeMax = S;
Field[2].DistMin = 0.03;
Field[2].DistMax = 0.35;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
