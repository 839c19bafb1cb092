// A bar along z with a square cross-section of width W: air of length S on either side of a foil at z = 0, which is a
// surface without thickness. Its sides are mirrors, electric ones at the ends of x and magnetic ones at the ends of y:
// what a plane wave with E along x sees in front of an endless foil.
SetFactory("OpenCASCADE");
DefineConstant[ W = 100, S = 300 ]; // mm
Box(1) = {0, 0, -S, W, W, S};
Box(2) = {0, 0, 0, W, W, S};
BooleanFragments{ Volume{1:2}; Delete; }{}
e = 1e-3;
Physical Volume("air") = {1, 2};
Physical Surface("foil") = Surface In BoundingBox{-e, -e, -e, W + e, W + e, e};
Physical Surface("left") = Surface In BoundingBox{-e, -e, -S - e, W + e, W + e, -S + e};
Physical Surface("right") = Surface In BoundingBox{-e, -e, S - e, W + e, W + e, S + e};
Physical Surface("magnetic") = { Surface In BoundingBox{-e, -e, -S - e, W + e, e, S + e},
                                 Surface In BoundingBox{-e, W - e, -S - e, W + e, W + e, S + e} };
