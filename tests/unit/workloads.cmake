heddle_test(test_workloads
  SOURCES workloads/workloads_test.cpp workloads/ptx_test.cpp workloads/ptx_cfg.cpp workloads/cpu_device.cpp
          workloads/cpu_kernels.cpp workloads/cpu_fibers.cpp
  LINK heddle_workloads
  TIMEOUT 120)
# It includes the .cu sources, which hold `#pragma unroll`; GCC 12 cannot silence that from within the file.
set_source_files_properties(workloads/cpu_kernels.cpp PROPERTIES COMPILE_OPTIONS -Wno-unknown-pragmas)
