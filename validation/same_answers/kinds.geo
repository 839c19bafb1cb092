// A box of 0.2 x 0.1 x 0.3 m, cut at z = 0.15, with a name for every side.
DefineConstant[ S = 0.07 ];
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.2, 0.1, 0.15};
Box(2) = {0, 0, 0.15, 0.2, 0.1, 0.15};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthMin = S;
Mesh.CharacteristicLengthMax = S;
Physical Volume("near") = {1};
Physical Volume("far") = {2};
e = 1e-6;
Physical Surface("xmin") = Surface In BoundingBox{-e, -e, -e, e, 0.1 + e, 0.3 + e};
Physical Surface("xmax") = Surface In BoundingBox{0.2 - e, -e, -e, 0.2 + e, 0.1 + e, 0.3 + e};
Physical Surface("ymin") = Surface In BoundingBox{-e, -e, -e, 0.2 + e, e, 0.3 + e};
Physical Surface("ymax") = Surface In BoundingBox{-e, 0.1 - e, -e, 0.2 + e, 0.1 + e, 0.3 + e};
Physical Surface("zmin") = Surface In BoundingBox{-e, -e, -e, 0.2 + e, 0.1 + e, e};
Physical Surface("zmax") = Surface In BoundingBox{-e, -e, 0.3 - e, 0.2 + e, 0.1 + e, 0.3 + e};
Physical Surface("middle") = Surface In BoundingBox{-e, -e, 0.15 - e, 0.2 + e, 0.1 + e, 0.15 + e};
Periodic Surface{ Surface In BoundingBox{0.2 - e, -e, -e, 0.2 + e, 0.1 + e, 0.3 + e} } =
  { Surface In BoundingBox{-e, -e, -e, e, 0.1 + e, 0.3 + e} } Translate{0.2, 0, 0};
