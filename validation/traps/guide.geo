// A guide along z, in mm: ports at both ends, walls on the wide sides and the narrow ones, and perhaps an iris.
SetFactory("OpenCASCADE");
DefineConstant[ A = 22.86, B = 10.16, L = 24, IRIS = 0 ];
Box(1) = {0, 0, 0, A, B, L};
If (IRIS > 0)
  Rectangle(100) = {0, 0, IRIS, 0.35 * A, B};
  BooleanFragments{ Volume{1}; Delete; }{ Surface{100}; Delete; }
EndIf
e = 1e-3;
Physical Volume("air") = Volume{:};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -e, A + e, B + e, e};
Physical Surface("right") = Surface In BoundingBox{-e, -e, L - e, A + e, B + e, L + e};
Physical Surface("narrow") = {Surface In BoundingBox{-e, -e, -e, e, B + e, L + e}, Surface In BoundingBox{A - e, -e, -e, A + e, B + e, L + e}};
Physical Surface("wide") = {Surface In BoundingBox{-e, -e, -e, A + e, e, L + e}, Surface In BoundingBox{-e, B - e, -e, A + e, B + e, L + e}};
If (IRIS > 0)
  Physical Surface("iris") = Surface In BoundingBox{-e, -e, IRIS - e, 0.35 * A + e, B + e, IRIS + e};
EndIf
