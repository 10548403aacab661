# Installs Heddle into a fresh prefix, builds this project against it and runs it, as its README says.
#   cmake -DBUILD=... -DWORK=... -DPTX=... -DGENERATOR=... -DCOMPILER=... -P check.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
# Runs the program with the assignments; what its output must match is the first argument.
function(expect pattern)
  run(${WORK}/build/own_mechanisms ${PTX} tiny ${ARGN})
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "with ${ARGN}, expected ${pattern}:\n${output}")
  endif()
  string(REGEX MATCH "[0-9]+ cycles" cycles "${output}")
  set(cycles "${cycles}" PARENT_SCOPE)
endfunction()
function(refuse pattern)
  execute_process(COMMAND ${WORK}/build/own_mechanisms ${PTX} tiny ${ARGN} RESULT_VARIABLE code OUTPUT_QUIET
                  ERROR_VARIABLE error)
  if(NOT code EQUAL 2 OR NOT error MATCHES "${pattern}")
    message(FATAL_ERROR "with ${ARGN}: exit code ${code} and, instead of ${pattern}:\n${error}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
unset(ENV{HEDDLE_PLATFORMS_DIR})
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_UNITY_BUILD=ON)  # the headers are read once
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)

set(mechanism core.control_flow.mechanism=min_pc)
set(policy core.scheduler.policy=least_progress)
set(dispatch dispatch.policy=chunks)
set(replacement core.l1d.replacement=fifo)
expect("simt_stack, [a-z]+, round_robin, lru: right, [0-9]+ cycles")
# Each of them is in the machine: alone, it changes how long the kernels take.
foreach(one ${mechanism} ${policy} ${dispatch} ${replacement})
  expect(": right, [0-9]+ cycles" ${one} cores=2)
  set(with ${cycles})
  expect(": right, [0-9]+ cycles" cores=2)
  if(with STREQUAL cycles)
    message(FATAL_ERROR "${one} makes no difference: ${with}")
  endif()
endforeach()
expect("min_pc, least_progress, chunks, fifo: right, [0-9]+ cycles" ${mechanism} ${policy} ${dispatch} ${replacement})
expect("min_pc, least_progress, chunks, lru: right, [0-9]+ cycles" ${mechanism} ${policy} ${dispatch} cores=3
       core.control_flow.min_pc.deepest_first=false core.scheduler.progress_step=1 dispatch.chunks.ctas=2)
refuse("'min_pcs' is not a choice for 'core.control_flow.mechanism'; did you mean 'min_pc'"
       core.control_flow.mechanism=min_pcs)
refuse("'least' is not a choice for 'core.scheduler.policy'.*choices: lrr, gto[a-z_, ]*, least_progress"
       core.scheduler.policy=least)
refuse("'fifa' is not a choice for 'core.l1d.replacement'; did you mean 'fifo'" core.l1d.replacement=fifa)
refuse("'chunk' is not a choice for 'dispatch.policy'; did you mean 'chunks'" dispatch.policy=chunk)
refuse("'dispatch.chunks.ctas' is out of range" dispatch.chunks.ctas=0)
file(REMOVE_RECURSE ${WORK})
