# cmake --install: the programs, the platform files, and libfinegrain with its headers, for find_package(finegrain) and
# pkg-config. The library is every room that needs neither MPI nor a command line, nor serves a page.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(library_rooms GLOBAL PROPERTY FINEGRAIN_ROOMS)
list(FILTER library_rooms INCLUDE REGEX "^(traces|traces/io|kernels/machine|kernels/micro|kernels/problem|sim/.*)$")
list(REMOVE_ITEM library_rooms sim/cli sim/explore)
set(objects "")
foreach(room ${library_rooms})
  string(REPLACE "/" "_" name ${room})
  list(APPEND objects $<TARGET_OBJECTS:finegrain_${name}>)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/finegrain/${room}
          FILES_MATCHING PATTERN *.hpp PATTERN CMakeFiles EXCLUDE
          PATTERN web EXCLUDE)
endforeach()

add_library(libfinegrain STATIC ${objects})
set_target_properties(libfinegrain PROPERTIES OUTPUT_NAME finegrain EXPORT_NAME finegrain LINKER_LANGUAGE CXX)
target_compile_features(libfinegrain INTERFACE cxx_std_20)
target_include_directories(libfinegrain INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/finegrain>)
target_link_libraries(libfinegrain PUBLIC fmt::fmt nlohmann_json::nlohmann_json pugixml::pugixml yaml-cpp SQLiteCpp Boost::headers
                                          OpenMP::OpenMP_CXX PkgConfig::simgrid PkgConfig::archive PkgConfig::xxhash PkgConfig::zstd scotch)

install(TARGETS libfinegrain EXPORT finegrain ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT finegrain NAMESPACE finegrain:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/finegrain)
configure_file(cmake/finegrain-config.cmake.in ${PROJECT_BINARY_DIR}/finegrain-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/finegrain-config-version.cmake COMPATIBILITY ExactVersion)
# The folder may be moved: everything is found from where the file is.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/finegrain.pc.in ${PROJECT_BINARY_DIR}/finegrain.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/finegrain-config.cmake ${PROJECT_BINARY_DIR}/finegrain-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/finegrain)
install(FILES ${PROJECT_BINARY_DIR}/finegrain.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

get_property(kernels GLOBAL PROPERTY FINEGRAIN_PROGRAMS)
# Where finegrain looks for them, so that they are in nobody's way: its recorders, and the programs that it starts.
foreach(recorder finegrain_recorder finegrain_recorder_mpich)
  if(TARGET ${recorder})
    install(TARGETS ${recorder} LIBRARY DESTINATION lib/finegrain)
  endif()
endforeach()
install(TARGETS ${kernels} RUNTIME DESTINATION lib/finegrain)
install(TARGETS finegrain RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/finegrain)
