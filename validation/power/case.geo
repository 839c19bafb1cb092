// A bar along x with a block of length D that fills the fraction F of its width and height: a slab for F = 1, else a
// corner of it, which the walls mirror into a lattice of bricks. Walls in y and z let a plane wave with E along z run
// along x. The planes "in" and "out" are 0.05 m in front of and behind the block.
SetFactory("OpenCASCADE");
DefineConstant[ F = 1, W = 0.06, D = 0.1 ];
Box(1) = {-0.2, 0, 0, 0.15, W, W};
Box(2) = {-0.05, 0, 0, D + 0.1, W, W};
Box(3) = {D + 0.05, 0, 0, 0.15, W, W};
Box(4) = {0, 0, 0, D, F * W, F * W};
BooleanFragments{ Volume{1:4}; Delete; }{}
e = 1e-6;
block() = Volume In BoundingBox{-e, -e, -e, D + e, F * W + e, F * W + e};
around() = Volume{:};
around() -= block();
Physical Volume("block") = block();
Physical Volume("air") = around();
Physical Surface("left") = Surface In BoundingBox{-0.2 - e, -e, -e, -0.2 + e, W + e, W + e};
Physical Surface("in") = Surface In BoundingBox{-0.05 - e, -e, -e, -0.05 + e, W + e, W + e};
Physical Surface("out") = Surface In BoundingBox{D + 0.05 - e, -e, -e, D + 0.05 + e, W + e, W + e};
Physical Surface("right") = Surface In BoundingBox{D + 0.2 - e, -e, -e, D + 0.2 + e, W + e, W + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-0.2 - e, -e, -e, D + 0.2 + e, e, W + e},
                                 Surface In BoundingBox{-0.2 - e, W - e, -e, D + 0.2 + e, W + e, W + e} };
