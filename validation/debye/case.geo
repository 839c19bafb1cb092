// A bar along x: 5 mm in front of water, and L of it. Walls in y and z let a plane wave with E along z run along x.
SetFactory("OpenCASCADE");
DefineConstant[ L = 0.009, W = 0.0006 ];
Box(1) = {-0.005, 0, 0, 0.005, W, W};
Box(2) = {0, 0, 0, L, W, W};
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-5;
Physical Volume("front") = {1};
Physical Volume("water") = {2};
Physical Surface("left") = Surface In BoundingBox{-0.005 - e, -e, -e, -0.005 + e, W + e, W + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-0.005 - e, -e, -e, L + e, e, W + e},
                                 Surface In BoundingBox{-0.005 - e, W - e, -e, L + e, W + e, W + e} };
