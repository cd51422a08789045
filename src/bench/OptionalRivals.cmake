# Rivals that are built where their library is found; nothing depends on them. A benchmark looks for the program.

# Clang's OpenMP: by clang itself, or by a clang beside another compiler.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  penstock_add_bench_program(NAME penstock-bench-tasks-openmp-clang SOURCES rivals/tasks_openmp.cpp
                             LIBRARIES OpenMP::OpenMP_CXX)
else()
  find_program(PENSTOCK_RIVAL_CLANG NAMES clang++-19 clang++-18 clang++-17 clang++-16 clang++)
  mark_as_advanced(PENSTOCK_RIVAL_CLANG)
  set(openmp_clang_flags -std=c++20 -O3 -DNDEBUG -fopenmp=libomp)
  if(PENSTOCK_RIVAL_CLANG AND NOT DEFINED PENSTOCK_RIVAL_CLANG_WORKS)
    set(trial ${CMAKE_CURRENT_BINARY_DIR}/openmp_clang_trial.cpp)
    file(WRITE ${trial} "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
    execute_process(
      COMMAND ${PENSTOCK_RIVAL_CLANG} ${openmp_clang_flags} ${trial} -o ${trial}.out
      RESULT_VARIABLE result
      OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
      set(works ON)
    else()
      set(works OFF)
    endif()
    set(PENSTOCK_RIVAL_CLANG_WORKS ${works} CACHE INTERNAL "whether that clang has its OpenMP library")
  endif()
  if(PENSTOCK_RIVAL_CLANG_WORKS)
    set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/penstock-bench-tasks-openmp-clang)
    add_custom_command(
      OUTPUT ${program}
      COMMAND ${PENSTOCK_RIVAL_CLANG} ${openmp_clang_flags} -I${PROJECT_SOURCE_DIR}/src
              ${CMAKE_CURRENT_SOURCE_DIR}/rivals/tasks_openmp.cpp -o ${program}
      DEPENDS rivals/tasks_openmp.cpp rivals/task_patterns.hpp timing.hpp
      VERBATIM)
    add_custom_target(penstock-bench-tasks-openmp-clang DEPENDS ${program})
    add_dependencies(penstock-bench penstock-bench-tasks-openmp-clang)
  endif()
endif()

find_package(TBB QUIET)
if(TARGET TBB::tbb)
  penstock_add_bench_program(NAME penstock-bench-tasks-tbb SOURCES rivals/tasks_tbb.cpp LIBRARIES TBB::tbb
                             Threads::Threads)
endif()

find_path(PENSTOCK_TASKFLOW_INCLUDE taskflow/taskflow.hpp)
mark_as_advanced(PENSTOCK_TASKFLOW_INCLUDE)
if(PENSTOCK_TASKFLOW_INCLUDE)
  penstock_add_bench_program(NAME penstock-bench-tasks-taskflow SOURCES rivals/tasks_taskflow.cpp LIBRARIES
                             Threads::Threads)
  target_include_directories(penstock-bench-tasks-taskflow SYSTEM PRIVATE ${PENSTOCK_TASKFLOW_INCLUDE})
endif()

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PENSTOCK_STARPU QUIET IMPORTED_TARGET starpu-1.4)
  if(NOT PENSTOCK_STARPU_FOUND)
    pkg_check_modules(PENSTOCK_STARPU QUIET IMPORTED_TARGET starpu-1.3)
  endif()
  if(TARGET PkgConfig::PENSTOCK_STARPU)
    penstock_add_bench_program(NAME penstock-bench-tasks-starpu SOURCES rivals/tasks_starpu.cpp LIBRARIES
                               PkgConfig::PENSTOCK_STARPU)
  endif()
endif()
