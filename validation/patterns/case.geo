// An eighth (x, y, z > 0) of a ball of radius R, with a surface for far fields at H.
SetFactory("OpenCASCADE");
DefineConstant[ H = 0.95, R = 1.3, S = 0.35 ];
Sphere(1) = {0, 0, 0, R, 0, Pi / 2, Pi / 2};
Sphere(2) = {0, 0, 0, H, 0, Pi / 2, Pi / 2};
BooleanFragments{ Volume{1, 2}; Delete; }{ }
e = 1e-6;
near() = Volume In BoundingBox{-e, -e, -e, H + e, H + e, H + e};
far() = Volume{:};
far() -= near();
x() = Surface In BoundingBox{-e, -e, -e, e, R + e, R + e};
y() = Surface In BoundingBox{-e, -e, -e, R + e, e, R + e};
z() = Surface In BoundingBox{-e, -e, -e, R + e, R + e, e};
huygens() = Surface In BoundingBox{-e, -e, -e, H + e, H + e, H + e};
huygens() -= {x(), y(), z()};
wall() = Surface{:};
wall() -= {x(), y(), z(), huygens()};
Mesh.MeshSizeMax = S;
Physical Volume("near") = near();
Physical Volume("far") = far();
Physical Surface("x") = x();
Physical Surface("y") = y();
Physical Surface("z") = z();
Physical Surface("huygens") = huygens();
Physical Surface("wall") = wall();
