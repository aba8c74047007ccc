# SPDX-License-Identifier: MIT
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Sqlitecpp(CMakePackage):
    """SQLite from C++. Spack's own packages do not have it."""

    homepage = "https://github.com/SRombauts/SQLiteCpp"
    git = "https://github.com/SRombauts/SQLiteCpp.git"

    license("MIT")

    version("3.3.1", tag="3.3.1", commit="fe6086c12679d8744c02fa03e83e75feca2413d8")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.5:", type="build")
    depends_on("sqlite@3.40:+column_metadata")

    def cmake_args(self):
        return [
            self.define("SQLITECPP_INTERNAL_SQLITE", False),
            self.define("SQLITECPP_RUN_CPPLINT", False),
            self.define("SQLITECPP_RUN_CPPCHECK", False),
        ]
