// A cube with edges of length L. The walls and the inside are physical groups, so that cavity.lua can name them.
SetFactory("OpenCASCADE");
DefineConstant[ L = 1 ];
Box(1) = {0, 0, 0, L, L, L};
Physical Volume("inside") = {1};
Physical Surface("walls") = Surface{:};
