// One cell of a square lattice of dielectric rods, period a, between two plates h apart. The sides have the same triangles.
SetFactory("OpenCASCADE");
DefineConstant[ a = 1, r = 0.2, h = 0.25, size = 0.25, around = 8 ];
Box(1) = {-a/2, -a/2, 0, a, a, h};
Cylinder(2) = {0, 0, 0, 0, 0, h, r};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
e = 1e-4;
rod() = Volume In BoundingBox {-r - e, -r - e, -e, r + e, r + e, h + e};
air() = Volume{:};
air() -= rod();
left() = Surface In BoundingBox {-a/2 - e, -a/2 - e, -e, -a/2 + e, a/2 + e, h + e};
right() = Surface In BoundingBox {a/2 - e, -a/2 - e, -e, a/2 + e, a/2 + e, h + e};
front() = Surface In BoundingBox {-a/2 - e, -a/2 - e, -e, a/2 + e, -a/2 + e, h + e};
back() = Surface In BoundingBox {-a/2 - e, a/2 - e, -e, a/2 + e, a/2 + e, h + e};
bottom() = Surface In BoundingBox {-a/2 - e, -a/2 - e, -e, a/2 + e, a/2 + e, e};
top() = Surface In BoundingBox {-a/2 - e, -a/2 - e, h - e, a/2 + e, a/2 + e, h + e};
Periodic Surface {right()} = {left()} Translate {a, 0, 0};
Periodic Surface {back()} = {front()} Translate {0, a, 0};
Physical Volume("rod") = rod();
Physical Volume("air") = air();
Physical Surface("left") = left();
Physical Surface("right") = right();
Physical Surface("front") = front();
Physical Surface("back") = back();
Physical Surface("plates") = {bottom(), top()};
MeshSize{ PointsOf{ Volume{:}; } } = size;
Mesh.MeshSizeFromCurvature = around; // elements around the rod
