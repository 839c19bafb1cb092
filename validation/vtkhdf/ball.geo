// A ball of radius 1, of few and large elements: its curves are those of the elements.
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Physical Volume("inside") = {1};
Physical Surface("walls") = Surface{:};
Mesh.MeshSizeMax = 0.8;
Mesh.MeshSizeFromCurvature = 0;
