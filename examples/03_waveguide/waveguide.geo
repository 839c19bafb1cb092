// WR-90 along z: air, a dielectric slab that fills the section over a length D, air. Ports at both ends, S from the
// slab.
SetFactory("OpenCASCADE");
DefineConstant[ A = 22.86, B = 10.16, D = 10, S = 20 ]; // mm
Box(1) = {0, 0, -S, A, B, S};
Box(2) = {0, 0, 0, A, B, D};
Box(3) = {0, 0, D, A, B, S};
BooleanFragments{ Volume{1:3}; Delete; }{}
e = 1e-3;
Physical Volume("air") = {1, 3};
Physical Volume("slab") = {2};
Physical Surface("port1") = Surface In BoundingBox{-e, -e, -S - e, A + e, B + e, -S + e};
Physical Surface("port2") = Surface In BoundingBox{-e, -e, D + S - e, A + e, B + e, D + S + e};
