// A piece of WR-90, for the traps.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.04, 0.02286, 0.01016};
e = 1e-6;
Physical Volume("guide") = {1};
Physical Surface("port") = Surface In BoundingBox{-e, -e, -e, e, 1, 1};
Physical Surface("end") = Surface In BoundingBox{0.04 - e, -e, -e, 0.04 + e, 1, 1};
