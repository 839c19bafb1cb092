// WR-90 along z, in mm; its middle, D long, may be filled with a dielectric. Bricks of six elements each: NX x NY
// across, and along the guide as long as S at most.
DefineConstant[ A = 22.86, B = 10.16, L = 40, D = 10, NX = 2, NY = 1, S = 10 ];
Point(1) = {0, 0, 0};
Point(2) = {A, 0, 0};
Point(3) = {A, B, 0};
Point(4) = {0, B, 0};
For i In {1 : 4}
  Line(i) = {i, i % 4 + 1};
EndFor
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = NX + 1;
Transfinite Curve{2, 4} = NY + 1;
Transfinite Surface{1};
Physical Surface("front") = {1};
last = 1;
For i In {0 : 2}
  d = (i == 1) ? D : (L - D) / 2;
  out[] = Extrude {0, 0, d} { Surface{last}; Layers{Ceil(d / S - 1e-6)}; };
  last = out[0];
  volume[i] = out[1];
EndFor
Physical Volume("guide") = {volume[0], volume[2]};
Physical Volume("slab") = {volume[1]};
Physical Surface("back") = {last};
