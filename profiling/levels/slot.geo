// A box of 1 m with a metal screen across it, in which there is a slot of 0.2 m x W. N: elements across the box; the
// slot has elements of size W.
SetFactory("OpenCASCADE");
DefineConstant[ N = 8, W = 0.005 ];
Box(1) = {0, 0, 0, 1, 1, 1};
Rectangle(100) = {0, 0, 0.5, 1, 1};
Rectangle(101) = {0.4, 0.5 - W / 2, 0.5, 0.2, W};
BooleanFragments{ Volume{1}; Delete; }{ Surface{100, 101}; Delete; }
e = 1e-6;
slot() = Surface In BoundingBox{0.4 - e, 0.5 - W / 2 - e, 0.5 - e, 0.6 + e, 0.5 + W / 2 + e, 0.5 + e};
screen() = Surface In BoundingBox{-e, -e, 0.5 - e, 1 + e, 1 + e, 0.5 + e};
screen() -= {slot()};
Physical Volume("box") = Volume{:};
Physical Surface("fine") = slot();
Physical Surface("metal") = screen();
Mesh.CharacteristicLengthMax = 1 / N;
Mesh.CharacteristicLengthMin = W / 4;
Characteristic Length { PointsOf{ Volume{:}; } } = 1 / N;
Characteristic Length { PointsOf{ Surface{slot()}; } } = W;
