# npm ci, and once more where the network failed it.
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${BUILD})
foreach(attempt 1 2)
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
    WORKING_DIRECTORY ${BUILD} OUTPUT_QUIET ERROR_VARIABLE npm_says RESULT_VARIABLE failed)
  if(NOT failed)
    file(TOUCH ${BUILD}/packages.stamp)
    return()
  endif()
endforeach()
message(FATAL_ERROR "npm ci: failed twice in ${BUILD}:\n${npm_says}\nIs its registry reachable? Then build again")
