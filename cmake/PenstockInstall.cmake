# What `cmake --install` puts where: the command and its helpers in bin, the library in lib, modules that the library
# loads at run time in lib/penstock, headers, and the CMake package `penstock` with the target penstock::penstock.
include(CMakePackageConfigHelpers)

install(
  TARGETS penstock penstock_headers
  EXPORT penstock-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${PENSTOCK_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET penstock_cuda)
  install(TARGETS penstock_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/penstock)
endif()
install(DIRECTORY include/penstock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
install(
  EXPORT penstock-targets
  NAMESPACE penstock::
  DESTINATION ${package_folder})
configure_package_config_file(cmake/penstock-config.cmake.in penstock-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(penstock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penstock-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/penstock-config-version.cmake
              cmake/PenstockPlugin.cmake
        DESTINATION ${package_folder})
