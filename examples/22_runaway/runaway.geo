// WR-340 along z: air, then a load that fills the section over a length L, up to a short circuit. Layers of tetrahedra.
SetFactory("OpenCASCADE");
DefineConstant[ A = 86.36, B = 43.18, L = 60, S = 45, N = 8 ]; // mm; N: layers in the load
Rectangle(1) = {0, 0, -S, A, B};
Transfinite Curve {1, 3} = 7;
Transfinite Curve {2, 4} = 4;
Transfinite Surface {1};
air[] = Extrude {0, 0, S} { Surface{1}; Layers{2}; };
load[] = Extrude {0, 0, L} { Surface{air[0]}; Layers{N}; };
Physical Volume("air") = {air[1]};
Physical Volume("load") = {load[1]};
Physical Surface("port") = {1};
Physical Surface("front") = {air[0]};
Physical Surface("back") = {load[0]};
