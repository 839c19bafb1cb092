// A box of 1 m with a dipole of two square rods of 2 W x 2 W, each 0.15 m long, whose feed gap is W wide. N: elements
// across the box; the gap has elements of size W.
SetFactory("OpenCASCADE");
DefineConstant[ N = 8, W = 0.005 ];
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0.5 - W, 0.5 - W, 0.5 + W / 2, 2 * W, 2 * W, 0.15};
Box(3) = {0.5 - W, 0.5 - W, 0.35 - W / 2, 2 * W, 2 * W, 0.15};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
Physical Volume("box") = {4};
e = 1e-6;
rods() = Surface In BoundingBox{0.5 - W - e, 0.5 - W - e, 0.3, 0.5 + W + e, 0.5 + W + e, 0.7};
gap() = Surface In BoundingBox{0.5 - W - e, 0.5 - W - e, 0.5 - W, 0.5 + W + e, 0.5 + W + e, 0.5 + W};
Mesh.CharacteristicLengthMax = 1 / N;
Characteristic Length { PointsOf{ Volume{:}; } } = 1 / N;
Characteristic Length { PointsOf{ Surface{rods()}; } } = 4 * W;
Characteristic Length { PointsOf{ Surface{gap()}; } } = W;
