heddle_test(test_workloads
  SOURCES workloads_test.cpp workloads_ptx_test.cpp workloads_ptx_cfg.cpp workloads_cpu_device.cpp
          workloads_cpu_kernels.cpp workloads_cpu_fibers.cpp
  LINK heddle_workloads
  TIMEOUT 120)
# It includes the .cu sources, which hold `#pragma unroll`; GCC 12 cannot silence that from within the file.
set_source_files_properties(workloads_cpu_kernels.cpp PROPERTIES COMPILE_OPTIONS -Wno-unknown-pragmas)
