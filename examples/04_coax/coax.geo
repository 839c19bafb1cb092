// A coaxial line along z of length L: what is between the conductors, radii R1 and R2. Round conductors become prisms
// of N sides and NZ layers. With as many outside as inside, both radii shrink alike and the impedance stays.
SetFactory("OpenCASCADE");
DefineConstant[ R1 = 1.0, R2 = 2.3, L = 30, N = 20, NZ = 6 ]; // mm
Circle(1) = {0, 0, 0, R1};
Circle(2) = {0, 0, 0, R2};
Curve Loop(1) = {1};
Curve Loop(2) = {2};
Plane Surface(1) = {2, 1};
Transfinite Curve{1, 2} = N + 1;
Extrude {0, 0, L} { Surface{1}; Layers{NZ}; }
e = 1e-3;
Physical Volume("line") = Volume{:};
Physical Surface("feed") = Surface In BoundingBox{-R2 - e, -R2 - e, -e, R2 + e, R2 + e, e};
Physical Surface("load") = Surface In BoundingBox{-R2 - e, -R2 - e, L - e, R2 + e, R2 + e, L + e};
