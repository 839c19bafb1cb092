// A bar along x in two pieces that meet at x = 0. Walls in y and z let a plane wave with E along z run along x.
SetFactory("OpenCASCADE");
DefineConstant[ L = 0.2, W = 0.04 ];
Box(1) = {-L, 0, 0, L, W, W};
Box(2) = {0, 0, 0, L, W, W};
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-6;
Physical Volume("left") = {1};
Physical Volume("right") = {2};
Physical Surface("sheet") = Surface In BoundingBox{-e, -e, -e, e, W + e, W + e};
Physical Surface("ends") = { Surface In BoundingBox{-L - e, -e, -e, -L + e, W + e, W + e},
                             Surface In BoundingBox{L - e, -e, -e, L + e, W + e, W + e} };
Physical Surface("magnetic") = { Surface In BoundingBox{-L - e, -e, -e, L + e, e, W + e},
                                 Surface In BoundingBox{-L - e, W - e, -e, L + e, W + e, W + e} };
