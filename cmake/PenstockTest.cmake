# How the tests are declared. Every test has one label: unit, contract, mpi, e2e or slow.
include(GoogleTest)

# Where Open MPI runs, leaks are not looked for: it leaks by design.
set(penstock_leaking_labels mpi e2e slow)

# Ends the configuration unless the label is one of ours; without it a test would run nowhere.
function(penstock_check_label name label)
  if(NOT label MATCHES "^(unit|contract|mpi|e2e|slow)$")
    message(FATAL_ERROR "test ${name}: LABEL is unit, contract, mpi, e2e or slow, not '${label}'")
  endif()
endfunction()

# penstock_add_command_test(NAME cli.help LABEL e2e COMMAND program argument ... [TIMEOUT 120] [PROCESSORS 1] [SERIAL])
# Passes when the command returns 0, and counts as skipped when it returns 77. SERIAL: it needs the cores for itself.
function(penstock_add_command_test)
  cmake_parse_arguments(TEST "SERIAL" "NAME;LABEL;TIMEOUT;PROCESSORS" "COMMAND" TIMEOUT 120 PROCESSORS 1 ${ARGN})
  penstock_check_label(${TEST_NAME} ${TEST_LABEL})
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_COMMAND})
  set_tests_properties(
    ${TEST_NAME} PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT} PROCESSORS ${TEST_PROCESSORS}
                            RUN_SERIAL ${TEST_SERIAL} SKIP_RETURN_CODE 77)
  if(TEST_LABEL IN_LIST penstock_leaking_labels)
    set_property(TEST ${TEST_NAME} PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1
                                            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
endfunction()

# penstock_add_test(NAME core_test SOURCES a_test.cpp ... LIBRARIES ... LABEL unit [RANKS 1 2 4] [TIMEOUT 120] [SERIAL])
# One executable, one ctest entry a case. With RANKS, one entry NAME.npN for each number, run by N ranks: the sources
# then hold a main() that starts MPI, which takes the place of GoogleTest's.
function(penstock_add_test)
  cmake_parse_arguments(TEST "SERIAL" "NAME;LABEL;TIMEOUT" "SOURCES;LIBRARIES;RANKS" TIMEOUT 120 ${ARGN})
  penstock_check_label(${TEST_NAME} ${TEST_LABEL})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_include_directories(${TEST_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
  penstock_set_warnings(${TEST_NAME})
  if(TEST_RANKS)
    penstock_add_rank_tests(${TEST_NAME} ${TEST_LABEL} ${TEST_TIMEOUT} "${TEST_RANKS}")
    return()
  endif()
  set(properties LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT} RUN_SERIAL ${TEST_SERIAL})
  if(TEST_LABEL IN_LIST penstock_leaking_labels)
    list(APPEND properties ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  gtest_discover_tests(${TEST_NAME} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

function(penstock_add_rank_tests name label timeout numbers)
  foreach(ranks IN LISTS numbers)
    penstock_add_command_test(
      NAME ${name}.np${ranks}
      LABEL ${label}
      TIMEOUT ${timeout}
      PROCESSORS ${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} --bind-to none --oversubscribe
              $<TARGET_FILE:${name}>)
  endforeach()
endfunction()
