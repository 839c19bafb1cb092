// A room of 1 m with a box of 0.5 m in its middle, for the traps: "inner" and "outer" are the volumes, "around" is between them.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0.25, 0.25, 0.25, 0.5, 0.5, 0.5};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
e = 1e-6;
Physical Volume("inner") = Volume In BoundingBox{0.2, 0.2, 0.2, 0.8, 0.8, 0.8};
Physical Volume("outer") = {Volume{:}};
Physical Volume("outer") -= Volume In BoundingBox{0.2, 0.2, 0.2, 0.8, 0.8, 0.8};
Physical Surface("around") = Surface In BoundingBox{0.2, 0.2, 0.2, 0.8, 0.8, 0.8};
left() = Surface In BoundingBox{-e, -e, -e, e, 1 + e, 1 + e};
right() = Surface In BoundingBox{1 - e, -e, -e, 1 + e, 1 + e, 1 + e};
sides() = {Surface In BoundingBox{-e, -e, -e, 1 + e, e, 1 + e}, Surface In BoundingBox{-e, 1 - e, -e, 1 + e, 1 + e, 1 + e}};
flat() = {Surface In BoundingBox{-e, -e, -e, 1 + e, 1 + e, e}, Surface In BoundingBox{-e, -e, 1 - e, 1 + e, 1 + e, 1 + e}};
Physical Surface("left") = left();
Physical Surface("right") = right();
Physical Surface("sides") = sides();
Physical Surface("floor and roof") = flat();
Physical Surface("hull") = {left(), right(), sides(), flat()};
