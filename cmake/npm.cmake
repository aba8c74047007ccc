# What the report's page and its test need of npm: exactly what the lock files name, installed in the build tree.
find_program(NODE node)
find_program(NPM npm)

# finegrain_npm_packages(source build): `npm ci` of source/package-lock.json in the folder build, which then holds
# packages.stamp and node_modules.
function(finegrain_npm_packages source build)
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "npm: not found (it fetches what draws the charts of `finegrain report`). Run ./install-dependencies, "
                        "or build from a release archive, which needs no npm (docs/install.md)")
  endif()
  add_custom_command(
    OUTPUT ${build}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -D NPM=${NPM} -D SOURCE=${source} -D BUILD=${build} -P ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
    DEPENDS ${source}/package.json ${source}/package-lock.json ${source}/.npmrc ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
    COMMENT "npm ci of ${source}"
    VERBATIM)
endfunction()
