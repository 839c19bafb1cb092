// A cube of side L whose lower left corner carries the point size h.
SetFactory("Built-in");
DefineConstant[
  L = {1, Name "Parameters/Side"}, h = 0.5 /* no ONELAB name */, label = {"text", Name "Parameters/Label"}
];
shift = DefineNumber[0, Min 0, Max 10, Name "Parameters/Shift"];
plain = 3;
Point(1) = {shift, 0, 0, h};
Extrude {L, 0, 0} { Point{1}; }
Extrude {0, L, 0} { Curve{1}; }
Extrude {0, 0, L} { Surface{5}; }
Physical Volume("air", 7) = {1};
Physical Surface("bottom", 3) = {5};
Physical Surface("walls", 4) = {14, 18, 22, 26, 27};
Physical Surface("everything", 9) = {5, 14, 18, 22, 26, 27};
