SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Physical Volume("inside") = {1};
Physical Surface("wall") = Boundary{ Volume{1}; };
