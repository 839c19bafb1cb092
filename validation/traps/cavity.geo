// A box with conducting walls, for the traps. L: its edge, m; H: its height.
SetFactory("OpenCASCADE");
DefineConstant[L = 1, H = L];
Box(1) = {0, 0, 0, L, L, H};
Physical Volume("inside") = {1};
Physical Surface("walls") = Boundary { Volume{1}; };
