// A column along z with a square cross-section of width W: vacuum of length S, a plate of ferrite of thickness D, vacuum
// of length S. Its sides are periodic: a wave along z sees an endless plate.
SetFactory("OpenCASCADE");
DefineConstant[ D = 5, W = 3, S = 1.5 ]; // mm
Box(1) = {0, 0, -S, W, W, S};
Box(2) = {0, 0, 0, W, W, D};
Box(3) = {0, 0, D, W, W, S};
BooleanFragments{ Volume{1:3}; Delete; }{}
e = 1e-3;
left() = Surface In BoundingBox{-e, -e, -S - e, e, W + e, D + S + e};
right() = Surface In BoundingBox{W - e, -e, -S - e, W + e, W + e, D + S + e};
front() = Surface In BoundingBox{-e, -e, -S - e, W + e, e, D + S + e};
back() = Surface In BoundingBox{-e, W - e, -S - e, W + e, W + e, D + S + e};
Periodic Surface {right()} = {left()} Translate {W, 0, 0};
Periodic Surface {back()} = {front()} Translate {0, W, 0};
Physical Volume("vacuum") = {1, 3};
Physical Volume("garnet") = {2};
Physical Surface("left") = {left()};
Physical Surface("right") = {right()};
Physical Surface("front") = {front()};
Physical Surface("back") = {back()};
Physical Surface("in") = Surface In BoundingBox{-e, -e, -S - e, W + e, W + e, -S + e};
Physical Surface("out") = Surface In BoundingBox{-e, -e, D + S - e, W + e, W + e, D + S + e};
