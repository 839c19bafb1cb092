# Everything that Curlew stands on, as imported targets.
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

# The name differs between distributions; another Lua than 5.4 is none of ours.
pkg_search_module(LUA REQUIRED IMPORTED_TARGET lua5.4 lua-5.4 lua54 "lua>=5.4")
if(CURLEW_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()

# curlew_find(TARGET HEADER LIBRARY PACKAGE): libraries without a usable pkg-config file.
function(curlew_find target header library package)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY ${library})
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "${header} or lib${library} was not found (Debian and Ubuntu: ${package}). "
      "./bootstrap installs what is missing; elsewhere set ${target}_INCLUDE and ${target}_LIBRARY.")
  endif()
  add_library(curlew::${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(curlew::${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(curlew::${target} INTERFACE ${${target}_LIBRARY})
endfunction()

curlew_find(gmsh gmshc.h gmsh libgmsh-dev)
curlew_find(metis metis.h metis libmetis-dev)
curlew_find(silo silo.h siloh5 libsilo-dev)

# Loaded by name when it is first wanted (libdg/ref/dense.h), so that the name with its version comes first.
find_library(CURLEW_OPENBLAS_FILE NAMES libopenblas.so.0 openblas)
if(NOT CURLEW_OPENBLAS_FILE)
  message(FATAL_ERROR "libopenblas was not found (Debian and Ubuntu: libopenblas-dev). ./bootstrap installs what is missing.")
endif()
get_filename_component(CURLEW_OPENBLAS "${CURLEW_OPENBLAS_FILE}" NAME)

# Loaded by name, too (maxwell/resonance/inversion.h): it brings LAPACK and BLAS, which must not come before OpenBLAS.
find_path(CURLEW_HARMINV_INCLUDE harminv.h)
find_library(CURLEW_HARMINV_FILE NAMES libharminv.so.3 harminv)
set(CURLEW_HARMINV "")
if(CURLEW_HARMINV_INCLUDE AND CURLEW_HARMINV_FILE)
  get_filename_component(CURLEW_HARMINV "${CURLEW_HARMINV_FILE}" NAME)
else()
  message(STATUS "libharminv was not found (Debian and Ubuntu: libharminv-dev): output.resonances will be refused")
endif()

# Loaded by name for the same reason (libdg/solve/amg.h).
find_path(CURLEW_HYPRE_INCLUDE HYPRE.h PATH_SUFFIXES hypre)
find_library(CURLEW_HYPRE_FILE NAMES HYPRE)
set(CURLEW_HYPRE "")
if(CURLEW_HYPRE_INCLUDE AND CURLEW_HYPRE_FILE)
  get_filename_component(hypre_file "${CURLEW_HYPRE_FILE}" REALPATH) # the name of the package with its version
  get_filename_component(CURLEW_HYPRE "${hypre_file}" NAME)
else()
  message(STATUS "hypre was not found (Debian and Ubuntu: libhypre-dev): static fields will take more iterations")
endif()

# HDF5, and the very one that Silo uses: two of them in one process do not go together. On Debian and Ubuntu it is a
# package of its own for every MPI, and one without.
file(STRINGS "${silo_LIBRARY}" silo_hdf5 REGEX "libhdf5[a-z_]*\\.so" LIMIT_COUNT 1)
string(REGEX MATCH "libhdf5(_([a-z]+))?\\.so" silo_hdf5 "${silo_hdf5}")
set(hdf5_flavour "${CMAKE_MATCH_2}")
if(hdf5_flavour)
  pkg_check_modules(HDF5 IMPORTED_TARGET GLOBAL hdf5-${hdf5_flavour})
else()
  pkg_check_modules(HDF5 IMPORTED_TARGET GLOBAL hdf5)
endif()
if(NOT HDF5_FOUND)
  message(FATAL_ERROR "HDF5 was not found: Silo (${silo_LIBRARY}) uses ${silo_hdf5} "
    "(Debian and Ubuntu: libhdf5-openmpi-dev). ./bootstrap installs what is missing.")
endif()
add_library(curlew::hdf5 ALIAS PkgConfig::HDF5)
