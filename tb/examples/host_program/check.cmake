# Installs Heddle into a fresh prefix, builds this project against it and runs it, as its README says.
#   cmake -DBUILD=... -DWORK=... -DGENERATOR=... -P check.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
# The installed platform files must do: without the source tree's, and found by name.
run(${WORK}/build/host_program tiny cores=1)
if(NOT output MATCHES "tiny: 1 cores" OR NOT output MATCHES "right, [0-9]+ cycles")
  message(FATAL_ERROR "unexpected output:\n${output}")
endif()
execute_process(COMMAND ${WORK}/build/host_program tinny RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 2 OR NOT error MATCHES "did you mean 'tiny'")
  message(FATAL_ERROR "an unknown platform gave exit code ${code} and:\n${error}")
endif()
file(REMOVE_RECURSE ${WORK})
