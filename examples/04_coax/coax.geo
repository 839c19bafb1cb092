// A coaxial line along z of length L: what is between the conductors, radii R1 and R2. N elements go around, NZ layers
// along the line. With straight elements conductors are prisms of N sides: both radii shrink nearly alike.
DefineConstant[ R1 = 1.0, R2 = 2.3, L = 30, N = 12, NZ = 6 ]; // mm
coax_inner = R1;
coax_outer = R2;
coax_length = L;
coax_around = N;
coax_layers = NZ;
Include "curlew/coax.geo";
Physical Volume("line") = coax_volume;
Physical Surface("feed") = coax_begin;
Physical Surface("load") = coax_end;
