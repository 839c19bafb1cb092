// A ball of radius R, elements of S. table.py asks for it.
SetFactory("OpenCASCADE");
DefineConstant[ R = 0.3, S = 0.1 ];
Sphere(1) = {0, 0, 0, R};
Characteristic Length { PointsOf{ Volume{1}; } } = S;
Mesh.CharacteristicLengthMin = S;
Mesh.CharacteristicLengthMax = S;
Physical Volume("air") = {1};
