// A box a x b x c, cut at x = d into two volumes that share the surface between them.
SetFactory("OpenCASCADE");
DefineConstant[ a = 1, b = 0.8, c = 0.6, d = 0.45 ];
Box(1) = {0, 0, 0, d, b, c};
Box(2) = {d, 0, 0, a - d, b, c};
BooleanFragments{ Volume{1, 2}; Delete; }{}
Physical Volume("left") = {1};
Physical Volume("right") = {2};
tiny = 1e-6;
bottom() = Surface In BoundingBox{-tiny, -tiny, -tiny, a + tiny, b + tiny, tiny};
top() = Surface In BoundingBox{-tiny, -tiny, c - tiny, a + tiny, b + tiny, c + tiny};
Physical Surface("ends") = {bottom(), top()};
