// A box of 50 x 40 x 30 mm, or a can of 30 mm radius and height. can: 1 for the can.
SetFactory("OpenCASCADE");
DefineConstant[can = 0];
If(can)
  Cylinder(1) = {0, 0, 0, 0, 0, 0.03, 0.03};
Else
  Box(1) = {0, 0, 0, 0.05, 0.04, 0.03};
EndIf
Physical Volume("air") = {1};
Physical Surface("walls") = Boundary { Volume{1}; };
