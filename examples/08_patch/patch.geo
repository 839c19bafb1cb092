// Half (y > 0) of a patch antenna: the patch of PL x PW on a substrate of height H, which goes on for M around it, on a
// ground plane without end. Air around and above, out to the open wall; between them the surface "huygens" for the far
// field, in air. Below the ground G of a coaxial line in air, radii Q and 2.3 Q (50 ohm), whose inner conductor goes on
// as a post through the substrate to the patch, at F from its edge.
SetFactory("OpenCASCADE");
// Lengths in mm; U: from the substrate to "huygens", V: from there to the wall; E: elements at the patch, S: largest.
DefineConstant[ PL = 19.5, PW = 29.5, H = 3.175, M = 12, U = 8, V = 8, F = 5, Q = 1.2, G = 5, E = 7, S = 18 ];
x0 = -PL / 2;
e = 1e-3;
// Boxes around the patch: m beyond its edges, z high.
Box(1) = {x0 - M, 0, 0, PL + 2 * M, PW / 2 + M, H};
Box(2) = {x0 - M - U, 0, 0, PL + 2 * (M + U), PW / 2 + M + U, H + U};
Box(3) = {x0 - M - U - V, 0, 0, PL + 2 * (M + U + V), PW / 2 + M + U + V, H + U + V};
Cylinder(4) = {x0 + F, 0, 0, 0, 0, H, Q, Pi};
Cylinder(5) = {x0 + F, 0, -G, 0, 0, G, Q, Pi};
Cylinder(6) = {x0 + F, 0, -G, 0, 0, G, 2.3 * Q, Pi};
Rectangle(100) = {x0, 0, H, PL, PW / 2};
BooleanFragments{ Volume{1:6}; Surface{100}; Delete; }{}
post() = Volume In BoundingBox{x0 + F - Q - e, -e, -G - e, x0 + F + Q + e, Q + e, H + e};
Recursive Delete { Volume{post()}; }
n = M + e;
substrate() = Volume In BoundingBox{x0 - n, -e, -e, -x0 + n, PW / 2 + n, H + e};
air() = Volume{:};
air() -= substrate();
patch() = Surface In BoundingBox{x0 - e, -e, H - e, -x0 + e, PW / 2 + e, H + e};
patch() -= Surface In BoundingBox{x0 + F - Q - e, -e, H - e, x0 + F + Q + e, Q + e, H + e}; // the end of the post
feed() = Surface In BoundingBox{x0 + F - 3 * Q, -e, -G - e, x0 + F + 3 * Q, 3 * Q, -G + e};
x = -x0 + M + U;
y = PW / 2 + M + U;
z = H + U;
huygens() = Surface In BoundingBox{-x - e, -e, -e, x + e, y + e, z + e};
huygens() -= Surface In BoundingBox{-x + e, -e, -e, x - e, y - e, z - e};
huygens() -= Surface In BoundingBox{-x - e, -e, -e, x + e, e, z + e};
huygens() -= Surface In BoundingBox{-x - e, -e, -e, x + e, y + e, e};
x += V;
y += V;
z += V;
symmetry() = Surface In BoundingBox{-x - e, -e, -G - e, x + e, e, z + e};
wall() = Surface In BoundingBox{-x - e, -e, -e, x + e, y + e, z + e};
wall() -= Surface In BoundingBox{-x + e, -e, -e, x - e, y - e, z - e};
wall() -= Surface In BoundingBox{-x - e, -e, -e, x + e, e, z + e};
wall() -= Surface In BoundingBox{-x - e, -e, -e, x + e, y + e, e};
Physical Volume("substrate") = substrate();
Physical Volume("air") = air();
Physical Surface("patch") = patch();
Physical Surface("feed") = feed();
Physical Surface("symmetry") = symmetry();
Physical Surface("wall") = wall();
Physical Surface("huygens") = huygens();
Mesh.MeshSizeMax = S;
Mesh.MeshSizeFromCurvature = 0;
Characteristic Length { PointsOf{ Surface{patch()}; } } = E;
Characteristic Length { PointsOf{ Surface{feed()}; } } = 0.75 * Q;
