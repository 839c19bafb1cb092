// The unit cube with elements that shrink towards one corner, by more than 50 in size.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
MeshSize{:} = 1.2;
MeshSize{1} = 0.0085;
