// A box with edges a, b, c.
SetFactory("OpenCASCADE");
DefineConstant[ a = 1, b = 1, c = 1 ];
Box(1) = {0, 0, 0, a, b, c};
Physical Volume("inside") = {1};
Physical Surface("walls") = Surface{:};
