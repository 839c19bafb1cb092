// A box with the edges LX, LY, LZ. curlew-scaling chooses them, and the mesh size, from the wanted number of tetrahedra.
SetFactory("OpenCASCADE");
DefineConstant[ LX = 1, LY = 1, LZ = 1 ];
Box(1) = {0, 0, 0, LX, LY, LZ};
Physical Volume("inside") = {1};
Physical Surface("walls") = Surface{:};
