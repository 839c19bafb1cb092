// Two boxes side by side: one mesh with `joined`, else two that only touch; `offset` shifts the second one sideways.
SetFactory("OpenCASCADE");
DefineConstant[ joined = 1, offset = 0 ];
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {1, offset, 0, 1, 1, 1};
If (joined)
  Coherence;
  middle() = Surface In BoundingBox {0.9, -0.1, -0.1, 1.1, 1.1, 1.1};
  Physical Surface("middle") = {middle()};
EndIf
Physical Volume("left") = {1};
Physical Volume("right") = {2};
Mesh.MeshSizeMax = 0.5;
