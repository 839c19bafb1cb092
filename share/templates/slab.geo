// A bar along z with a square section of width W: vacuum, a slab of thickness D, vacuum. Its sides are mirrors, so that
// the wave sees a slab without end. Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[ D = 10, W = 4, S = 20 ]; // S: the length of the vacuum on each side
Box(1) = {0, 0, -S, W, W, S};
Box(2) = {0, 0, 0, W, W, D};
Box(3) = {0, 0, D, W, W, S};
BooleanFragments{ Volume{1:3}; Delete; }{} // pieces that share their faces
e = 1e-3;
Physical Volume("vacuum") = {1, 3};
Physical Volume("slab") = {2};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -S - e, W + e, W + e, -S + e};
Physical Surface("right") = Surface In BoundingBox{-e, -e, D + S - e, W + e, W + e, D + S + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-e, -e, -S - e, W + e, e, D + S + e},
                                 Surface In BoundingBox{-e, W - e, -S - e, W + e, W + e, D + S + e} };
