SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {0, 0, 1, 1, 1, 1};
Coherence;
