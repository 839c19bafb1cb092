// A bar along x in three pieces: in front of, in, and behind a slab of thickness D. Walls in y and z let a plane wave
// with E along z run along x.
SetFactory("OpenCASCADE");
DefineConstant[ D = 0.1, W = 0.08 ];
Box(1) = {-1, 0, 0, 1, W, W};
Box(2) = {0, 0, 0, D, W, W};
Box(3) = {D, 0, 0, 1.2 - D, W, W};
BooleanFragments{ Volume{1:3}; Delete; }{}
e = 1e-6;
Physical Volume("front") = {1};
Physical Volume("slab") = {2};
Physical Volume("back") = {3};
Physical Surface("left") = Surface In BoundingBox{-1 - e, -e, -e, -1 + e, W + e, W + e};
Physical Surface("right") = Surface In BoundingBox{1.2 - e, -e, -e, 1.2 + e, W + e, W + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-1 - e, -e, -e, 1.2 + e, e, W + e},
                                 Surface In BoundingBox{-1 - e, W - e, -e, 1.2 + e, W + e, W + e} };
