// A metal block of A x B x C in open space. The wave exists inside the ball "total"; outside of it, and on the outer
// surface, is what the block scatters. Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[ A = 60, B = 60, C = 60, R1 = 90, R2 = 125 ]; // the block; radii of the two balls
DefineConstant[ fine = 40, coarse = 50 ];                    // elements at the block, and far from it
Sphere(1) = {0, 0, 0, R1};
Sphere(2) = {0, 0, 0, R2};
Box(3) = {-A / 2, -B / 2, -C / 2, A, B, C};
BooleanFragments{ Volume{1, 2, 3}; Delete; }{}
e = 1e-3;
block() = Volume In BoundingBox{-A / 2 - e, -B / 2 - e, -C / 2 - e, A / 2 + e, B / 2 + e, C / 2 + e};
total() = Volume In BoundingBox{-R1 - e, -R1 - e, -R1 - e, R1 + e, R1 + e, R1 + e};
total() -= block();
scattered() = Volume{:};
scattered() -= {total(), block()};
metal() = Abs(Boundary{ Volume{block()}; });
huygens() = Surface In BoundingBox{-R1 - e, -R1 - e, -R1 - e, R1 + e, R1 + e, R1 + e};
huygens() -= metal();
Recursive Delete { Volume{block()}; } // nothing is computed inside metal
outer() = Surface{:};
outer() -= {metal(), huygens()};
MeshSize{ PointsOf{ Volume{:}; } } = coarse;
MeshSize{ PointsOf{ Surface{metal()}; } } = fine;
Physical Volume("total") = total();
Physical Volume("scattered") = scattered();
Physical Surface("metal") = metal();
Physical Surface("huygens") = huygens();
Physical Surface("outer") = outer();
