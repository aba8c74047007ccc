# cpack: a Debian package of what cmake --install puts into /usr, with the packages that it needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME finegrain)
set(CPACK_PACKAGE_CONTACT "The finegrain developers <finegrain@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts what a parallel run costs on another machine")
set(CPACK_PACKAGE_DESCRIPTION
"Records MPI programs, replays them on SimGrid platforms, and says what they would cost
on another machine, another number of nodes, or with another way of communicating.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# dpkg-shlibdeps reads the libraries' packages off the programs; mpirun and gnuplot are started by name.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin | mpich")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, python3-numpy, python3-pandas")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libsimgrid-dev, libfmt-dev, nlohmann-json3-dev, libpugixml-dev, libyaml-cpp-dev, libsqlitecpp-dev, libboost-dev, libarchive-dev, libxxhash-dev, libzstd-dev")
include(CPack)
