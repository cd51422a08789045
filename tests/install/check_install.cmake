# Run by the test install.consumer. Everything that is built or installed goes below work_dir, made anew each time; the
# prefix is then moved, since what is installed must not depend on where it was installed.
cmake_minimum_required(VERSION 3.25)
set(prefix ${work_dir}/moved)
file(REMOVE_RECURSE ${work_dir})

# step(WHAT program argument ...): runs it, and ends the test with its output when it fails. Its output is in `output`.
function(step what)
  execute_process(
    COMMAND ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE text
    ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: ${status}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

step("install" ${CMAKE_COMMAND} --install ${build_dir} --prefix ${work_dir}/installed)
file(RENAME ${work_dir}/installed ${prefix})
step("configure the consumer" ${CMAKE_COMMAND} -S ${consumer_dir} -B ${work_dir}/consumer -G ${generator}
     -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${build_type} -D "CMAKE_CXX_FLAGS=${flags}"
     -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step("build the consumer" ${CMAKE_COMMAND} --build ${work_dir}/consumer)
step("run the consumer" ${work_dir}/consumer/consumer)
if(NOT output MATCHES "^penstock ${version}: 42\n$")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

if(EXISTS ${build_dir}/bin/penstock)
  step("run the installed command" ${prefix}/${bin_dir}/penstock --version)
  if(NOT output MATCHES "${version}")
    message(FATAL_ERROR "the installed command does not print version ${version}: ${output}")
  endif()
  step("run a job with the consumer's plugin" ${prefix}/${bin_dir}/penstock run --run-dir ${work_dir}/run
       ${work_dir}/consumer/tripling.toml)
  if(NOT output MATCHES "tripling: all done" OR NOT output MATCHES "tripling.so \\([0-9a-f]+\\)")
    message(FATAL_ERROR "the job with the consumer's plugin printed: ${output}")
  endif()
endif()
