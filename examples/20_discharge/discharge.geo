// A charged metal body over a grounded metal block, in a room that ends R away from it. The arc is a square rod of side
// 2 A and length G from the block to the tip of the body.
SetFactory("OpenCASCADE");
// Lengths in m; M: largest elements, H: elements at the arc.
DefineConstant[ W = 0.2, T = 0.1, L = 0.4, P = 0.04, A = 0.01, G = 0.02, B = 0.3, C = 0.2, R = 0.4, M = 0.14, H = 0.02 ];
Box(1) = {-R, -R, 0, 2 * R, 2 * R, C + G + P + L + R};
Box(2) = {-B / 2, -B / 2, 0, B, B, C};
Box(3) = {-A, -A, C, 2 * A, 2 * A, G};
Box(4) = {-A, -A, C + G, 2 * A, 2 * A, P};
Box(5) = {-W / 2, -T / 2, C + G + P, W, T, L};
BooleanDifference(6) = { Volume{1}; Delete; }{ Volume{2:5}; Delete; };
Mesh.CharacteristicLengthMax = M;
e = 1e-6;
arc() = Surface In BoundingBox{-A - e, -A - e, C - e, A + e, A + e, C + G + e};
body() = Surface In BoundingBox{-W / 2 - e, -W / 2 - e, C + G - e, W / 2 + e, W / 2 + e, C + G + P + L + e};
block() = Surface In BoundingBox{-B / 2 - e, -B / 2 - e, -e, B / 2 + e, B / 2 + e, C + e};
far() = Boundary{ Volume{6}; };
far() -= {arc(), body(), block()};
ground() = Surface In BoundingBox{-R - e, -R - e, -e, R + e, R + e, e};
ground() -= {block()};
far() -= {ground()};
Physical Volume("room") = {6};
Physical Surface("arc") = arc();
Physical Surface("body") = body();
Physical Surface("block") = {block(), ground()};
Physical Surface("far") = far();
Characteristic Length { PointsOf{ Surface{arc()}; } } = H;
