// The gap between two concentric spheres of 1 m and 2 m.
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 2};
Sphere(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
wall() = Boundary{ Volume{3}; };
Physical Volume("gap") = {3};
Physical Surface("outer") = {wall(0)};
Physical Surface("inner") = {wall(1)};
