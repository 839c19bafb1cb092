// Half of a microstrip line along x in a shielding box, cut by its plane of symmetry y = 0: a substrate of height H, on it a
// strip of width W without thickness, above it air of height A. Elements are small at the edge of the strip. Lengths in mm.
DefineConstant[ W = 3, H = 1.6, A = 24, B = 30, L = 12, SIZE = 8, EDGE = 1 ];
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, L, B, H};
Box(2) = {0, 0, H, L, B, A};
Rectangle(100) = {0, 0, H, L, W / 2};
BooleanFragments{ Volume{1:2}; Delete; }{ Surface{100}; Delete; }
e = 1e-3;
Physical Volume("substrate") = {1};
Physical Volume("air") = {2};
Physical Surface("strip") = Surface In BoundingBox {-e, -e, H - e, L + e, W / 2 + e, H + e};
Physical Surface("in") = Surface In BoundingBox {-e, -e, -e, e, B + e, H + A + e};
Physical Surface("out") = Surface In BoundingBox {L - e, -e, -e, L + e, B + e, H + A + e};
Physical Surface("symmetry") = Surface In BoundingBox {-e, -e, -e, L + e, e, H + A + e};
Physical Surface("ground") = Surface In BoundingBox {-e, -e, -e, L + e, B + e, e};
edge() = Curve In BoundingBox {-e, W / 2 - e, H - e, L + e, W / 2 + e, H + e};
Field[1] = Distance;
Field[1].CurvesList = {edge()};
Field[1].NumPointsPerCurve = 100;
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = EDGE;
Field[2].SizeMax = SIZE;
Field[2].DistMin = 0.3;
Field[2].DistMax = 15;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
