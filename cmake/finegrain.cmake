# How this project's targets are made: warnings and sanitizers as INTERFACE targets, and one include root a folder,
# so that including a folder that is not a declared dependency fails to build.

add_library(finegrain_options INTERFACE)
target_compile_options(finegrain_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# The same inputs give the same digits at every optimization level.
target_compile_options(finegrain_options INTERFACE -ffp-contract=off)
# GCC looks for memory to use again from here on only (KiB): files compile a tenth faster, in up to 1.5 GB each.
target_compile_options(finegrain_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)
if(FINEGRAIN_WARNINGS_AS_ERRORS)
  target_compile_options(finegrain_options INTERFACE -Werror)
endif()
if(FINEGRAIN_SANITIZERS)
  # Not "null", which AddressSanitizer notices as well, nor "vptr": with them, files take longer to compile.
  target_compile_options(finegrain_options INTERFACE -fsanitize=${FINEGRAIN_SANITIZERS} -fno-sanitize=null,vptr
                                                     -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(finegrain_options INTERFACE -fsanitize=${FINEGRAIN_SANITIZERS})
endif()
if(FINEGRAIN_COMPARE_TYPES)
  # The linker sees the types of what is compiled for link-time optimization.
  target_compile_options(finegrain_options INTERFACE -flto)
  target_link_options(finegrain_options INTERFACE -flto=auto -Wodr -Werror=odr)
endif()
if(FINEGRAIN_COVERAGE)
  target_compile_options(finegrain_options INTERFACE --coverage)
  target_link_options(finegrain_options INTERFACE --coverage)
endif()

# finegrain_compile_together(target [files]): where FINEGRAIN_UNITY is on, its files are compiled 18 at a time, so that headers
# are read and their templates compiled once for all of these: a clean build then takes half the time.
function(finegrain_compile_together target)
  set(files 18)
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FINEGRAIN_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
endfunction()

# finegrain_compile_lightly(target): reading flags, writing files and printing tables needs no more, and takes two fifths
# less time to compile.
function(finegrain_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# The benchmarks that no test runs, because their times depend on the machine. They are not part of a build, but of
# `cmake --build build/release --target benchmarks`.
add_custom_target(benchmarks)
function(finegrain_benchmark target)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${target} EXCLUDE_FROM_ALL ${arg_SOURCES})
  finegrain_compile_lightly(${target})
  target_link_libraries(${target} PRIVATE ${arg_LINK} finegrain_options CLI11::CLI11 fmt::fmt)
  add_dependencies(benchmarks ${target})
endfunction()

# finegrain_library(folder SOURCES a.cpp ... [PUBLIC t ...] [PRIVATE t ...])
# Makes the library finegrain::<folder with / as _>. Its headers are included as "<folder>/x.hpp", and only by targets
# that link it: its include root is a folder of the build tree that holds nothing but a link to it.
function(finegrain_library folder)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(include_root ${PROJECT_BINARY_DIR}/include/${name})
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${include_root}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${include_root}/${folder} SYMBOLIC)
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  add_library(finegrain_${name} STATIC ${arg_SOURCES})
  add_library(finegrain::${name} ALIAS finegrain_${name})
  # What the Python module is made of. Functions are inlined as in a program: nobody may put others in their place.
  if(folder MATCHES "^(traces|traces/io|traces/places|kernels/problem|sim/(collectives|graph|model|pattern|platform|policy))$")
    set_target_properties(finegrain_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(finegrain_${name} PRIVATE -fno-semantic-interposition)
  endif()
  if(NOT folder MATCHES "^kernels" OR folder MATCHES "^kernels/(problem|run)$")  # what is measured stays as it is
    finegrain_compile_together(finegrain_${name})
  endif()
  if(FINEGRAIN_FUZZ AND folder MATCHES "^(traces|traces/io|traces/places|traces/formats|kernels/problem|sim/(pattern|platform|policy|replay|study))$")
    target_compile_options(finegrain_${name} PRIVATE -fsanitize=fuzzer-no-link)  # what reads files: see tests/fuzz
  endif()
  target_include_directories(finegrain_${name} PUBLIC ${include_root})
  target_link_libraries(finegrain_${name} PUBLIC ${arg_PUBLIC} PRIVATE finegrain_options ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY FINEGRAIN_ROOMS ${folder})
endfunction()

# finegrain_registry(sim/policy Policy policy policies_of_files): adds every file NAME_policy.cpp of the folder to its
# library, and a function policies_of_files() that returns what their functions NAME_policy() return. A new file is all
# that a new entry takes.
function(finegrain_registry folder interface suffix function)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*_${suffix}.cpp)
  set(declarations "")
  set(entries "")
  foreach(file ${files})
    cmake_path(GET file STEM entry)
    string(APPEND declarations "const ${interface}& ${entry}();\n")
    string(APPEND entries "&${entry}(), ")
  endforeach()
  cmake_path(GET folder FILENAME room)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp @ONLY CONTENT
"#include <vector>
namespace finegrain::@room@ {
class @interface@;
@declarations@std::vector<const @interface@*> @function@();
std::vector<const @interface@*> @function@() {
  return {@entries@};
}
}  // namespace finegrain::@room@
")
  target_sources(finegrain_${name} PRIVATE ${files} ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
endfunction()
