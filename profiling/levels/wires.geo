// A box of 1 m with a chip, a block of 0.2 m x 0.2 m x 0.04 m, from which three square bond wires of W x W lead to the
// floor. N: elements across the box; wires have elements of size W.
SetFactory("OpenCASCADE");
DefineConstant[ N = 8, W = 0.01 ];
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0.4, 0.4, 0, 0.2, 0.2, 0.04};
For i In {0:2}
  Box(10 + 3 * i) = {0.55, 0.43 + 0.06 * i, 0.04, W, W, 0.03};
  Box(11 + 3 * i) = {0.55, 0.43 + 0.06 * i, 0.07, 0.1, W, W};
  Box(12 + 3 * i) = {0.65 - W, 0.43 + 0.06 * i, 0, W, W, 0.07};
EndFor
BooleanDifference(50) = { Volume{1}; Delete; }{ Volume{10:18}; Delete; };
BooleanFragments{ Volume{50}; Delete; }{ Volume{2}; Delete; }
e = 1e-6;
chip() = Volume In BoundingBox{0.4 - e, 0.4 - e, -e, 0.6 + e, 0.6 + e, 0.04 + e};
rest() = Volume{:};
rest() -= {chip()};
Physical Volume("box") = rest();
Physical Volume("chip") = chip();
Mesh.CharacteristicLengthMax = 1 / N;
Characteristic Length { PointsOf{ Volume{:}; } } = 1 / N;
fine() = Surface In BoundingBox{0.54, 0.42, -e, 0.66, 0.58, 0.08};
Characteristic Length { PointsOf{ Surface{fine()}; } } = W;
