# Open MPI as it must be for tests: as root in a container, with more ranks than cores, several tests at a time.
set(finegrain_mpi_environment
  ${open_mpi_environment}
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_mpi_yield_when_idle=1
  OMP_NUM_THREADS=1
  OMP_WAIT_POLICY=passive
  # Open MPI leaks by design, and the message counter is loaded before the sanitizer's library.
  ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0)
# How to say that a rank's failure does not end the others.
if(MPI_CXX_LIBRARY_VERSION_STRING MATCHES "MPICH")
  set(mpirun ${MPIEXEC_EXECUTABLE})
  set(others_go_on -disable-auto-cleanup)
else()
  set(mpirun ${MPIEXEC_EXECUTABLE} --quiet)
  set(others_go_on --mca orte_abort_on_non_zero_status 0)
endif()

# finegrain_mpi_test(name ranks COMMAND program arg ... [OPTIONS mpirun options ...] [ENVIRONMENT A=b ...]
#                    [FIXTURES_SETUP f] [FIXTURES_REQUIRED f ...])
# A CTest test that runs a program under mpirun.
function(finegrain_mpi_test name ranks)
  cmake_parse_arguments(arg "" "FIXTURES_SETUP" "COMMAND;OPTIONS;ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
  add_test(NAME ${name} COMMAND ${mpirun} ${arg_OPTIONS} -n ${ranks} ${arg_COMMAND})
  finegrain_mpi_properties(${name} ${ranks} ENVIRONMENT ${arg_ENVIRONMENT} FIXTURES_SETUP ${arg_FIXTURES_SETUP}
                           FIXTURES_REQUIRED ${arg_FIXTURES_REQUIRED})
endfunction()

# The same for a program of UPC++: a real one's own launcher starts it, on this node.
function(finegrain_upcxx_test name ranks)
  if(NOT UPCXX_FOUND)
    finegrain_mpi_test(${ARGV})
    return()
  endif()
  cmake_parse_arguments(arg "" "" "COMMAND;ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
  add_test(NAME ${name} COMMAND ${UPCXX_RUN} -n ${ranks} ${arg_COMMAND})
  finegrain_mpi_properties(${name} ${ranks} ENVIRONMENT GASNET_SPAWNFN=L ${arg_ENVIRONMENT}
                           FIXTURES_REQUIRED ${arg_FIXTURES_REQUIRED})
endfunction()

# The same for a test that starts mpirun itself. Most of its time is the start of its processes, and ranks that wait
# yield their core: four share one.
function(finegrain_mpi_properties name ranks)
  cmake_parse_arguments(arg "" "FIXTURES_SETUP" "ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
  math(EXPR cores "(${ranks} + 3) / 4")
  set_tests_properties(${name} PROPERTIES
    LABELS mpi
    TIMEOUT 300
    PROCESSORS ${cores}
    ENVIRONMENT "${finegrain_mpi_environment};${arg_ENVIRONMENT}"
    FIXTURES_SETUP "${arg_FIXTURES_SETUP}"
    FIXTURES_REQUIRED "${arg_FIXTURES_REQUIRED}")
endfunction()

# A test that bad input ends in one line, which holds the text, and exit code 1.
function(finegrain_bad_input_test name text)
  cmake_parse_arguments(arg "" "" "COMMAND;FIXTURES_REQUIRED" ${ARGN})
  add_test(NAME "mpi: ${name} is one line and exit code 1"
    COMMAND ${CMAKE_COMMAND} -DEXPECTED_CODE=1 -DEXPECTED_TEXT=${text}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpi/expect_failure.cmake -- ${mpirun} ${arg_COMMAND})
  finegrain_mpi_properties("mpi: ${name} is one line and exit code 1" 4 FIXTURES_REQUIRED ${arg_FIXTURES_REQUIRED})
endfunction()
