// Half (y > 0) of a patch antenna: substrate of height H on the ground plane, the patch of PL x PW on it, air above,
// out to M from the patch. The feed is a post of side P under the patch, at F from its edge, cut out of the substrate.
SetFactory("OpenCASCADE");
// Lengths in mm; E: elements at the patch, S: largest elements.
DefineConstant[ PL = 19.5, PW = 29.5, H = 3.175, M = 18, Top = 18, F = 5, P = 2.4, E = 7, S = 18 ];
x0 = -PL / 2;
Box(1) = {x0 - M, 0, 0, PL + 2 * M, PW / 2 + M, H};
Box(2) = {x0 - M, 0, H, PL + 2 * M, PW / 2 + M, Top};
Box(3) = {x0 + F - P / 2, 0, 0, P, P / 2, H};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{3}; Delete; };
Rectangle(100) = {x0, 0, H, PL, PW / 2};
BooleanFragments{ Volume{4, 2}; Surface{100}; Delete; }{}
Mesh.CharacteristicLengthMax = S;
e = 1e-3;
substrate() = Volume In BoundingBox{x0 - M - e, -e, -e, -x0 + M + e, PW / 2 + M + e, H + e};
air() = Volume{:};
air() -= substrate();
Physical Volume("substrate") = substrate();
Physical Volume("air") = air();
patch() = Surface In BoundingBox{x0 - e, -e, H - e, -x0 + e, PW / 2 + e, H + e};
post() = Surface In BoundingBox{x0 + F - P / 2 - e, -e, -e, x0 + F + P / 2 + e, P / 2 + e, H + e};
roof() = Surface In BoundingBox{x0 + F - P / 2 - e, -e, H - e, x0 + F + P / 2 + e, P / 2 + e, H + e};
patch() -= roof();
post() -= roof();
Physical Surface("patch") = patch();
Physical Surface("feed") = post();
Physical Surface("roof") = roof();
symmetry() = Surface In BoundingBox{x0 - M - e, -e, -e, -x0 + M + e, e, H + Top + e};
Physical Surface("symmetry") = symmetry();
ground() = Surface In BoundingBox{x0 - M - e, -e, -e, -x0 + M + e, PW / 2 + M + e, e};
Physical Surface("ground") = ground();
Characteristic Length { PointsOf{ Surface{patch()}; } } = E;
Characteristic Length { PointsOf{ Surface{post()}; } } = P;
