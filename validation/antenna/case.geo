// A dipole of length D and radius A along z, cut out of a ball of radius R: round (ROUND = 1), or a prism with eight
// corners, which lie on a circle of radius A/0.953505, so that its outer conformal radius is A. Between its arms the ring "gap", G high. WHOLE
// = 0: what is left of it by the planes of symmetry: z = 0 (electric), x = 0 and y = 0 (magnetic).
SetFactory("OpenCASCADE");
DefineConstant[ D = 0.5, A = 0.01, G = 0.02, R = 1, N = 0.012, S = 0.35, WHOLE = 0, ROUND = 0 ];
corners = WHOLE ? 8 : 3;
c = ROUND ? A : A / 0.953505;
p[] = {};
For i In {0 : corners - 1}
  p[i] = newp;
  Point(p[i]) = {c * Cos(i * Pi / 4), c * Sin(i * Pi / 4), WHOLE ? -G / 2 : 0};
EndFor
o = newp;
Point(o) = {0, 0, WHOLE ? -G / 2 : 0};
If (WHOLE)
  Sphere(1) = {0, 0, 0, R};
Else
  Sphere(1) = {0, 0, 0, R, 0, Pi / 2, Pi / 2};
  p[3] = o;
EndIf
l[] = {};
For i In {0 : #p[] - 1}
  l[i] = newl;
  If (ROUND && i < (WHOLE ? 8 : 2))
    Circle(l[i]) = {p[i], o, p[(i + 1) % #p[]]};
  Else
    Line(l[i]) = {p[i], p[(i + 1) % #p[]]};
  EndIf
EndFor
Curve Loop(1000) = l[];
Plane Surface(1000) = {1000};
If (WHOLE)
  ring[] = Extrude {0, 0, G} { Surface{1000}; };
  upper[] = Extrude {0, 0, (D - G) / 2} { Surface{ring[0]}; };
  lower[] = Extrude {0, 0, -(D - G) / 2} { Surface{1000}; };
  BooleanDifference{ Volume{1}; Delete; }{ Volume{ring[1], upper[1], lower[1]}; Delete; }
Else
  ring[] = Extrude {0, 0, G / 2} { Surface{1000}; };
  upper[] = Extrude {0, 0, (D - G) / 2} { Surface{ring[0]}; };
  BooleanDifference{ Volume{1}; Delete; }{ Volume{ring[1], upper[1]}; Delete; }
EndIf
e = 1e-5;
b = WHOLE ? -1 : 0;
gap[] = Surface In BoundingBox{b * c - e, b * c - e, b * G / 2 - e, c + e, c + e, G / 2 + e};
If (ROUND) // its faces must be upright
  Transfinite Curve { Boundary{ Surface{gap[]}; } } = 2;
  Transfinite Surface { gap[] };
EndIf
Physical Volume("air") = Volume{:};
Physical Surface("gap") = gap[];
conductor[] = Surface In BoundingBox{-c - e, -c - e, -D / 2 - e, c + e, c + e, D / 2 + e};
conductor[] -= gap[];
Physical Surface("conductor") = conductor[];
If (!WHOLE)
  Physical Surface("ground") = Surface In BoundingBox{-e, -e, -e, R + e, R + e, e};
  Physical Surface("mirrors") = { Surface In BoundingBox{-e, -e, -e, R + e, e, R + e},
                                  Surface In BoundingBox{-e, -e, -e, e, R + e, R + e} };
EndIf
// Elements of size N at the conductor, growing to S.
Field[1] = Distance;
Field[1].SurfacesList = {conductor[], gap[]};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = N;
Field[2].SizeMax = S;
Field[2].DistMin = 0;
Field[2].DistMax = 0.7;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
