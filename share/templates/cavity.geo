// A box with metal walls and a block of ceramic on its floor. Lengths are in millimetres: the script says unit = 1e-3.
// Every parameter in DefineConstant can be set by the script: mesh.parameters.
SetFactory("OpenCASCADE");
DefineConstant[ A = 100, B = 80, H = 60, C = 30 ]; // the box, and the edge of the block
Box(1) = {0, 0, 0, A, B, H};
Box(2) = {(A - C) / 2, (B - C) / 2, 0, C, C, C};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; } // pieces that share their faces
// Gmsh names the pieces by numbers; the smaller one is the block, and the rest is air.
e = 1e-3;
block() = Volume In BoundingBox{(A - C) / 2 - e, (B - C) / 2 - e, -e, (A + C) / 2 + e, (B + C) / 2 + e, C + e};
air() = Volume{:};
air() -= block();
walls() = CombinedBoundary{ Volume{:}; };
// The script uses these names.
Physical Volume("air") = air();
Physical Volume("block") = block();
Physical Surface("walls") = Abs(walls());
