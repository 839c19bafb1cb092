// A coaxial line along z: what is between two conductors of radii R1 and R2. A bead of length D fills it in the middle.
// Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[ R1 = 1, R2 = 2.3, L = 12, D = 5 ]; // radii; the line's length on each side of the bead; the bead's
DefineConstant[ N = 12, H = 4 ];                   // elements around the line; their length along it
Circle(1) = {0, 0, -L, R1};
Circle(2) = {0, 0, -L, R2};
Curve Loop(1) = {1};
Curve Loop(2) = {2};
Plane Surface(1) = {2, 1};
Transfinite Curve{1, 2} = N + 1;
// Each piece grows from the end of the one before: [0] is its end, [1] its volume.
left[] = Extrude {0, 0, L} { Surface{1}; Layers{Ceil(L / H)}; };
bead[] = Extrude {0, 0, D} { Surface{left[0]}; Layers{Ceil(D / H)}; };
right[] = Extrude {0, 0, L} { Surface{bead[0]}; Layers{Ceil(L / H)}; };
Physical Volume("air") = {left[1], right[1]};
Physical Volume("bead") = {bead[1]};
Physical Surface("port1") = {1};
Physical Surface("port2") = {right[0]};
