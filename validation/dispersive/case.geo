// A bar along x: F in front of a slab, S of slab, B behind it. Walls in y and z let a plane wave with E along z run.
SetFactory("OpenCASCADE");
DefineConstant[ F = 15, S = 15, B = 5, W = 2 ];
Box(1) = {-F, 0, 0, F, W, W};
Box(2) = {0, 0, 0, S, W, W};
Box(3) = {S, 0, 0, B, W, W};
BooleanFragments{ Volume{1:3}; Delete; }{}
e = 1e-3 * W;
Physical Volume("air") = {1, 3};
Physical Volume("slab") = {2};
Physical Surface("left") = Surface In BoundingBox{-F - e, -e, -e, -F + e, W + e, W + e};
Physical Surface("right") = Surface In BoundingBox{S + B - e, -e, -e, S + B + e, W + e, W + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-F - e, -e, -e, S + B + e, e, W + e},
                                 Surface In BoundingBox{-F - e, W - e, -e, S + B + e, W + e, W + e} };
