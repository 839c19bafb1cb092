// The unit cube.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("inside") = {1};
Physical Surface("walls") = Surface{:};
