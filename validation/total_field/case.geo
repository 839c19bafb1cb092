// A cube of 1 m about the origin in one of S = 1.5 m.
SetFactory("OpenCASCADE");
DefineConstant[ S = 1.5 ];
Box(1) = {-0.5, -0.5, -0.5, 1, 1, 1};
Box(2) = {-S / 2, -S / 2, -S / 2, S, S, S};
BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }
e = 1e-6;
inner() = Volume In BoundingBox{-0.5 - e, -0.5 - e, -0.5 - e, 0.5 + e, 0.5 + e, 0.5 + e};
outer() = Volume{:};
outer() -= inner();
Physical Volume("inside") = inner();
Physical Volume("outside") = outer();
Physical Surface("surface") = Surface In BoundingBox{-0.5 - e, -0.5 - e, -0.5 - e, 0.5 + e, 0.5 + e, 0.5 + e};
Physical Surface("walls") = CombinedBoundary{ Volume{:}; };
