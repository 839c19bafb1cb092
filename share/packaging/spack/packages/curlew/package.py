"""Curlew for Spack. From a checkout, which Spack then builds as it is:

    spack repo add share/packaging/spack
    spack dev-build curlew@0.1.0            # or: curlew@0.1.0+cuda cuda_arch=90
"""
from spack.package import *


class Curlew(CMakePackage, CudaPackage):
    """Solves Maxwell's equations in time with the discontinuous Galerkin method on tetrahedra."""

    license("GPL-2.0-or-later")

    # There is no archive of a release yet: `spack dev-build` takes the checkout.
    version("0.1.0")

    variant("resonances", default=True, description="Find resonances in records (needs harminv)")
    variant("plot", default=True, description="What `curlew plot` and the Python module need")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))  # build: the completions for shells

    depends_on("mpi")
    depends_on("gmsh@4.8:+shared+opencascade")
    depends_on("lua@5.4:+shared+pcfile")
    depends_on("metis@5.1:+shared")
    # One HDF5 for Silo and for Curlew: two of them in a process do not go together.
    depends_on("silo@4.11:+hdf5+shared+mpi")
    depends_on("hdf5@1.10:+shared+mpi")
    depends_on("openblas@0.3:+shared")
    depends_on("harminv@1.4:", when="+resonances")
    depends_on("hypre@2.26:+mpi+shared")

    depends_on("py-numpy", type="run", when="+plot")
    depends_on("py-matplotlib", type="run", when="+plot")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("CURLEW_TESTS", False),
            self.define("CURLEW_IN_TREE", False),
            self.define_from_variant("CURLEW_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def setup_run_environment(self, env):
        # The module curlew stays in share, so that one installation serves every Python.
        env.prepend_path("PYTHONPATH", self.prefix.share.curlew.python)

    def check(self):
        curlew = Executable(join_path(self.build_directory, "maxwell", "curlew"))
        curlew("info")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def first_run(self):
        with working_dir(self.stage.path):
            curlew = Executable(self.prefix.bin.curlew)
            curlew("new", "demo", "--kind", "slab")
            curlew("run", "demo.lua")
