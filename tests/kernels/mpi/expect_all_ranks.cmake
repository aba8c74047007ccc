# cmake -DFOLDER=f -DRANKS=4 -DEXPECTED_CODE=1 -P expect_all_ranks.cmake
# Every rank has left its exit code in FOLDER/<rank>, and it is the expected one.
math(EXPR last "${RANKS} - 1")
foreach(rank RANGE ${last})
  file(READ ${FOLDER}/${rank} code)
  if(NOT code STREQUAL EXPECTED_CODE)
    message(FATAL_ERROR "rank ${rank} left with '${code}', not ${EXPECTED_CODE}")
  endif()
endforeach()
