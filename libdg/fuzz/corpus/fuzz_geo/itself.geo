Include "a.geo";
Merge "a.geo";
DefineConstant[ x = { 1, Name "unfinished