# SCOTCH, which maps ranks on a platform's nodes. Debian's package has neither a CMake module nor a pkg-config file.
find_path(SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch REQUIRED)
find_library(SCOTCH_LIBRARY scotch REQUIRED)
add_library(finegrain_scotch INTERFACE)
target_include_directories(finegrain_scotch SYSTEM INTERFACE ${SCOTCH_INCLUDE})
target_link_libraries(finegrain_scotch INTERFACE ${SCOTCH_LIBRARY})
