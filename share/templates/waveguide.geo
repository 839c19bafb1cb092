// A WR-90 waveguide along z, and an iris in its middle: a wall of thickness T with an opening of width W. Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[ A = 22.86, B = 10.16, L = 30, W = 12, T = 2 ]; // section; length on each side; iris
Box(1) = {0, 0, -L, A, B, L};
Box(2) = {(A - W) / 2, 0, 0, W, B, T};
Box(3) = {0, 0, T, A, B, L};
BooleanUnion(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; }; // one volume, without walls inside
e = 1e-3;
// Elements are smaller at the edges of the opening, where fields are strongest.
MeshSize{ PointsOf{ Volume{:}; } } = 9;
MeshSize{ Point In BoundingBox{-e, -e, -e, A + e, B + e, T + e} } = 5;
Physical Volume("guide") = Volume{:};
Physical Surface("port1") = Surface In BoundingBox{-e, -e, -L - e, A + e, B + e, -L + e};
Physical Surface("port2") = Surface In BoundingBox{-e, -e, L + T - e, A + e, B + e, L + T + e};
