# Random kernels: structured, unstructured, racy, recursive and transactional. The generators, and the GPU against the oracle.
heddle_library(heddle_kernel_generator
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/generator/templates.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/generate.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/emit.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/emitter.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/operations.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/generated_kernel.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/shrink.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/unstructured.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/racy/racy_kernel.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/waiting/generate.cpp ${CMAKE_CURRENT_SOURCE_DIR}/waiting/ends.cpp ${CMAKE_CURRENT_SOURCE_DIR}/waiting/emit.cpp ${CMAKE_CURRENT_SOURCE_DIR}/waiting/wait_text.cpp
  LINK heddle_host fmt::fmt)
heddle_not_hot(heddle_kernel_generator)
target_include_directories(heddle_kernel_generator PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

set(sources
  random_kernels.cpp mixed_warps.cpp unstructured_kernels_test.cpp random_kernels_generator_test.cpp determinism_kernels_test.cpp racy_kernels_test.cpp
  hanoi_recursion_test.cpp hanoi_recursion_kernels.cpp hanoi_waiting_test.cpp hanoi_waiting_kernels.cpp ssde_run_test.cpp tm/random_tx_test.cpp)
list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
heddle_test(random_kernels_test SYSTEMC SOURCES ${sources} ${CMAKE_SOURCE_DIR}/tests/unit/ssde/kernels.cpp
            LINK heddle_kernel_generator heddle_tx_rig heddle_oracle heddle_cli LABELS regression TIMEOUT 600)

# Random kernels whose threads wait for each other, on every machine that has to finish them.
heddle_test(waiting_kernels_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/waiting_kernels_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sound_placement_test.cpp
                    ${CMAKE_SOURCE_DIR}/tests/unit/ssde/kernels.cpp ${CMAKE_SOURCE_DIR}/tests/unit/ssde/unsound_kernels.cpp
            LINK heddle_kernel_generator heddle_isolated heddle_oracle heddle_gpu LABELS regression TIMEOUT 600)
