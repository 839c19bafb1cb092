// Cavities with curved walls; planes of symmetry cut off what mirrors. shape 1: an eighth of a ball of radius 1; 2: a
// quarter of a can of radius 1 and height 0.6; 3: the same with a rod of radius 0.5 along its axis.
SetFactory("OpenCASCADE");
DefineConstant[ shape = 1 ];
H = 0.6;
If (shape == 1)
  Sphere(1) = {0, 0, 0, 1, 0, Pi / 2, Pi / 2};
Else
  Cylinder(1) = {0, 0, 0, 0, 0, H, 1, Pi / 2};
  If (shape == 3)
    Cylinder(2) = {0, 0, 0, 0, 0, H, 0.5, Pi / 2};
    BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }
  EndIf
EndIf
e = 1e-3;
mirrors() = Surface In BoundingBox{-e, -e, -e, e, 1 + e, 1 + e};
mirrors() += Surface In BoundingBox{-e, -e, -e, 1 + e, e, 1 + e};
bottom() = Surface In BoundingBox{-e, -e, -e, 1 + e, 1 + e, e};
walls() = Surface{:};
walls() -= {mirrors(), bottom()};
Physical Volume("inside") = {1};
Physical Surface("mirrors") = mirrors();
Physical Surface("bottom") = bottom();
Physical Surface("walls") = walls();
