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
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/built)
file(RENAME ${WORK}/built ${WORK}/prefix) # an installation can be moved
file(RENAME ${WORK}/prefix/share/heddle/platforms/tiny.yaml ${WORK}/prefix/share/heddle/platforms/installed.yaml)
unset(ENV{HEDDLE_PLATFORMS_DIR})
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
# The installed platform files must be the ones that are read: the source tree has none of this name.
run(${WORK}/build/host_program installed cores=1)
if(NOT output MATCHES "tiny: 1 cores" OR NOT output MATCHES "right, [0-9]+ cycles")
  message(FATAL_ERROR "unexpected output:\n${output}")
endif()
execute_process(COMMAND ${WORK}/build/host_program instaled RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 2 OR NOT error MATCHES "did you mean 'installed'")
  message(FATAL_ERROR "an unknown platform gave exit code ${code} and:\n${error}")
endif()
file(REMOVE_RECURSE ${WORK})
