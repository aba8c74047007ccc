# Every library comes from the system (Debian 12's packages are named in the script install-dependencies).
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(OpenMP REQUIRED)
find_package(Boost REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(Catch2 2 REQUIRED)
pkg_check_modules(simgrid REQUIRED IMPORTED_TARGET simgrid)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive)
# Debian has no UPC++; without it, kernels/pgas stands in.
find_package(UPCXX QUIET)
# What bench_kernels measures beside; it is left out without them.
find_package(Eigen3 3.4 QUIET NO_MODULE)
pkg_check_modules(librsb QUIET IMPORTED_TARGET librsb)
