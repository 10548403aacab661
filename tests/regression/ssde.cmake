# Kernels for MIMD machines on the GPU: hangs, and runs after SSDE.
if(TARGET heddle_gpu)
  heddle_test(ssde_run_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/ssde_run_test.cpp ${CMAKE_SOURCE_DIR}/tests/unit/ssde/kernels.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu heddle_workloads LABELS regression TIMEOUT 600)
  target_include_directories(ssde_run_test PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit)
endif()
