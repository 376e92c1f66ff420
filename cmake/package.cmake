# What is installed beside the program, and the .deb that holds it all:
# `cmake --workflow --preset deb`, or `cpack` in the build directory.
include(GNUInstallDirs)

# Compressed without name and time: the same source gives the same file.
find_program(GZIP gzip REQUIRED)
set(manual ${CMAKE_CURRENT_BINARY_DIR}/prengdl.1)
add_custom_command(OUTPUT ${manual}.gz
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/docs/prengdl.1 ${manual}
  COMMAND ${GZIP} -9nf ${manual}
  DEPENDS ${PROJECT_SOURCE_DIR}/docs/prengdl.1 VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}.gz)
install(FILES ${manual}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Where Debian's shells look for the completions of packages.
install(FILES ${PROJECT_SOURCE_DIR}/completions/prengdl.bash RENAME prengdl
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_SOURCE_DIR}/completions/_prengdl
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${PROJECT_SOURCE_DIR}/completions/prengdl.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# For workloads: the header and the Python package.
install(FILES ${PROJECT_SOURCE_DIR}/include/prengdl/events.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/prengdl)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/prengdl DESTINATION lib/python3/dist-packages
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# What `prengdl setup` and the studies need: found as ../share/prengdl from the program. The Python
# package once more, for environments, which do not look where Debian's Python does.
set(share ${CMAKE_INSTALL_DATADIR}/prengdl)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/environments DESTINATION ${share})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/studies DESTINATION ${share} FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/workloads DESTINATION ${share}
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/prengdl DESTINATION ${share}/python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# The tables are built into the program; these copies are for reading.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/prengdl
  FILES_MATCHING PATTERN "*.csv")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(PRENGDL_WEB)  # of the code in the pages of reports
  install(FILES ${PROJECT_SOURCE_DIR}/web/dist/LICENCES.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME prengdl)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measure and compare the energy and time of commands")
set(CPACK_PACKAGE_CONTACT "prengdl developers <prengdl@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # prengdl_VERSION_ARCH.deb
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For the environments of studies; measuring needs neither.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-venv")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"prengdl runs deep-learning workloads, or any other command, and measures
their joules and seconds with the meters of the machine: RAPL, GPUs by NVML
and ROCm SMI, sensors of the board, batteries and wall meters. Several
commands are run in random order and compared with sound statistics.
.
The package holds the program, studies of deep-learning frameworks with their
workloads and the locks of their environments, and for workloads that want to
tell what they do a Python package and a C++ header.")
include(CPack)
