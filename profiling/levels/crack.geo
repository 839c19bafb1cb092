// A box of 1 m with a metal screen across it, in which there is a crack of W x W: elements differ by 1:200. N: elements
// across the box.
SetFactory("OpenCASCADE");
DefineConstant[ N = 6, W = 0.0008 ];
Box(1) = {0, 0, 0, 1, 1, 1};
Rectangle(100) = {0, 0, 0.5, 1, 1};
Rectangle(101) = {0.5 - W / 2, 0.5 - W / 2, 0.5, W, W};
BooleanFragments{ Volume{1}; Delete; }{ Surface{100, 101}; Delete; }
e = 1e-6;
crack() = Surface In BoundingBox{0.5 - W, 0.5 - W, 0.5 - e, 0.5 + W, 0.5 + W, 0.5 + e};
screen() = Surface In BoundingBox{-e, -e, 0.5 - e, 1 + e, 1 + e, 0.5 + e};
screen() -= {crack()};
Physical Volume("box") = Volume{:};
Physical Surface("metal") = screen();
Mesh.CharacteristicLengthMax = 1 / N;
Characteristic Length { PointsOf{ Volume{:}; } } = 1 / N;
Characteristic Length { PointsOf{ Surface{crack()}; } } = W;
