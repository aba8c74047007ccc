# Makes NAME.tar.gz in this folder: the last commit of finegrain, and BUNDLE, the program of the report's page. Building
# from it needs neither npm nor a network.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
execute_process(COMMAND git diff --quiet HEAD WORKING_DIRECTORY ${source} RESULT_VARIABLE changed)
if(changed)
  message(FATAL_ERROR "dist: ${source} has changes that are not committed (the archive is of the last commit). Commit them first")
endif()
set(archive ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.tar.gz)
execute_process(
  COMMAND git archive --prefix=${NAME}/sim/report/web/ --add-file=${BUNDLE} --prefix=${NAME}/ --output=${archive} HEAD
  WORKING_DIRECTORY ${source} COMMAND_ERROR_IS_FATAL ANY)
message("${archive}")
