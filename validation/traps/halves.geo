SetFactory("OpenCASCADE");
DefineConstant[ named = 0 ];
Box(1) = {0, 0, 0, 1, 1, 0.3};
Box(2) = {0, 0, 0.3, 1, 1, 0.7};
Coherence;
If (named)
  Physical Volume("block", 1) = {2};
  Physical Volume("air", 2) = {1};
Else
  Physical Volume(1) = {2};
  Physical Volume(2) = {1};
EndIf
