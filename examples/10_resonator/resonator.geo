// An eighth of a dielectric ball of radius a in an eighth of a larger one; the planes are mirrors.
SetFactory("OpenCASCADE");
DefineConstant[ a = 10, inside = 4, outside = 8, R = 20 ];
Sphere(1) = {0, 0, 0, a, 0, Pi/2, Pi/2};
Sphere(2) = {0, 0, 0, R, 0, Pi/2, Pi/2};
BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }
eps = 1e-3;
ball() = Volume In BoundingBox {-eps, -eps, -eps, a + eps, a + eps, a + eps};
air() = Volume{:};
air() -= ball();
x() = Surface In BoundingBox {-eps, -eps, -eps, eps, R + eps, R + eps};
y() = Surface In BoundingBox {-eps, -eps, -eps, R + eps, eps, R + eps};
z() = Surface In BoundingBox {-eps, -eps, -eps, R + eps, R + eps, eps};
outer() = CombinedBoundary{ Volume{:}; };
outer() -= {x(), y(), z()};
Physical Volume("ball") = ball();
Physical Volume("air") = air();
Physical Surface("sides") = {x(), y()};
Physical Surface("bottom") = z();
Physical Surface("outer") = Abs(outer());
MeshSize{ PointsOf{ Volume{ air() }; } } = outside;
MeshSize{ PointsOf{ Volume{ ball() }; } } = inside;
