# Man pages and the shells' completions come from the built command, so that they cannot differ from it. The target
# `manual` makes a site of docs/, of the reference of all commands and of the library's headers (Sphinx; it is searched without a network).
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${manual}/commands.md
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/command_reference $<TARGET_FILE:finegrain> ${manual}
  DEPENDS finegrain ${PROJECT_SOURCE_DIR}/cmake/command_reference
  COMMENT "Man pages, completions and the reference of all commands"
  VERBATIM)
add_custom_target(command_reference ALL DEPENDS ${manual}/commands.md)
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual}/finegrain DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/_finegrain DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${manual}/finegrain.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

find_program(FINEGRAIN_SPHINX sphinx-build)
if(FINEGRAIN_SPHINX)
  # Warnings are errors: a link without a target, a document that nothing leads to.
  add_custom_target(manual
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}/source
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/docs ${manual}/source
    COMMAND ${CMAKE_COMMAND} -E copy ${manual}/commands.md ${manual}/source
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/api_reference ${PROJECT_SOURCE_DIR} ${manual}/source ${library_rooms}
    COMMAND ${FINEGRAIN_SPHINX} -q -W --keep-going -b html -d ${manual}/doctrees -D version=${PROJECT_VERSION} ${manual}/source ${manual}/site
    DEPENDS ${manual}/commands.md
    COMMENT "The manual: ${manual}/site/index.html"
    VERBATIM)
endif()
