// A bar along z with a square cross-section of width W: vacuum of length S, a slab of thickness D, vacuum of length S.
// Its sides are mirrors, electric ones at the ends of x and magnetic ones at the ends of y: what the plane wave with E
// along x would see in an endless slab.
SetFactory("OpenCASCADE");
DefineConstant[ D = 10, W = 4, S = 20 ]; // mm
Box(1) = {0, 0, -S, W, W, S};
Box(2) = {0, 0, 0, W, W, D};
Box(3) = {0, 0, D, W, W, S};
BooleanFragments{ Volume{1:3}; Delete; }{}
e = 1e-3;
Physical Volume("vacuum") = {1, 3};
Physical Volume("slab") = {2};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -S - e, W + e, W + e, -S + e};
Physical Surface("right") = Surface In BoundingBox{-e, -e, D + S - e, W + e, W + e, D + S + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-e, -e, -S - e, W + e, e, D + S + e},
                                 Surface In BoundingBox{-e, W - e, -S - e, W + e, W + e, D + S + e} };
