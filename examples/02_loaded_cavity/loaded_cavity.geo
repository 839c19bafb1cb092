// A metal box A x B x C; a dielectric block fills its bottom, 0 < z < H.
SetFactory("OpenCASCADE");
DefineConstant[ A = 50, B = 40, C = 50, H = 10 ]; // mm
Box(1) = {0, 0, 0, A, B, H};
Box(2) = {0, 0, H, A, B, C - H};
BooleanFragments{ Volume{1:2}; Delete; }{}
Physical Volume("dielectric") = {1};
Physical Volume("air") = {2};
Physical Surface("walls") = CombinedBoundary{ Volume{:}; };
