// WR-90 along z, in mm.
SetFactory("OpenCASCADE");
DefineConstant[ A = 22.86, B = 10.16, L = 60 ];
Box(1) = {0, 0, 0, A, B, L};
e = 1e-4;
Physical Volume("guide") = {1};
Physical Surface("front") = Surface In BoundingBox{-e, -e, -e, A + e, B + e, e};
Physical Surface("back") = Surface In BoundingBox{-e, -e, L - e, A + e, B + e, L + e};
