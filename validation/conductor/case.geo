// A bar along x: 0.1 m in front of a conductor, and L of it. Walls in y and z let a plane wave with E along z run
// along x.
SetFactory("OpenCASCADE");
DefineConstant[ L = 0.4, W = 0.03 ];
Box(1) = {-0.1, 0, 0, 0.1, W, W};
Box(2) = {0, 0, 0, L, W, W};
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-6;
Physical Volume("front") = {1};
Physical Volume("conductor") = {2};
Physical Surface("left") = Surface In BoundingBox{-0.1 - e, -e, -e, -0.1 + e, W + e, W + e};
Physical Surface("right") = Surface In BoundingBox{L - e, -e, -e, L + e, W + e, W + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-0.1 - e, -e, -e, L + e, e, W + e},
                                 Surface In BoundingBox{-0.1 - e, W - e, -e, L + e, W + e, W + e} };
