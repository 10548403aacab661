# Random structured kernels: the generator, its checks on the oracle alone, and the comparison GPU against oracle.
heddle_library(heddle_kernel_generator
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/generator/templates.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/generate.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/emit.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/emitter.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/operations.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/generated_kernel.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/generator/shrink.cpp ${CMAKE_CURRENT_SOURCE_DIR}/generator/unstructured.cpp
  LINK heddle_host fmt::fmt)
target_include_directories(heddle_kernel_generator PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

heddle_test(random_kernels_generator_test
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/random_kernels_generator_test.cpp
  LINK heddle_kernel_generator heddle_oracle LABELS regression TIMEOUT 300)

if(TARGET heddle_gpu)
  heddle_test(random_kernels_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/random_kernels.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mixed_warps.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu heddle_cli LABELS regression TIMEOUT 600)
  heddle_test(unstructured_kernels_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/unstructured_kernels_test.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu heddle_cli LABELS regression TIMEOUT 300)
  heddle_test(hanoi_recursion_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/hanoi_recursion_test.cpp
            ${CMAKE_CURRENT_LIST_DIR}/hanoi_recursion_kernels.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu LABELS regression)
  # The same kernels, and the workloads, with passes that take their code apart.
  heddle_test(compiler_passes_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/compiler_passes_test.cpp ${CMAKE_CURRENT_LIST_DIR}/test_passes.cpp
            ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu heddle_cli LABELS regression TIMEOUT 300)
endif()
