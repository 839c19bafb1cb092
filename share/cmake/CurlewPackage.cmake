# `cpack`: a .deb for the Debian or Ubuntu that it is made on. The preset `package` sets what a package needs: the prefix
# /usr, and programs that know nothing of the machine that they were made on.
#
#   cmake --preset package && cmake --build --preset package && cpack --preset package
set(CURLEW_PYTHON_DIR "" CACHE STRING
  "Folder below the prefix in which Python looks for modules, as lib/python3/dist-packages; empty: the module stays in share")
if(CURLEW_PYTHON_DIR)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/python/curlew" DESTINATION "${CURLEW_PYTHON_DIR}"
    PATTERN __pycache__ EXCLUDE)
endif()

# What a distribution wants of its packages: a copyright file, and a compressed man page.
option(CURLEW_DEBIAN "Install the files that belong into a .deb, too" OFF)
if(CURLEW_DEBIAN)
  install(FILES "${PROJECT_SOURCE_DIR}/share/packaging/debian/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  install(CODE "set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/curlew.1\")
    execute_process(COMMAND gzip -9nf \"\${page}\" COMMAND_ERROR_IS_FATAL ANY)")
endif()

# Without these cpack makes a .deb that depends on nothing, and does not say so.
find_program(CURLEW_FILE file)
find_program(CURLEW_SHLIBDEPS dpkg-shlibdeps)
if(NOT CURLEW_FILE OR NOT CURLEW_SHLIBDEPS)
  message(STATUS "file or dpkg-shlibdeps (dpkg-dev) was not found: cpack makes a .tar.gz instead of a .deb")
  set(CPACK_GENERATOR TGZ)
  include(CPack)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME curlew)
set(CPACK_PACKAGE_VENDOR "Curlew")
set(CPACK_PACKAGE_CONTACT "The Curlew developers <curlew@localhost>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "discontinuous Galerkin solver for Maxwell's equations in time")
set(CPACK_PACKAGE_DESCRIPTION "Curlew solves Maxwell's equations in time in three dimensions with the discontinuous
Galerkin method on tetrahedra. A Lua script and a geometry for Gmsh describe a
simulation; the answers are fields, S-parameters, far fields and resonances.")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # curlew_VERSION_ARCHITECTURE.deb
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the programs open by name, which shlibdeps does not see.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, libopenblas0")
if(CURLEW_HARMINV)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libharminv3")
endif()
# apt installs these, too, unless --no-install-recommends: `curlew plot` and the Python module, mpirun.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, python3-matplotlib, python3-silo, openmpi-bin")
if(CURLEW_HYPRE MATCHES "^libHYPRE-([0-9.]+)\\.so$")
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libhypre-${CMAKE_MATCH_1}")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gmsh, python3-h5py, visit, paraview")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
include(CPack)
