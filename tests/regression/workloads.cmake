# Workloads on whole GPUs, against the oracle. A process registers all tests of its program before it runs one, in about ten microseconds each:
# the thousands of tests on workloads are three programs, not one.
heddle_library(heddle_workload_scenario SYSTEMC JSON SOURCES ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp LINK heddle_isolated heddle_cli)
heddle_not_hot(heddle_workload_scenario)

# Right results, on every platform, under determinism, in transactions, after other passes and under perturbed timing.
heddle_test(workloads_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism_workloads_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/tm/workloads_tx_test.cpp ${CMAKE_CURRENT_LIST_DIR}/perturbation_test.cpp ${CMAKE_CURRENT_LIST_DIR}/threads_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/compiler_passes_test.cpp ${CMAKE_CURRENT_LIST_DIR}/test_passes.cpp
  LINK heddle_workload_scenario heddle_kernel_generator heddle_oracle LABELS regression TIMEOUT 300)
heddle_suites(workloads_test DeterministicWorkloads TIMEOUT 600)

# On every mechanism of control flow: which kernels finish, and why not.
heddle_test(control_flow_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/mimd_forms_test.cpp ${CMAKE_CURRENT_LIST_DIR}/hanoi_workloads_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/compaction_workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/compaction_launches_test.cpp ${CMAKE_CURRENT_LIST_DIR}/resync_workloads_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/spin_test.cpp ${CMAKE_CURRENT_LIST_DIR}/combinations_test.cpp
  LINK heddle_workload_scenario LABELS regression TIMEOUT 300)

# Their kernels as machine code.
heddle_test(machine_code_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/machine_code_test.cpp ${CMAKE_CURRENT_LIST_DIR}/control_codes_test.cpp ${CMAKE_CURRENT_LIST_DIR}/counted_cycles_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tensor_code_test.cpp LINK heddle_workload_scenario LABELS regression TIMEOUT 300)

# Their operations one by one, with values.
set(sources code_values_test.cpp code_program.cpp load_cases.cpp store_cases.cpp fence_cases.cpp atomic_cases.cpp control_cases.cpp async_cases.cpp texture_cases.cpp refusals.cpp)
list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/code_values/)
heddle_test(code_values_test SYSTEMC SOURCES ${sources} ${CMAKE_CURRENT_LIST_DIR}/texture_code_test.cpp ${CMAKE_SOURCE_DIR}/tests/unit/sass/assembler.cpp
  ${CMAKE_SOURCE_DIR}/tests/unit/sass/case_text.cpp ${CMAKE_SOURCE_DIR}/tests/unit/sass/elf_writer.cpp
  LINK heddle_workload_scenario LABELS regression TIMEOUT 300)
set(assembled)
if(HEDDLE_PTXAS)
  set(assembled ${CMAKE_CURRENT_BINARY_DIR}/assembled)
  file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/platforms/workloads/ptx/*.nvcc.ptx)
  set(assembler ${CMAKE_SOURCE_DIR}/platforms/workloads/assemble.sh)
  foreach(architecture sm_75 sm_90)
    set(stamp ${assembled}/${architecture}.stamp)
    add_custom_command(OUTPUT ${stamp} DEPENDS ${modules} ${assembler} VERBATIM
      COMMENT "Assembling the workloads for ${architecture}"
      COMMAND ${CMAKE_COMMAND} -E env PTXAS=${HEDDLE_PTXAS} ${assembler} ${architecture} ${assembled}/${architecture}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp})
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(assembled_workloads DEPENDS ${stamps})
  add_dependencies(machine_code_test assembled_workloads)
endif()
set(ptxas ${HEDDLE_PTXAS})
if(NOT ptxas)
  set(ptxas)
endif()
target_compile_definitions(machine_code_test PRIVATE HEDDLE_ASSEMBLED_WORKLOADS="${assembled}" HEDDLE_PTXAS_PATH="${ptxas}")

# What a run tells: hangs and their causes, profile, energy, waiting at synchronization.
heddle_test(observation_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/hang_corpus_test.cpp ${CMAKE_CURRENT_LIST_DIR}/hang_patterns_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/hang_corpus.cpp ${CMAKE_CURRENT_LIST_DIR}/hang_occupancy_test.cpp ${CMAKE_CURRENT_LIST_DIR}/profile_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/energy_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sync_statistics_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/fence_rounds_test.cpp
  LINK heddle_workload_scenario LABELS regression TIMEOUT 300)
# Its tests are named after the table's rows: linked, and listed, anew when these change.
set_property(TARGET observation_test APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/tests/data/hangs/corpus.json)
