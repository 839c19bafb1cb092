// parameters of every kind
DefineConstant[ L = 1, h = { 0.1, Name "Parameters/h", Min 0, Max 1 }, s = { "text", Name "Parameters/s" } ];
DefineConstant[ n = Str("a"), m = 2.5e-3 ];
w = DefineNumber[ 5, Name "Parameters/w" ];
d = GetNumber("Parameters/d", 2); /* and
a comment */
Include "b.geo"; Merge 'c.geo';
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, L, L, L};
Physical Volume("inside") = {1};
