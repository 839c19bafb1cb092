# Build options and the flags that every target shares.
option(CURLEW_WERROR "Treat warnings as errors" OFF)
option(CURLEW_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(CURLEW_NATIVE "Compile for this machine's processor only (-march=native)" OFF)
option(CURLEW_TESTS "Build the tests" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The reference kernels rely on -O3 to vectorise their inner loops; -ffast-math stays off because the watchdog must see NaN.
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")


include(GNUInstallDirs)

add_library(curlew_flags INTERFACE)
target_include_directories(curlew_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(curlew_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(curlew_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla $<$<BOOL:${CURLEW_WERROR}>:-Werror>
  $<$<BOOL:${CURLEW_NATIVE}>:-march=native>)
if(CURLEW_SANITIZE)
  target_compile_options(curlew_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer -O2) # at -O0 the numerical tests would take ten times as long
  target_link_options(curlew_flags INTERFACE -fsanitize=address,undefined)
endif()

# curlew_unit_test(NAME SOURCE LIBRARIES...): a cmocka program and its ctest entry, labelled unit.
function(curlew_unit_test name source)
  if(NOT CURLEW_TESTS)
    return()
  endif()
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE curlew_flags ${ARGN} PkgConfig::CMOCKA m)
  target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  # One thread a test: ctest runs several at a time, and threads that wait for each other on busy processors take many
  # times as long.
  set_tests_properties(${name} PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()

# curlew_mpi_test(NAME "1;2;5" SOURCE LIBRARIES...): the same, started once for every number of ranks, labelled mpi.
function(curlew_mpi_test name ranks source)
  if(NOT CURLEW_TESTS)
    return()
  endif()
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE curlew_flags ${ARGN} PkgConfig::CMOCKA m)
  target_compile_definitions(${name} PRIVATE TEST_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(n IN LISTS ranks)
    add_test(NAME ${name}_${n} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}_${n} PROPERTIES LABELS "unit;mpi" SKIP_RETURN_CODE 77 TIMEOUT 120 PROCESSORS 2
      ENVIRONMENT "${CURLEW_MPI_ENVIRONMENT}")
  endforeach()
endfunction()
# More ranks than cores, also as root (containers).
set(CURLEW_MPI_ENVIRONMENT OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0)
if(CURLEW_SANITIZE) # Open MPI leaks from plugins that are unloaded at the end, which no suppression can name
  list(APPEND CURLEW_MPI_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
