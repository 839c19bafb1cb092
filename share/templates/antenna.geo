// A flat dipole of length L and width W along z, in the plane x = 0, and half of the room around it (x > 0). The other
// half is its mirror image. The far field is taken on the surface of the inner half ball, "near". Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[ L = 130, W = 10, G = 6, R1 = 85, R2 = 110 ]; // G: the gap in the middle, where it is fed
DefineConstant[ fine = 12, coarse = 60 ];                     // elements at the metal, and far from it
Sphere(1) = {0, 0, 0, R1};
Sphere(2) = {0, 0, 0, R2};
Box(3) = {0, -2 * R2, -2 * R2, 2 * R2, 4 * R2, 4 * R2};
BooleanIntersection(4) = { Volume{1}; Delete; }{ Volume{3}; };
BooleanIntersection(5) = { Volume{2}; Delete; }{ Volume{3}; Delete; };
// Rectangle() lies in the plane z = 0; turned about y it lies in x = 0.
Rectangle(101) = {-G / 2, -W / 2, 0, G, W};
Rectangle(102) = {G / 2, -W / 2, 0, (L - G) / 2, W};
Rectangle(103) = {-L / 2, -W / 2, 0, (L - G) / 2, W};
Rotate {{0, 1, 0}, {0, 0, 0}, Pi / 2} { Surface{101, 102, 103}; }
BooleanFragments{ Volume{4, 5}; Delete; }{ Surface{101, 102, 103}; Delete; }
e = 1e-3;
gap() = Surface In BoundingBox{-e, -W / 2 - e, -G / 2 - e, e, W / 2 + e, G / 2 + e};
metal() = Surface In BoundingBox{-e, -W / 2 - e, -L / 2 - e, e, W / 2 + e, L / 2 + e};
metal() -= gap();
mirror() = Surface In BoundingBox{-e, -R2 - e, -R2 - e, e, R2 + e, R2 + e};
mirror() -= {gap(), metal()};
inner() = Volume In BoundingBox{-e, -R1 - e, -R1 - e, R1 + e, R1 + e, R1 + e};
outer() = Volume{:};
outer() -= inner();
near() = Surface In BoundingBox{-e, -R1 - e, -R1 - e, R1 + e, R1 + e, R1 + e};
near() -= {gap(), metal(), mirror()};
sphere() = Surface{:};
sphere() -= {gap(), metal(), mirror(), near()};
MeshSize{ PointsOf{ Volume{:}; } } = coarse;
MeshSize{ PointsOf{ Surface{metal(), gap()}; } } = fine;
Physical Volume("inner") = inner();
Physical Volume("outer") = outer();
Physical Surface("gap") = gap();
Physical Surface("metal") = metal();
Physical Surface("mirror") = mirror();
Physical Surface("near") = near();
Physical Surface("sphere") = sphere();
