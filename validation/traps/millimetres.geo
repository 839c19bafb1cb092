SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 22.86, 10.16, 30};
Physical Volume("inside") = {1};
Physical Surface("walls") = Boundary{ Volume{1}; };
