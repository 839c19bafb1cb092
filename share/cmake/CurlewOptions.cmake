# Build options and the flags that every target shares.
option(CURLEW_WERROR "Treat warnings as errors" OFF)
option(CURLEW_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(CURLEW_TSAN "Build with the thread sanitizer, for the tests of threads" OFF)
option(CURLEW_QUICK_KERNELS "Compile one set of fused kernels, without much optimisation: for development, a minute instead of ten" OFF)
option(CURLEW_NATIVE "Compile for this machine's processor only (-march=native)" OFF)
option(CURLEW_TESTS "Build the tests" ON)
option(CURLEW_IN_TREE "The programs look in the source tree and the build folder for each other and for share, too; packages do not" ON)
option(CURLEW_LONG_TESTS "Add the tests that take many minutes: ctest -L long" OFF)
option(CURLEW_FUZZ "Build the fuzzing programs, and all else for them; with clang" OFF)
if(CURLEW_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "CURLEW_FUZZ needs clang: libFuzzer is part of it")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The reference kernels rely on -O3 to vectorise their inner loops; -ffast-math stays off because the watchdog must see NaN.
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
# All libraries become part of libcurlew.so, too.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

include(GNUInstallDirs)

# curlew_plain_flags is without the sanitizers: for the kernels.
foreach(flags curlew_flags curlew_plain_flags)
  add_library(${flags} INTERFACE)
  target_include_directories(${flags} INTERFACE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${flags} INTERFACE _POSIX_C_SOURCE=200809L)
  target_compile_options(${flags} INTERFACE $<$<COMPILE_LANGUAGE:C>:-fno-semantic-interposition>)
  target_compile_options(${flags} INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla $<$<BOOL:${CURLEW_WERROR}>:-Werror>
    $<$<BOOL:${CURLEW_NATIVE}>:-march=native>)
endforeach()
if(CURLEW_SANITIZE)
  target_compile_options(curlew_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer -O2) # at -O0 the numerical tests would take ten times as long
  target_link_options(curlew_flags INTERFACE -fsanitize=address,undefined)
endif()

if(CURLEW_TSAN)
  target_compile_options(curlew_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -O1)
  target_link_options(curlew_flags INTERFACE -fsanitize=thread)
endif()

if(CURLEW_FUZZ)
  set(CURLEW_FUZZ_FLAGS -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all)
  target_compile_options(curlew_flags INTERFACE -fsanitize=fuzzer-no-link ${CURLEW_FUZZ_FLAGS} -fno-omit-frame-pointer)
  target_link_options(curlew_flags INTERFACE ${CURLEW_FUZZ_FLAGS})
  add_custom_target(fuzz)
endif()

# curlew_fuzz(NAME LIBRARIES...): fuzz/NAME.c of the folder, and a ctest entry that runs it for a quarter of a minute from the inputs in
# fuzz/corpus/NAME, and from the files in the list NAME_seeds if that is set. What it finds besides is kept in the build folder, and so are inputs that fail.
function(curlew_fuzz name)
  if(NOT CURLEW_FUZZ)
    return()
  endif()
  add_executable(${name} fuzz/${name}.c)
  target_link_libraries(${name} PRIVATE curlew_flags ${ARGN} m)
  target_compile_definitions(${name} PRIVATE FUZZ_SHARE="${PROJECT_SOURCE_DIR}/share")
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz ${name})
  set(found "${CMAKE_CURRENT_BINARY_DIR}/found/${name}")
  file(MAKE_DIRECTORY "${found}")
  set(words "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict")
  if(EXISTS "${words}")
    set(dictionary "-dict=${words}")
  endif()
  if(${name}_seeds)
    list(JOIN ${name}_seeds "," seeds)
    set(seeds "-seed_inputs=${seeds}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${seeds} -max_total_time=15 -timeout=20 -rss_limit_mb=4096 -close_fd_mask=1
    -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/${name}- ${dictionary} "${found}"
    "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300 ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()

# What follows fields for hundreds of steps and compares them with closed forms. With sanitizers that takes several times
# as long, and program_kinds_contract has all the terms there.
set(CURLEW_NUMBERS test_backend test_curved test_squares test_curved_random test_stability test_stability_bloch test_losses
  test_magnetic_losses test_responses test_poles test_polarisation test_tensors test_gyrotropic test_ferrite test_layers
  test_sheets test_metal test_graphene test_metal_sheet test_balance test_ports test_ports_tem test_sources_curved
  test_phasors test_fused test_fused_curved test_fused_matrix test_library)
# What has no numbers that optimisation could change: CI runs these with the sanitizers alone, and leaves out their label in
# the release build.
set(CURLEW_SANITIZED test_setup test_gmsh test_mesher test_find test_curved_mesh test_fit test_script test_script_args
  test_script_hooks test_script_limits test_script_threads test_waveform)


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
  set(labels unit)
  if(CURLEW_SANITIZE AND name IN_LIST CURLEW_NUMBERS)
    list(APPEND labels slow)
  elseif(NOT CURLEW_SANITIZE AND name IN_LIST CURLEW_SANITIZED)
    list(APPEND labels sanitized)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "OMP_NUM_THREADS=1")
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
    set_tests_properties(${name}_${n} PROPERTIES LABELS "unit;mpi" SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2
      ENVIRONMENT "${CURLEW_MPI_ENVIRONMENT}")
  endforeach()
endfunction()
# More ranks than cores, also as root (containers).
set(CURLEW_MPI_ENVIRONMENT OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0)
if(CURLEW_SANITIZE) # Open MPI leaks from plugins that are unloaded at the end, which no suppression can name
  list(APPEND CURLEW_MPI_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
