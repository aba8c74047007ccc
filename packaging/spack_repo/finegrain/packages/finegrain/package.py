# SPDX-License-Identifier: MIT
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Finegrain(CMakePackage):
    """Predicts what a parallel run costs on another machine: measured, simulated and in closed form."""

    # It is built from a folder of the source, best an unpacked release archive, which needs no npm:
    #   spack develop --path $PWD finegrain@main
    license("MIT")

    version("main")

    variant("report", default=False, description="Bundle the report's page (npm); a release archive has it")
    variant("upcxx", default=False, description="UPC++ kernels on a real UPC++, not on the subset over MPI")

    variant("python", default=False, description="The Python module")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("node-js", type="build", when="+report")
    depends_on("npm", type="build", when="+report")

    # The versions are Debian 12's, with which finegrain is tested, or newer where interfaces seldom change.
    depends_on("simgrid@3.32+smpi")
    depends_on("mpi@3.1:")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1")
    depends_on("fmt@9")
    depends_on("spdlog@1.10")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml@1.13:")
    depends_on("yaml-cpp@0.7:")
    depends_on("toml11@3.7:3")
    depends_on("sqlite@3.40:")
    depends_on("sqlitecpp@3.2:")
    depends_on("libarchive@3.6:")
    depends_on("elfutils@0.188:")
    depends_on("zstd@1.5: libs=shared,static")
    depends_on("xxhash@0.8.1:")
    depends_on("cpp-httplib@0.11:")
    depends_on("otf2@3:")
    depends_on("scotch@7:")
    depends_on("gnuplot", type="run")
    depends_on("upcxx", when="+upcxx")
    depends_on("python@3.10:", type=("build", "run"), when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("py-pandas", type=("build", "run"), when="+python")

    def cmake_args(self):
        has_python = self.spec.satisfies("+python")
        return [
            self.define("BUILD_TESTING", False),
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define("FINEGRAIN_UPCXX", "real" if self.spec.satisfies("+upcxx") else "subset"),
            self.define("FINEGRAIN_PYTHON", self.spec["python"].command.path if has_python else "OFF"),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "python3", "dist-packages"))
