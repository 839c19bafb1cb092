// Concentric spheres: a ball, and the shells around it, which share their surfaces.
//
//   spheres_r() = {50, 60, 90};
//   Include "curlew/spheres.geo";
//
// Set before it, in drawing units:
//   spheres_x, spheres_y, spheres_z  the centre: 0, 0, 0
//   spheres_r()                      the radii, ascending: 1, 2
// It sets:
//   spheres_volume()                 the volumes from inside: the ball of radius spheres_r(0), then the shells
//   spheres_surface()                the surfaces from inside, of these radii
If (!Exists(spheres_x)) spheres_x = 0; EndIf
If (!Exists(spheres_y)) spheres_y = 0; EndIf
If (!Exists(spheres_z)) spheres_z = 0; EndIf
If (!Exists(spheres_r)) spheres_r() = {1, 2}; EndIf
SetFactory("OpenCASCADE");
spheres_ball() = {};
spheres_h = 0;
For spheres_k In {0 : #spheres_r() - 1}
  If (spheres_r(spheres_k) <= spheres_h)
    Error("spheres.geo: spheres_r() must ascend from above 0");
  EndIf
  spheres_h = spheres_r(spheres_k);
  spheres_new = newv;
  Sphere(spheres_new) = {spheres_x, spheres_y, spheres_z, spheres_r(spheres_k)};
  spheres_ball() += spheres_new;
EndFor
spheres_all() = spheres_ball();
If (#spheres_r() > 1)
  spheres_all() = BooleanFragments{ Volume{spheres_ball()}; Delete; }{ };
EndIf
spheres_volume() = {};
spheres_surface() = {};
spheres_inside() = {};
For spheres_k In {0 : #spheres_r() - 1}
  // Of its own volumes, those in the box around the sphere that were not in the one before.
  spheres_h = spheres_r(spheres_k) * (1 + 1e-4);
  spheres_box() = Volume In BoundingBox{spheres_x - spheres_h, spheres_y - spheres_h, spheres_z - spheres_h,
                                        spheres_x + spheres_h, spheres_y + spheres_h, spheres_z + spheres_h};
  spheres_out() = spheres_all();
  spheres_out() -= {spheres_box()};
  spheres_one() = spheres_all();
  spheres_one() -= {spheres_out()};
  spheres_one() -= {spheres_inside()};
  spheres_volume() += spheres_one();
  spheres_inside() += spheres_one();
  spheres_face() = Abs(Boundary{ Volume{spheres_one()}; });
  spheres_face() -= {spheres_surface()};
  spheres_surface() += spheres_face();
EndFor
